"""Words of documents and of queries, by the same rules: what a word is, which are left out, how many make one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from wideangle._alphabets import folded, is_pair, lone_characters, without_accents
from wideangle._wording import number_of
from wideangle.data.counting.counter import WordCounter
from wideangle.data.languages import language_name, stop_words_of
from wideangle.data.text import LeftOut
from wideangle.documents import Reading
from wideangle.reading.cleaning import cleaner
from wideangle.reading.rows import weighed

__all__ = ["Query", "read_query"]

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
    counter = counter_of(reading, vocabulary)
    clean = cleaner(
        mail=reading.strip_mail,
        keep_quotations=reading.keep_quotations,
        html=reading.strip_html,
        repeated=reading.repeated,
    )
    text = clean(query)
    single = list(dict.fromkeys(counter.words(text)))
    place = {word: number for number, word in enumerate(vocabulary)}
    known: dict[str, int] = {}
    for token in counter.terms(text):
        if token in place:
            known[token] = known.get(token, 0) + 1
    stop_words = stop_words_of_reading(reading)
    others = [word for word in single if word not in place]
    meant = _meant([word for word in others if word not in stop_words], lone_characters(folded(text)), vocabulary)
    for word in {word: None for words in meant.values() for word in words}:
        known.setdefault(word, 1)
    counts = sp.csr_array(
        (list(known.values()), ([0] * len(known), [place[token] for token in known])),
        shape=(1, len(vocabulary)),
        dtype=np.float32,
    )
    return Query(
        query,
        weighed(counts, reading.kind, reading.rarity),
        tuple(known),
        tuple(word for word in others if word not in stop_words and word not in meant),
        tuple(word for word in others if word in stop_words),
    )


def _meant(unknown: Sequence[str], characters: Sequence[str], vocabulary: Sequence[str]) -> dict[str, list[str]]:
    """The words of a vocabulary that unknown words and single characters may stand for."""
    meant: dict[str, list[str]] = {}
    wanted = {without_accents(word): word for word in unknown}
    for word in vocabulary if wanted or characters else ():
        if (bare := without_accents(word)) in wanted:
            meant.setdefault(wanted[bare], []).append(word)
        for character in characters:
            if character in word and is_pair(word):
                meant.setdefault(character, []).append(word)
    return meant


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
