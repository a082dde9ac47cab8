"""Documents to streams of numbers, one number per character, and where the words are in them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideangle._alphabets import folded
from wideangle.data.counting.letters import (
    CHARACTER,
    CONTEXT,
    FIRST,
    INSIDE,
    PLAIN,
    SIGN,
    SYLLABLE,
    Alphabet,
    Letters,
    Places,
    Rule,
)

__all__ = ["Stream", "TooManyLettersError", "streams_of", "word_bounds"]

SHORTEST = 3  # letters of a word
BEHIND = 8  # So many breaks behind the last document let eight bytes be read from every letter on.


@dataclass(frozen=True, eq=False)
class Stream:
    """Some documents as numbers: a break before each of them, and `BEHIND` behind the last one."""

    numbers: Letters
    starts: Places
    """where each document begins"""
    documents: Places
    """which documents they are"""


class TooManyLettersError(Exception):
    """There are more letters than numbers for them."""


def streams_of(texts: Sequence[str], rule: Rule, alphabet: Alphabet) -> Iterator[Stream]:
    """The documents in three streams at most: of ASCII, of characters that fold one by one, and of all others."""
    plain = [number for number, text in enumerate(texts) if text.isascii()]
    if plain:
        text, starts = _joined([texts[number] for number in plain])
        numbers = np.frombuffer(text.encode("ascii").translate(rule.ascii_numbers), dtype=np.uint8)
        yield Stream(numbers, starts, np.array(plain, dtype=np.intp))
    if len(plain) == len(texts):
        return
    others = np.array([number for number, text in enumerate(texts) if not text.isascii()], dtype=np.intp)
    text, starts = _joined([texts[number] for number in others])
    found = _numbered(text, alphabet, is_folded=False)
    in_context = np.flatnonzero(found == CONTEXT)
    if not len(in_context):
        yield Stream(_narrow(found), starts, others)
        return
    # The documents that have such characters are folded as a whole. The others are read once more, without them.
    is_folded = np.zeros(len(others), dtype=bool)
    is_folded[np.searchsorted(starts, in_context, side="right") - 1] = True
    for part, needs_folding in ((others[~is_folded], False), (others[is_folded], True)):
        if len(part):
            text, starts = _joined([folded(texts[row]) if needs_folding else texts[row] for row in part])
            yield Stream(_narrow(_numbered(text, alphabet, is_folded=needs_folding)), starts, part)


def word_bounds(numbers: Letters, alphabet: Alphabet) -> tuple[Places, Places]:
    """Where words begin, and how many letters they have, in their order."""
    if not alphabet.has_scripts:
        return _runs(numbers, numbers >= FIRST, SHORTEST)
    kinds = alphabet.kinds.take(numbers)
    is_letter = (kinds == PLAIN) | (kinds == SYLLABLE)
    starts, lengths = _runs(numbers, is_letter, SHORTEST - 1)
    words = (lengths >= SHORTEST) | (kinds[starts] == SYLLABLE)
    starts, lengths = starts[words], lengths[words]
    characters = np.flatnonzero(kinds == CHARACTER)
    if not len(characters):
        return starts, lengths
    # Where the signs of each character end, another one may follow, and both are a word.
    ends = characters + 1
    if (kinds == SIGN).any():
        others = np.flatnonzero(kinds != SIGN)
        ends = others[np.searchsorted(others, ends)]
    pairs = np.flatnonzero(ends[:-1] == characters[1:])
    starts = np.concatenate([starts, characters[pairs]])
    lengths = np.concatenate([lengths, ends[pairs + 1] - characters[pairs]])
    order = np.argsort(starts, kind="stable")
    return starts[order], lengths[order]


def _runs(numbers: Letters, is_letter: NDArray[np.bool_], shortest: int) -> tuple[Places, Places]:
    """Runs of letters, without those that stand beside a digit or the like."""
    edges = np.flatnonzero(is_letter[1:] != is_letter[:-1])
    edges += 1
    starts, ends = edges[::2], edges[1::2]  # A stream begins and ends with a break.
    lengths = ends - starts
    long_enough = np.flatnonzero(lengths >= shortest)
    starts, ends, lengths = starts[long_enough], ends[long_enough], lengths[long_enough]
    apart = np.flatnonzero((numbers[starts - 1] != INSIDE) & (numbers[ends] != INSIDE))
    return starts[apart], lengths[apart]


def _joined(texts: Sequence[str]) -> tuple[str, Places]:
    """The text of a stream, and where each document begins. Line breaks change no letter beside them."""
    lengths = np.fromiter(map(len, texts), dtype=np.intp, count=len(texts))
    starts = np.cumsum(lengths + 1) - lengths
    return "\n".join(["", *texts, *[""] * BEHIND]), starts


def _numbered(text: str, alphabet: Alphabet, is_folded: bool) -> NDArray[np.uint16]:
    numbers = alphabet.numbers(text, is_folded)
    if numbers is None:
        raise TooManyLettersError
    return numbers


def _narrow(numbers: NDArray[np.uint16]) -> Letters:
    """One byte per number where that is enough."""
    return numbers.astype(np.uint8) if numbers.max() < 256 else numbers
