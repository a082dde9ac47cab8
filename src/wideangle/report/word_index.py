"""What the search of a saved page needs: which documents have each word, and which words are related."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.report.map_documents import Shown
from wideangle.report.packing import NONE, packed_array, variable_length
from wideangle.report.views import PageView
from wideangle.searching import SLOPE

RELATED = 4  # So many related words are kept for each word,
CLOSE = 0.6  # where the cosine of what the components say about both is at least so much.
MOST_WORDS = 20_000  # Related words are looked for among so many; more of them would take long.
AT_ONCE = 1000  # words whose relatives are looked for at the same time


def stored_order(view: PageView, shown: Shown) -> NDArray[np.intp]:
    """The documents that are shown, those of one topic together: neighbours that are alike take less room."""
    on_map = view.topics is not None and shown.holds(view)
    leaves = view.topics.leaves[shown.rows] if view.topics is not None and on_map else np.zeros(len(shown.rows))
    return np.argsort(leaves, kind="stable")


def search_content(
    views: Sequence[PageView], shown: Shown | None, order: NDArray[np.intp] | None
) -> tuple[dict[str, Any] | None, bytes]:
    """What the page finds under "search", and the index of its words; None and nothing where there are no words.

    The vocabulary of the page is that of the first model, and so is the index. It numbers documents in `order`.
    """
    view = views[0]
    if view.columns != "word":
        return None, b""
    words = view.documents.words if view.documents is not None else None
    known = shown is not None and order is not None and words is not None and shown.holds(view)
    reading = None if view.seen is None else view.seen.reading
    about = {
        "indexed": known,
        "slope": SLOPE,
        "ngrams": 1 if reading is None else reading.ngrams,
        "stop_words": [] if reading is None else sorted(reading.stop_words or ()),
        "related": related_words(view),
    }
    if not known:
        return about, b""
    assert words is not None
    assert shown is not None
    return about, postings(words.taken(shown.rows[order]).matrix(len(view.vocabulary)))


def postings(present: Any) -> bytes:
    """For each column how many rows have it, and these: the first, and then how many lie between each and the next.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from wideangle.report.word_index import postings
    >>> list(postings(sp.csr_array([[1.0, 0, 1], [1, 0, 0], [0, 0, 1]])))
    [2, 0, 0, 0, 2, 0, 1]
    """
    by_word = present.tocsc()
    by_word.sort_indices()
    rows, ends = by_word.indices.astype(np.int64), by_word.indptr.astype(np.int64)
    between = np.diff(rows, prepend=-1) - 1
    starts = ends[:-1][np.diff(ends) > 0]
    between[starts] = rows[starts]
    return variable_length(np.insert(between, ends[:-1], np.diff(ends)))


def related_words(view: PageView) -> str | None:
    """For each word the columns of those that the components treat alike, the closest first; None for one component.

    A word is what the components say about it, measured from the average word. Words that no component tells apart
    have no relatives.
    """
    said = view.components if view.effects is None else view.effects
    K, V = said.shape
    if K < 2 or min(MOST_WORDS, NONE) < V:
        return None
    vectors = (said - said.mean(axis=1, keepdims=True)).T
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0).astype(np.float32)
    found = np.full((V, RELATED), NONE)
    for start in range(0, V, AT_ONCE):
        found[start : start + AT_ONCE] = _closest(unit, start)
    return packed_array(found, "u2")


def _closest(unit: NDArray[np.float32], start: int) -> NDArray[np.int64]:
    cosines = unit[start : start + AT_ONCE] @ unit.T
    mine = np.arange(len(cosines))
    cosines[mine, start + mine] = -1.0
    count = min(RELATED, cosines.shape[1] - 1)
    best = np.argpartition(-cosines, count - 1, axis=1)[:, :count] if count else np.empty((len(mine), 0), dtype=int)
    values = np.take_along_axis(cosines, best, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    best, values = np.take_along_axis(best, order, axis=1), np.take_along_axis(values, order, axis=1)
    found = np.full((len(cosines), RELATED), NONE)
    found[:, :count] = np.where(values >= CLOSE, best, NONE)
    return found
