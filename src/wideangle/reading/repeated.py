"""Lines that many documents share: disclaimers, headers of pages, "Click here to unsubscribe"."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

__all__ = ["RepeatedLines", "find_repeated", "without_lines"]

FEWEST, SHARE = 5, 0.02  # So many documents must have a line, and such a share of them.
LETTERS, WORDS = 12, 3  # Shorter lines are no sentence, and may be said by chance.
WORDS_PER_NUMBER = 2  # A line with more numbers is a row of a table, whose numbers are its content.
LONGEST = 2000  # Longer lines are not compared.
LINES_PER_DOCUMENT = 5000
MOST_KEPT = 1000
BEGINNING = 20_000  # Documents that have so many characters in common are equal here.
MOST_COUNTED = 500_000  # Above this, lines that were seen once are forgotten.

WORD = re.compile(r"[^\W\d_]{2,}")
DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class RepeatedLines:
    """Lines that many documents share."""

    lines: tuple[str, ...]
    """in small letters, with 0 for each number; those of most documents first"""
    counts: tuple[int, ...]
    """how many documents have each"""
    looked_at: int
    """documents; of those that are equal one is counted"""

    @property
    def example(self) -> str:
        """The longest of the lines that nearly as many documents have as the first."""
        often = [line for line, count in zip(self.lines, self.counts, strict=True) if 2 * count >= self.counts[0]]
        return max(often, key=len)


def find_repeated(texts: Iterable[str], share: float = SHARE) -> RepeatedLines:
    """The lines that at least 5 documents and a share of them have, whatever their capitals, numbers and spaces are.

    Documents of one line have no lines to share, and of equal documents one is counted, because all their
    lines are repeated.

    Examples
    --------
    >>> from wideangle.reading.repeated import find_repeated
    >>> find_repeated(f"Letter {word}.\\nPage {n} of our newsletter" for n, word in enumerate("abcdef")).lines
    ('page 0 of our newsletter',)
    """
    counts: dict[str, int] = {}
    seen: set[int] = set()
    for text in texts:
        whole = hash(_normal(text[:BEGINNING]))
        if whole in seen:
            continue
        seen.add(whole)
        for line in _compared_lines(text):
            counts[line] = counts.get(line, 0) + 1
        if len(counts) > MOST_COUNTED:
            # A line of 2 % of the documents is soon seen twice, so that few are lost.
            counts = {line: count for line, count in counts.items() if count > 1}
    enough = max(FEWEST, share * len(seen))
    often = sorted((-count, line) for line, count in counts.items() if count >= enough)[:MOST_KEPT]
    return RepeatedLines(tuple(line for _, line in often), tuple(-count for count, _ in often), len(seen))


def without_lines(text: str, lines: Collection[str]) -> str:
    """A text without some lines, which are given as `find_repeated` gives them.

    A text of one line, and one that would be left without a word, stays as it is.
    """
    if not lines or "\n" not in text:
        return text
    kept = [line for line in text.split("\n") if len(line) > LONGEST or _normal(line) not in lines]
    found = "\n".join(kept)
    return found if WORD.search(found) else text


def _compared_lines(text: str) -> set[str]:
    """The lines of a text that are long enough to be compared; none for a text of one line."""
    lines = text.split("\n", LINES_PER_DOCUMENT)[:LINES_PER_DOCUMENT]
    if sum(1 for line in lines if line.strip()) < 2:
        return set()
    return {_normal(line) for line in lines if len(line) <= LONGEST and _is_sentence(line)}


def _is_sentence(line: str) -> bool:
    if len(line) < LETTERS or sum(map(str.isalpha, line)) < LETTERS:
        return False
    return len(WORD.findall(line)) >= max(WORDS, WORDS_PER_NUMBER * len(DIGITS.findall(line)))


def _normal(line: str) -> str:
    return " ".join(DIGITS.sub("0", line.lower()).split())
