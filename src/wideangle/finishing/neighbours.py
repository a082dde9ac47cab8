"""Pairs of documents that are about the same: each and the others whose words are most like its own."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer

MOST = 4000  # So many documents are asked for their neighbours; more teach hardly more.
EACH = 3  # neighbours per document: on folds better than one, and more are hardly better (docs/vectors.md)
AT_ONCE = 1000  # The cosines of so many documents with all others are in memory at a time.
THE_SAME = 0.999  # A document of this cosine is a copy, which says nothing about noise.


def neighbours_by_words(counts: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of a document and one of its three nearest others by the cosine of tf-idf.

    Some documents spread evenly over all are asked. One that shares no word with others, but for copies, has no pair.

    Examples
    --------
    >>> from wideangle.finishing.neighbours import neighbours_by_words
    >>> asked, near = neighbours_by_words([[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 1]])
    >>> asked.tolist(), near.tolist()
    ([0, 1, 2, 3], [1, 0, 3, 2])
    """
    rows = sp.csr_array(TfidfTransformer(sublinear_tf=True).fit_transform(sp.csr_matrix(sp.csr_array(counts))))
    written = np.flatnonzero(np.diff(rows.indptr))
    if len(written) > MOST:
        written = written[np.linspace(0, len(written) - 1, MOST).astype(np.intp)]
    columns = sp.csr_array(rows.T)
    asked, nearest = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
    for first in range(0, len(written), AT_ONCE):
        some = written[first : first + AT_ONCE]
        cosines = sp.csr_array(rows[some] @ columns)
        for row, start, stop in zip(some, cosines.indptr[:-1], cosines.indptr[1:], strict=True):
            others, near = cosines.indices[start:stop], cosines.data[start:stop]
            kept = (others != row) & (near > 0) & (near <= THE_SAME)
            others, near = others[kept], near[kept]
            best = np.lexsort((others, -near))[:EACH]  # Of equally near ones the first, whatever their order.
            asked.append(np.full(len(best), row))
            nearest.append(others[best].astype(np.intp))
    return np.concatenate(asked), np.concatenate(nearest)
