"""The documents that a model carries: their vectors, and what people want to read about them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._mapped import let_go
from wideangle.documents.beginnings import SNIPPET, KeptTexts, snippet
from wideangle.documents.document import NO_LABEL, class_names
from wideangle.documents.packed_lists import Strings, WordLists
from wideangle.exceptions import DataError
from wideangle.titles import title_of


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents or rows that a model was fitted on: their vectors, and what people want to read about them.

    Examples
    --------
    >>> from wideangle.documents import Documents
    >>> Documents.of([[0.0]], texts=["From: Ann\\nSubject: Rye bread\\n\\nIt needs time."]).title(0)
    'Rye bread'
    """

    vectors: NDArray[np.float32]
    """the representation of each document, as `transform` gives it; or what the model says before it is finished"""
    names: Strings
    """where each was found: a file, a row"""
    snippets: Strings | None = None
    """how each begins, with its lines: see `KeptTexts`"""
    labels: NDArray[np.int64] | None = None
    """the class of each, a number from 0; `NO_LABEL` for a document without one. None: no document has one"""
    label_names: Strings | None = None
    is_train: NDArray[np.bool_] | None = None
    """which of them the model was fitted on; None: all"""
    logits: NDArray[np.float32] | None = None
    """the logits of hidden units: what search compares if not `vectors`, and what the components' angles are seen by"""
    words: WordLists | None = None
    """which words each has: by them topics are named, and searched"""
    titles: Strings | None = None
    """the title of each, where the documents have a column of titles"""
    finished: bool = True
    """whether `vectors` are as `transform` gives them. Else `ModelView.vectors` finishes them, at any granularity."""
    same_as: NDArray[np.int64] | None = None
    """for each the first document that it repeats, or itself; None: none repeats another, or that is not known"""
    dates: NDArray[np.int64] | None = None
    """when each was written, in seconds since 1970, or `NO_DATE`; None: no dates are known"""
    pixels: NDArray[np.uint8] | None = None
    """rows of numbers as they were, 0 for the least of all of them and 255 for the largest, to be drawn as pictures"""

    def __post_init__(self) -> None:
        fields = ("names", "snippets", "labels", "is_train", "logits", "words", "titles", "same_as", "dates", "pixels")
        for field in fields:
            value = getattr(self, field)
            if value is not None and len(value) != len(self):
                raise DataError(f"there are {len(self)} documents but {len(value)} {field}.")
        if self.labels is not None and not (self.labels != NO_LABEL).any():
            object.__setattr__(self, "labels", None)
        if self.labels is not None:
            smallest, largest = int(self.labels.min()), int(self.labels.max())
            if smallest < NO_LABEL or (self.label_names is not None and largest >= len(self.label_names)):
                known = "" if self.label_names is None else f" to {len(self.label_names) - 1}"
                raise DataError(
                    f"labels must be numbers from 0{known}, or {NO_LABEL} for none; got {smallest} to {largest}."
                )
        first = self.same_as
        if first is not None and len(first):
            inside = first.ndim == 1 and first.min() >= 0 and (first <= np.arange(len(first))).all()
            if not inside or (first[first] != first).any():
                raise DataError("same_as must name for each document the first one that it repeats, or itself.")
        self.let_go()

    @classmethod
    def of(
        cls,
        vectors: Any,
        *,
        texts: Iterable[str] | None = None,
        names: Iterable[str] | None = None,
        labels: Any = None,
        label_names: Iterable[str] | None = None,
        is_train: Any = None,
        logits: Any = None,
        counts: Any = None,
        titles: Iterable[str] | None = None,
        finished: bool = True,
        same_as: Any = None,
        dates: Any = None,
        pixels: Any = None,
    ) -> "Documents":
        """Make documents from their representations, whole texts, word counts and what else is known about them.

        The representations are those of `transform`, or with finished=False those of `ModelView.said`. `pixels` are
        the rows themselves, where they are pictures.
        """
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        if vectors.ndim != 2:
            raise DataError(f"vectors must be documents × components; got shape {vectors.shape}.")
        names = (f"row {number}" for number in range(1, len(vectors) + 1)) if names is None else names
        return cls(
            vectors,
            Strings.of(names),
            None if texts is None else Strings.of(KeptTexts.of(texts).texts),
            None if labels is None else np.asarray(labels, dtype=np.int64),
            None if label_names is None else Strings.of(map(str, label_names)),
            None if is_train is None else np.asarray(is_train, dtype=bool),
            None if logits is None else np.ascontiguousarray(logits, dtype=np.float32),
            None if counts is None else WordLists.of(counts),
            None if titles is None else Strings.of(titles),
            finished,
            None if same_as is None else np.asarray(same_as, dtype=np.int64),
            None if dates is None else np.asarray(dates, dtype=np.int64),
            None if pixels is None else in_grey(pixels),
        )

    def __len__(self) -> int:
        return len(self.vectors)

    def beginning(self, row: int, length: int = SNIPPET) -> str | None:
        """How a document begins, on one line; None where its text is not known."""
        return None if self.snippets is None else snippet(self.snippets[row], length)

    def title(self, row: int) -> str | None:
        """What a document is called: its title, or what its text says of that; None where neither is known."""
        own = "" if self.titles is None else self.titles[row]
        return own or (title_of(self.snippets[row]) if self.snippets is not None else "") or None

    @property
    def once(self) -> NDArray[np.bool_] | None:
        """One of each group of equal documents, if possible one that was fitted on; None where none repeats another."""
        if self.same_as is None:
            return None
        order = np.arange(len(self)) if self.is_train is None else np.argsort(~self.is_train, kind="stable")
        chosen = np.zeros(len(self), dtype=bool)
        chosen[order[np.unique(self.same_as[order], return_index=True)[1]]] = True
        return chosen

    def let_go(self) -> None:
        """Give back the memory of what was read of them, where they are in a file."""
        for value in vars(self).values():
            let_go(*vars(value).values()) if isinstance(value, Strings | WordLists) else let_go(value)

    def class_name(self, label: Any) -> str:
        """What a label is called: its name where there is one, else its number."""
        return str(int(label)) if self.label_names is None else self.label_names[int(label)]

    def class_of(self, row: int) -> str | None:
        """The name of a document's class; None where it has none."""
        return None if self.labels is None or self.labels[row] == NO_LABEL else self.class_name(self.labels[row])

    @property
    def classes(self) -> NDArray[np.str_] | None:
        """The name of every document's class, empty where it has none; None where no document has one."""
        if self.labels is None:
            return None
        numbers = map(str, range(int(self.labels.max()) + 1))
        return class_names(self.labels, list(numbers if self.label_names is None else self.label_names))


def in_grey(rows: Any) -> NDArray[np.uint8]:
    """Rows of numbers in 256 steps from the least to the largest of all.

    Examples
    --------
    >>> from wideangle.documents import in_grey
    >>> in_grey([[-1.0, 0.0], [0.5, 1.0]]).tolist()
    [[0, 128], [191, 255]]
    """
    values = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    return np.rint((values - low) * (255 / (high - low or 1.0))).astype(np.uint8)
