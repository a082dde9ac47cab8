"""Where the words of a query stand in a text, and from where on a long text is shown."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from wideangle import _arguments as rules
from wideangle._alphabets import CHARACTER, folded
from wideangle._arguments import checked
from wideangle.documents import Reading
from wideangle.reading.words import ANY_WORD

__all__ = ["Span", "marked_spans", "shown_from"]

Span = tuple[int, int]

# A letter with the signs on it, and a Korean syllable in its parts: what may become one letter when it is folded.
_LETTER = re.compile(
    "[\u1100-\u115f][\u1160-\u11ff]+|.[\u0300-\u036f\u0653-\u0655\u3099\u309a\uff9e\uff9f]*", re.DOTALL
)

_ALONE = re.compile(CHARACTER)

SOON = 30  # A word that ends within so many characters is seen at once, also in a narrow column.
BEFORE = 16  # So many characters are shown before the first word otherwise.


@checked(text=rules.text, words=rules.texts, reading=rules.a(Reading))
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
    plain, places = _folded_with_places(text)
    marked: list[Span] = []
    for found in pattern.finditer(plain):
        if found.group(group) not in wanted:
            continue
        begin, end = places[found.start(group)], places[found.end(group)]
        if marked and begin < marked[-1][1]:  # Pairs of characters overlap.
            begin = marked.pop()[0]
        marked.append((begin, end))
    return marked


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """The text as its words are counted, and where in the text each of its characters was; at last, where it ends."""
    if text.isascii():
        return text.lower(), list(range(len(text) + 1))
    pieces = [(found.start(), folded(found[0])) for found in _LETTER.finditer(text)]
    places = [start for start, piece in pieces for _ in piece] + [len(text)]
    plain = folded(text)
    # The end of a Greek word decides how it is folded, and so the whole text is folded, where its length is the same.
    return plain if len(plain) + 1 == len(places) else "".join(piece for _, piece in pieces), places


def _spans(spans: Any, name: str) -> Any:
    if not isinstance(spans, list | tuple) or not all(
        isinstance(span, list | tuple) and len(span) == 2 for span in spans
    ):
        raise TypeError(f"{name} must be a list of pairs, as `marked_spans` gives them; got {rules.shown(spans)}.")
    return [rules.pair(rules.whole(least=0))(span, name) for span in spans]


@checked(text=rules.text, spans=_spans)
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
    if space < 0 and _ALONE.fullmatch(text[earliest]):  # There are no spaces to wait for.
        return earliest
    return spans[0][0] if space < 0 else space + 1
