"""What arguments are made of; argparse says what is wrong with one and exits with code 2."""

import codecs
from argparse import ArgumentTypeError
from typing import Literal


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def seed(text: str) -> int:
    """A whole number that every generator takes."""
    if not text.isdecimal() or int(text) >= 2**31:
        raise ArgumentTypeError(f"{text!r} is no whole number from 0 to 2147483647")
    return int(text)


def positives(text: str) -> tuple[int, ...]:
    """Several, with commas between them."""
    return tuple(positive(part.strip()) for part in text.split(","))


def number(text: str) -> float:
    """A finite number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value < float("inf"):
        raise ArgumentTypeError(f"{text!r} is no number of at least 0")
    return value


def numbers(text: str) -> tuple[float, ...]:
    """Several, with commas between them."""
    return tuple(number(part.strip()) for part in text.split(","))


def diversity(text: str) -> float | Literal["auto"]:
    """λ, or that it be chosen."""
    return "auto" if text == "auto" else number(text)


def share(text: str) -> float:
    """At least 0 and below 1."""
    value = number(text)
    if not value < 1:
        raise ArgumentTypeError(f"{text!r} is no share: it must be at least 0 and below 1")
    return value


def frequency(text: str) -> int | float:
    """A number of documents, as 5, or a share of them, as 0.5."""
    if text.isdecimal():
        return positive(text)
    value = number(text)
    if value > 1:
        raise ArgumentTypeError(f"{text!r} is neither a whole number of documents nor a share of them from 0 to 1")
    return value


def separator(text: str) -> str:
    """One sign; a tab may be called by its name."""
    sign = {"tab": "\t", "\\t": "\t", "space": " "}.get(text.lower(), text)
    if len(sign) != 1 or sign in '"\r\n':
        raise ArgumentTypeError(f"{text!r} is no separator: give one sign, as ';', or tab")
    return sign


def pattern(text: str) -> str:
    """A regular expression that a model file may carry."""
    from wideangle._patterns import PatternError, check_pattern  # imports NumPy, which --help does without

    try:
        check_pattern(text)
    except PatternError as error:
        raise ArgumentTypeError(str(error)) from error
    return text


def encoding(text: str) -> str:
    """One that Python knows."""
    try:
        return codecs.lookup(text).name
    except LookupError as error:
        raise ArgumentTypeError(f"{text!r} is no encoding that Python knows, such as utf-8 or latin-1") from error
