"""Mutations of bytes that know nothing of what the bytes mean."""

import struct

# Texts that parsers of files and addresses have stumbled over: numbers at the edge of their types, digits of other
# alphabets, bytes that are no UTF-8, marks of the byte order, deep nesting, quotes, paths and formulas.
TEXTS = [
    *(b"", b"0", b"-1", b"1e999", b"-1e999", b"NaN", b"nan", b"Infinity", b"null", b"None", b"true", b"[]", b"{}"),
    *(b"2147483648", b"9223372036854775808", b"18446744073709551616", b"9" * 400, b"9" * 5000, b"0x10", b"1_000"),
    *(b"0.1", b"5e-324", b"1e308", b"-0.0", b"1,5", "²".encode(), "٣".encode(), "𝟙".encode(), "½".encode()),
    *(b"\x00", b"\x1b[2J", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\\ud800", b"\\u0000"),
    *(b"\n", b"\r", b"\r\n", b"\n\n\n", b"\t", b" ", b",", b";", b"|", b'"', b"'", b'"""', b"\\", b"#", b"=", b":"),
    *("\u2028".encode(), "\u202e".encode(), "\u00a0".encode(), "\ufeff".encode(), "\U0001f600".encode(), b"\x85"),
    *(b"%00", b"%ff", b"%", b"%%%", b"+", b"&", b"?", b"//", b"../../etc/passwd", b"=1+1", b"@a", b"{0.__class__}"),
    *(b"[" * 3000, b'{"a":' * 3000, b"(" * 300, b"a" * 5000, b"word " * 2000, b"<!DOCTYPE a>", b"&lt;", b"<a/>"),
    *(b"1970-01-01", b"0000-00-00", b"9999-12-31T23:59:60Z", b"10000-01-01", b"31/31/31"),
]
WHOLE = [0, 1, -1, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**63, 2**64 - 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5e-324, 1e-30, 1e30, 3.4e38]


def a_text(rng):
    """One of the texts above."""
    return rng.choice(TEXTS)


def a_number(rng):
    """A number at the edge of a type, as bytes in either order."""
    order = rng.choice("<>")
    if rng.random() < 0.4:
        return struct.pack(order + rng.choice("fd"), min(max(rng.choice(FLOATS), -3e38), 3e38))
    size = rng.choice([1, 2, 4, 8])
    return (rng.choice(WHOLE) % 256**size).to_bytes(size, "little" if order == "<" else "big")


def _flip_bit(rng, content, at):
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def _set_byte(rng, content, at):
    return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]


def _cut_end(rng, content, at):
    return content[:at]


def _cut_beginning(rng, content, at):
    return content[at:]


def _take_out(rng, content, at):
    return content[:at] + content[at + _length(rng) :]


def _repeat(rng, content, at):
    return content[:at] + content[at : at + _length(rng)] * rng.choice([2, 3, 50]) + content[at:]


def _move(rng, content, at):
    """A piece of the content over another place of it, as a splice of a file with itself."""
    begin, length = rng.randrange(len(content)), _length(rng)
    return content[:at] + content[begin : begin + length] + content[at + length :]


def _insert_text(rng, content, at):
    return content[:at] + a_text(rng) + content[at:]


def _overwrite_text(rng, content, at):
    text = a_text(rng)
    return content[:at] + text + content[at + len(text) :]


def _overwrite_number(rng, content, at):
    number = a_number(rng)
    return content[:at] + number + content[at + len(number) :]


def _length(rng):
    return min(1 + int(rng.expovariate(1 / 12)), 4096)


STEPS = [
    *(_flip_bit, _set_byte, _cut_end, _cut_beginning, _take_out, _repeat, _move),
    *(_insert_text, _overwrite_text, _overwrite_number),
]
RARE = (_cut_end, _cut_beginning)


def mutate_bytes(rng, content):
    """The content with one change at a place drawn at random. An empty content becomes a text."""
    if not content:
        return a_text(rng)
    step = rng.choice(STEPS)
    if step in RARE and rng.random() < 0.5:  # What is cut is mostly refused at once, and shows little.
        step = _flip_bit
    # Headers and directories stand at the beginning and the end of files, and decide most.
    where = rng.random()
    if where < 0.2:
        at = rng.randrange(min(len(content), 64))
    elif where < 0.4:
        at = len(content) - 1 - rng.randrange(min(len(content), 128))
    else:
        at = rng.randrange(len(content))
    return step(rng, content, at)
