"""Texts of the page in few bytes."""

import zlib

import numpy as np
import pytest
from page_texts import decoded

from wideangle.documents import kept_text
from wideangle.report.packing import packed_bytes, unpacked_bytes, variable_length
from wideangle.report.text_block import fitting_length, text_block

ODD = [
    "wheat and corn, wheat  and corn\n\nwheat-corn wheat's 3wheat wheat_corn",
    "Über wheat über corn, été wheat É corn naïve wheat",
    "小麦 wheat 玉米 corn wheat",
    "e\u0301 wheat \x01\x00\x7f corn \u2028 wheat </script> & <b>",
    "a b wheat c d corn",
    "",
    " wheat ",
    "ein Wort und noch ein Wort und wheat 😀 wheat",
]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 12, 13, 14, 100, 1001])
def test_bytes_come_back(size):
    content = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8).tobytes()
    packed = packed_bytes(content)
    assert unpacked_bytes(packed) == content
    assert packed.isascii()
    assert not set(packed) & set("<>& \n")
    assert len(packed) <= len(zlib.compress(content, 9)) * 16 / 13 + 3


def test_numbers_have_as_many_bytes_as_they_need():
    numbers = np.array([0, 1, 127, 128, 16383, 16384, 2**31])
    assert [len(variable_length(numbers[k : k + 1])) for k in range(7)] == [1, 1, 1, 2, 2, 3, 5]
    assert variable_length(numbers) == b"".join(variable_length(numbers[k : k + 1]) for k in range(7))


def test_all_kinds_of_strings_come_back():
    names = [f"file {number}" for number in range(len(ODD))]
    order = np.random.default_rng(0).permutation(len(ODD))
    block = text_block({"names": names, "titles": None, "texts": ODD, "order": order})
    assert decoded(block) == [(name, "", text) for name, text in zip(names, ODD, strict=True)]
    assert decoded(text_block({"names": None, "titles": None, "texts": None})) == []


def test_more_words_than_one_byte_holds():
    words = [f"word{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(600)]
    texts = [" ".join(np.random.default_rng(seed).permutation(words)) for seed in range(4)]
    assert [text for _, _, text in decoded(text_block({"texts": texts}))] == texts


def test_texts_take_clearly_less_than_by_zlib_alone():
    words = np.array([f"{a}{b}" for a in ("pre", "con", "dis", "sub") for b in ("tend", "sist", "ject", "pose")])
    generator = np.random.default_rng(0)
    texts = [" ".join(generator.choice(words, 60)) for _ in range(300)]
    plain = len(zlib.compress("\n".join(texts).encode(), 9))
    assert len(zlib.compress(text_block({"texts": texts}), 9)) < 0.75 * plain


def test_texts_are_as_long_as_there_is_room_for():
    generator = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz "))
    texts = ["".join(generator.choice(letters, 3000)) for _ in range(60)]
    order = list(range(60))
    assert fitting_length(texts, order) == 1500
    for budget in (20_000, 40_000, 60_000):
        length = fitting_length(texts, order, budget)
        assert 300 < length < 1500
        assert len(packed_bytes(text_block({"texts": [kept_text(text, length) for text in texts]}))) <= 1.1 * budget
    assert fitting_length(texts, order, 1000) == 300  # The least that is worth reading.
    assert fitting_length([], []) == 1500
