"""Counted parts to one collection: which words are kept, and the files that a model is fitted on."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle._packed import ArrayFile, StringsFile
from wideangle.data.counting.counter import with_pieces
from wideangle.data.languages import BEGINNING, MOST_TEXTS, guess_language
from wideangle.data.stored.counts import ARRAYS, DESCRIPTION, FORMAT, CountsOnDisk, open_counts
from wideangle.data.stored.parts import UNKNOWN_SPLIT, CountedPart, WordRules
from wideangle.data.text import NO_WORD, LeftOut, choose_words, left_out_by
from wideangle.documents import KEPT, KEPT_IN_ALL, NO_DATE, NO_LABEL, SNIPPET, Strings, kept_text
from wideangle.exceptions import NoWordsError

__all__ = ["Joined", "WordChoice", "join_parts"]

# Beyond this many different words the rarest are forgotten while document frequencies are added up. A word of the
# final vocabulary would have to be rarer than them at that moment to be missed.
MOST_WORDS = 2_000_000


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
    most: int = 0
    label_names: Any = ()
    has_titles: bool = False
    has_split: bool = True
    has_dates: bool = False
    empty: int = 0
    replaced: int = 0
    dropped: int = 0


def join_parts(
    parts: Sequence[Callable[[], CountedPart]],
    folder: Path,
    rules: WordRules,
    choice: WordChoice,
    *,
    row_name: str = "row",
    told: Callable[[int], None] = lambda done: None,
) -> Joined:
    """Choose the words and write counts, names and beginnings of all documents into a folder.

    `parts` load one part each, and each is loaded twice. Documents without a name are called by `row_name` and their
    row in the whole source.
    """
    survey, frequency, sizes = _surveyed(parts, told)
    words, left_out = _chosen_words(parts, sizes, frequency, survey.documents, rules, choice)
    length = _kept_length(parts, told) if survey.documents * SNIPPET > KEPT_IN_ALL // 8 else KEPT
    found = _written(parts, folder, words, survey, length, row_name, told)
    return Joined(*found, left_out=left_out, empty=survey.empty, replaced=survey.replaced, dropped=survey.dropped)


def _surveyed(
    parts: Sequence[Callable[[], CountedPart]], told: Callable[[int], None]
) -> tuple[_Survey, Counter[str], list[int]]:
    """Facts about all documents, how many of them have each word, and the documents of each part."""
    survey, frequency = _Survey(), Counter[str]()
    labels: set[str] = set()
    sizes = []
    for load in parts:
        part = load()
        having = np.bincount(part.counts.indices, minlength=len(part.words)).tolist()
        frequency.update(dict(zip(part.words, having, strict=True)))
        if len(frequency) > MOST_WORDS:
            frequency = Counter(dict(frequency.most_common(MOST_WORDS // 2)))
        labels.update(part.label_names)
        sizes.append(len(part))
        survey.documents += len(part)
        survey.most = max(survey.most, part.most)
        survey.has_titles |= len(part.titles.content) > 0
        survey.has_split &= bool((part.is_train != UNKNOWN_SPLIT).all())
        survey.has_dates |= bool((part.dates != NO_DATE).any())
        survey.empty += part.empty
        survey.replaced += part.replaced
        survey.dropped += part.dropped
        told(len(part))
    survey.label_names = sorted(labels)
    return survey, frequency, sizes


def _chosen_words(
    parts: Sequence[Callable[[], CountedPart]],
    sizes: Sequence[int],
    frequency: Counter[str],
    n_documents: int,
    rules: WordRules,
    choice: WordChoice,
) -> tuple[list[str], LeftOut | None]:
    """The vocabulary, and what was left out of it."""
    if not frequency:
        raise NoWordsError(NO_WORD)
    left_out = None
    if choice.guess_stop_words:
        left_out = left_out_by(guess_language(_spread_beginnings(parts, sizes)))
        for word in with_pieces(left_out.words, rules.token_pattern):
            frequency.pop(word, None)
    words = sorted(frequency)
    times = np.array([frequency[word] for word in words], dtype=np.int64)
    if not words:
        raise NoWordsError(NO_WORD)
    return choose_words(words, times, choice.n_words, choice.min_df, choice.max_df, n_documents), left_out


def _spread_beginnings(parts: Sequence[Callable[[], CountedPart]], sizes: Sequence[int]) -> list[str]:
    """How documents begin that are spread evenly over all: those that `Beginnings` would keep of them."""
    step, n = 1, sum(sizes)
    while -(-n // step) > MOST_TEXTS:
        step *= 2
    found, first = [], 0
    for load, size in zip(parts, sizes, strict=True):
        wanted = range(-first % step, size, step)
        if len(wanted):
            texts = load().texts
            found += [texts[row][:BEGINNING] for row in wanted]
        first += size
    return found


def _kept_length(parts: Sequence[Callable[[], CountedPart]], told: Callable[[int], None]) -> int:
    """How many characters of each document are kept: fewer where there are many documents, as in `KeptTexts`."""
    lengths = np.array(sorted({KEPT >> power for power in range(8)} - set(range(SNIPPET)) | {SNIPPET}, reverse=True))
    sizes = np.zeros(len(lengths), dtype=np.int64)
    for load in parts:
        letters = np.diff(load().texts.ends, prepend=0)  # in bytes, of which most letters need one
        sizes += np.minimum(letters[:, None], lengths).sum(axis=0)
        told(0)
    fitting = np.flatnonzero(sizes <= KEPT_IN_ALL)
    return int(lengths[fitting[0]]) if len(fitting) else SNIPPET


def _written(
    parts: Sequence[Callable[[], CountedPart]],
    folder: Path,
    words: list[str],
    survey: _Survey,
    length: int,
    row_name: str,
    told: Callable[[int], None],
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
    label_of = {label: number for number, label in enumerate(survey.label_names)}
    row = 0
    for load in parts:
        part = load()
        columns, times, ends = _in_vocabulary(part, column_of)
        writers["ends"].add(ends + writers["columns"].length)
        writers["columns"].add(columns)
        writers["times"].add(times)
        names.add(_names(part, row_name, row))
        texts.add(part.texts if length >= KEPT else (kept_text(text, length) for text in part.texts))
        if titles is not None:
            titles.add(part.titles)
        numbers = np.array([*(label_of[label] for label in part.label_names), NO_LABEL], dtype=np.int64)
        about["labels"].append(numbers[part.labels])  # `NO_LABEL` takes the last.
        about["is_train"].append(part.is_train == 1)
        about["dates"].append(part.dates)
        row += part.n_rows
        told(len(part))
    known = {name: np.concatenate(arrays) for name, arrays in about.items()}
    if label_of:
        (folder / "labels").write_bytes(known["labels"].tobytes())
    description = {
        "format": FORMAT,
        "documents": survey.documents,
        "entries": writers["columns"].length,
        **{name: np.dtype(kinds[name]).name for name in ARRAYS},
        "vocabulary": words,
        "label_names": list(survey.label_names) or None,
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
