"""Rows as they are read, before a model's own weighting, and that weighting."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data.stored.counts import CountsOnDisk
from wideangle.data.text import number_labels
from wideangle.documents import NO_DATE, NO_LABEL, Reading, class_names
from wideangle.exceptions import DataError

__all__ = ["Rows", "Weighting", "known_dates", "numbered_labels", "rarity", "weighed"]

Weighting = Literal["counts", "tf-idf", "presence"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents × words or samples × features, with what is known of each row.

    To fit, take `X[training]`; to save the model, pass `vocabulary` and `reading` with it.
    """

    X: Any
    """CSR counts, counts on disk, or an array of numbers"""
    counted: bool
    """whether X counts words"""
    names: Sequence[str]
    snippets: Sequence[str] | None = None
    labels: NDArray[np.int64] | None = None
    """the class of each row, a number from 0; −1 for a row without one. None: no row has one"""
    label_names: list[str] | None = None
    is_train: NDArray[np.bool_] | None = None
    vocabulary: list[str] | None = None
    """the word or feature of each column"""
    description: str = ""
    """a line for people: what the file was taken for"""
    notes: tuple[str, ...] = ()
    """sentences about what one would not see in the result"""
    titles: Sequence[str] | None = None
    """the title of each document, where there is a column of titles"""
    dates: NDArray[np.int64] | None = None
    """when each document was written, in seconds since 1970, or `NO_DATE`; None: there is no column of dates"""
    words: Any = None
    """the counted words of documents with vectors, which X then holds, by columns of the vocabulary; None: none"""
    reading: Reading | None = None
    """how new documents must be read for a model of these rows; None where these rows are new documents themselves"""

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def classes(self) -> NDArray[np.str_] | None:
        """The name of each row's class, empty where it has none; None where no row has one."""
        return None if self.labels is None else class_names(self.labels, self.label_names or ())

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a class."""
        return np.zeros(len(self), dtype=bool) if self.labels is None else self.labels != NO_LABEL

    @property
    def are_whole(self) -> bool:
        """Whether all values may be counts."""
        values = self.X.data if sp.issparse(self.X) else self.X
        return bool((values >= 0).all() and (values == np.round(values)).all())

    def subset(self, chosen: NDArray[np.bool_]) -> "Rows":
        """Some of the rows, with all that belongs to them."""
        changes: dict[str, Any] = {"X": self.X[chosen]}
        for name in ("labels", "is_train", "dates", "words"):
            if (values := getattr(self, name)) is not None:
                changes[name] = values[chosen]
        for name in ("names", "snippets", "titles"):
            if (strings := getattr(self, name)) is not None:
                changes[name] = [string for string, kept in zip(strings, chosen, strict=True) if kept]
        return replace(self, **changes)

    @property
    def counts(self) -> Any:
        """Which words documents have and how often, documents × words; None where X counts none."""
        return self.X if self.counted else self.words

    def with_vectors(self, vectors: NDArray[np.float32]) -> "Rows":
        """The same documents by vectors. Their words stay beside these."""
        if len(vectors) != len(self):
            raise DataError(f"there are {len(self):,} documents and {len(vectors):,} vectors. Give one for each.")
        return replace(self, X=vectors, counted=False, words=self.X if self.counted else None)

    def of(self, chosen: NDArray[np.bool_]) -> Any:
        """Some rows of X. What is on disk stays there."""
        if chosen.all():
            return self.X
        return self.X.only(chosen) if isinstance(self.X, CountsOnDisk) else self.X[chosen]

    @property
    def training(self) -> NDArray[np.bool_]:
        """Which rows a model is fitted on: all, where nothing is held out."""
        return np.ones(len(self), dtype=bool) if self.is_train is None else self.is_train

    def holding_out(self, share: float, seed: int) -> "Rows":
        """The same with a random share of the rows not to be trained on."""
        is_train = np.ones(len(self), dtype=bool)
        is_train[np.random.default_rng(seed).permutation(len(self))[: round(share * len(self))]] = False
        return replace(self, is_train=is_train)


def rarity(counts: Any) -> NDArray[np.float64]:
    """log((1 + n) / (1 + n_w)) + 1 of each word, n_w of n documents having it."""
    return np.asarray(_tf_idf().fit(counts).idf_, dtype=np.float64)


def weighed(X: Any, kind: str, rarity_of_words: NDArray[np.float64] | None) -> Any:
    """Rows as a model of this kind of reading sees them, in float32."""
    if isinstance(X, CountsOnDisk):
        if kind != "counts":
            raise ValueError(f"counts on disk are not weighed, and {kind} was asked for. Read the file into memory.")
        return X
    with np.errstate(over="ignore"):
        numbers = X.astype(np.float32) if sp.issparse(X) else np.asarray(X, dtype=np.float32)
    if not np.isfinite(numbers.data if sp.issparse(numbers) else numbers).all():
        raise DataError("some numbers are too large, above 3.4e38, or not finite. Scale them, or drop their rows.")
    if kind in ("numbers", "vectors"):
        return numbers
    counts = sp.csr_array(numbers)
    if kind == "counts":
        return counts
    if kind == "presence":
        counts.data = (counts.data > 0).astype(np.float32)
        return counts
    if rarity_of_words is None:
        raise ValueError("tf-idf needs the rarity of every word, and the model has none. Fit it again.")
    counts.eliminate_zeros()  # they have no logarithm
    transformer = _tf_idf()
    transformer.idf_ = rarity_of_words
    return sp.csr_array(transformer.transform(counts), dtype=np.float32)


def _tf_idf() -> Any:
    from sklearn.feature_extraction.text import TfidfTransformer

    return TfidfTransformer(sublinear_tf=True)


def known_dates(dates: list[int | None]) -> NDArray[np.int64] | None:
    """The dates, `NO_DATE` where one is missing; None where all are."""
    if all(date is None for date in dates):
        return None
    return np.array([NO_DATE if date is None else date for date in dates], dtype=np.int64)


def numbered_labels(labels: list[str | None]) -> tuple[NDArray[np.int64] | None, list[str] | None]:
    """Class numbers, −1 for None, and names; neither where no row has a label."""
    if all(label is None for label in labels):
        return None, None
    numbers, names = number_labels(labels)
    return numbers, names.tolist()
