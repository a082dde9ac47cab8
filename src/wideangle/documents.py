"""A document as it is read, and what a model file keeps of documents: how they were read and what the model sees."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.exceptions import DataError

__all__ = ["Document", "Documents", "Reading", "Strings", "WordLists"]

SNIPPET = 300  # So many characters of a document are kept.


class Document(NamedTuple):
    """A text, its name, its class if it is known, and whether to fit on it if that is known."""

    text: str
    label: str | None
    name: str
    """its id, where it has one, or where it was found"""
    is_train: bool | None = None
    title: str | None = None
    """what it is called, for people; no part of the text"""


@dataclass(frozen=True, eq=False)
class Strings:
    """Many strings as one array of UTF-8 bytes and their ends, so that a million of them fit into a model file.

    Examples
    --------
    >>> from wideangle.documents import Strings
    >>> names = Strings.of(["first", "", "zwölf"])
    >>> len(names), names[2], list(names)
    (3, 'zwölf', ['first', '', 'zwölf'])
    """

    content: NDArray[np.uint8]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, strings: Iterable[str]) -> "Strings":
        """Pack strings; a lone surrogate, which UTF-8 cannot write, becomes "?"."""
        encoded = [string.encode(errors="replace") for string in strings]
        ends = np.cumsum([len(part) for part in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> str:
        number = range(len(self))[number]  # Negative numbers count from the end, and numbers out of range raise.
        start = int(self.ends[number - 1]) if number else 0
        return self.content[start : int(self.ends[number])].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))


@dataclass(frozen=True, eq=False)
class WordLists:
    """Which words each document has, as columns of the vocabulary, packed into one array and its ends.

    Topics are named and searched by these words. How often a document has a word is not kept.

    Examples
    --------
    >>> from wideangle.documents import WordLists
    >>> lists = WordLists.of([[0, 2, 1], [0, 0, 0], [1, 0, 0]])
    >>> len(lists), lists[0].tolist(), lists.matrix(3).toarray().astype(int).tolist()
    (3, [1, 2], [[0, 1, 1], [0, 0, 0], [1, 0, 0]])
    """

    columns: NDArray[np.uint16] | NDArray[np.uint32]
    """of each document the columns in rising order, one document after the other"""
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Any) -> "WordLists":
        """The words of documents whose counts are not 0; dense or sparse."""
        present = sp.csr_array(counts, copy=True)
        present.sum_duplicates()
        present.eliminate_zeros()
        small = present.shape[1] <= np.iinfo(np.uint16).max + 1
        columns = present.indices.astype(np.uint16 if small else np.uint32)
        return cls(columns, present.indptr[1:].astype(np.int64))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> NDArray[np.intp]:
        number = range(len(self))[number]
        start = int(self.ends[number - 1]) if number else 0
        return self.columns[start : int(self.ends[number])].astype(np.intp)

    def matrix(self, n_words: int) -> Any:
        """Documents × words, 1 where a document has the word; CSR of float64."""
        indptr = np.concatenate([[0], self.ends])
        columns = self.columns.astype(np.int32)
        return sp.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(self), n_words))


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents or rows that a model was fitted on: their vectors, and what people want to read about them."""

    vectors: NDArray[np.float32]
    """the representation of each document, as `transform` gives it"""
    names: Strings
    """where each was found: a file, a row"""
    snippets: Strings | None = None
    """how each begins"""
    labels: NDArray[np.int64] | None = None
    """the class of each, a number from 0"""
    label_names: Strings | None = None
    is_train: NDArray[np.bool_] | None = None
    """which of them the model was fitted on; None: all"""
    logits: NDArray[np.float32] | None = None
    """the logits of hidden units: what search compares if not `vectors`, and what the components' angles are seen by"""
    words: WordLists | None = None
    """which words each has: by them topics are named, and searched"""
    titles: Strings | None = None
    """the title of each, where the documents have a column of titles"""

    def __post_init__(self) -> None:
        for field in ("names", "snippets", "labels", "is_train", "logits", "words", "titles"):
            value = getattr(self, field)
            if value is not None and len(value) != len(self):
                raise DataError(f"there are {len(self)} documents but {len(value)} {field}.")
        if self.labels is not None and len(self.labels):
            smallest, largest = int(self.labels.min()), int(self.labels.max())
            if smallest < 0 or (self.label_names is not None and largest >= len(self.label_names)):
                known = "" if self.label_names is None else f" to {len(self.label_names) - 1}"
                raise DataError(f"labels must be numbers from 0{known}; got {smallest} to {largest}.")

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
    ) -> "Documents":
        """Make documents from their representations, whole texts, word counts and what else is known about them."""
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        if vectors.ndim != 2:
            raise DataError(f"vectors must be documents × components; got shape {vectors.shape}.")
        names = (f"row {number}" for number in range(1, len(vectors) + 1)) if names is None else names
        return cls(
            vectors,
            Strings.of(names),
            None if texts is None else Strings.of(snippet(text) for text in texts),
            None if labels is None else np.asarray(labels, dtype=np.int64),
            None if label_names is None else Strings.of(map(str, label_names)),
            None if is_train is None else np.asarray(is_train, dtype=bool),
            None if logits is None else np.ascontiguousarray(logits, dtype=np.float32),
            None if counts is None else WordLists.of(counts),
            None if titles is None else Strings.of(titles),
        )

    def __len__(self) -> int:
        return len(self.vectors)

    def class_name(self, label: Any) -> str:
        """What a label is called: its name where there is one, else its number."""
        return str(int(label)) if self.label_names is None else self.label_names[int(label)]

    def class_of(self, row: int) -> str | None:
        """The name of a document's class; None without labels."""
        return None if self.labels is None else self.class_name(self.labels[row])

    @property
    def classes(self) -> NDArray[np.str_] | None:
        """The name of every document's class; None without labels."""
        if self.labels is None:
            return None
        if self.label_names is None:
            return self.labels.astype(np.str_)
        return np.asarray(list(self.label_names), dtype=np.str_)[self.labels]


@dataclass(frozen=True, eq=False)
class Reading:
    """How files became rows. New documents must be read in the same way before the model sees them."""

    kind: Literal["counts", "tf-idf", "presence", "numbers"]
    """word counts, logarithms of counts weighted by rarity, whether each word is present; or a table of numbers"""
    token_pattern: str | None = None
    """what a word is"""
    text_column: str | None = None
    label_column: str | None = None
    rarity: NDArray[np.float64] | None = None
    """the weight of each word in tf-idf, which grows with log(documents / documents that have the word)"""
    ngrams: int = 1
    """the most words in a row that count as one"""
    stop_words: tuple[str, ...] | None = None
    """words that were left out; None: the file was written before this was kept"""
    stop_list: str | None = None
    """where these words came from, for people: english, none, a language, or the name of a file"""
    strip_html: bool = False
    """whether documents were HTML, of which only the text was read"""
    id_column: str | None = None
    split_column: str | None = None
    title_column: str | None = None


def snippet(text: str, length: int = SNIPPET) -> str:
    """The beginning of a text on one line, cut at a word.

    Examples
    --------
    >>> from wideangle.documents import snippet
    >>> snippet("One line\\n  and   another one", 20)
    'One line and…'
    """
    line = " ".join(text[: 4 * length].split())
    if len(line) <= length:
        return line
    cut = line[:length]
    whole_words = cut[: cut.rfind(" ")] if " " in cut else cut
    return f"{whole_words.rstrip(' .,;:')}…"
