"""How texts begin: in a line that is shown, and what is kept of a document in a model file."""

import re
from collections.abc import Iterable

SNIPPET = 300  # A beginning that is shown in a line has so many characters.
KEPT = 1500  # So many characters of a document are kept,
KEPT_IN_ALL = 150_000_000  # and so many of all documents together. Of more than 100,000 documents less of each is kept.


def snippet(text: str, length: int = SNIPPET) -> str:
    """The beginning of a text on one line, cut at a word.

    Examples
    --------
    >>> from wideangle.documents import snippet
    >>> snippet("One line\\n  and   another one", 20)
    'One line and…'
    """
    return cut_at_word(" ".join(text[: 4 * length].split()), length)


def kept_text(text: str, length: int = KEPT) -> str:
    """The beginning of a text with its lines and paragraphs, cut at a word. Other white space is one space.

    Examples
    --------
    >>> from wideangle.documents import kept_text
    >>> kept_text("A heading\\n\\n\\n\\n  One line\\r\\n  and   another one", 30)
    'A heading\\n\\nOne line\\nand…'
    """
    lines = "\n".join(" ".join(line.split()) for line in text[: 4 * length].splitlines())
    if "\n\n\n" in lines:
        lines = re.sub(r"\n{3,}", "\n\n", lines)
    return cut_at_word(lines.strip(), length)


def cut_at_word(text: str, length: int) -> str:
    """At most so many characters of a text, and "…" where something is left out."""
    if len(text) <= length:
        return text
    cut = text[:length]
    space = max(cut.rfind(" "), cut.rfind("\n"))
    whole_words = cut[:space] if 2 * space > length else cut  # Some scripts have few spaces.
    return whole_words.rstrip(" .,;:，。、\n") + "…"


class KeptTexts:
    """Beginnings of texts, gathered one by one: `KEPT` characters of each, or less where `KEPT_IN_ALL` is reached.

    Examples
    --------
    >>> from wideangle.documents import KeptTexts
    >>> kept = KeptTexts.of(["word " * 400] * 10, in_all=6000)
    >>> len(kept.texts), len(kept.texts[0]), len(kept.texts[9])
    (10, 375, 375)
    """

    def __init__(self, in_all: int = KEPT_IN_ALL) -> None:
        self.texts: list[str] = []
        self.length, self.in_all, self.size = KEPT, in_all, 0

    @classmethod
    def of(cls, texts: Iterable[str], in_all: int = KEPT_IN_ALL) -> "KeptTexts":
        """The beginnings of all these texts."""
        kept = cls(in_all)
        for text in texts:
            kept.add(text)
        return kept

    def add(self, text: str) -> None:
        """Keep the beginning of one more text. Where that is too much, all become half as long, but not too short."""
        self.texts.append(kept_text(text, self.length))
        self.size += len(self.texts[-1])
        if self.size > self.in_all and self.length > SNIPPET:
            self.length = max(self.length // 2, SNIPPET)
            self.texts = [kept_text(text, self.length) for text in self.texts]
            self.size = sum(map(len, self.texts))
