r"""What a word is in texts of any alphabet, and how letters that are written in several ways become one.

Most scripts put spaces between words, and a word is a run of letters. Chinese, Japanese, Thai, Lao, Khmer and Burmese
do not, and Korean puts what English says by prepositions at the end of words. In these scripts every two neighbouring
characters count as a word, so that "数据库" has the words "数据" and "据库". No dictionary is needed for that.

All this is one regular expression, `WORDS`, so that counters, queries, phrases and model files need nothing else.
Python's `\w` would not do: it has no vowel signs of Indic scripts, and splits words there.
"""

import re
from collections.abc import Callable
from unicodedata import normalize

__all__ = [
    "CHARACTER",
    "LETTERS",
    "WORDS",
    "find_words",
    "folded",
    "is_pair",
    "lone_characters",
    "without_accents",
    "without_spaces",
]

# What is neither a letter nor a mark on one nor a digit nor "_", and the scripts whose characters count in pairs. A
# class of what is left out is short, and Python matches one class much faster than a choice between two.
NO_LETTERS = (
    "\\0-/:-@\\[-\\^`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7"  # ASCII and Latin-1
    "\u02c2-\u02c5\u02d2-\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff"  # signs between letters
    "\u0375\u037e\u0384\u0385\u0387\u03f6\u0482"  # Greek and Cyrillic
    "\u055a-\u055f\u0589-\u058f\u05be\u05c0\u05c3\u05c6\u05f3-\u060f"  # Armenian and Hebrew
    "\u061b-\u061f\u066a-\u066d\u06d4\u06dd\u06de\u06e9\u06fd\u06fe"  # Arabic
    "\u0964\u0965\u0970\u09f2-\u09fb\u09fd\u0a76\u0af0\u0af1\u0b70\u0b72-\u0b77\u0bf0-\u0bfa"  # Indic scripts
    "\u0c77-\u0c7f\u0c84\u0d4f\u0d58-\u0d5e\u0d70-\u0d79\u0df4-\u0dff"
    "\u0e00-\u0e4f\u0e5a-\u0ecf\u0edc-\u0eff"  # Thai and Lao
    "\u0f01-\u0f17\u0f3a-\u0f3d\u0f85\u0fbe-\u0fff"  # Tibetan, whose syllables are set apart by a dot
    "\u1000-\u103f\u104a-\u108f\u109a-\u109f\u10fb\u1100-\u11ff"  # Burmese, Georgian, Korean
    "\u1360-\u137c\u1390-\u1399\u1780-\u17df\u17ea-\u17ff"  # Ethiopic and Khmer
    "\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed-\u1fef\u1ffd-\u2bff"  # accents alone, punctuation, symbols
    "\u2e00-\u9fff\ua960-\ua97f\uac00-\ufaff"  # Chinese, Japanese and Korean with their signs
    "\ufd3e-\ufd4f\ufe00-\ufe1f\ufe30-\ufe6f\ufeff-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff"
    "\U0001d000-\U0001d3ff\U0001f000-\U0001fbff\U00020000-\U0010ffff"  # music, emoji, rare Chinese characters
    r"\s"
)
# Characters of scripts without spaces, and the vowel and tone signs that belong to the character before them.
ALONE = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46"  # Thai
    "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"  # Lao
    "\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081\u108e"  # Burmese
    "\u1780-\u17b3\u17dc"  # Khmer
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese
    "\U00020000-\U0003ffff"
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3105-\u312f\u31a0-\u31bf"  # kana, bopomofo
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"  # Korean
)
SIGNS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"  # Thai and Lao
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"
    "\u17b4-\u17d3\u17dd\u3099\u309a"  # Khmer and kana
)
INDIC = "\u0900-\u0dff"  # Here one letter is a syllable, and many words have two.

LETTER = f"[^{NO_LETTERS}\\d_]"
IN_WORD = f"[^{NO_LETTERS}]"  # A digit or "_" beside letters makes them part of a name, which is no word.
CHARACTER = f"[{ALONE}][{SIGNS}]*"
"""one character of a script without spaces"""
LETTERS = f"{LETTER}+"
"""a run of letters, however short"""

_LONG = f"(?:{LETTER}{{3,}}|(?=[{INDIC}]){LETTER}{{2}})(?!{IN_WORD})"
WORDS = f"(?:(?<!{IN_WORD})|(?=[{ALONE}]))(?=({_LONG}|{CHARACTER}{CHARACTER}))(?:{LETTERS}|[{ALONE}])"
"""A word in lower-cased text: three letters of any alphabet or more, or two characters of a script without spaces.

The group is the word. It is looked ahead at, because pairs of characters overlap."""

_PAIR = re.compile(f"{CHARACTER}{CHARACTER}")
_ALONE = re.compile(f"[{ALONE}]")
_LONE = re.compile(f"(?<![{ALONE}{SIGNS}]){CHARACTER}(?![{ALONE}{SIGNS}])")
_ACCENTS = re.compile("[\u0300-\u036f]")
# The same words in texts that need less care, where they are found in half the time.
_WORDS = re.compile(WORDS)
_WORDS_WITH_SPACES = re.compile(f"(?<!{IN_WORD}){_LONG}")
_WORDS_IN_ASCII = re.compile(r"\b[a-z]{3,}\b")

# Forms of letters for one place in a word, for one width or for one font. PDF files and Japanese texts have them.
FORMS = re.compile("[\ufb00-\ufdff\ufe70-\ufefe\uff01-\uffdc\U0001d400-\U0001d7ff]+")
# Signs that most writers leave out: soft hyphens, joiners, variants of emoji, vowel points of Arabic and Hebrew, the
# stroke that stretches Arabic words, and the dot that "İ" leaves behind in lower case.
_LEFT_OUT = re.compile(
    "[\xad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]"
    "|(?<=i)\u0307"
)


def folded(text: str) -> str:
    """The text in lower case, with one way to write each letter; documents and queries are read so.

    Accents stay, because they tell words apart. The Turkish "I" becomes "i" as in all other languages.

    Examples
    --------
    >>> from wideangle._alphabets import folded
    >>> folded("Zu\u0308RICH, Ｐｙｔｈｏｎ, ﬁnal, İZMİR, ΟΔΟΣ, GROẞ")
    'zürich, python, final, izmir, οδος, groß'
    """
    if text.isascii():
        return text.lower()
    plain = FORMS.sub(lambda found: normalize("NFKC", found[0]), text)
    return _LEFT_OUT.sub("", normalize("NFC", plain).lower())


def find_words(pattern: str) -> Callable[[str], list[str]]:
    """The function that gives the words of a folded text. It is quicker than the pattern where that is `WORDS`.

    Examples
    --------
    >>> from wideangle._alphabets import WORDS, find_words
    >>> find_words(WORDS)("l'été à zürich: 数据库 und क्या")
    ['été', 'zürich', '数据', '据库', 'und', 'क्या']
    """
    return _find_words if pattern == WORDS else re.compile(pattern).findall


def _find_words(text: str) -> list[str]:
    if text.isascii():
        return _WORDS_IN_ASCII.findall(text)
    return (_WORDS if _ALONE.search(text) else _WORDS_WITH_SPACES).findall(text)


def is_pair(word: str) -> bool:
    """Whether a word is two characters of a script without spaces, which may be a part of a longer word."""
    return _PAIR.fullmatch(word) is not None


def without_spaces(word: str) -> bool:
    """Whether a word begins with a character of a script without spaces."""
    return _ALONE.match(word) is not None


def lone_characters(text: str) -> list[str]:
    """Characters of scripts without spaces that stand alone, which are no words by themselves."""
    return _LONE.findall(text)


def without_accents(word: str) -> str:
    """A word as it is typed on a keyboard that lacks its letters.

    Examples
    --------
    >>> from wideangle._alphabets import without_accents
    >>> without_accents("modèle"), without_accents("straße"), without_accents("αθήνα"), without_accents("ışık")
    ('modele', 'strasse', 'αθηνα', 'isik')
    """
    return _ACCENTS.sub("", normalize("NFD", word.casefold().replace("ı", "i")))
