"""Longer words out of pairs of characters, for scripts that are written without spaces.

Models of Chinese, Japanese, Korean or Thai documents have pairs of characters for words. "数据库" gives "数据" and
"据库", of which the second means nothing to a reader. What characters stand beside a pair in the texts says which
longer word it belongs to: before "据库" there is always "数".
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from wideangle._alphabets import CHARACTER, folded, is_pair

__all__ = ["LongerWords", "readable"]

MOST = 2000  # So many texts are looked at, spread evenly over all of them.
NEARLY_ALWAYS = 0.7  # A character that follows a pair so often belongs to it.
LOOSE = 0.5  # An end that occurs less often than this, compared with what is inside, belongs to another word.
TOGETHER = 10.0  # Two characters are a word where they meet so many times as often as by chance.
FEW = 2000  # Of fewer characters it cannot be said what is chance.
LONGEST = 8

_RUN = re.compile(f"(?:{CHARACTER}){{2,}}")
_CHARACTER = re.compile(CHARACTER)


class LongerWords:
    """How often characters stand side by side in some texts, and the words that follow from it.

    Examples
    --------
    >>> from wideangle.topics.longer_words import LongerWords
    >>> words = LongerWords(["数据库很快", "大数据库", "新数据很多", "数据"] * 5)
    >>> words.whole("据库"), words.whole("数据")
    ('数据库', '数据')
    """

    def __init__(self, texts: Iterable[str]) -> None:
        texts = [text for text in texts if not text.isascii()]
        self._wholes: dict[str, str | None] = {}
        self.single: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.triples: Counter[tuple[str, str, str]] = Counter()
        for text in texts[:: len(texts) // MOST + 1]:
            for run in _RUN.findall(folded(text)):
                characters = _CHARACTER.findall(run)
                self.single.update(characters)
                self.pairs.update(pairwise(characters))
                self.triples.update(zip(characters, characters[1:], characters[2:], strict=False))
        self.before: dict[tuple[str, str], tuple[str, int]] = {}
        self.after: dict[tuple[str, str], tuple[str, int]] = {}
        for (first, second, third), times in self.triples.items():
            if times > self.before.get((second, third), ("", 0))[1]:
                self.before[second, third] = first, times
            if times > self.after.get((first, second), ("", 0))[1]:
                self.after[first, second] = third, times

    def whole(self, word: str) -> str | None:
        """The word that a pair belongs to; None where its characters meet by chance. Other words are themselves."""
        if word not in self._wholes:
            self._wholes[word] = self._whole(word) if is_pair(word) else word
        return self._wholes[word]

    def _whole(self, pair: str) -> str | None:
        characters = _CHARACTER.findall(pair)
        if not self._times(characters):
            return pair  # The texts, which may be beginnings only, do not have it.
        characters = self._trimmed(self._extended(characters))
        return "".join(characters) if len(characters) > 2 or self._is_word(characters) else None

    def _extended(self, characters: list[str]) -> list[str]:
        """With the characters that nearly always stand before and after."""
        while len(characters) < LONGEST:
            pair = characters[-2], characters[-1]
            following, times = self.after.get(pair, ("", 0))
            if times < NEARLY_ALWAYS * self.pairs[pair]:
                break
            characters = [*characters, following]
        while len(characters) < LONGEST:
            pair = characters[0], characters[1]
            preceding, times = self.before.get(pair, ("", 0))
            if times < NEARLY_ALWAYS * self.pairs[pair]:
                break
            characters = [preceding, *characters]
        return characters

    def _trimmed(self, characters: list[str]) -> list[str]:
        """Without characters at the ends that belong to the words before and after."""
        while len(characters) > 2 and self._times(characters[:2]) < LOOSE * self._times(characters[1:3]):
            characters = characters[1:]
        while len(characters) > 2 and self._times(characters[-2:]) < LOOSE * self._times(characters[-3:-1]):
            characters = characters[:-1]
        return characters

    def _times(self, pair: Sequence[str]) -> int:
        return self.pairs[pair[0], pair[1]]

    def _is_word(self, pair: Sequence[str]) -> bool:
        if self.single.total() < FEW:
            return True
        expected = self.single[pair[0]] * self.single[pair[1]] / max(self.single.total(), 1)
        return self._times(pair) >= TOGETHER * expected


def readable(words: Iterable[str], longer: LongerWords | None) -> list[str]:
    """The words in their order, pairs of characters as the longer words they belong to, each of them once.

    Examples
    --------
    >>> from wideangle.topics.longer_words import LongerWords, readable
    >>> readable(["据库", "python", "数据"], LongerWords(["数据库很快", "大数据库", "新数据很多", "数据"] * 5))
    ['数据库', 'python', '数据']
    """
    words = list(words)
    if longer is None:
        return words
    found = dict.fromkeys(whole for word in words if (whole := longer.whole(word)) is not None)
    return list(found) or words
