"""Patterns of words: what is taken, what is refused, and that what is taken is quick on texts made to hurt."""

import re
import time

import pytest

from wideangle._alphabets import WORDS
from wideangle._patterns import KNOWN, PatternError, check_pattern

FINE = [
    r"\w+(?:['’-]\w+)*",
    r"[^\W\d_]{3,}",
    r"https?://\S+|\w+",
    r"\d+(?:\.\d+)?|\w+",
    r"[A-Za-z][\w-]+\w",
    r"\b\w{2,30}\b",
    r"\w{3,1000}",
    r"(?i)[a-z]+",
    r"#?\w+",
    r"\b[а-яё]{3,}\b",
    r"[\u4e00-\u9fff]",
    r"\b([a-z]{3,})\b",
    r"[]a]+",
    r"\$[0-9]+\.[0-9]{2}",
    r"[^,]+",
    "|".join(f"word{number}" for number in range(20)),
    r"\w+?\b",
]
ENDLESS = [
    r"(x+x+)+y",
    r"((x+x+)+y)",
    r"(a|a)*b",
    r"(?:a|a)" * 20 + "b",
    r"(?:a?){30}a{30}",
    "a?" * 20 + "a" * 20,
    "a" + "(?:b?|c?)" * 20 + "z",
    "a" + "(?:b?|c?)" * 20 + r"\b",
    r"(\w+\s?)+$",
    r"(?:\w+-?)+",
    r"\w+\w+\w+\w+y",
    r"(?i)(A+a+)+b",
    r"(.|\s)+z",
    "(a|b|ab)*c",
    "[\u2000-\u2fff]*\\w*\u2c00*x",  # the two share letters only in the middle of the range
    "x*" * 10,
]
UNREAD = [r"(\w)\1+", r"(?=(a+)+b)a", r"(?<!a)b", r"(?x) a +", r"(?P<n>a)", "(a*)*b", "(?:a|b?)+c"]
LONG = ["(?:(?:a{1,60}){1,60}){1,60}", r"(?:(?:(?:(?:\b){60}){60}){60}){60}a", "a{1000}", "(" * 3000 + "a" + ")" * 3000]


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("pattern", [*FINE, *sorted(KNOWN)])
def test_taken_and_quick(pattern):
    check_pattern(pattern)
    words = re.compile(pattern)
    for text in ("x" * 3000, "a" * 3000 + "!", "ab-" * 1000, "word" * 700, "9." * 1500, " a" * 1500, "http" * 700):
        began = time.monotonic()
        words.findall(text)
        assert time.monotonic() - began < 5


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("pattern", ENDLESS)
def test_what_could_take_for_ever(pattern):
    with pytest.raises(PatternError, match="could take for ever"):
        check_pattern(pattern)


@pytest.mark.parametrize("pattern", [*UNREAD, *LONG, "(", "[", "a{99999999999}"])
def test_what_cannot_be_judged(pattern):
    began = time.monotonic()
    with pytest.raises(PatternError):
        check_pattern(pattern)
    assert time.monotonic() - began < 5


def test_known_patterns_would_be_taken_if_they_were_read(monkeypatch):
    """The words of any alphabet look ahead, which is not read; their steps are counted in the next test."""
    monkeypatch.setattr("wideangle._patterns.KNOWN", frozenset())
    for pattern in KNOWN - {WORDS}:
        check_pattern(pattern)


@pytest.mark.parametrize("repeated", ["a", "ก", "ก็", "็", "数", "क", "ab1", "数a", "_", "a\u0301", "ー", "1a"])
@pytest.mark.parametrize("end", ["", "1", "_", "!", "数", "็"])
def test_words_of_any_alphabet_are_quick_on_texts_made_to_hurt(repeated, end):
    """Twice the text takes about twice the time; quadratic steps would take minutes here."""
    began = time.monotonic()
    re.findall(WORDS, repeated * 200_000 + end)
    assert time.monotonic() - began < 5
