"""Which encoding fits the bytes of a text best."""

import codecs
from typing import BinaryIO

from wideangle.reading.eastern import guess_eastern

__all__ = ["guess_encoding", "said_encoding"]

CHUNK = 1 << 16
SAMPLED = 4  # chunks with letters that are not ASCII, by which the encoding of one that is not UTF-8 is told
BETTER_KNOWN = {"cp949": "EUC-KR", "cp932": "Shift-JIS", "cp950": "Big5", "gb18030": "GBK"}
MARKS = (  # the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MANY_ZEROS = 0.3  # share of zero bytes in Latin text of two bytes per letter; other text has none
REPLACED = "\ufffd"
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))  # signs that no text has
MANY_CONTROLS = 0.02  # bytes with a larger share of such signs are no text
FEW_CONTROLS = 3  # this many may occur by accident even in the shortest text


def guess_encoding(stream: BinaryIO) -> str:
    """The encoding of a byte-order mark, else UTF-8, else the one that suits the bytes best.

    Where more bytes contradict UTF-8 than speak for it, an encoding of Chinese, Japanese, Korean or Russian is taken if
    the text is a usual one by it (`wideangle.reading.eastern`), and cp1252 otherwise.

    Bytes that are no text in any of them, such as those of a picture, raise UnicodeError.

    Examples
    --------
    >>> import io
    >>> from wideangle.reading.encodings import guess_encoding
    >>> [guess_encoding(io.BytesIO("Käse".encode(name))) for name in ("utf-8", "utf-16", "cp1252")]
    ['utf-8', 'utf-16', 'cp1252']
    """
    chunk = stream.read(CHUNK)
    for mark, encoding in MARKS:
        if chunk.startswith(mark):
            return encoding
    start = chunk[:4096]
    zeros_first, zeros_second = start[::2].count(0), start[1::2].count(0)
    if max(zeros_first, zeros_second) > MANY_ZEROS * len(start):
        return "utf-16-be" if zeros_first > zeros_second else "utf-16-le"
    controls = len(start) - len(start.translate(None, CONTROLS))
    if controls > max(FEW_CONTROLS, MANY_CONTROLS * len(start)):
        raise UnicodeError("it holds binary data")
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    fitting = wrong = 0
    sample: list[bytes] = []
    while chunk:
        if len(sample) < SAMPLED and not chunk.isascii():
            sample.append(_whole_lines(chunk))
        text = decoder.decode(chunk)
        written = chunk.count(REPLACED.encode())  # the sign of a lost letter may itself stand in the file
        replaced = text.count(REPLACED) - written
        wrong += replaced
        fitting += len(text) - len(text.encode("ascii", "ignore")) - replaced
        chunk = stream.read(CHUNK)
    wrong += decoder.decode(b"", final=True).count(REPLACED)
    # A file of UTF-8 with a few broken letters is better read with these replaced.
    return "utf-8" if wrong <= fitting else guess_eastern(b"\n".join(sample)) or "cp1252"


def _whole_lines(chunk: bytes) -> bytes:
    """A chunk without the lines at its ends, which may be cut within a letter; a short or a single line as it is."""
    lines = chunk.split(b"\n")
    return b"\n".join(lines[1:-1]) if len(chunk) == CHUNK and len(lines) > 2 else chunk


def said_encoding(encoding: str) -> str:
    """The encoding as a part of a description; empty for UTF-8, which everyone expects."""
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
        return ""
    return f"encoded in {encoding}" + (f" ({BETTER_KNOWN[encoding]})" if encoding in BETTER_KNOWN else "")
