"""A document as it is read, its class and its date, and how files became rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideangle._arguments import texts as strings
from wideangle._arrays import array_of
from wideangle.exceptions import DataError

NO_LABEL = -1  # the number of a document's class where it has none and others have one
NO_DATE = int(np.iinfo(np.int64).min)  # the date of a document that has none


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


def class_names(labels: NDArray[np.int64], names: Sequence[str]) -> NDArray[np.str_]:
    """The name of each row's class, empty where it has none."""
    numbers = array_of(labels, "labels", kinds="iu")
    called = strings(names, "names")
    if numbers.size and not (numbers.min() >= NO_LABEL and numbers.max() < len(called)):
        raise DataError(f"labels must be from {NO_LABEL}, which is none, to {len(called) - 1}, the last of the names.")
    return np.asarray([*called, ""], dtype=np.str_)[numbers]  # NO_LABEL takes the last.
