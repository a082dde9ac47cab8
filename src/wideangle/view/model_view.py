"""The view of one fitted model: its components, their words and angles, and what it makes of rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wideangle._quiet import silenced
from wideangle._rows import MadeRows, RowMatrix, made_rows
from wideangle.catalogue import Entry, entry_of
from wideangle.documents import Documents, Reading
from wideangle.evaluation._preparing import Metric
from wideangle.exceptions import DataError
from wideangle.finishing import Finished, Granularity
from wideangle.view.column_words import first_columns, numbered_columns, responses_of_words
from wideangle.view.searchable import (
    Searchable,
    gives_logits,
    representation_of,
    searchable_documents,
    transform_metric,
)
from wideangle.view.shown_angles import Directions, directions_of

By = Literal["effect", "weight"]


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

        Documents that are not given are the model's own.
        """
        documents = getattr(self.model, "documents_", None) if documents is None else documents
        return directions_of(self, documents)

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
        """How far documents with each word are along each component; None where the columns are words."""
        return responses_of_words(self, documents)

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
        return searchable_documents(self, documents, granularity)

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
