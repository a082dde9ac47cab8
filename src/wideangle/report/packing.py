"""Numbers and bytes as text inside the page."""

import base64
import zlib

import numpy as np
from numpy.typing import NDArray

NONE = 65535  # stands for "no document" and "no topic" among numbers of 16 bits
# The printable characters that mean nothing in HTML, 91 of them: two hold 13 bits, where base64 holds 12.
ALPHABET = np.array([code for code in range(0x21, 0x7F) if chr(code) not in "<>&"], dtype=np.uint8)
BITS = 13


def packed_array(values: NDArray[np.generic], dtype: str) -> str:
    """Base64 of the values as little-endian numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.report.packing import packed_array
    >>> packed_array(np.array([1, 258]), "u2")
    'AQACAQ=='
    """
    return base64.b64encode(np.ascontiguousarray(values, dtype=f"<{dtype}").tobytes()).decode()


def packed_bytes(content: bytes) -> str:
    """Bytes, compressed by zlib, two characters for every 13 bits. The same bytes give the same text at any hour.

    An odd number of characters says that the last byte is none of the content.

    Examples
    --------
    >>> from wideangle.report.packing import packed_bytes, unpacked_bytes
    >>> unpacked_bytes(packed_bytes(b"twice twice twice"))
    b'twice twice twice'
    """
    compressed = zlib.compress(content, 9)
    bits = np.unpackbits(np.frombuffer(compressed, dtype=np.uint8))
    missing = -len(bits) % BITS
    groups = np.pad(bits, (0, missing)).reshape(-1, BITS) @ (1 << np.arange(BITS - 1, -1, -1, dtype=np.int32))
    pairs = np.column_stack([groups // len(ALPHABET), groups % len(ALPHABET)])
    surplus = missing >= 8  # The decoder takes all whole bytes, and would find one too many.
    return ALPHABET[pairs.ravel()].tobytes().decode() + ("!" if surplus else "")


def unpacked_bytes(text: str) -> bytes:
    """What `packed_bytes` packed."""
    place = np.zeros(128, dtype=np.int64)
    place[ALPHABET] = np.arange(len(ALPHABET))
    codes = place[np.frombuffer(text[: len(text) // 2 * 2].encode(), dtype=np.uint8)].reshape(-1, 2)
    groups = codes[:, 0] * len(ALPHABET) + codes[:, 1]
    bits = (groups[:, None] >> np.arange(BITS - 1, -1, -1)) & 1
    whole = bits.size // 8 - len(text) % 2
    return zlib.decompress(np.packbits(bits.ravel().astype(np.uint8)).tobytes()[:whole])


def variable_length(numbers: NDArray[np.integer]) -> bytes:
    """Numbers from 0, seven bits in each byte, the lowest first; a byte of 128 or more is not the last of its number.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.report.packing import variable_length
    >>> list(variable_length(np.array([5, 300])))
    [5, 172, 2]
    """
    left = np.asarray(numbers, dtype=np.uint64)
    sizes = np.ones(len(left), dtype=np.int64)
    for power in range(7, 64, 7):
        sizes += left >> np.uint64(power) > 0
    starts = np.cumsum(sizes) - sizes
    out = np.zeros(int(sizes.sum()), dtype=np.uint8)
    for place in range(int(sizes.max(initial=0))):
        here = sizes > place
        digit = (left[here] >> np.uint64(7 * place)) & np.uint64(127)
        out[starts[here] + place] = digit + np.uint64(128) * (sizes[here] > place + 1)
    return out.tobytes()
