"""Where the words of a query stand in a text, and from where on a long text is shown."""

import re
from collections.abc import Iterable, Sequence

from wideangle.documents import Reading
from wideangle.reading.words import ANY_WORD

__all__ = ["Span", "marked_spans", "shown_from"]

Span = tuple[int, int]

SOON = 30  # A word that ends within so many characters is seen at once, also in a narrow column.
BEFORE = 16  # So many characters are shown before the first word otherwise.


def marked_spans(text: str, words: Iterable[str], reading: Reading) -> list[Span]:
    """Where the words stand in a text, which is split into words as the model's documents were.

    Words in a row that count as one are marked one by one.

    Examples
    --------
    >>> from wideangle.documents import Reading
    >>> from wideangle.searching import marked_spans
    >>> marked_spans("Random numbers; randomness", ["random"], Reading("counts", r"\\b[a-z]{3,}\\b"))
    [(0, 6)]
    """
    wanted = {part for word in words for part in word.split()}
    pattern = re.compile(reading.token_pattern or ANY_WORD)
    group = min(pattern.groups, 1)  # As in scikit-learn, a group in the pattern is the word.
    # Some letters become two in lower case. They stay, so that places in the text remain what they are.
    lowered = "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)
    return [found.span(group) for found in pattern.finditer(lowered) if found.group(group) in wanted]


def shown_from(text: str, spans: Sequence[Span]) -> int:
    """Where to begin to show a text, so that the first marked word can be seen.

    Examples
    --------
    >>> from wideangle.searching import shown_from
    >>> text = "Draw samples from a distribution that is uniform over random permutations."
    >>> text[shown_from(text, [(54, 60)]) :]
    'is uniform over random permutations.'
    >>> shown_from(text, [])
    0
    """
    if not spans or spans[0][1] <= SOON:
        return 0
    earliest = spans[0][0] - BEFORE
    space = text.find(" ", max(earliest - 1, 0), spans[0][0])
    return spans[0][0] if space < 0 else space + 1
