"""Bytes of Chinese, Japanese, Korean and Russian texts that are not UTF-8: which encoding they are in.

Nearly all bytes fit nearly all of these encodings, so that fitting says little. A wrong encoding gives itself away by
what it makes of a text: rare characters. Each encoding of Chinese has its frequent characters in one block (GB 2312 in
the lead bytes B0 to D7, Big5 in A4 to C6), that of Korean its frequent syllables (EUC-KR in B0 to C8), Japanese text
has many kana, and Russian text has words of several Cyrillic letters, two thirds of which are the same ten. The
encoding is taken whose usual characters are the largest share of all that are not ASCII, if it is large enough. Texts
of Western Europe have single accents among ASCII letters, of which no encoding makes usual characters.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["guess_eastern"]

HANGUL, KANA, HAN = ("\uac00", "\ud7a3"), ("\u3041", "\u30fe"), ("\u4e00", "\u9fff")
PUNCTUATION = frozenset("　、。，！？：；「」『』（）《》“”‘’…—·～ー・【】％")
FEWEST = 3  # characters; two capitals with accents in a row may be a Chinese character
MOST_BROKEN = 0.02  # share of characters that may be broken
CYRILLIC = re.compile(r"[\u0400-\u04ff]+")
FREQUENT_CYRILLIC = frozenset("оеаинтсрвл")
FEWEST_CYRILLIC = 10  # letters
CYRILLIC_WORD = 3  # letters per word at least; accents of other languages stand alone


@dataclass(frozen=True)
class Candidate:
    """An encoding, and how usual what it makes of a text is, from 0 to 1."""

    encoding: str
    usual: Callable[[str], float]
    enough: float
    """a text in this encoding has at least this share of usual characters"""


def guess_eastern(sample: bytes) -> str | None:
    """The encoding by which a text has the most usual characters; None where none makes it a usual text.

    Examples
    --------
    >>> from wideangle.reading.eastern import guess_eastern
    >>> texts = {"gb18030": "这家店的服务很好", "cp949": "배송이 빨라서 좋아요", "cp1251": "доставка опоздала"}
    >>> [guess_eastern(text.encode(encoding)) for encoding, text in texts.items()]
    ['gb18030', 'cp949', 'cp1251']
    >>> guess_eastern("Käse und Brötchen über Öl".encode("cp1252")) is None
    True
    """
    best, most = None, 0.0
    for candidate in CANDIDATES:
        text = sample.decode(candidate.encoding, errors="replace")
        foreign = [sign for sign in text if not sign.isascii()]
        broken = sum(sign == "\ufffd" for sign in foreign)
        if len(foreign) < FEWEST or broken > max(1, MOST_BROKEN * len(foreign)):
            continue
        share = candidate.usual(text)
        if share >= candidate.enough and share > most:
            best, most = candidate.encoding, share
    return best


def _share(text: str, is_usual: Callable[[str], bool]) -> float:
    """The share of usual characters among those that are neither ASCII nor punctuation."""
    signs = [sign for sign in text if not sign.isascii() and sign not in PUNCTUATION]
    return sum(is_usual(sign) for sign in signs) / len(signs) if signs else 0.0


def _between(sign: str, ends: tuple[str, str]) -> bool:
    return ends[0] <= sign <= ends[1]


def _frequent(encoding: str, first: int, last: int, script: tuple[str, str]) -> Callable[[str], bool]:
    """Whether a character of a script is in the block of the frequent ones of an encoding."""

    def is_frequent(sign: str) -> bool:
        if not _between(sign, script):
            return False
        code = sign.encode(encoding, errors="ignore")
        return len(code) == 2 and first <= code[0] <= last

    return is_frequent


def _japanese(text: str) -> float:
    """Kana and Chinese characters, if at least a tenth are kana; half-width kana are what other encodings become."""
    kana = _share(text, lambda sign: _between(sign, KANA))
    return _share(text, lambda sign: _between(sign, KANA) or _between(sign, HAN)) if kana >= 0.1 else 0.0


def _russian(text: str) -> float:
    """Small Cyrillic letters, if they are in words and the ten frequent ones as many as in Russian texts."""
    words = CYRILLIC.findall(text)
    letters = sum(map(len, words))
    if letters < FEWEST_CYRILLIC or letters < CYRILLIC_WORD * len(words):
        return 0.0
    frequent = _share(text, FREQUENT_CYRILLIC.__contains__)
    return _share(text, lambda sign: "а" <= sign <= "ё") if frequent >= 0.45 else 0.0


_simplified = _frequent("gb2312", 0xB0, 0xD7, HAN)
_traditional = _frequent("big5", 0xA4, 0xC6, HAN)
_korean = _frequent("euc_kr", 0xB0, 0xC8, HANGUL)
# Of equal shares the first is taken: Korean syllables lie where GB 2312 has frequent characters, and both Japanese
# encodings are tried before Chinese, because GB 2312 has kana in the place of EUC-JP.
CANDIDATES = (
    Candidate("cp949", lambda text: _share(text, _korean), 0.9),
    Candidate("euc_jp", _japanese, 0.9),
    Candidate("cp932", _japanese, 0.9),
    Candidate("gb18030", lambda text: _share(text, _simplified), 0.7),
    Candidate("cp950", lambda text: _share(text, _traditional), 0.7),
    Candidate("cp1251", _russian, 0.7),
    Candidate("koi8_r", _russian, 0.7),
)
