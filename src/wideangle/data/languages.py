"""The languages of documents: a guess by script and stop words, and the stop words themselves."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from wideangle._alphabets import CHARACTER, LETTERS, WORDS, find_words, folded
from wideangle.data._function_words import FUNCTION_WORDS
from wideangle.exceptions import DataError

__all__ = ["Beginnings", "Guess", "guess_language", "language_code", "language_name", "stop_words_of"]

# Languages that a script settles; the package stop-words has lists of some of them, in some of its versions.
BY_SCRIPT = {
    "am": "Amharic",
    "bn": "Bengali",
    "el": "Greek",
    "gu": "Gujarati",
    "he": "Hebrew",
    "hy": "Armenian",
    "ja": "Japanese",
    "ka": "Georgian",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "lo": "Lao",
    "ml": "Malayalam",
    "my": "Burmese",
    "or": "Odia",
    "pa": "Punjabi",
    "si": "Sinhala",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "zh": "Chinese",
}
# The first letter of each script, in the order of Unicode, and the languages that are written in it. "latin" and the
# like stand for all languages with stop words of that script; "" is no script.
SCRIPTS = (
    (0x0000, "latin"),
    (0x0370, "el"),
    (0x0400, "cyrillic"),
    (0x0530, "hy"),
    (0x0590, "he"),
    (0x0600, "arabic"),
    (0x0700, ""),
    (0x0900, "devanagari"),
    (0x0980, "bn"),
    (0x0A00, "pa"),
    (0x0A80, "gu"),
    (0x0B00, "or"),
    (0x0B80, "ta"),
    (0x0C00, "te"),
    (0x0C80, "kn"),
    (0x0D00, "ml"),
    (0x0D80, "si"),
    (0x0E00, "th"),
    (0x0E80, "lo"),
    (0x0F00, ""),
    (0x1000, "my"),
    (0x10A0, "ka"),
    (0x1100, "ko"),
    (0x1200, "am"),
    (0x1400, ""),
    (0x1780, "km"),
    (0x1800, ""),
    (0x1E00, "latin"),
    (0x1F00, "el"),
    (0x2000, ""),
    (0x3005, "zh"),
    (0x3041, "ja"),
    (0x3105, "zh"),
    (0x3131, "ko"),
    (0x31A0, "zh"),
    (0x31F0, "ja"),
    (0x3400, "zh"),
    (0xA000, ""),
    (0xA960, "ko"),
    (0xA980, ""),
    (0xAC00, "ko"),
    (0xF900, "zh"),
    (0xFB00, ""),
    (0x20000, "zh"),
    (0x40000, ""),
)
STARTS = [start for start, _ in SCRIPTS]
SEVERAL = {
    "latin",
    "cyrillic",
    "arabic",
    "devanagari",
}  # scripts of several languages, which their stop words tell apart

MOST_TEXTS = 2000  # So many documents are looked at,
BEGINNING = 400  # and so many characters of each.
ENOUGH = 30  # Fewer words say nothing about the language.
GOOD_SHARE = 0.1  # A language of so many of the documents is named.
# So many words of its documents are stop words at least. Texts have 20 to 50 % of their own language's stop words, even
# titles and the labels of buttons have more than this, and of another language's stop words they have less.
STOP_WORDS = 0.12
OTHER_SCRIPT = 0.25  # Latin words stand in texts of every script, so that another one needs only this share of words.
KANA = 0.05  # Chinese has none, and Japanese has many,
HAN_ONLY = 12  # apart from titles of so few characters.

_LETTERS = re.compile(LETTERS)
_CHARACTER = re.compile(CHARACTER)


@dataclass(frozen=True)
class Guess:
    """The languages that a good share of the documents is in."""

    languages: tuple[str, ...]
    """codes such as "fr", that of the most documents first; empty where no language was recognised"""
    n_words: int
    """how many words were looked at"""

    @property
    def is_sure(self) -> bool:
        """Whether there were enough words to tell."""
        return self.n_words >= ENOUGH


class Beginnings:
    """How texts begin that are read once: of many texts some, spread evenly over all of them."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self._step, self._seen = 1, 0

    def passed(self, texts: Iterable[str]) -> Iterator[str]:
        """The same texts, of which some are kept on the way."""
        for text in texts:
            if self._seen % self._step == 0:
                self.kept.append(text[:BEGINNING])
                if len(self.kept) > MOST_TEXTS:
                    self.kept, self._step = self.kept[::2], 2 * self._step
            self._seen += 1
            yield text


def guess_language(texts: Iterable[str]) -> Guess:
    """Guess in which languages documents are: by their scripts, and where these do not tell, by their stop words.

    The language whose stop words are most frequent in all documents comes first: a title of five words says little
    alone, and a thousand of them say enough. Then documents that have more stop words of another language are looked
    at by themselves.

    Examples
    --------
    >>> from wideangle.data.languages import guess_language
    >>> guess_language(["Der Hund und die Katze sind nicht im Garten, aber auf dem Dach."] * 3).languages
    ('de',)
    """
    beginnings = Beginnings()
    for _ in beginnings.passed(texts):
        pass
    words_of = [words for text in beginnings.kept if (words := _runs(text))]
    scripts = _scripts(words_of)
    languages = [*_several(), *sorted(set(scripts) - SEVERAL - {""})]
    hits = np.array([_hits(*each, languages) for each in zip(words_of, scripts, strict=True)])
    lengths = np.array([len(words) for words in words_of])
    named: dict[str, int] = {}
    left = np.ones(len(words_of), dtype=bool)
    while left.sum() >= max(GOOD_SHARE * len(left), 1):
        best = int(hits[left].sum(axis=0).argmax())
        own = left & (hits[:, best] + 1 >= hits.max(axis=1))  # One word more of another language is chance.
        said = own & (hits[:, best] > 0)
        if said.sum() < GOOD_SHARE * len(left) or hits[own, best].sum() < STOP_WORDS * lengths[own].sum():
            break
        named[languages[best]] = int(said.sum())
        left &= ~own
    by_documents = sorted(named, key=lambda language: -named[language])
    return Guess(tuple(by_documents), int(lengths.sum()))


def stop_words_of(language: str) -> tuple[str, ...]:
    """The stop words of a language, as they stand in lower-cased texts; empty where there is no list.

    Examples
    --------
    >>> from wideangle.data.languages import stop_words_of
    >>> {"l", "dans", "qu"} <= set(stop_words_of("fr")), stop_words_of("ka")
    (True, ())
    """
    return tuple(sorted(_stop_words(language)))


def language_code(choice: str) -> str:
    """The code of a language that is named by its code or its English name. An unknown one raises an error."""
    codes = _codes()
    if choice.lower() in codes:
        return choice.lower()
    by_name = {name.lower(): code for code, name in codes.items()}
    if choice.lower() in by_name:
        return by_name[choice.lower()]
    known = ", ".join(f"{code} ({name})" for code, name in sorted(codes.items()))
    raise DataError(f"there is no language {choice!r}. Say auto, none or one of {known}.")


def language_name(code: str) -> str:
    """The English name of a language; a code that is not known stays as it is.

    Examples
    --------
    >>> from wideangle.data.languages import language_name
    >>> language_name("fr")
    'French'
    """
    return _codes().get(code, code)


@cache
def _codes() -> dict[str, str]:
    names = {code: name.title() for code, name in _lists_by_code().items()}
    return names | BY_SCRIPT | {"ms": "Malay"}


@cache
def _lists_by_code() -> dict[str, str]:
    """What the package stop-words calls its lists. The version for Python 3.10 has the code of a country for Czech."""
    from stop_words import LANGUAGE_MAPPING

    return {{"cz": "cs"}.get(code, code): name for code, name in LANGUAGE_MAPPING.items()}


@cache
def _stop_words(language: str) -> frozenset[str]:
    """Whole words, and what the usual pattern cuts them into: "aujourd'hui" is two words to it."""
    if language == "en":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    listed = FUNCTION_WORDS.get(language, "").split() or _listed(language)
    # A phrase of several words would take away each of its words. Between quotation marks, a list has only words.
    words = [folded(word).strip("\"', ") for word in listed]
    words = [word for word in words if word and " " not in word]
    return frozenset(words).union(*map(_LETTERS.findall, words), *map(find_words(WORDS), words))


def _listed(language: str) -> list[str]:
    from stop_words import get_stop_words

    if language not in _lists_by_code():
        return []
    words = [str(word) for word in get_stop_words(_lists_by_code()[language])]
    if language == "tr":  # This list was read in the encoding of French once, which has þ in the place of ş.
        words = [word.encode("latin-1", "ignore").decode("iso-8859-9") for word in words]
    return words


@cache
def _several() -> tuple[str, ...]:
    """The languages that share a script with others."""
    return tuple(sorted(code for code in _codes() if _script_of_list(code) in SEVERAL))


@cache
def _script_of_list(language: str) -> str:
    """The script that most stop words of a language begin with; its own code where it has no list."""
    words = _stop_words(language)
    scripts = [_script_at(word[0]) for word in words]
    return max(sorted(set(scripts)), key=scripts.count) if scripts else language


@cache
def _languages_by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for language in _several():
        for word in _stop_words(language):
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


def _script_at(letter: str) -> str:
    return SCRIPTS[bisect_right(STARTS, ord(letter)) - 1][1]


def _runs(text: str) -> list[str]:
    """The words of a text with the short ones, and the characters of scripts without spaces."""
    plain = folded(text)
    # A single letter is a variable, a unit or a bullet more often than a word.
    words = [word for word in _LETTERS.findall(plain) if len(word) > 1 or not word.isascii()]
    return words if plain.isascii() else words + _CHARACTER.findall(plain)


def _scripts(words_of: list[list[str]]) -> list[str]:
    """The script of each text, or its language where the script has only one."""
    scripts = [_script(words) for words in words_of]
    if "ja" not in scripts:
        return scripts
    return [
        "ja" if script == "zh" and len(words) <= HAN_ONLY else script
        for script, words in zip(scripts, words_of, strict=True)
    ]


def _script(words: list[str]) -> str:
    found = Counter(_script_at(word[0]) for word in words)
    if found["ja"] > KANA * (found["zh"] + found["ja"]):
        found["ja"] += found.pop("zh", 0)
    others = {script: times for script, times in found.items() if script not in ("latin", "")}
    if others and sum(others.values()) >= OTHER_SCRIPT * len(words):
        return max(sorted(others), key=others.__getitem__)
    return "latin" if found["latin"] else ""


def _hits(words: list[str], script: str, languages: list[str]) -> list[int]:
    """How many words are stop words of each language; all of them where the script says the language."""
    found: Counter[str] = Counter({script: len(words)})
    if script in SEVERAL:
        found.update(language for word in words for language in _languages_by_word().get(word, ()))
    return [found[language] for language in languages]
