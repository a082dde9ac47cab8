"""Both halves of each text's words as vectors: what they have in common is what the text is about.

`wideangle.finishing` learns from halves which directions of a representation are signal, and which are noise.
"""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wideangle._alphabets import CHARACTER, without_spaces
from wideangle._arguments import checked, seed, texts
from wideangle.encoders.catalogue import encoder_of
from wideangle.encoders.checked import Encoder

__all__ = ["encode_halves", "split_text"]

# Two characters of a script without spaces are about one word, as for the counter of words. Elsewhere a word is what
# stands between spaces, with its signs: an encoder reads them too.
_WORD = re.compile(rf"(\s*)((?:{CHARACTER}){{1,2}}|(?:(?!{CHARACTER})\S)+)")


@checked(texts=texts, seed=seed)
def encode_halves(
    encoder: Encoder, texts: Sequence[str], seed: int
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.intp]]:
    """The vectors of the first halves and of the second halves of texts, and which texts they are.

    A fair coin throws each word of a text into one of its halves, where words keep their order. Texts of which one
    half has no words are left out. The coin depends on the seed and on the text, not on the other texts, so that a
    cache has the halves of texts that come again.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.encoders import encode_halves, encoder_of
    >>> words = encoder_of(lambda texts: np.array([[len(text.split())] for text in texts]), name="numbers of words")
    >>> first, second, which = encode_halves(words, ["one", "one two three four five six seven"], seed=0)
    >>> (first + second).tolist(), which.tolist()
    ([[7.0]], [1])
    """
    encoder = encoder_of(encoder)
    halves = [split_text(text, seed) for text in texts]
    which = [number for number, pair in enumerate(halves) if all(map(_has_words, pair))]
    first, second = (encoder.encode([halves[number][side] for number in which]) for side in (0, 1))
    return first, second, np.array(which, dtype=np.intp)


def split_text(text: str, seed: int) -> tuple[str, str]:
    """Two halves of a text's words.

    Examples
    --------
    >>> from wideangle.encoders.halves import split_text
    >>> split_text("the cat sat on the mat", seed=3)
    ('the sat the mat', 'cat on')
    """
    words = [(found[1] != "", found[2]) for found in _WORD.finditer(text)]
    salt = seed.to_bytes(8, "little")
    bits = hashlib.shake_128(salt + text.encode("utf-8", "surrogatepass")).digest(len(words) // 8 + 1)
    coins = np.unpackbits(np.frombuffer(bits, dtype=np.uint8))[: len(words)]
    one, other = ([word for word, coin in zip(words, coins, strict=True) if coin == side] for side in (0, 1))
    return _joined(one), _joined(other)


def _has_words(half: str) -> bool:
    return any(map(str.isalnum, half))


def _joined(words: list[tuple[bool, str]]) -> str:
    """Words of a half. A space stands between words that need one, and where there was one."""
    parts: list[str] = []
    for spaced, word in words:
        # Signs of these scripts follow their characters, so that the first one of a word tells its script.
        close = parts and not spaced and (without_spaces(word) or without_spaces(parts[-1]))
        parts += [word] if close or not parts else [" ", word]
    return "".join(parts)
