"""Characters to numbers: which belong to words, and one number for each letter however it is written."""

import re
from dataclasses import dataclass
from functools import cached_property
from unicodedata import category, is_normalized

import numpy as np
from numpy.typing import NDArray

from wideangle._alphabets import ALONE, FORMS, IN_WORD, INDIC, LETTER, SIGNS, WORDS, folded

__all__ = ["BREAK", "INSIDE", "RULES", "TOKEN", "Alphabet", "Letters", "Rule"]

TOKEN = r"\b[a-z]{3,}\b"
"""the paper's words: at least three letters from a to z"""

Letters = NDArray[np.uint8] | NDArray[np.uint16]
Places = NDArray[np.intp]

BREAK = 0  # the number of everything that no word has
INSIDE = 1  # the number of digits and the like, which make the letters beside them part of a name
FIRST = 2  # Letters have the numbers from here on. Those from a to z have the number that ASCII gives them.
# Kinds of letters: those of words with spaces between them, of which two make an Indic word, and those of scripts
# without spaces with their signs.
NO_LETTER, PLAIN, SYLLABLE, CHARACTER, SIGN = range(5)

CONTEXT = 0xFFFE  # instead of a number: how this character is folded depends on those beside it
UNSEEN = 0xFFFF  # instead of a number: not looked at so far
LAST = CONTEXT - 1  # No letter has this number, so that there is always a next one.
N_CODES = 0x110000
JAMO = range(0x1100, 0x1200)

_CHARACTER, _SIGN, _SYLLABLE = (re.compile(f"[{characters}]") for characters in (ALONE, SIGNS, INDIC))


@dataclass(frozen=True)
class Rule:
    """What a word is: a run of three letters or more that has nothing else of a word beside it."""

    letter: str
    """the class of letters"""
    inside: str
    """the class of letters and of what makes letters beside it part of a name"""
    scripts: bool
    """whether two Indic letters are a word, and pairs of characters of scripts without spaces"""

    def kind(self, character: str) -> int:
        """The kind of a letter; `NO_LETTER` for other characters."""
        if self.scripts and _CHARACTER.match(character):
            return CHARACTER
        if self.scripts and _SIGN.match(character):
            return SIGN
        if not re.match(self.letter, character):
            return NO_LETTER
        return SYLLABLE if self.scripts and _SYLLABLE.match(character) else PLAIN

    @cached_property
    def ascii_numbers(self) -> bytes:
        """The number of each ASCII character in lower case, for `bytes.translate`."""
        lower = [chr(code).lower() for code in range(128)]
        return bytes([self._ascii_number(character) for character in lower]) + bytes(128)

    def _ascii_number(self, character: str) -> int:
        if self.kind(character) != NO_LETTER:
            return ord(character)
        return INSIDE if re.match(self.inside, character) else BREAK


RULES = {WORDS: Rule(LETTER, IN_WORD, scripts=True), TOKEN: Rule("[a-z]", r"\w", scripts=False)}
"""the patterns of words that are found without regular expressions"""


class Alphabet:
    """Numbers for the characters of texts that are not ASCII. Each is looked at when it is first met."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._number_of: dict[str, int] = {}
        self._next = FIRST
        self._codes = np.zeros(CONTEXT, dtype="<u4")
        self.kinds = np.zeros(CONTEXT, dtype=np.uint8)
        """the kind of each number"""
        self.has_scripts = False
        """whether there were letters of other kinds than `PLAIN`"""
        for number in rule.ascii_numbers:
            if number >= FIRST:
                self._number(chr(number))

    def numbers(self, text: str, is_folded: bool) -> NDArray[np.uint16] | None:
        """A number for each character; `CONTEXT` where it must be folded first. None where numbers run out."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        table = self._of_folded if is_folded else self._of_raw
        numbers = table.take(codes)
        if numbers.max(initial=BREAK) == UNSEEN:
            for code in np.unique(codes[numbers == UNSEEN]).tolist():
                character = chr(code)
                if not is_folded and depends_on_context(character):
                    table[code] = CONTEXT
                else:
                    table[code] = self._number(character if is_folded else folded(character))
            numbers = table.take(codes)
        return None if numbers.max(initial=BREAK) == UNSEEN else numbers

    @cached_property
    def _of_raw(self) -> NDArray[np.uint16]:
        return np.full(N_CODES, UNSEEN, dtype=np.uint16)

    @cached_property
    def _of_folded(self) -> NDArray[np.uint16]:
        return np.full(N_CODES, UNSEEN, dtype=np.uint16)

    def words(self, numbers: Letters, starts: Places, lengths: Places) -> list[str]:
        """The words that begin at `starts`."""
        sizes = lengths + 1  # a line break behind each word
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)
        codes = self._codes.take(numbers.take(places))
        codes[ends - 1] = ord("\n")
        return codes.tobytes().decode("utf-32-le", "surrogatepass").split("\n")[:-1]

    def _number(self, character: str) -> int:
        """The number of a folded character; `UNSEEN` where no number is left."""
        if character in self._number_of:
            return self._number_of[character]
        kind = self._rule.kind(character)
        if kind == NO_LETTER:
            return INSIDE if re.match(self._rule.inside, character) else BREAK
        if character.isascii():
            number = ord(character)
        else:
            while self.kinds[self._next] != NO_LETTER:  # taken by ASCII
                self._next += 1
            if self._next == LAST:
                return UNSEEN
            number = self._next
            self._next += 1
        self._number_of[character] = number
        self._codes[number] = ord(character)
        self.kinds[number] = kind
        self.has_scripts |= kind != PLAIN
        return number


def depends_on_context(character: str) -> bool:
    """Whether `folded` may make something else of a character in a text than of the character alone, or more than one.

    These are most forms of letters, signs that are left out, the capital sigma, and whatever is composed with the
    letter before it. Some more are among them, which costs time only.
    """
    alone = folded(character)
    if FORMS.match(character):  # Chinese texts are full of wide commas.
        return len(alone) != 1 or not alone.isascii()
    return (
        len(alone) != 1
        or character == "Σ"
        or category(character)[0] == "M"
        or ord(character) in JAMO
        or (ord(character) > 0xFFFF and category(character)[0] == "L")
        or not is_normalized("NFC", character)
    )
