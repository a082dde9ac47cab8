"""Names of columns, and words of components whose columns are no words."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wideangle._rows import row_blocks
from wideangle.catalogue import COMPONENTS
from wideangle.documents import Documents

if TYPE_CHECKING:
    from wideangle.view.model_view import ModelView

PRIOR = 5.0  # A word of so many documents is drawn half of the way towards no direction.


def responses_of_words(view: "ModelView", documents: Documents | None) -> NDArray[np.float64] | None:
    """How far documents with each word are along each component, components × words; None where columns are words.

    Vectors say nothing of words by themselves. The mean over the documents that have a word, less the mean over
    all, says where the word points; a word of few documents is drawn towards 0.
    """
    words = None if documents is None else documents.words
    if view.reading.kind != "vectors" or words is None or documents is None or not view.vocabulary:
        return None
    K = min(len(view.components), COMPONENTS)
    present = words.matrix(len(view.vocabulary))
    sums, mean = np.zeros((len(view.vocabulary), K)), np.zeros(K)
    first = 0
    for block in row_blocks(view.rows(documents)):
        some = block[:, :K].astype(np.float64)
        sums += present[first : first + len(some)].T @ some
        mean += some.sum(axis=0)
        first += len(some)
    having = np.asarray(present.sum(axis=0)).ravel()[:, None]
    return np.asarray(((sums - having * mean / max(first, 1)) / (having + PRIOR)).T)


def first_columns(ranked: NDArray[Any], count: int, *, either_sign: bool = False) -> NDArray[np.intp]:
    """The columns of the largest values in each row, the largest first; of equal ones the first.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.view import first_columns
    >>> first_columns(np.array([[0.1, 2.0, -3.0]]), 2).tolist()
    [[1, 0]]
    """
    return np.argsort(-np.abs(ranked) if either_sign else -ranked, axis=1, kind="stable")[:, :count]


def numbered_columns(n: int) -> list[str]:
    """Names for columns that have none.

    Examples
    --------
    >>> from wideangle.view import numbered_columns
    >>> numbered_columns(2)
    ['feature 1', 'feature 2']
    """
    return [f"feature {number}" for number in range(1, n + 1)]
