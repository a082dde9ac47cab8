"""A query to documents: it is read as the model's documents were, and the best documents are found."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle import _arguments as rules
from wideangle._arguments import checked
from wideangle._rows import RowMatrix
from wideangle.documents import KEPT, Documents
from wideangle.evaluation.retrieval import Method
from wideangle.exceptions import DataError
from wideangle.finishing import Granularity
from wideangle.reading import Query
from wideangle.reading.vectors import encoder_of_model
from wideangle.reading.words import QueryReader
from wideangle.searching.prepared import PreparedDocuments
from wideangle.searching.ranking import By, Ranking, WordIndex, distances_to, rank_documents
from wideangle.view import Metric, ModelView

__all__ = ["Found", "Hit", "Searcher", "read_for"]

STAND_FOR = 10  # So many documents with the words of a query stand for it where nothing makes a vector of it.
LOOKED_UP = 5  # unknown words for which near ones are looked up, which takes long
ROUNDED = 1e-5  # Scores of equal documents may differ by so much, depending on the CPU.


@dataclass(frozen=True)
class Hit:
    """A document that was found."""

    rank: int
    score: float
    """closeness, what the words say, or their sum: see `Found.by`"""
    distance: float
    """of the representation from the query's"""
    name: str
    """the document's id, or where it was found"""
    title: str | None
    label: str | None
    matched: tuple[str, ...] | None
    """words of the query that the document has; None where it is not known which words documents have"""
    snippet: str | None
    number: int
    """of the document among those searched, from 0"""
    others: int = 0
    """how many other documents are the same and are not shown for that"""


@dataclass(frozen=True)
class Found:
    """The best documents, and which words of the query the model understood."""

    query: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    left_out: tuple[str, ...]
    """words of the query that are stop words, which the model's vocabulary does not have"""
    by: By
    """what was ranked by: "meaning" where "both" was asked for and the words of documents are not known"""
    metric: Metric
    method: Method
    searched: int
    hits: tuple[Hit, ...]


def vocabulary_of(view: ModelView) -> list[str]:
    """The words that a model knows. A model without words raises an error."""
    known = view.vocabulary
    if known is None or view.reading.kind == "numbers":
        why = "has no vocabulary" if known is None else "was fitted on numbers"
        raise DataError(f"the model {why}, so words mean nothing to it. Search a model fitted on text.")
    return known


@checked(view=rules.a(ModelView), query=rules.text)
def read_for(view: ModelView, query: str) -> Query:
    """Read a query as the model's documents were read. It must have a word that the model knows."""
    return _read(QueryReader(view.reading, vocabulary_of(view)), query)


def _read(reader: QueryReader, query: str) -> Query:
    found, vocabulary = reader.read(query), reader.vocabulary
    if found.known or (reader.reading.encoder is not None and query.strip()):  # An encoder may know other words.
        return found
    if not (found.unknown or found.left_out):
        raise DataError(f"there is no word in {query!r}. Say what to look for.")
    near = (near for word in found.unknown[:LOOKED_UP] for near in difflib.get_close_matches(word, vocabulary, 3))
    meant = ", ".join(dict.fromkeys(near))
    remedy = f"Did you mean {meant}?" if meant else "See its words with: wideangle topics MODEL."
    if found.left_out:
        remedy += f" Left out as stop words: {', '.join(found.left_out)}; fit with --stop-words none to have them."
    raise DataError(f"the model knows no word of {query!r}. {remedy}")


@dataclass(frozen=True, eq=False)
class Searcher:
    """A model and the documents to search, for any number of queries.

    Examples
    --------
    >>> from wideangle.data import count_words
    >>> from wideangle.documents import Reading
    >>> from wideangle.models import ReplicatedSoftmax
    >>> from wideangle.searching import Searcher
    >>> from wideangle.view import ModelView
    >>> corpus = count_words(["wheat and corn", "ships at sea", "corn or barley", "ships and ports"])
    >>> model = ReplicatedSoftmax(2, max_updates=20, random_state=0).fit(corpus.counts)
    >>> model.vocabulary_, model.reading_ = corpus.vocabulary.tolist(), Reading("counts", r"\\b[a-z]{3,}\\b")
    >>> view = ModelView.of(model)
    >>> documents = view.documents(corpus.counts, counts=corpus.counts)
    >>> [(hit.name, hit.matched) for hit in Searcher(view, documents).search("barley", by="words").hits]
    [('row 3', ('barley',))]
    """

    view: ModelView
    documents: Documents
    kept: int = 0
    """of so many granularities what searches share is kept; only for a model that stays as it is"""

    @cached_property
    def _prepared(self) -> PreparedDocuments:
        return PreparedDocuments(lambda granularity: self.view.searchable(self.documents, granularity), self.kept)

    @cached_property
    def index(self) -> WordIndex | None:
        """Which words the documents have; None where that is not known."""
        words = self.documents.words
        return None if words is None else WordIndex.of_words(words, len(self._reader.vocabulary), many=self.kept > 0)

    @cached_property
    def _reader(self) -> QueryReader:
        return QueryReader(self.view.reading, vocabulary_of(self.view))

    @cached_property
    def _alike(self) -> NDArray[np.intp] | None:
        """How many documents are the same, by their group."""
        return None if self.documents.same_as is None else np.bincount(self.documents.same_as)

    def search(
        self,
        query: str | Query,
        count: int = 10,
        *,
        by: By = "both",
        metric: Literal["auto"] | Metric = "auto",
        method: Method = "exact",
        granularity: Granularity | None = None,
        keep_duplicates: bool = False,
    ) -> Found:
        """The best documents, the best first.

        Parameters
        ----------
        query : str or Query
            What to look for, or what `read_for` made of it.
        count : int, default=10
            How many documents at most.
        by : {"both", "meaning", "words"}
            What documents are ranked by; see `rank_documents`.
        metric : {"auto", "euclidean", "cosine"}
            The distance of meanings. "auto" compares as the model is searched best; the others compare what
            `transform` gives.
        method : {"exact", "faiss", "faiss-hnsw"}
            How the closest documents are found.
        granularity : {"details", "balance", "groups"} or float from 0 (fine) to 1 (broad), optional
            How finely meanings are told apart. By default "auto" takes half the model's granularity, because the words
            of a query say what is wanted; another metric takes the model's own. Documents that are kept as `transform`
            gave them have one granularity for ever, and a choice raises an error.
        keep_duplicates : bool, default=False
            Whether all of the documents that are the same are shown. Otherwise the best of them is, with their number;
            where several are equally good, the first.
        """
        asked = _read(self._reader, query) if isinstance(query, str) else query
        documents = self.documents
        if documents.words is None and by == "words":
            raise DataError(
                "the model file does not say which words its documents have. Search --by meaning, or fit again."
            )
        if granularity is not None and documents.finished:
            raise DataError(
                f"granularity={granularity!r} cannot be chosen: the documents are kept as `transform` gave them. Leave "
                "it out, or keep what a model with a finish says: ModelView.of(model).documents(X)."
            )
        used: By = "meaning" if documents.words is None else by
        words = None if used == "meaning" or self.index is None else self.index.scores(asked.row.indices)
        if metric == "auto":
            prepared = self._prepared.at(granularity)
            compared, index = prepared.documents, prepared.index(method) if self.kept else None
            stored, measure = compared.stored, compared.metric
            vector = self._vector(asked, words, stored, compared.query)
            far = prepared.distances(vector, keep=self.kept > 0) if method == "exact" else None
        else:
            stored, measure, index = self.view.rows(documents, granularity), metric, None
            vector = self._vector(asked, words, stored, lambda row: self.view.represent(row, granularity))
            far = distances_to(vector, stored, measure) if method == "exact" else None
        # The distances are found once, for any number of documents that `_ranked` asks for.
        same_as = None if keep_duplicates else documents.same_as
        ranking = _ranked(
            lambda most: rank_documents(
                vector, stored, measure, most, words=words, by=used, method=method, distances=far, index=index
            ),
            count,
            same_as,
        )
        triples = zip(ranking.rows.tolist(), ranking.scores.tolist(), ranking.distances.tolist(), strict=True)
        place = {word: self._reader.place[word] for word in asked.known}
        hits = tuple(self._hit(rank, place, *triple) for rank, triple in enumerate(triples, 1))
        if same_as is not None and self._alike is not None:
            alike = self._alike
            hits = tuple(replace(hit, others=int(alike[same_as[hit.number]]) - 1) for hit in hits)
        return Found(
            asked.text, asked.known, asked.unknown, asked.left_out, used, measure, method, len(documents), hits
        )

    def _vector(
        self,
        asked: Query,
        words: NDArray[np.float64] | None,
        stored: RowMatrix,
        represent: Callable[[Any], NDArray[Any]],
    ) -> NDArray[Any]:
        """The vector of a query.

        Where vectors came with the documents and nothing makes one of the query, the documents that have its words
        stand for it.
        """
        reading = self.view.reading
        if reading.kind != "vectors":
            return represent(asked.row)
        if self._encoder is not None:
            return represent(self._encoder.encode([asked.text]))
        scores = self.index.scores(asked.row.indices) if words is None and self.index is not None else words
        if scores is None:
            raise DataError("the documents came without words, and nothing makes a vector of a query. Fit on texts.")
        best = np.argsort(-scores, kind="stable")[:STAND_FOR]
        best = np.sort(best[scores[best] > 0])
        if not len(best):
            return np.zeros((1, stored.shape[1]))
        return np.asarray(scores[best] @ stored[best].astype(np.float64))[None]

    @cached_property
    def _encoder(self) -> Any:
        """What makes vectors of queries; None where the documents' vectors came with them."""
        return None if self.view.reading.encoder is None else encoder_of_model(self.view.reading)

    def _hit(self, rank: int, asked: dict[str, int], row: int, score: float, distance: float) -> Hit:
        documents = self.documents
        matched = None
        if documents.words is not None:
            there = set(documents.words[row].tolist())
            matched = tuple(word for word, column in asked.items() if column in there)
        return Hit(
            rank,
            score,
            distance,
            documents.names[row],
            documents.title(row),
            documents.class_of(row),
            matched,
            documents.beginning(row, KEPT),
            row,
        )


def _ranked(rank: Callable[[int], Ranking], count: int, same_as: NDArray[np.int64] | None) -> Ranking:
    """The best documents; of those that are the same the best, and of equally good ones the first.

    So many are asked for that enough are left.
    """
    if same_as is None:
        return rank(count)
    asked = 2 * count
    while True:
        ranking = rank(asked)
        kept = np.sort(np.unique(same_as[ranking.rows], return_index=True)[1])[:count]
        if len(kept) == count or len(ranking.rows) < asked:
            shown = np.array([_first_of_equals(ranking, same_as, best) for best in kept], dtype=np.int64)
            return Ranking(ranking.rows[shown], ranking.scores[kept], ranking.distances[kept])
        asked *= 4


def _first_of_equals(ranking: Ranking, same_as: NDArray[np.int64], best: int) -> int:
    """The place of the first document, by its row, that is the same as the best one and as good but for rounding."""
    alike = np.flatnonzero(same_as[ranking.rows] == same_as[ranking.rows[best]])
    equal = alike[np.abs(ranking.scores[alike] - ranking.scores[best]) <= ROUNDED]
    return int(equal[ranking.rows[equal].argmin()])
