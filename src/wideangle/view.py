"""A fitted model as people look at it: its components, their words and angles, and what it makes of rows.

Notebooks, the commands, the page and tuning all use this view, so that they show the same words, angles and neighbours.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from wideangle._quiet import silenced
from wideangle._rows import MadeRows, RowMatrix, made_rows, row_blocks
from wideangle.catalogue import COMPONENTS, Entry, entry_of
from wideangle.documents import Documents, Reading
from wideangle.exceptions import DataError
from wideangle.finishing import Finished, Granularity
from wideangle.finishing.finished import nothing_near

By = Literal["effect", "weight"]
Metric = Literal["euclidean", "cosine"]
Seen = Literal["as the documents see them", "of the weights"]

PRIOR = 5.0  # A word of so many documents is drawn half of the way towards no direction.
QUERY_SHARE = 0.5  # by benchmarks/search_words.py: the share of a document's distance, and of the model's granularity
ALMOST_CERTAIN = 1e-6  # The logit of a float32 probability that is nearer to 0 or 1 is mostly rounding.


@dataclass(frozen=True, eq=False)
class Directions:
    """One row per component. The angles between these rows are the angles that people are shown."""

    rows: NDArray[Any]
    kind: Seen
    """whose angles they are, in words that follow "angles" """


@dataclass(frozen=True, eq=False)
class Searchable:
    """Documents as queries are compared with them. It serves any number of queries, while the model stays as it is."""

    stored: RowMatrix
    """the vectors of the documents"""
    metric: Metric
    """the distance by which the model is searched"""
    query: Callable[[Any], NDArray[Any]]
    """the vectors of queries, of their rows"""


@dataclass(frozen=True, eq=False)
class ModelView:
    """A fitted estimator and its record in the catalogue."""

    model: Any
    entry: Entry

    @classmethod
    def of(cls, model: Any) -> "ModelView":
        """The view of any estimator in the catalogue. One that is not fitted raises an error."""
        entry = entry_of(model)
        essential = getattr(model, "_essential", None)
        check_is_fitted(model, essential)
        return cls(model, entry)

    @property
    def components(self) -> NDArray[Any]:
        """The rows whose angles matter, K×D. For a network, the units of its first layer, whose inputs have names."""
        shown = getattr(self.model, "_shown_components", None)
        return np.asarray(self.model.components_ if shown is None else shown())

    def directions(self, documents: Documents | None = None) -> Directions:
        """The components as angles are shown: as the documents see them, or else by their weights.

        With metric="covariance" training keeps apart what components say about the data, not their weights. Two
        components are then as far apart as the correlation of their responses to the documents says: of their hidden
        logits, or of a linear `transform`. Documents that are not given are the model's own. Without documents, or if
        the responses are not known, the weights remain.
        """
        documents = getattr(self.model, "documents_", None) if documents is None else documents
        if documents is not None and getattr(self.model, "metric", None) == "covariance":
            responses = made_rows(documents.vectors) if self.entry.linear else self._known_logits(documents)
            # Documents without words have no logits.
            seen = None if responses is None else _in_few_columns(responses, or_empty=self.entry.linear)
            if seen is not None and len(seen) == len(self.components):
                return Directions(seen, "as the documents see them")
        return Directions(self.components, "of the weights")

    @property
    def effects(self) -> NDArray[np.float64] | None:
        """What each component does to each column; None where the weight itself is that."""
        return self.model.effects() if hasattr(self.model, "effects") else None

    @property
    def has_words(self) -> bool:
        """Whether the columns are words of a vocabulary."""
        return hasattr(self.model, "vocabulary_")

    @property
    def column_names(self) -> list[str] | None:
        """The word or name of each column; None where the model has none."""
        known = getattr(self.model, "vocabulary_", getattr(self.model, "feature_names_in_", None))
        return None if known is None else [str(name) for name in known]

    @property
    def vocabulary(self) -> list[str] | None:
        """The words by which documents are named and searched; None where there are none.

        They are the names of the columns, but for a model of vectors, whose documents have words besides.
        """
        reading = self.reading
        return self.column_names if reading.kind != "vectors" else list(reading.words) or None

    def responses_of_words(self, documents: Documents | None) -> NDArray[np.float64] | None:
        """How far documents with each word are along each component, components × words; None where columns are words.

        Vectors say nothing of words by themselves. The mean over the documents that have a word, less the mean over
        all, says where the word points; a word of few documents is drawn towards 0.
        """
        words = None if documents is None else documents.words
        if self.reading.kind != "vectors" or words is None or documents is None or not self.vocabulary:
            return None
        K = min(len(self.components), COMPONENTS)
        present = words.matrix(len(self.vocabulary))
        sums, mean = np.zeros((len(self.vocabulary), K)), np.zeros(K)
        first = 0
        for block in row_blocks(self.rows(documents)):
            some = block[:, :K].astype(np.float64)
            sums += present[first : first + len(some)].T @ some
            mean += some.sum(axis=0)
            first += len(some)
        having = np.asarray(present.sum(axis=0)).ravel()[:, None]
        return np.asarray(((sums - having * mean / max(first, 1)) / (having + PRIOR)).T)

    @property
    def columns(self) -> list[str]:
        """The word or name of each column, or its number."""
        known = self.column_names
        return known if known is not None else numbered_columns(self.components.shape[1])

    @property
    def reading(self) -> Reading:
        """How the model's rows were read. Where its file does not say, it follows from what the model takes."""
        known = getattr(self.model, "reading_", None)
        return known if isinstance(known, Reading) else Reading("counts" if self.entry.takes == "counts" else "numbers")

    def top_columns(self, count: int, by: By = "effect") -> NDArray[np.intp]:
        """The columns of largest effect of each component, or of largest weight where there are no effects; K × count.

        Where the sign of a component means nothing, the absolute weights count.
        """
        ranked = self.effects if by == "effect" else None
        return first_columns(self.components if ranked is None else ranked, count, either_sign=self.entry.either_sign)

    def top_words(self, count: int, by: By = "effect") -> list[list[str]]:
        """The words of these columns. Where signs mean nothing, a minus marks words whose sign is not the first's.

        For a model of vectors they are the words whose documents are furthest along each component.
        """
        responses = self.responses_of_words(getattr(self.model, "documents_", None))
        if responses is not None:
            return np.asarray(self.vocabulary, dtype=object)[first_columns(responses, count)].tolist()
        return self.words_of(self.top_columns(count, by), self.columns)

    def words_of(self, columns: NDArray[np.intp], names: Sequence[str]) -> list[list[str]]:
        """The names of some columns of each component, with a minus where the sign is not that of the first."""
        words = np.asarray(names, dtype=object)[columns]
        if not self.entry.either_sign:
            return [row.tolist() for row in words]
        weights = np.take_along_axis(self.components, columns, axis=1)
        against = weights * np.where(weights[:, :1] < 0, -1, 1) < 0
        return np.where(against, "−" + words, words).tolist()

    def represent(self, X: Any, granularity: Granularity | None = None) -> NDArray[np.float32]:
        """`transform` of the rows, at the model's granularity or at another."""
        if granularity is None or not self.is_finished:
            return self._asked(self.model.transform, X)
        return self._asked(lambda rows: self.model._finished(self._said_of(rows), granularity), X)

    def said(self, X: Any) -> NDArray[np.float32]:
        """What the model says of the rows before it is finished; `transform` where nothing finishes it."""
        return self._asked(self._said_of if self.is_finished else self.model.transform, X)

    def vectors(self, documents: Documents, granularity: Granularity | None = None) -> NDArray[np.float32]:
        """The representations of documents as `transform` gives them, at the model's granularity or at another."""
        return np.asarray(self.rows(documents, granularity))

    def vectors_of(
        self, documents: Documents, rows: Any, granularity: Granularity | None = None
    ) -> NDArray[np.float32]:
        """The same of some documents, by a slice or by their rows. Each is finished by itself."""
        return MadeRows(documents.vectors, self._finish_of(documents, granularity))[rows]

    def rows(self, documents: Documents, granularity: Granularity | None = None) -> RowMatrix:
        """What `vectors` gives. Of many documents it is made when it is asked for, and never whole."""
        return made_rows(documents.vectors, self._finish_of(documents, granularity))

    def _finish_of(
        self, documents: Documents, granularity: Granularity | None
    ) -> Callable[[NDArray[Any]], NDArray[Any]] | None:
        """What makes vectors of what is kept of documents; None: they are vectors already."""
        if documents.finished:
            return None
        if not self.is_finished:
            raise DataError(
                "the documents are kept as the model says them, and its finish was taken away. Set finish='halves' and "
                "representation=None again, or make new documents."
            )
        return lambda said: np.asarray(self.model._finished(said, granularity))

    def documents(self, X: Any, **about: Any) -> Documents:
        """Documents with all that search, topics and angles need; `about` is what `Documents.of` takes besides."""
        return Documents.of(self.said(X), logits=self.logits(X), finished=not self.is_finished, **about)

    @property
    def is_finished(self) -> bool:
        """Whether a granularity can be chosen: what the model says is finished before it is compared."""
        return isinstance(self.model, Finished) and self.model._wanted_finish() is not None

    @property
    def granularity(self) -> float | None:
        """The granularity of `transform`; None where it has none."""
        return float(self.model._used_granularity()) if self.is_finished else None

    @property
    def is_centred(self) -> bool:
        """Whether documents are measured from the average document."""
        return self.is_finished or (representation_of(self.model) or "").startswith("centred")

    def logits(self, X: Any) -> NDArray[np.float32] | None:
        """The logits of hidden units, which search and angles need; None where `said` gives them or none exist."""
        if self.entry.searched_by != "logits" or self.is_finished or gives_logits(self.model):
            return None
        return self._asked(self.model.hidden_logits, X)

    def _said_of(self, X: Any) -> Any:
        return self.model._said(self.model._checked(X, reset=False))

    def comparable(self, vectors: RowMatrix) -> RowMatrix:
        """Results of `transform` as Euclidean distance can compare them.

        What suits the cosine, as logits do, is put at unit length, where Euclidean distance ranks as the cosine does.
        """
        from sklearn.preprocessing import normalize

        return made_rows(vectors, normalize) if transform_metric(self.model) == "cosine" else vectors

    def compared(
        self, row: Any, documents: Documents, granularity: Granularity | None = None
    ) -> tuple[NDArray[Any], RowMatrix, Metric]:
        """A query's vector, the documents' vectors, and the distance by which the model is searched."""
        found = self.searchable(documents, granularity)
        return found.query(row), found.stored, found.metric

    def searchable(self, documents: Documents, granularity: Granularity | None = None) -> Searchable:
        """Documents as queries are compared with them, at the model's granularity or at another."""
        entry = self.entry
        if not documents.finished:
            # The words of a query say what is wanted, so that search is finer than the representation of documents.
            fine = QUERY_SHARE * (self.granularity or 0.0) if granularity is None else granularity
            return Searchable(self.rows(documents, fine), "cosine", self._finished_queries(documents, fine))
        stored = self._known_logits(documents)
        if stored is None:
            metric = entry.metric if entry.searched_by == "transform" else transform_metric(self.model)
            return Searchable(made_rows(documents.vectors), metric, self.represent)
        # The few words of a query may move the logits much further than a document does, or hardly at all. Only the
        # direction in which they move is compared. Documents are measured from the average document. So is a query if
        # the model scales both to one length. In other models absent words count too, but a query that leaves words out
        # says nothing about them; it is measured from the row without words. Centred probabilities, which `transform`
        # may give, find fewer documents of the right class (results/search; docs/cli.md).
        written = sum(int(block.any(axis=1).sum()) for block in row_blocks(stored))
        middle = sum(block.sum(axis=0) for block in row_blocks(stored)) / max(written, 1)
        start = middle if entry.query_from == "mean" else self._logits_of_nothing()

        def moved(rows: NDArray[np.float64]) -> NDArray[np.float64]:
            # A document without words has no direction. Without this it would be the opposite of the average document.
            return np.where(rows.any(axis=1, keepdims=True), rows - middle, 0.0)

        def query(rows: Any) -> NDArray[np.float64]:
            asked = self.logits(rows)
            return (self.represent(rows) if asked is None else asked).astype(np.float64) - start

        return Searchable(made_rows(stored, moved), entry.metric, query)

    def _logits_of_nothing(self) -> NDArray[np.float64]:
        """The hidden logits of a row of zeros."""
        zeros = np.zeros((1, self.model.n_features_in_), dtype=self.model.components_.dtype)
        with silenced(UserWarning, "X does not have valid feature names"):
            return np.asarray(self.model.hidden_logits(zeros)[0], dtype=np.float64)

    def _finished_queries(self, documents: Documents, granularity: Granularity) -> Callable[[Any], NDArray[np.float32]]:
        """What makes vectors of queries. Logits are first put as far from the average document as half a document's.

        The few words of a query move logits much further than a document does, or hardly at all. Softened
        probabilities would then say of each unit only whether it is on.
        """
        centre = self.model._centre_of_logits()
        usual, nothing = 1.0, 0.0
        if centre is not None:
            nothing = nothing_near(centre)
            vectors = made_rows(documents.vectors)
            lengths_of_blocks = (np.linalg.norm(block - centre, axis=1) for block in row_blocks(vectors))
            far = np.concatenate([np.zeros(0, dtype=np.float32), *lengths_of_blocks])
            usual = np.median(far[far > nothing]) if (far > nothing).any() else 1.0

        def query(rows: Any) -> NDArray[np.float32]:
            said = self.said(rows)
            if centre is not None:
                moved = said - centre
                lengths = np.linalg.norm(moved, axis=1, keepdims=True)
                scaled = centre + moved * (QUERY_SHARE * usual / np.maximum(lengths, nothing))
                said = np.where(lengths > nothing, scaled, centre)
            return np.asarray(self.model._finished(said.astype(np.float32), granularity))

        return query

    def _known_logits(self, documents: Documents) -> RowMatrix | None:
        """The hidden logits of the documents; None where neither they nor what they can be found from is stored."""
        if self.entry.searched_by != "logits":
            return None
        if documents.logits is not None:
            return made_rows(documents.logits, _as_float64)
        if not documents.finished:  # From the average document, so that a document without words has zeros.
            centre = self.model._centre_of_logits()  # None where the finish was taken away
            if centre is None:
                return None
            return made_rows(documents.vectors, lambda said: said.astype(np.float64) - centre)
        how = representation_of(self.model)
        if how == "logits":
            return made_rows(documents.vectors, _as_float64)
        if how != "probabilities":
            return None
        # Files from before logits were stored, and documents that users made, have the probabilities alone.
        return made_rows(documents.vectors, _logits_of)

    def _asked(self, method: Any, X: Any) -> NDArray[np.float32]:
        # Reading has put the columns into the model's order, which scikit-learn cannot know.
        with silenced(UserWarning, "X does not have valid feature names"):
            found = method(X)
        with np.errstate(over="ignore"):
            answers = np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float32)
        if not np.isfinite(answers).all():
            raise DataError(
                f"what {type(self.model).__name__} says of some rows is not finite, or above 3.4e38. Scale the rows as "
                "those of the fit were, or fit the model again."
            )
        return answers


def representation_of(model: Any) -> str | None:
    """What `transform` of a Boltzmann machine gives; None where it is finished, and for other models."""
    own = getattr(model, "_representation", None)
    found: str | None = getattr(model, "representation", None) if own is None else own()
    return found


def gives_logits(model: Any) -> bool:
    """Whether `transform` gives logits as they are, neither probabilities nor centred ones."""
    return representation_of(model) == "logits"


def transform_metric(model: Any) -> Metric:
    """The distance that suits what `transform` gives. For logits that are not centred it is the cosine."""
    return "cosine" if gives_logits(model) or entry_of(model).by_direction else "euclidean"


def _as_float64(rows: NDArray[Any]) -> NDArray[np.float64]:
    return rows.astype(np.float64)


def _logits_of(probabilities: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(logit(np.clip(probabilities.astype(np.float64), ALMOST_CERTAIN, 1 - ALMOST_CERTAIN)))


def _in_few_columns(responses: RowMatrix, *, or_empty: bool) -> NDArray[np.float64] | None:
    """K rows whose cosines are the correlations of the K columns of `responses`; None where no column varies.

    With centred responses Xc = Q R, the columns of R have the lengths and angles of the columns of Xc, but are as short
    as there are components. The R of some rows stands for them beside the next rows, so that not all are needed at
    once. Rows of zeros count with `or_empty`.
    """

    def blocks() -> Iterator[NDArray[np.float64]]:
        for block in row_blocks(responses):
            rows = block.astype(np.float64)
            yield rows if or_empty else rows[rows.any(axis=1)]

    first: NDArray[np.float64] | None = None
    count, total, constant = 0, np.zeros(responses.shape[1]), np.ones(responses.shape[1], dtype=bool)
    for rows in blocks():
        first = rows[0] if first is None and len(rows) else first
        constant &= (rows == first).all(axis=0) if len(rows) else True
        count, total = count + len(rows), total + rows.sum(axis=0)
    if constant.all():
        return None
    R = np.zeros((0, len(total)))
    for rows in blocks():
        centred = rows - total / count
        centred[:, constant] = 0.0  # The mean of equal numbers is rounded.
        R = np.asarray(np.linalg.qr(np.concatenate([R, centred]), mode="r"))
    return np.ascontiguousarray(R.T)


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
