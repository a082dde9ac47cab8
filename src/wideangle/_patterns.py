"""Checks that matching a regular expression takes a time that grows no faster than the text.

Python's `re` tries one reading of the text after the other, and "(x+x+)+y" has twice as many readings with each further
"x". A model file contains the pattern that cuts documents into words, and nobody looks at it before it is used. The
readings are therefore counted here: at each character at most MOST of them may be tried. Then one attempt to match
takes at most MOST steps per character.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from wideangle._alphabets import WORDS

__all__ = ["PatternError", "check_pattern"]

MOST = 100  # At each character at most this many readings may be tried.
LONGEST = 200  # A pattern may have at most this many places that match one character each.
DIFFERENT = 60  # A pattern may have at most this many different characters and classes.
STEPS = 5000  # A pattern must be read in this many steps, because copies of copies of nothing would never end.
COMBINATIONS = 2000  # At most this many combinations of readings are looked at.
UNBOUNDED = 64  # More repetitions count as unbounded: for this check "{1,100}" is the same as "{1,}".

# Nearly every model has one of these patterns, which have one reading only and need no check. Where `WORDS` changes,
# what it was before must stay here, because model files have it.
KNOWN = frozenset({WORDS, r"\b[a-z]{3,}\b", r"(?u)\b\w+\b", r"(?u)\b\w\w+\b", r"\b\w{3,}\b"})
EMPTY = frozenset({r"\b", r"\B", r"\A", r"\Z", "^", "$"})  # they match between characters
FLAGS = re.compile(r"\(\?([aimsu]+)\)")
CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^\w]|[wWdDsSbBAZnrtfv])", re.DOTALL)
QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d+)(,?)(\d*)\})\??")


class PatternError(ValueError):
    """A pattern cannot be used, or cannot be used safely."""


@dataclass
class _Part:
    """A part of a pattern: in how many ways it matches nothing, and in how many each place begins or ends it."""

    nothing: int = 1
    first: Counter[int] = field(default_factory=Counter)
    last: Counter[int] = field(default_factory=Counter)


def check_pattern(pattern: str) -> None:
    """Raise PatternError where this is no regular expression, or could take for ever on some text."""
    if pattern in KNOWN:
        return
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"{pattern!r} is no regular expression: {error}") from error
    reader = _Reader(pattern)
    try:
        whole = reader.alternatives()
    except RecursionError as error:
        raise PatternError(f"the pattern {pattern[:30]!r}… has too many nested groups") from error
    if reader.at < len(pattern):
        raise reader.refused()
    _count_readings(reader, whole)


class _Reader:
    """Reads a pattern into places that match one character each, and which place may follow which."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.steps = pattern, 0, 0
        self.characters: list[str] = []
        """the pattern that each place matches"""
        self.followed: dict[int, Counter[int]] = {}
        self.flags = ""
        if found := FLAGS.match(pattern):
            self.flags, self.at = found[0], found.end()

    def refused(self) -> PatternError:
        return PatternError(
            f"{self.pattern!r}: {self.pattern[self.at : self.at + 10]!r} is not among what a pattern of words may "
            "hold, which is characters, classes such as [a-z] and \\w, \\b, groups (?:…), | and repetitions"
        )

    def too_long(self) -> PatternError:
        return PatternError(f"the pattern {self.pattern[:30]!r}… is too long, or repeats too much")

    def alternatives(self) -> _Part:
        whole = self.sequence()
        while self.at < len(self.pattern) and self.pattern[self.at] == "|":
            self.at += 1
            other = self.sequence()
            whole = _Part(whole.nothing + other.nothing, whole.first + other.first, whole.last + other.last)
        return whole

    def sequence(self) -> _Part:
        whole = _Part()
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            start = self.at
            part = self.one()
            end = self.at
            found = QUANTIFIER.match(self.pattern, self.at)
            if found is None:
                whole = self.joined(whole, part)
                continue
            self.at = found.end()
            if self.at < len(self.pattern) and self.pattern[self.at] in "+*?{":
                raise self.refused()
            whole = self.joined(whole, self.repeated(part, start, end, *_bounds(found)))
            self.at = found.end()
        return whole

    def one(self) -> _Part:
        """Read a character, a class, a group, or what matches between characters."""
        rest = self.pattern[self.at :]
        self.steps += 1
        if self.steps > STEPS:
            raise self.too_long()
        if found := re.match(r"\((\?:)?(?!\?)", rest):
            self.at += found.end()
            inside = self.alternatives()
            if not self.pattern.startswith(")", self.at):
                raise self.refused()
            self.at += 1
            return inside
        if rest[0] == "\\":
            found = ESCAPE.match(rest)
        elif rest[0] == "[":
            found = CLASS.match(rest)
        else:
            found = re.match(r"[^(){}*+?\[\]\\]", rest, re.DOTALL)
        if found is None:
            raise self.refused()
        self.at += found.end()
        if found[0] in EMPTY:
            return _Part()
        if len(self.characters) == LONGEST:
            raise self.too_long()
        self.characters.append(found[0])
        place = len(self.characters) - 1
        return _Part(0, Counter([place]), Counter([place]))

    def repeated(self, part: _Part, start: int, end: int, least: int, most: int | None) -> _Part:
        """Copies of a part: `least` of them, then either any number, or up to `most` that may be left out."""
        if most is None and part.nothing:
            raise PatternError(f"{self.pattern!r} repeats without end what may match nothing")
        spare, whole = [part], _Part()

        def copy() -> _Part:
            if spare:
                return spare.pop()
            self.at = start
            again = self.one()
            assert self.at == end
            return again

        if most is None:
            for _ in range(max(least, 1) - 1):
                whole = self.joined(whole, copy())
            loop = copy()
            self.follow(loop.last, loop.first)
            return self.joined(whole, loop if least else _Part(1, loop.first, loop.last))
        optional = _Part()
        for _ in range(most - least):
            optional = self.joined(copy(), optional)
            optional = _Part(optional.nothing + 1, optional.first, optional.last)
        for _ in range(least):
            whole = self.joined(whole, copy())
        return self.joined(whole, optional)

    def joined(self, one: _Part, other: _Part) -> _Part:
        """The part that is one part followed by the other."""
        self.follow(one.last, other.first)
        return _Part(
            one.nothing * other.nothing,
            one.first + Counter({place: one.nothing * times for place, times in other.first.items()}),
            other.last + Counter({place: other.nothing * times for place, times in one.last.items()}),
        )

    def follow(self, last: Counter[int], first: Counter[int]) -> None:
        for place, times in last.items():
            after = self.followed.setdefault(place, Counter())
            for following, ways in first.items():
                after[following] += times * ways


def _bounds(found: "re.Match[str]") -> tuple[int, int | None]:
    sign, least, comma, most = found.groups()
    if sign is not None:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
    upper = int(least) if not comma else int(most) if most else None
    if upper is not None and upper - int(least) > UNBOUNDED:
        upper = None
    return int(least), upper


def _count_readings(reader: _Reader, whole: _Part) -> None:
    """Raise PatternError where some text has too many readings. All combinations that a text can reach are tried."""
    kinds = _kinds(reader)
    start = tuple(sorted(whole.first.items()))
    waiting, seen = [(start, whole.nothing)], {start}
    while waiting:
        combination, ended = waiting.pop()
        if sum(times for _, times in combination) + ended > MOST or len(seen) > COMBINATIONS:
            raise PatternError(
                f"{reader.pattern!r} can read one text in too many ways, and could take for ever. Write it so that the "
                "next character decides how it goes on: \\w+(?:-\\w+)* rather than (?:\\w+-?)+"
            )
        for matched in kinds:
            alive = {place: times for place, times in combination if place in matched}
            after: Counter[int] = Counter()
            for place, times in alive.items():
                for following, ways in reader.followed.get(place, Counter()).items():
                    after[following] += times * ways
            following_combination = tuple(sorted(after.items()))
            ends = sum(times * whole.last[place] for place, times in alive.items())
            if following_combination not in seen or ends > MOST:
                seen.add(following_combination)
                waiting.append((following_combination, ends))


def _kinds(reader: _Reader) -> list[frozenset[int]]:
    """The kinds of characters. Each is the set of places that match it."""
    different = sorted(set(reader.characters))
    if len(different) > DIFFERENT:
        raise reader.too_long()
    every = "".join(map(chr, range(0x110000)))
    numbers = np.zeros(len(every), dtype=np.int64)  # Bit i says whether different[i] matches the character.
    for bit, character in enumerate(different):
        for run in re.finditer(f"{reader.flags}(?:{character})+", every):
            numbers[run.start() : run.end()] |= 1 << bit
    places = [different.index(character) for character in reader.characters]
    return [
        frozenset(place for place, bit in enumerate(places) if number >> bit & 1)
        for number in np.unique(numbers).tolist()
        if number
    ]
