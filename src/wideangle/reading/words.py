"""Words of documents and of queries, by the same rules: what a word is, which are left out, how many make one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from wideangle import _arguments as rules
from wideangle._alphabets import folded, is_pair, lone_characters, without_accents
from wideangle._arguments import checked
from wideangle._wording import number_of
from wideangle.data.counting.counter import WordCounter
from wideangle.data.languages import language_name, stop_words_of
from wideangle.data.text import LeftOut
from wideangle.documents import Reading
from wideangle.reading.cleaning import cleaner
from wideangle.reading.rows import weighed

__all__ = ["Query", "QueryReader", "read_query"]

ANY_WORD = r"(?u)\b\w+\b"  # where a vocabulary is given, it decides which words count
WHAT_A_WORD_IS = r"A word has three letters or more; for shorter words pass --token-pattern '\b\w+\b'."


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


@checked(query=rules.text, reading=rules.a(Reading), vocabulary=rules.texts)
def read_query(query: str, reading: Reading, vocabulary: Sequence[str]) -> Query:
    """Read a query as a document is read, and say which of its words the model knows.

    A word that the model does not know is taken for those that differ from it by accents only. A single Chinese or
    Japanese character is taken for the pairs that have it.

    Examples
    --------
    >>> from wideangle.documents import Reading
    >>> from wideangle.reading import read_query
    >>> found = read_query("The late Delivery, madam", Reading("counts", r"\\b[a-z]{3,}\\b"), ["delivery", "late"])
    >>> found.row.toarray().tolist(), found.known, found.unknown, found.left_out
    ([[1.0, 1.0]], ('late', 'delivery'), ('madam',), ('the',))
    """
    return QueryReader(reading, vocabulary).read(query)


class QueryReader:
    """`read_query` for any number of queries. What they share is made once, which takes longer than a query."""

    def __init__(self, reading: Reading, vocabulary: Sequence[str]) -> None:
        self.reading, self.vocabulary = reading, vocabulary
        self.place = {word: number for number, word in enumerate(vocabulary)}
        self._counter = counter_of(reading, vocabulary)
        self._stop_words = stop_words_of_reading(reading)
        self._clean = cleaner(
            mail=reading.strip_mail,
            keep_quotations=reading.keep_quotations,
            html=reading.strip_html,
            repeated=reading.repeated,
        )

    def read(self, query: str) -> Query:
        """Read a query."""
        text, place, stop_words = self._clean(query), self.place, self._stop_words
        single = list(dict.fromkeys(self._counter.words(text)))
        known: dict[str, int] = {}
        for token in self._counter.terms(text):
            if token in place:
                known[token] = known.get(token, 0) + 1
        others = [word for word in single if word not in place]
        meant = self._meant([word for word in others if word not in stop_words], lone_characters(folded(text)))
        for word in {word: None for words in meant.values() for word in words}:
            known.setdefault(word, 1)
        counts = sp.csr_array(
            (list(known.values()), ([0] * len(known), [place[token] for token in known])),
            shape=(1, len(self.vocabulary)),
            dtype=np.float32,
        )
        return Query(
            query,
            weighed(counts, self.reading.kind, self.reading.rarity),
            tuple(known),
            tuple(word for word in others if word not in stop_words and word not in meant),
            tuple(word for word in others if word in stop_words),
        )

    def _meant(self, unknown: Sequence[str], characters: Sequence[str]) -> dict[str, list[str]]:
        """The words of the vocabulary that unknown words and single characters may stand for, in its order."""
        wanted = {without_accents(word): word for word in unknown}
        found = [(word, asked) for bare, asked in wanted.items() for word in self._without_accents.get(bare, ())]
        if characters:
            found += [(word, character) for character in characters for word in self._pairs if character in word]
        meant: dict[str, list[str]] = {}
        for word, asked in sorted(found, key=lambda each: self.place[each[0]]):
            meant.setdefault(asked, []).append(word)
        return meant

    @cached_property
    def _without_accents(self) -> dict[str, list[str]]:
        """The words of the vocabulary by what they are without accents."""
        found: dict[str, list[str]] = {}
        for word in self.vocabulary:
            found.setdefault(without_accents(word), []).append(word)
        return found

    @cached_property
    def _pairs(self) -> list[str]:
        """The words of the vocabulary that are pairs of Chinese or Japanese characters."""
        return [word for word in self.vocabulary if is_pair(word)]


def counter_of(reading: Reading, vocabulary: Sequence[str]) -> WordCounter:
    """A counter that counts the words of new documents as those of the training documents were counted."""
    # Single words that were left out are not in the vocabulary. Where words in a row count as one, stop words must go
    # first, or else other words would be neighbours.
    stop_words = reading.stop_words if reading.ngrams > 1 else None
    return WordCounter(reading.token_pattern or ANY_WORD, stop_words, reading.ngrams, vocabulary=vocabulary)


def said_of_language(left_out: LeftOut) -> str | None:
    """What to tell the user about a guess. English, which is assumed where there is no guess, is not told."""
    if left_out.languages == ("en",):
        return None
    if not left_out.languages:
        return (
            "The language of the documents was not recognised, so that no stop words are left out. "
            "--language names it; --language none says that there is none."
        )
    names = " and ".join(language_name(code) for code in left_out.languages)
    count = len(left_out.words)
    what = (
        f"{number_of(count, 'stop word')} {'is' if count == 1 else 'are'} left out"
        if count
        else "no stop words are known"
    )
    return f"The documents are in {names}: {what}. --language names another language, and --language none turns it off."


def stop_words_of_reading(reading: Reading) -> frozenset[str]:
    """The words that a model's documents were read without. Files that do not say it are of English documents."""
    return frozenset(stop_words_of("en") if reading.stop_words is None else reading.stop_words)
