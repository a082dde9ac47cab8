"""A document as it is read, and what a model file keeps of documents: how they were read and what the model sees."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arguments import texts as strings
from wideangle._arrays import array_of
from wideangle._mapped import let_go
from wideangle.exceptions import DataError
from wideangle.titles import title_of

__all__ = ["NO_LABEL", "Document", "Documents", "Reading", "Strings", "WordLists", "class_names"]

NO_LABEL = -1  # the number of a document's class where it has none and others have one
NO_DATE = int(np.iinfo(np.int64).min)  # the date of a document that has none
STRINGS_AT_ONCE = 4096  # So many strings are taken out of their array at a time, which is faster than one by one.
SNIPPET = 300  # A beginning that is shown in a line has so many characters.
KEPT = 1500  # So many characters of a document are kept,
KEPT_IN_ALL = 150_000_000  # and so many of all documents together. Of more than 100,000 documents less of each is kept.


class Document(NamedTuple):
    """A text, its name, its class if it is known, and whether to fit on it if that is known."""

    text: str
    label: str | None
    name: str
    """its id, where it has one, or where it was found"""
    is_train: bool | None = None
    title: str | None = None
    """what it is called, for people; no part of the text"""
    date: int | None = None
    """when it was written, in seconds since 1970"""
    row: int | None = None
    """its row in the part of the source that was read, where it has no name and what was before is not known"""
    vector: Any = None
    """its vector, or what a column holds for it, where documents have vectors"""


@dataclass(frozen=True, eq=False)
class Strings(Sequence[str]):
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
        if isinstance(strings, cls):
            return strings
        encoded = [string.encode(errors="replace") for string in strings]
        ends = np.cumsum([len(part) for part in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        number = range(len(self))[number]  # Negative numbers count from the end, and numbers out of range raise.
        start = int(self.ends[number - 1]) if number else 0
        return self.content[start : int(self.ends[number])].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        begin = 0
        for first in range(0, len(self), STRINGS_AT_ONCE):
            ends = self.ends[first : first + STRINGS_AT_ONCE]
            content = self.content[begin : int(ends[-1])].tobytes()
            for start, end in pairwise([0, *(ends - begin).tolist()]):
                yield content[start:end].decode()
            begin = int(ends[-1])

    def taken(self, rows: Iterable[int]) -> "Strings":
        """The strings of some rows, packed anew."""
        return Strings.of(self[row] for row in rows)


@dataclass(frozen=True, eq=False)
class WordLists:
    """Which words each document has and how often, as columns of the vocabulary, packed into arrays and their ends.

    Topics are named and searched by the words. By how often they occur, a model that goes on learning represents its
    documents anew.

    Examples
    --------
    >>> from wideangle.documents import WordLists
    >>> lists = WordLists.of([[0, 2, 1], [0, 0, 0], [1, 0, 0]])
    >>> len(lists), lists[0].tolist(), lists.matrix(3).toarray().astype(int).tolist()
    (3, [1, 2], [[0, 1, 1], [0, 0, 0], [1, 0, 0]])
    >>> lists.counts(3).toarray().astype(int).tolist()
    [[0, 2, 1], [0, 0, 0], [1, 0, 0]]
    """

    columns: NDArray[np.uint16] | NDArray[np.uint32]
    """of each document the columns in rising order, one document after the other"""
    ends: NDArray[np.int64]
    times: NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32] | None = None
    """how often the document has each of them; None: that is not known, or no whole number"""

    @classmethod
    def of(cls, counts: Any, *, times: bool = True) -> "WordLists":
        """The words of documents whose counts are not 0, dense or sparse. Without `times` only which they are."""
        present = sp.csr_array(counts, copy=True)
        present.sum_duplicates()
        present.eliminate_zeros()
        small = present.shape[1] <= np.iinfo(np.uint16).max + 1
        columns = present.indices.astype(np.uint16 if small else np.uint32)
        return cls(columns, present.indptr[1:].astype(np.int64), _whole(present.data) if times else None)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> NDArray[np.intp]:
        number = range(len(self))[number]
        start = int(self.ends[number - 1]) if number else 0
        return self.columns[start : int(self.ends[number])].astype(np.intp)

    def part(self, rows: slice) -> "WordLists":
        """The words of documents that stand one after the other; nothing but their ends is copied.

        Examples
        --------
        >>> from wideangle.documents import WordLists
        >>> lists = WordLists.of([[0, 2, 1], [0, 0, 0], [1, 0, 0]])
        >>> lists.part(slice(1, 3)).matrix(3).toarray().astype(int).tolist()
        [[0, 0, 0], [1, 0, 0]]
        """
        first, last, _ = rows.indices(len(self))
        start = int(self.ends[first - 1]) if first else 0
        stop = int(self.ends[last - 1]) if last > first else start
        times = None if self.times is None else self.times[start:stop]
        return WordLists(self.columns[start:stop], self.ends[first:last] - start, times)

    def taken(self, rows: Any) -> "WordLists":
        """The words of some documents, in the order of their numbers.

        Examples
        --------
        >>> from wideangle.documents import WordLists
        >>> lists = WordLists.of([[0, 2, 1], [0, 0, 0], [1, 0, 0]])
        >>> lists.taken([2, 0]).counts(3).toarray().astype(int).tolist()
        [[1, 0, 0], [0, 2, 1]]
        """
        rows = np.asarray(rows, dtype=np.intp)
        starts = np.where(rows > 0, self.ends[rows - 1], 0)
        lengths = self.ends[rows] - starts
        ends = np.cumsum(lengths, dtype=np.int64)
        places = np.repeat(starts - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
        return WordLists(self.columns[places], ends, None if self.times is None else self.times[places])

    def matrix(self, n_words: int) -> Any:
        """Documents × words, 1 where a document has the word; CSR of float64."""
        indptr = np.concatenate([[0], self.ends])
        columns = self.columns.astype(np.int32)
        return sp.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(self), n_words))

    def counts(self, n_words: int) -> Any:
        """Documents × words, how often each document has the word; CSR of float64. An error where it is not known."""
        if self.times is None:
            raise DataError("how often documents have their words is not known. Fit the model again to keep it.")
        found = self.matrix(n_words)
        found.data = self.times.astype(np.float64)
        return found


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents or rows that a model was fitted on: their vectors, and what people want to read about them."""

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
        """What a document is called: its title, or what its text says of that; None where neither is known.

        Examples
        --------
        >>> from wideangle.documents import Documents
        >>> Documents.of([[0.0]], texts=["From: Ann\\nSubject: Rye bread\\n\\nIt needs time."]).title(0)
        'Rye bread'
        """
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


@dataclass(frozen=True, eq=False)
class Reading:
    """How files became rows. New documents must be read in the same way before the model sees them."""

    kind: Literal["counts", "tf-idf", "presence", "numbers", "vectors"]
    """word counts, logarithms of counts weighted by rarity, whether each word is present; or a table of numbers, or
    vectors that somebody else computed"""
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
    """where these words came from, for people: auto, english, none, a language, or the name of a file"""
    strip_html: bool = False
    """whether documents were HTML, of which only the text was read"""
    id_column: str | None = None
    split_column: str | None = None
    title_column: str | None = None
    language: str | None = None
    """codes of the languages whose stop words were left out, as "fr" or "fr, en"; "none" where none was recognised or
    wanted; None: the file does not say it"""
    strip_mail: bool = False
    """whether documents were mails, of which only what their authors wrote was read"""
    keep_quotations: bool = False
    """whether what they quote was read too"""
    repeated: tuple[str, ...] = ()
    """lines that many documents share and that were left out, in small letters and with 0 for each number"""
    date_column: str | None = None
    """the column that says when each document was written"""
    date_order: Literal["day first", "month first"] | None = None
    """how its dates such as 01/02/2024 were read; None: none is so written"""
    words: tuple[str, ...] = ()
    """the vocabulary of documents with vectors, whose columns are no words; empty where the columns are the words"""
    vector_column: str | None = None
    """the column that has the vector of each document"""
    encoder: str | None = None
    """what makes the vectors of texts, as the user called it; None: they came with the documents"""
    encoder_name: str | None = None
    """what the encoder calls itself, with its version: vectors of others mean nothing to the model"""


def _whole(values: NDArray[Any]) -> Any:
    """Counts in as few bytes as they need; None where they are no whole numbers above 0."""
    kinds = (np.uint8, np.uint16, np.uint32)
    largest = values.max(initial=0)
    if largest > np.iinfo(kinds[-1]).max or (values < 1).any() or (values != np.rint(values)).any():
        return None
    return values.astype(next(kind for kind in kinds if largest <= np.iinfo(kind).max))


def class_names(labels: NDArray[np.int64], names: Sequence[str]) -> NDArray[np.str_]:
    """The name of each row's class, empty where it has none."""
    numbers = array_of(labels, "labels", kinds="iu")
    called = strings(names, "names")
    if numbers.size and not (numbers.min() >= NO_LABEL and numbers.max() < len(called)):
        raise DataError(f"labels must be from {NO_LABEL}, which is none, to {len(called) - 1}, the last of the names.")
    return np.asarray([*called, ""], dtype=np.str_)[numbers]  # NO_LABEL takes the last.


def snippet(text: str, length: int = SNIPPET) -> str:
    """The beginning of a text on one line, cut at a word.

    Examples
    --------
    >>> from wideangle.documents import snippet
    >>> snippet("One line\\n  and   another one", 20)
    'One line and…'
    """
    return cut_at_word(" ".join(text[: 4 * length].split()), length)


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


def kept_text(text: str, length: int = KEPT) -> str:
    """The beginning of a text with its lines and paragraphs, cut at a word. Other white space is one space.

    Examples
    --------
    >>> from wideangle.documents import kept_text
    >>> kept_text("A heading\\n\\n\\n\\n  One line\\r\\n  and   another one", 30)
    'A heading\\n\\nOne line\\nand…'
    """
    lines = "\n".join(" ".join(line.split()) for line in text[: 4 * length].splitlines())
    if "\n\n\n" in lines:
        lines = re.sub(r"\n{3,}", "\n\n", lines)
    return cut_at_word(lines.strip(), length)


def cut_at_word(text: str, length: int) -> str:
    """At most so many characters of a text, and "…" where something is left out."""
    if len(text) <= length:
        return text
    cut = text[:length]
    space = max(cut.rfind(" "), cut.rfind("\n"))
    whole_words = cut[:space] if 2 * space > length else cut  # Some scripts have few spaces.
    return whole_words.rstrip(" .,;:，。、\n") + "…"


class KeptTexts:
    """Beginnings of texts, gathered one by one: `KEPT` characters of each, or less where `KEPT_IN_ALL` is reached.

    Examples
    --------
    >>> from wideangle.documents import KeptTexts
    >>> kept = KeptTexts.of(["word " * 400] * 10, in_all=6000)
    >>> len(kept.texts), len(kept.texts[0]), len(kept.texts[9])
    (10, 375, 375)
    """

    def __init__(self, in_all: int = KEPT_IN_ALL) -> None:
        self.texts: list[str] = []
        self.length, self.in_all, self.size = KEPT, in_all, 0

    @classmethod
    def of(cls, texts: Iterable[str], in_all: int = KEPT_IN_ALL) -> "KeptTexts":
        """The beginnings of all these texts."""
        kept = cls(in_all)
        for text in texts:
            kept.add(text)
        return kept

    def add(self, text: str) -> None:
        """Keep the beginning of one more text. Where that is too much, all become half as long, but not too short."""
        self.texts.append(kept_text(text, self.length))
        self.size += len(self.texts[-1])
        if self.size > self.in_all and self.length > SNIPPET:
            self.length = max(self.length // 2, SNIPPET)
            self.texts = [kept_text(text, self.length) for text in self.texts]
            self.size = sum(map(len, self.texts))
