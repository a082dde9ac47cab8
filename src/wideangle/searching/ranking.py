"""Which documents come first: by the closeness that a model learned, by the words themselves, or by both."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle import _arguments as rules
from wideangle._arguments import checked, optional
from wideangle._arrays import array_of
from wideangle._blocks import parts
from wideangle._rows import MadeRows, RowMatrix
from wideangle.documents import WordLists
from wideangle.evaluation import nearest_rows
from wideangle.evaluation.retrieval import Method, RowIndex
from wideangle.view import Metric

__all__ = ["SLOPE", "WEIGHT", "By", "Measured", "Ranking", "WordIndex", "distances_to", "rank_documents"]

By = Literal["both", "meaning", "words"]

WEIGHT = 0.75  # How much the words count beside the closeness; chosen by benchmarks/search_words.py.
SLOPE = 0.2  # How much the length of a document counts: Singhal, Buckley and Mitra (1996), for different words.
AT_ONCE = 2**15  # documents whose words are looked at together
MOST_INVERTED = 2**24  # words of all documents together, up to which it is kept which documents have each word
FEWEST_CANDIDATES = 1000  # An index gives at least so many documents, which are then ranked by both.


@dataclass(frozen=True, eq=False)
class Ranking:
    """Documents, the best first."""

    rows: NDArray[np.intp]
    scores: NDArray[np.float64]
    distances: NDArray[np.float64]
    """of the representations: Euclidean, or 1 − cosine"""


@dataclass(frozen=True, eq=False)
class WordIndex:
    """Which words documents have, how much each word says, and how long documents are.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from wideangle.searching import WordIndex
    >>> index = WordIndex.of(sp.csr_array([[1.0, 1, 0], [1, 0, 0], [0, 0, 1]]))
    >>> index.scores([0, 1]).round(3).tolist()
    [0.909, 0.341, 0.0]
    """

    words: WordLists
    """which words each document has"""
    rarity: NDArray[np.float64]
    """how much each word says: log(1 + (n − n_w + ½)/(n_w + ½)), n_w of n documents having it"""
    lengths: NDArray[np.float64]
    """1 for documents of average length, more for longer ones"""
    documents: NDArray[np.int32] | None = None
    """the documents that have each word, one word after the other, in rising order; None: each query reads all words"""
    starts: NDArray[np.int64] | None = None
    """where those of each word begin, and at last where they end"""

    @classmethod
    def of(cls, present: Any) -> "WordIndex":
        """The index of a CSR matrix that has 1 where a document has a word."""
        return cls.of_words(WordLists.of(present, times=False), present.shape[1])

    @classmethod
    def of_words(cls, words: WordLists, n_words: int, *, many: bool = False) -> "WordIndex":
        """The index of documents whose words are columns below `n_words`.

        For `many` queries it also says which documents have each word, where this takes little memory.
        """
        n, having = len(words), np.zeros(n_words, dtype=np.int64)
        for part in parts(len(words.columns), words.columns):
            having += np.bincount(words.columns[part], minlength=n_words)
        different = np.diff(words.ends, prepend=0)
        average = max(float(different.mean()), 1.0) if n else 1.0
        rarity, lengths = np.log1p((n - having + 0.5) / (having + 0.5)), 1 - SLOPE + SLOPE * different / average
        if not many or len(words.columns) > MOST_INVERTED:
            return cls(words, rarity, lengths)
        owners = np.repeat(np.arange(n, dtype=np.int32), different)
        documents = owners[np.argsort(np.asarray(words.columns), kind="stable")]
        return cls(words, rarity, lengths, documents, np.concatenate([[0], np.cumsum(having)]))

    def scores(self, columns: ArrayLike) -> NDArray[np.float64]:
        """Of each document, the share of the query that it has: 0 to 1, rare words counting more.

        Long documents have more words by chance, so that the share is divided by their length.
        """
        asked = np.unique(np.asarray(columns, dtype=np.intp))
        weights = np.zeros(len(self.rarity))
        weights[asked] = self.rarity[asked] / (self.rarity[asked].sum() or 1.0)
        shares = np.zeros(len(self.words))
        if self.documents is not None and self.starts is not None:
            for column in asked:  # in rising order, as below, so that sums have the same digits
                shares[self.documents[self.starts[column] : self.starts[column + 1]]] += weights[column]
            return shares / self.lengths
        for part in parts(len(shares), self.words.columns, self.words.ends, each=AT_ONCE):
            shares[part] = self.words.part(part).matrix(len(weights)) @ weights
        return shares / self.lengths


def _rows(rows: Any, name: str) -> Any:
    """Rows of numbers. Those that are made when they are asked for stay so; who makes them sees to what they hold."""
    found = rows if isinstance(rows, MadeRows) else array_of(rows, name)
    if len(found.shape) != 2 or 0 in found.shape:
        raise ValueError(f"{name} must be a matrix with at least one row and column; got shape {found.shape}.")
    return found


def _scores(values: Any, name: str) -> Any:
    """One number per document."""
    found = array_of(values, name)
    if found.ndim != 1:
        raise ValueError(f"{name} must be one number per document; got shape {found.shape}.")
    return found


@checked(
    asked=_rows,
    stored=_rows,
    metric=rules.one_of("euclidean", "cosine"),
    count=rules.whole(least=1),
    words=optional(_scores),
    weight=rules.real(least=0),
    by=rules.one_of("both", "meaning", "words"),
    method=rules.one_of("exact", "faiss", "faiss-hnsw"),
    distances=optional(_scores),
)
def rank_documents(
    asked: NDArray[Any],
    stored: RowMatrix,
    metric: Metric,
    count: int,
    *,
    words: NDArray[np.float64] | None = None,
    weight: float = WEIGHT,
    by: By = "both",
    method: Method = "exact",
    distances: NDArray[np.float64] | None = None,
    index: RowIndex | None = None,
) -> Ranking:
    """The best documents for one query, of equally good ones the closer and then the earlier.

    Parameters
    ----------
    asked : array of shape (1, D)
        The query's vector.
    stored : array of shape (n, D)
        The documents' vectors.
    metric : {"euclidean", "cosine"}
        Closeness is the cosine, or 1 − d²/(mean of d² over all documents) for the Euclidean distance d. For vectors of
        length 1 whose cosines with the query have mean 0, both are the same.
    count : int
        How many documents at most.
    words : array of shape (n,), optional
        What `WordIndex.scores` gives; "both" and "words" need it.
    weight : float
        The score of "both" is closeness + weight × words.
    by : {"both", "meaning", "words"}
        "meaning" ranks by closeness, "words" ranks by words and leaves out documents that have none of them.
    method : {"exact", "faiss", "faiss-hnsw"}
        How the closest documents are found. With faiss, "both" ranks the documents that are best by either.
    distances : array of shape (n,), optional
        What `distances_to` gives, where it is known already.
    index : RowIndex, optional
        The index of `stored` by this method and metric, where it is made already.
    """
    if asked.shape[1] != stored.shape[1]:
        raise ValueError(f"asked has {asked.shape[1]} columns, and stored has {stored.shape[1]}.")
    for name, each in (("words", words), ("distances", distances)):
        if each is not None and len(each) != len(stored):
            raise ValueError(f"{name} must be one number per document ({len(stored)}); got {len(each)}.")
    if by != "meaning" and words is None:
        raise ValueError(f"to rank by {by}, pass the score of the words of each document.")
    if distances is None and (method == "exact" or metric == "euclidean"):  # Closeness then needs all of them.
        distances = distances_to(asked, stored, metric)
    rows = _candidates(asked, stored, metric, count, words, by, method, index)
    far = _distances(asked, stored[rows], metric) if distances is None else distances[rows]
    closeness = 1 - far if metric == "cosine" else _closeness(far, distances)
    if by == "meaning":
        scores = closeness
    else:
        assert words is not None
        scores = words[rows] if by == "words" else closeness + weight * words[rows]
    if 0 < count < len(rows):  # Sorting all of many documents would take most of the time.
        worst = np.partition(scores, len(scores) - count)[len(scores) - count]
        good = np.flatnonzero(scores >= worst)
        rows, far, closeness, scores = rows[good], far[good], closeness[good], scores[good]
    best = np.lexsort((rows, -closeness, -scores))[:count]
    return Ranking(rows[best], scores[best], far[best])


def _candidates(
    asked: NDArray[Any],
    stored: RowMatrix,
    metric: Metric,
    count: int,
    words: NDArray[np.float64] | None,
    by: By,
    method: Method,
    index: RowIndex | None,
) -> NDArray[np.intp]:
    """The rows among which the best are looked for, in rising order."""
    if by == "words":
        assert words is not None
        return np.flatnonzero(words > 0)
    if method == "exact" or not len(stored):
        return np.arange(len(stored))
    enough = min(len(stored), count if by == "meaning" else max(FEWEST_CANDIDATES, 10 * count))
    if index is None:
        found = nearest_rows(asked, stored, enough, metric=metric, method=method).rows[0]
    else:
        found = index.nearest(asked, enough).rows[0]
    rows = found[found >= 0]
    if by == "both":
        assert words is not None
        best = np.argsort(-words, kind="stable")[:enough]
        rows = np.concatenate([rows, best[words[best] > 0]])
    return np.unique(rows)


def distances_to(asked: NDArray[Any], stored: RowMatrix, metric: Metric) -> NDArray[np.float64]:
    """The distance of each document from a query: Euclidean, or 1 − cosine."""
    found = np.zeros(len(stored))
    for part in parts(len(stored), stored):
        found[part] = _distances(asked, stored[part], metric)
    return found


@dataclass(frozen=True, eq=False)
class Measured:
    """Documents' vectors in double precision with their lengths, for many queries."""

    rows: NDArray[np.float64]
    lengths: NDArray[np.float64]

    @classmethod
    def of(cls, stored: Any) -> "Measured":
        """Measure some rows."""
        rows = stored[:].astype(np.float64)
        return cls(rows, np.linalg.norm(rows, axis=1))

    def distances(self, asked: NDArray[Any], metric: Metric) -> NDArray[np.float64]:
        """The distance of each row from a query: Euclidean, or 1 − cosine."""
        x = asked[0].astype(np.float64)
        if metric == "euclidean":
            return np.asarray(np.linalg.norm(self.rows - x, axis=1))
        lengths = self.lengths * np.linalg.norm(x)
        # A document or query without a direction is close to none. Equal rows may round below 0.
        cosines = np.divide(self.rows @ x, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
        return np.maximum(1 - cosines, 0.0)


def _distances(asked: NDArray[Any], stored: NDArray[Any], metric: Metric) -> NDArray[np.float64]:
    return Measured.of(stored).distances(asked, metric)


def _closeness(distances: NDArray[np.float64], everyone: NDArray[np.float64] | None) -> NDArray[np.float64]:
    mean = float(np.mean(everyone**2)) if everyone is not None and len(everyone) else 0.0
    return 1 - distances**2 / mean if mean > 0 else np.zeros(len(distances))  # All documents are where the query is.
