"""Words of documents and of queries, by the same rules: what a word is, which are left out, how many make one."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from wideangle.data.text import word_counter
from wideangle.documents import Reading
from wideangle.exceptions import DataError
from wideangle.reading.errors import in_plain_words
from wideangle.reading.html import text_of_html
from wideangle.reading.rows import weighed

__all__ = ["Query", "other_letters", "read_query", "read_stop_words"]

ANY_WORD = r"(?u)\b\w+\b"  # where a vocabulary is given, it decides which words count
LOOK = 1000  # documents whose beginnings are looked at
MANY = 0.02  # share of words with other letters above which the user is told; names alone do not reach it
ANY_ALPHABET = r"For other alphabets pass --token-pattern '\b\w{3,}\b'."


@dataclass(frozen=True, eq=False)
class Query:
    """Some words as a model sees them."""

    text: str
    row: Any
    """1 × words, weighed as the model's documents are"""
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    left_out: tuple[str, ...]
    """stop words, which were no part of the model's vocabulary"""


def read_query(query: str, reading: Reading, vocabulary: Sequence[str]) -> Query:
    """Read a query as a document is read, and say which of its words the model knows.

    Examples
    --------
    >>> from wideangle.documents import Reading
    >>> from wideangle.reading import read_query
    >>> found = read_query("The late Delivery, madam", Reading("counts", r"\\b[a-z]{3,}\\b"), ["delivery", "late"])
    >>> found.row.toarray().tolist(), found.known, found.unknown, found.left_out
    ([[1.0, 1.0]], ('late', 'delivery'), ('madam',), ('the',))
    """
    counter = counter_of(reading, vocabulary)
    text = text_of_html(query) if reading.strip_html else query
    single = list(dict.fromkeys(counter.build_tokenizer()(text.lower())))
    place = {word: number for number, word in enumerate(vocabulary)}
    known: dict[str, int] = {}
    for token in counter.build_analyzer()(text):
        if token in place:
            known[token] = known.get(token, 0) + 1
    counts = sp.csr_array(
        (list(known.values()), ([0] * len(known), [place[token] for token in known])),
        shape=(1, len(vocabulary)),
        dtype=np.float32,
    )
    stop_words = _english_stop_words() if reading.stop_words is None else frozenset(reading.stop_words)
    others = [word for word in single if word not in place]
    return Query(
        query,
        weighed(counts, reading.kind, reading.rarity),
        tuple(known),
        tuple(word for word in others if word not in stop_words),
        tuple(word for word in others if word in stop_words),
    )


def counter_of(reading: Reading, vocabulary: Sequence[str]) -> Any:
    """A counter that counts the words of new documents as those of the training documents were counted."""
    # Single words that were left out are not in the vocabulary. Where words in a row count as one, stop words must go
    # first, or else other words would be neighbours.
    stop_words = reading.stop_words if reading.ngrams > 1 else None
    return word_counter(reading.token_pattern or ANY_WORD, stop_words, reading.ngrams, vocabulary=vocabulary)


def read_stop_words(choice: str) -> tuple[str, ...]:
    """The words of "english", of no list ("none"), of a file, or of a language that the package stop-words knows."""
    if choice == "english":
        return tuple(sorted(_english_stop_words()))
    if choice == "none":
        return ()
    path = Path(choice)
    if path.exists():
        with in_plain_words(choice):
            return tuple(dict.fromkeys(path.read_text(encoding="utf-8-sig").lower().split()))
    if not re.fullmatch(r"[a-z]{2,20}", choice.lower()):
        raise DataError(f"stop words {choice!r}: there is no such file. Say english, none, a file, or a language.")
    try:
        from stop_words import StopWordError, get_stop_words
    except ImportError as error:
        raise DataError(
            f"stop words {choice!r}: there is no such file. Say english, none or a file of words; for the lists of "
            "other languages: pip install 'wideangle[stop-words]'"
        ) from error
    try:
        return tuple(sorted({word.lower() for word in get_stop_words(choice.lower())}))
    except StopWordError as error:
        raise DataError(f"stop words {choice!r}: neither a file nor a language with a list. Give a file.") from error


def _english_stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def other_letters(snippets: Iterable[str]) -> str | None:
    """What to tell the user where the usual pattern passes over many words, which the result does not show."""
    words = [word for text in list(snippets)[:LOOK] for word in re.findall(r"[^\W\d_]{3,}", text)]
    others = [word for word in words if not word.isascii()]
    if len(others) <= MANY * len(words):
        return None
    return f"{len(others) / len(words):.0%} of the words have letters beyond a–z and are passed over. {ANY_ALPHABET}"
