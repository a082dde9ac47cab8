"""Counted parts to one collection: which words are kept, and the files that a model is fitted on."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle._files import naming
from wideangle._packed import ArrayFile, StringsFile
from wideangle.data.counting.counter import with_pieces
from wideangle.data.languages import BEGINNING, MOST_TEXTS, guess_language
from wideangle.data.stored.counts import ARRAYS, DESCRIPTION, FORMAT, CountsOnDisk, open_counts
from wideangle.data.stored.parts import UNKNOWN_SPLIT, CountedPart, WordRules
from wideangle.data.text import NO_WORD, LeftOut, choose_words, left_out_by
from wideangle.documents import KEPT, KEPT_IN_ALL, NO_DATE, NO_LABEL, SNIPPET, Strings, cut_at_word
from wideangle.exceptions import NoWordsError

__all__ = ["Joined", "WordChoice", "join_parts"]

# Beyond this many different words the rarest are forgotten while document frequencies are added up. A word of the
# final vocabulary would have to be rarer than them at that moment to be missed.
MOST_WORDS = 2_000_000
# Of each document so many characters are kept, or fewer, as `KeptTexts` halves them.
LENGTHS = np.array([*(KEPT >> power for power in range(8) if KEPT >> power > SNIPPET), SNIPPET])


@dataclass(frozen=True)
class WordChoice:
    """Which of all words are kept; the parameters of `count_words`."""

    n_words: int | Literal["auto"] | None = "auto"
    min_df: float = 1
    max_df: float = 1.0
    guess_stop_words: bool = True
    """whether the stop words of the languages that the documents are in are left out"""


@dataclass(frozen=True, eq=False)
class Joined:
    """All documents: their counts in files, and what is known of each."""

    counts: CountsOnDisk
    names: Strings
    texts: Strings
    """how each begins"""
    titles: Strings | None
    is_train: NDArray[np.bool_] | None
    dates: NDArray[np.int64] | None
    left_out: LeftOut | None
    """the stop words that were left out, where the language was guessed"""
    empty: int
    replaced: int
    dropped: int


@dataclass
class _Survey:
    """What must be known of all parts before they are joined."""

    documents: int = 0
    frequency: Counter[str] = field(default_factory=Counter)
    """how many documents have each word"""
    labels: set[str] = field(default_factory=set)
    most: int = 0
    """the largest count"""
    letters: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(LENGTHS), dtype=np.int64))
    """of all beginnings together, where each is cut at one of `LENGTHS`; in bytes, of which most letters need one"""
    beginnings: list[str] = field(default_factory=list)
    """how documents begin that are spread evenly over all"""
    step: int = 1
    has_titles: bool = False
    has_split: bool = True
    has_dates: bool = False
    empty: int = 0
    replaced: int = 0
    dropped: int = 0

    def add(self, part: CountedPart) -> None:
        """Take one more part into account."""
        having = np.bincount(part.counts.indices, minlength=len(part.words)).tolist()
        self.frequency.update(dict(zip(part.words, having, strict=True)))
        if len(self.frequency) > MOST_WORDS:
            self.frequency = Counter(dict(self.frequency.most_common(MOST_WORDS // 2)))
        self._spread(part.texts)
        self.letters += np.minimum(np.diff(part.texts.ends, prepend=0)[:, None], LENGTHS).sum(axis=0)
        self.labels.update(part.label_names)
        self.documents += len(part)
        self.most = max(self.most, part.most)
        self.has_titles |= len(part.titles.content) > 0
        self.has_split &= bool((part.is_train != UNKNOWN_SPLIT).all())
        self.has_dates |= bool((part.dates != NO_DATE).any())
        self.empty += part.empty
        self.replaced += part.replaced
        self.dropped += part.dropped

    def _spread(self, texts: Strings) -> None:
        """Keep some beginnings: those that `Beginnings` keeps of all documents."""
        for row in range(-self.documents % self.step, len(texts), self.step):
            if (self.documents + row) % self.step:
                continue  # The step has become larger on the way.
            self.beginnings.append(texts[row][:BEGINNING])
            if len(self.beginnings) > MOST_TEXTS:
                self.beginnings, self.step = self.beginnings[::2], 2 * self.step

    @property
    def kept_length(self) -> int:
        """How many characters of each document are kept: fewer where there are many documents, as in `KeptTexts`."""
        fitting = np.flatnonzero(self.letters <= KEPT_IN_ALL)
        return int(LENGTHS[fitting[0]]) if len(fitting) else SNIPPET


def join_parts(
    parts: Sequence[Callable[[], CountedPart]],
    folder: Path,
    rules: WordRules,
    choice: WordChoice,
    *,
    row_name: str = "row",
) -> Joined:
    """Choose the words and write counts, names and beginnings of all documents into a folder.

    `parts` load one part each, and each is loaded twice. Documents without a name are called by `row_name` and their
    row in the whole source.
    """
    survey = _Survey()
    for load in parts:
        survey.add(load())
    words, left_out = _chosen_words(survey, rules, choice)
    with naming(folder):
        found = _written(parts, folder, words, survey, row_name)
    return Joined(*found, left_out=left_out, empty=survey.empty, replaced=survey.replaced, dropped=survey.dropped)


def _chosen_words(survey: _Survey, rules: WordRules, choice: WordChoice) -> tuple[list[str], LeftOut | None]:
    """The vocabulary, and what was left out of it."""
    frequency, left_out = survey.frequency, None
    if frequency and choice.guess_stop_words:
        left_out = left_out_by(guess_language(survey.beginnings))
        for word in with_pieces(left_out.words, rules.token_pattern):
            frequency.pop(word, None)
    if not frequency:
        raise NoWordsError(NO_WORD)
    words = sorted(frequency)
    times = np.array([frequency[word] for word in words], dtype=np.int64)
    return choose_words(words, times, choice.n_words, choice.min_df, choice.max_df, survey.documents), left_out


def _written(
    parts: Sequence[Callable[[], CountedPart]],
    folder: Path,
    words: list[str],
    survey: _Survey,
    row_name: str,
) -> tuple[CountsOnDisk, Strings, Strings, Strings | None, NDArray[np.bool_] | None, NDArray[np.int64] | None]:
    kinds = {
        "columns": np.uint16 if len(words) <= 2**16 else np.uint32,
        "times": next(kind for kind in (np.uint8, np.uint16, np.uint32) if survey.most <= np.iinfo(kind).max),
        "ends": np.int64,
    }
    writers = {name: ArrayFile(folder / name, kind) for name, kind in kinds.items()}
    names, texts = StringsFile(folder / "names"), StringsFile(folder / "texts")
    titles = StringsFile(folder / "titles") if survey.has_titles else None
    about: dict[str, list[NDArray[Any]]] = {"labels": [], "is_train": [], "dates": []}
    column_of = {word: column for column, word in enumerate(words)}
    label_of = {label: number for number, label in enumerate(sorted(survey.labels))}
    row, length = 0, survey.kept_length
    for load in parts:
        part = load()
        columns, times, ends = _in_vocabulary(part, column_of)
        writers["ends"].add(ends + writers["columns"].length)
        writers["columns"].add(columns)
        writers["times"].add(times)
        names.add(_names(part, row_name, row))
        texts.add(part.texts if length >= KEPT else (cut_at_word(text, length) for text in part.texts))
        if titles is not None:
            titles.add(part.titles)
        numbers = np.array([*(label_of[label] for label in part.label_names), NO_LABEL], dtype=np.int64)
        about["labels"].append(numbers[part.labels])  # `NO_LABEL` takes the last.
        about["is_train"].append(part.is_train == 1)
        about["dates"].append(part.dates)
        row += part.n_rows
    known = {name: np.concatenate(arrays) for name, arrays in about.items()}
    if label_of:
        (folder / "labels").write_bytes(known["labels"].tobytes())
    description = {
        "format": FORMAT,
        "documents": survey.documents,
        "entries": writers["columns"].length,
        **{name: np.dtype(kinds[name]).name for name in ARRAYS},
        "vocabulary": words,
        "label_names": list(label_of) or None,
    }
    (folder / DESCRIPTION).write_text(json.dumps(description), encoding="utf-8")
    return (
        open_counts(folder),
        names.strings(),
        texts.strings(),
        None if titles is None else titles.strings(),
        known["is_train"] if survey.has_split else None,
        known["dates"] if survey.has_dates else None,
    )


def _in_vocabulary(
    part: CountedPart, column_of: dict[str, int]
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]:
    """Columns and counts of the words that are kept, and where those of each document end."""
    column = np.array([column_of.get(word, -1) for word in part.words], dtype=np.int64)
    columns = column[part.counts.indices] if len(column) else np.zeros(0, dtype=np.int64)
    kept = columns >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    # Words of a part and of the vocabulary are both in alphabetical order, so that columns still rise in each document.
    return columns[kept], part.counts.data[kept], before[part.counts.indptr[1:]]


def _names(part: CountedPart, row_name: str, before: int) -> Iterable[str] | Strings:
    """The names of the documents; `before` are the rows of the source in front of this part."""
    named = np.diff(part.names.ends, prepend=0) > 0
    if named.all():
        return part.names
    return (name or f"{row_name} {before + row}" for name, row in zip(part.names, part.rows.tolist(), strict=True))
