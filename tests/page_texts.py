"""What the page reads from its block of texts, written without looking at the page's own script."""

import base64
import json
import re

import numpy as np

from wideangle.report.packing import unpacked_bytes


def strings_of(html):
    """Name, title and text of each document of a page."""
    (texts,) = re.findall(r'id="texts">([^<]*)</script>', html)
    return decoded(unpacked_bytes(texts))


def decoded(block):
    first, rest = block.split(b"\n", 1)
    head = json.loads(first)
    lengths: list[int] = []
    at = 0
    while len(lengths) < 3 * head["count"]:
        value, at = number_at(rest, at)
        lengths.append(value)
    strings = []
    for length in lengths:
        strings.append(string_of(rest[at : at + length], head["words"]))
        at += length
    assert at == len(rest)
    order = np.frombuffer(base64.b64decode(head["order"]), "<u2")
    triples = dict(zip(order.tolist(), zip(*[iter(strings)] * 3, strict=True), strict=True))
    return [triples[row] for row in range(head["count"])]


def number_at(content, at):
    value = shift = 0
    while True:
        value |= (content[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 128:
            return value, at


def string_of(content, words):
    out, at, after_word, after_foreign = "", 0, False, False
    while at < len(content):
        byte = content[at]
        if byte >= 128:
            rank, at = (byte - 128, at + 1) if byte < 192 else (64 + 256 * (byte - 192) + content[at + 1], at + 2)
            letter = out and out[-1].isascii() and out[-1].isalpha() and not after_foreign
            out += (" " if after_word or letter else "") + words[rank]
            after_word, after_foreign = True, False
        elif byte == 1:
            length, at = number_at(content, at + 1)
            out += content[at : at + length].decode()
            at, after_word, after_foreign = at + length, False, True
        else:
            out += (" " if after_word and chr(byte).isalpha() else "") + chr(byte)
            at, after_word, after_foreign = at + 1, False, False
    return out
