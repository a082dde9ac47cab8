"""Part of a collection with its words counted: all words, since which ones are kept is not known before the end."""

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arguments import is_several, shown
from wideangle._files import replacing
from wideangle.data.counting.counter import WordCounter
from wideangle.data.npz_arrays import NpzArrays, packed_strings, sparse_counts
from wideangle.documents import KEPT, NO_DATE, NO_LABEL, Document, Strings, kept_text, snippet
from wideangle.exceptions import DataError

__all__ = ["CountedPart", "WordRules", "count_part"]

UNKNOWN_SPLIT = -1  # of a document of which nobody says whether to fit on it
FACTS = ("n_rows", "empty", "replaced", "dropped")
OF_EACH = ("rows", "labels", "is_train", "dates")
STRINGS = ("words", "names", "texts", "titles", "label_names")


@dataclass(frozen=True)
class WordRules:
    """What a word is, and which are left out before words in a row are looked at."""

    token_pattern: str
    stop_words: str | tuple[str, ...] | None = None
    ngrams: int = 1

    def counter(self) -> WordCounter:
        """A counter by these rules."""
        return WordCounter(self.token_pattern, self.stop_words, self.ngrams)


@dataclass(frozen=True, eq=False)
class CountedPart:
    """Documents that follow each other, their words counted and how they begin."""

    words: Strings
    """all terms that these documents have, in alphabetical order"""
    counts: sp.csr_array
    """documents × these terms"""
    names: Strings
    """the name of each document; empty where it is called by its row"""
    rows: NDArray[np.int64]
    """the row of each document in this part of the source, from 1"""
    texts: Strings
    """how each begins, as much as a model file may keep"""
    titles: Strings
    labels: NDArray[np.int64]
    """numbers of `label_names`, or `NO_LABEL`"""
    label_names: Strings
    is_train: NDArray[np.int8]
    """1, 0 or `UNKNOWN_SPLIT`"""
    dates: NDArray[np.int64]
    n_rows: int
    """the rows of this part of the source, those without a document among them"""
    empty: int
    """documents without any letter"""
    replaced: int
    """documents with characters that were not in the encoding"""
    dropped: int
    """documents that were left out because they have no label"""

    def __len__(self) -> int:
        return len(self.rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, which is complete or not there."""
        with replacing(path) as temporary, temporary.open("wb") as file:
            self._write(file)

    def to_bytes(self) -> bytes:
        """The content of the file that `save` writes."""
        content = io.BytesIO()
        self._write(content)
        return content.getvalue()

    def _write(self, file: BinaryIO) -> None:
        arrays: dict[str, Any] = {
            "data": self.counts.data.astype(np.uint8 if self.most <= 255 else np.uint32),
            "indices": self.counts.indices,
            "indptr": self.counts.indptr,
            "facts": np.array([getattr(self, name) for name in FACTS], dtype=np.int64),
        }
        for name in OF_EACH:
            arrays[name] = getattr(self, name)
        for name in STRINGS:
            arrays[name], arrays[f"{name}.ends"] = getattr(self, name).content, getattr(self, name).ends
        np.savez(file, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "CountedPart":
        """Read what `save` wrote."""
        again = "Delete it, and it is counted anew."
        try:
            with Path(path).open("rb") as file:
                arrays = NpzArrays(file, str(path))
                strings: dict[str, Any] = {
                    name: packed_strings(arrays, name, f"{name}.ends", str(path)) for name in STRINGS
                }
                counts = sparse_counts(arrays, (len(arrays["indptr"]) - 1, len(strings["words"])), str(path))
                others = {name: arrays[name] for name in (*OF_EACH, "facts")}
        except (DataError, KeyError, TypeError) as error:
            raise DataError(f"{path} is damaged ({error}). {again}") from error
        facts = others.pop("facts")
        lengths = [len(strings[name]) for name in ("names", "texts", "titles")]
        whole = facts.shape == (len(FACTS),) and facts.dtype == np.int64 and counts.data.dtype.kind in "iu"
        whole &= all(array.shape == counts.shape[:1] and array.dtype.kind == "i" for array in others.values())
        if not whole or lengths != [counts.shape[0]] * 3 or not _is_in(others["labels"], len(strings["label_names"])):
            raise DataError(f"{path} is damaged (its arrays do not belong together). {again}")
        about: dict[str, Any] = dict(zip(FACTS, facts.tolist(), strict=True))
        return cls(counts=counts, **(strings | others | about))

    @property
    def most(self) -> int:
        """The largest count."""
        return int(self.counts.data.max(initial=0))


def _is_in(labels: NDArray[Any], n_labels: int) -> bool:
    """Whether each label is `NO_LABEL` or has a name."""
    return not len(labels) or bool(labels.min() >= NO_LABEL and labels.max() < n_labels)


def count_part(
    documents: Iterable[Document], rules: WordRules, *, drop_unlabelled: bool = False, n_rows: int | None = None
) -> CountedPart:
    """Count the words of documents. They are gone through once, and of each only how it begins is kept.

    Documents without a name have their row in the source in `Document.row`. `n_rows` are the rows of the source; None:
    as many as the row of the last document, or as there are documents.
    """
    gathered = _Gathered(drop_unlabelled)
    tally = rules.counter().tally(gathered.texts(documents))
    numbers, words = tally.terms.in_order(np.flatnonzero(tally.frequency > 0))
    counts = tally.columns(numbers) if len(gathered.rows) else sp.csr_array((0, len(words)), dtype=np.int32)
    if counts.shape[0] != len(gathered.rows):  # No document has a word.
        counts = sp.csr_array((len(gathered.rows), len(words)), dtype=np.int32)
    counts.sort_indices()
    label_names = sorted({label for label in gathered.labels if label is not None})
    number_of_label = {label: number for number, label in enumerate(label_names)}
    last = gathered.rows[-1] if gathered.rows else 0
    return CountedPart(
        words=Strings.of(words),
        counts=counts,
        names=Strings.of(gathered.names),
        rows=np.array(gathered.rows, dtype=np.int64),
        texts=Strings.of(gathered.beginnings),
        titles=Strings.of(gathered.titles),
        labels=np.array(
            [NO_LABEL if label is None else number_of_label[label] for label in gathered.labels], dtype=np.int64
        ),
        label_names=Strings.of(label_names),
        is_train=np.array(gathered.is_train, dtype=np.int8),
        dates=np.array(gathered.dates, dtype=np.int64),
        n_rows=max(gathered.n_read, last) if n_rows is None else n_rows,
        empty=gathered.empty,
        replaced=gathered.replaced,
        dropped=gathered.dropped,
    )


class _Gathered:
    """What is kept of documents besides their words, while these are counted."""

    def __init__(self, drop_unlabelled: bool) -> None:
        self._drop_unlabelled = drop_unlabelled
        self.names: list[str] = []
        self.rows: list[int] = []
        self.beginnings: list[str] = []
        self.titles: list[str] = []
        self.labels: list[str | None] = []
        self.is_train: list[int] = []
        self.dates: list[int] = []
        self.n_read = self.empty = self.replaced = self.dropped = 0

    def texts(self, documents: Iterable[Document]) -> Iterator[str]:
        """The texts of the documents, which are noted on the way."""
        for document in documents:
            self.n_read += 1
            if self._drop_unlabelled and not document.label:
                self.dropped += 1
                continue
            self.names.append(document.name)
            self.rows.append(self.n_read if document.row is None else document.row)
            self.beginnings.append(kept_text(document.text, KEPT))
            self.titles.append(snippet(document.title or ""))
            self.labels.append(document.label or None)  # An empty label is none.
            self.is_train.append(UNKNOWN_SPLIT if document.is_train is None else int(document.is_train))
            self.dates.append(NO_DATE if document.date is None else document.date)
            self.empty += not document.text.strip()
            self.replaced += "\ufffd" in document.text
            yield document.text


def in_parts(documents: Iterable[Document], size: int) -> Iterator[Sequence[Document]]:
    """The documents in their order, so many at a time that they have about `size` characters."""
    part: list[Document] = []
    length = 0
    if not is_several(documents):
        raise TypeError(f"documents must be a source of documents, or a list; got {shown(documents)}.")
    for document in documents:
        if not isinstance(getattr(document, "text", None), str):
            raise TypeError(f"documents must be of wideangle.documents.Document; got {shown(document)}.")
        part.append(document)
        length += len(document.text) + 100  # A document needs room even where it is short.
        if length >= size:
            yield part
            part, length = [], 0
    if part:
        yield part
