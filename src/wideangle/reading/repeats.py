"""Which documents of a file repeat another one, by their counted words and, where these say little, by all words."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data.duplicates import find_duplicates
from wideangle.documents import snippet
from wideangle.reading.rows import Rows

__all__ = ["find_repeats"]

FEW_WORDS = 30  # Documents of fewer words of the vocabulary are also compared by the words they begin with.
FEWEST_WORDS = 10  # Without texts, documents of fewer words are not compared at all.
HASHED = 2**20


def find_repeats(rows: Rows) -> NDArray[np.int64] | None:
    """For each document the first one that it repeats, or itself; None where none repeats another.

    A vocabulary knows the frequent words alone. Two short texts with the same frequent words may differ in a name or a
    number, which is all that they tell. So documents of few words are compared by every word of how they begin as well.
    """
    if not rows.counted:
        return None
    counts = sp.csr_array(rows.X)
    if rows.reading is None or rows.reading.kind != "counts":
        # Weights of tf-idf depend on the length of a document; which words it has does not.
        counts = sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
    known = np.diff(counts.indptr)
    if rows.snippets is None:
        counts = sp.diags_array((known >= FEWEST_WORDS).astype(np.float64)) @ counts
    elif (few := (known < FEW_WORDS) & (known > 0)).any():
        counts = sp.hstack([counts, _words_of_beginnings(rows, few)], format="csr")
    same_as = find_duplicates(counts)
    return same_as if (same_as != np.arange(len(same_as))).any() else None


def _words_of_beginnings(rows: Rows, which: NDArray[np.bool_]) -> Any:
    """Words and numbers of titles and beginnings, by a hash of each; none for documents that are not asked for."""
    from sklearn.feature_extraction.text import HashingVectorizer

    assert rows.snippets is not None
    titles = rows.titles or [""] * len(rows)
    texts = (
        f"{title} {snippet(text)}" if asked else ""
        for title, text, asked in zip(titles, rows.snippets, which, strict=True)
    )
    counter = HashingVectorizer(n_features=HASHED, token_pattern=r"(?u)\w+", alternate_sign=False, norm=None)
    return counter.transform(texts)
