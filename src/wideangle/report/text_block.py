"""Names, titles and texts of documents in few bytes, from which the page reads one document at a time.

Frequent words are one or two bytes, and the space between two words is left out where one of them is such a word. What
is left is compressed by zlib. Both together take about three quarters of what zlib alone would take.

The block is a line of JSON, the length in bytes of the name, title and text of each document, and then these strings.
In a string, the bytes 128 to 191 are the first 64 words, those from 192 to 239 begin a pair that is one of the next
12,288 words, byte 1 begins UTF-8 whose length follows, and other bytes are ASCII.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from wideangle.documents import KEPT, SNIPPET, kept_text
from wideangle.report.packing import packed_array, packed_bytes, variable_length

ONE_BYTE, TWO_BYTES = 64, 48 * 256
FIRST_WORD, FIRST_PAIR, UTF_8 = 128, 192, 1
FEWEST = 3  # A word that comes less often is not worth its place in the dictionary.
BUDGET = 1_400_000  # So many characters of the file are for texts, unless these would be shorter than `SNIPPET`.
LENGTHS = (*range(KEPT, 600, -100), *range(600, SNIPPET - 1, -50))
# To estimate their size, so many texts are compressed, so many neighbours together, and so many characters of each.
SAMPLED, TOGETHER, TYPICAL = 500, 50, 600

_WORD = re.compile(r"[^\W\d_]+")
_PIECE = re.compile(r"[^\W\d_]+|[\W\d_]+")
_FOREIGN = re.compile("[^\x02-\x7f]+")


def text_block(texts: dict[str, Any]) -> bytes:
    """The block of lists of names, titles and texts, each of which may be None, and of the order to store them in."""
    fields = [texts.get(name) for name in ("names", "titles", "texts")]
    count = next((len(field) for field in fields if field is not None), 0)
    order = texts.get("order")
    order = np.arange(count) if order is None else np.asarray(order)
    given = [[""] * count if field is None else field for field in fields]
    strings = [field[int(row)] for row in order for field in given]
    words = dictionary_of(strings)
    codes = {word: _code(rank) for rank, word in enumerate(words)}
    encoded = [_encoded(string, codes) for string in strings]
    head = {
        "count": count,
        "known": [field is not None for field in fields],
        "order": packed_array(order, "u2"),
        "words": words,
    }
    first = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    lengths = variable_length(np.array([len(each) for each in encoded], dtype=np.int64))
    return b"\n".join([first, lengths + b"".join(encoded)])


def fitting_length(texts: Sequence[str], order: Sequence[int], budget: int = BUDGET) -> int:
    """How many characters of each text the page can hold, so that all of them take about so much of the file."""
    size = np.array([len(text) for text in texts])
    if size.sum() <= budget:  # It takes less when it is packed.
        return KEPT
    step = max(1, len(texts) // SAMPLED)
    blocks = [order[start : start + TOGETHER] for start in range(0, len(order), TOGETHER * step)]
    sample = [kept_text(texts[int(row)], TYPICAL) for block in blocks for row in block]
    share = len(packed_bytes(text_block({"texts": sample}))) / max(sum(map(len, sample)), 1)
    return next((length for length in LENGTHS if share * np.minimum(size, length).sum() <= budget), SNIPPET)


def dictionary_of(strings: Iterable[str]) -> list[str]:
    """The words that save most, the most frequent first.

    Examples
    --------
    >>> from wideangle.report.text_block import dictionary_of
    >>> dictionary_of(["wheat and corn", "corn and wheat", "wheat, corn or rye", "wheat"])
    ['wheat', 'corn']
    """
    counts = Counter(word for string in strings for word in _WORD.findall(string))
    worth = [(word, count) for word, count in counts.items() if count >= FEWEST and len(word) > 2]
    worth.sort(key=lambda each: (-each[1], each[0]))
    return [word for word, _ in worth[: ONE_BYTE + TWO_BYTES]]


def _code(rank: int) -> bytes:
    """The one or two bytes of a word of the dictionary."""
    if rank < ONE_BYTE:
        return bytes([FIRST_WORD + rank])
    high, low = divmod(rank - ONE_BYTE, 256)
    return bytes([FIRST_PAIR + high, low])


def _encoded(text: str, codes: dict[str, bytes]) -> bytes:
    pieces = _PIECE.findall(text)
    known = [codes.get(piece) for piece in pieces]
    out = []
    for place, (piece, code) in enumerate(zip(pieces, known, strict=True)):
        if code is not None:
            out.append(code)
        elif piece != " " or not _is_implied(pieces, known, place):
            out.append(_spelled(piece))
    return b"".join(out)


def _is_implied(pieces: Sequence[str], known: Sequence[bytes | None], place: int) -> bool:
    """Whether the page puts this space there by itself: between two words of which one is in the dictionary."""
    if not 0 < place < len(pieces) - 1:
        return False
    before, after = known[place - 1] is not None, known[place + 1] is not None
    if not (before or after):
        return False
    return (before or pieces[place - 1][-1] in ascii_letters) and (after or pieces[place + 1][0] in ascii_letters)


def _spelled(piece: str) -> bytes:
    """Letters that are no word of the dictionary, and what stands between words."""
    if piece.isascii() and "\x00" not in piece and "\x01" not in piece:
        return piece.encode()
    return _FOREIGN.sub(_marked, piece).encode("latin-1")


def _marked(found: "re.Match[str]") -> str:
    """Characters outside of ASCII as UTF-8 with a mark before it, in a string of bytes."""
    content = found[0].encode(errors="replace")
    return (bytes([UTF_8]) + variable_length(np.array([len(content)])) + content).decode("latin-1")
