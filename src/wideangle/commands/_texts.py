"""Text to rows of counts: documents are gone through once, and only how each begins is kept."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wideangle.commands._guard import CommandError
from wideangle.commands._output import Output
from wideangle.commands._rows import Rows
from wideangle.data.reading import TextSource
from wideangle.data.text import count_words, number_labels
from wideangle.documents import snippet
from wideangle.exceptions import DataError

NO_WORD = "no document has a word left"  # how the library's refusal begins
LOOK = 1000  # documents whose beginnings are looked at
MANY = 0.02  # share of words with other letters from which on it is said: names alone do not reach it
ANY_ALPHABET = r"For other alphabets pass --token-pattern '\b\w{3,}\b'."


def read_texts(
    source: TextSource,
    *,
    token_pattern: str,
    n_words: int | None = None,
    stop_words: str | Sequence[str] | None = None,
    vocabulary: Sequence[str] | None = None,
) -> Rows:
    """Count the words of every document; with a vocabulary, of these words alone."""
    names: list[str] = []
    snippets: list[str] = []
    labels: list[str | None] = []

    def texts() -> Iterator[str]:
        for document in source:
            names.append(document.name)
            snippets.append(snippet(document.text))
            labels.append(document.label or None)  # an empty label is none
            yield document.text

    try:
        corpus = count_words(
            texts(), n_words=n_words, stop_words=stop_words, token_pattern=token_pattern, vocabulary=vocabulary
        )
    except DataError as error:
        if NO_WORD not in str(error):
            raise
        raise CommandError(f"{error} {ANY_ALPHABET}") from error
    assert corpus.vocabulary is not None
    numbers, label_names = numbered(labels)
    return Rows(
        corpus.counts,
        counted=True,
        names=names,
        snippets=snippets,
        labels=numbers,
        label_names=label_names,
        vocabulary=corpus.vocabulary.tolist(),
        unlabelled=labels.count(None),
        text_column=source.text_column,
        label_column=source.label_column,
    )


def tell_other_letters(snippets: Sequence[str], output: Output) -> None:
    """The usual pattern passes over words with other letters than a–z, and nobody sees it in the result."""
    words = [word for text in snippets[:LOOK] for word in re.findall(r"[^\W\d_]{3,}", text)]
    others = [word for word in words if not word.isascii()]
    if len(others) > MANY * len(words):
        share = len(others) / len(words)
        output.note(f"{share:.0%} of the words have letters beyond a–z and are passed over. {ANY_ALPHABET}")


def numbered(labels: list[str | None]) -> tuple[Any, list[str] | None]:
    """Class numbers and names; neither where a label is missing."""
    if any(label is None for label in labels):
        return None, None
    numbers, names = number_labels(labels)
    return numbers, names.tolist()


def read_stop_words(choice: str) -> str | list[str] | None:
    """ "english", "none", or the words of a file."""
    if choice == "english":
        return choice
    if choice == "none":
        return None
    path = Path(choice)
    if not path.is_file():
        raise CommandError(f"--stop-words {choice}: there is no such file. Say english, none, or a file of words.")
    return path.read_text(encoding="utf-8").lower().split()
