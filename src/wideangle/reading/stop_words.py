"""Which words are left out: those of a list, of a file or of a language. It is checked before any document is read."""

import re
from pathlib import Path

from wideangle._alphabets import folded
from wideangle._arguments import checked, text
from wideangle.data.languages import language_code, stop_words_of
from wideangle.exceptions import DataError
from wideangle.reading.errors import in_plain_words
from wideangle.reading.options import ReadingOptions

__all__ = ["languages_by", "read_stop_words", "stop_words_by"]


@checked(choice=text)
def read_stop_words(choice: str) -> tuple[str, ...]:
    """The words of "english", of no list ("none"), of a file, or of a language by its code or name."""
    if choice == "none":
        return ()
    path = Path(choice)
    if path.exists():
        with in_plain_words(choice):
            return tuple(dict.fromkeys(folded(path.read_text(encoding="utf-8-sig")).split()))
    if not re.fullmatch(r"[a-z]{2,20}", choice.lower()):
        raise DataError(f"stop words {choice!r}: there is no such file. Say english, none, a file, or a language.")
    try:
        return stop_words_of(language_code(choice))
    except DataError as error:
        raise DataError(f"stop words {choice!r}: neither a file nor a language. {error}") from error


def stop_words_by(options: ReadingOptions) -> tuple[str, ...] | None:
    """The stop words that the options name; None where they are to be guessed from the documents."""
    if options.stop_words != "auto":
        return read_stop_words(options.stop_words)
    if options.language == "auto":
        return None
    return () if options.language == "none" else stop_words_of(language_code(options.language))


def languages_by(options: ReadingOptions) -> tuple[str, ...] | None:
    """The languages that the options name, which may be none; None where they name no language."""
    if options.language == "auto":
        return None
    return () if options.language == "none" else (language_code(options.language),)
