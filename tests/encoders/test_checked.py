"""What every encoder gives, whoever wrote it, and the errors where it does not."""

import numpy as np
import pytest
import torch
from own_encoder import Threes, some_texts
from scipy.sparse import csr_array

from wideangle.encoders import CheckedEncoder, Encoder, encoder_of
from wideangle.encoders import checked as module
from wideangle.exceptions import EncoderError


def test_rows_are_those_of_each_text_alone_whatever_the_batches(monkeypatch):
    texts = some_texts(50)
    alone = np.vstack([Threes().encode([text]) for text in texts])
    for most_texts, most_characters in ((1024, 2**20), (7, 2**20), (1024, 100), (1024, 1)):
        monkeypatch.setattr(module, "TEXTS", most_texts)
        monkeypatch.setattr(module, "CHARACTERS", most_characters)
        rows = encoder_of(Threes()).encode(texts)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(rows, alone, rtol=1e-6)


def test_no_batch_is_longer_than_its_limits_but_for_one_long_text(monkeypatch):
    monkeypatch.setattr(module, "TEXTS", 5)
    monkeypatch.setattr(module, "CHARACTERS", 60)
    sizes = []

    def function(texts):
        sizes.append((len(texts), sum(map(len, texts))))
        return np.ones((len(texts), 1))

    texts = ["a" * length for length in (10, 20, 29, 2, 300, 1, 1, 1, 1, 1, 1, 59)]
    encoder_of(function, name="ones").encode(texts)
    assert [count for count, _ in sizes[1:]] == [3, 1, 1, 5, 2]  # after the probe
    assert all(length <= 60 or count == 1 for count, length in sizes[1:])


@pytest.mark.parametrize("empty", ["", " ", "\n\t \u3000"])
def test_texts_without_a_sign_give_zeros_and_are_not_encoded(empty):
    own = Threes()
    rows = encoder_of(own).encode([empty, "word", empty])
    assert not rows[[0, 2]].any()
    assert rows[1].any()
    assert own.asked == ["word"]


def test_no_texts_give_no_rows():
    assert encoder_of(Threes()).encode([]).shape == (0, 32)


def test_half_a_pair_of_surrogates_is_replaced():
    own = Threes()
    encoder_of(own).encode(["a \ud800 b"])
    assert own.asked == ["a ? b"]


def test_progress_ends_at_the_last_text(monkeypatch):
    monkeypatch.setattr(module, "TEXTS", 4)
    told = []
    encoder_of(Threes()).encode(some_texts(10), progress=lambda done, total: told.append((done, total)))
    assert told == [(4, 10), (8, 10), (10, 10)]


@pytest.mark.parametrize(
    "convert", [list, np.float64, np.float16, torch.tensor, lambda rows: [tuple(row) for row in rows]]
)
def test_lists_tensors_and_other_precisions_become_float32(convert):
    numbers = [[0.5, 2.0], [1.0, -0.25]]
    rows = encoder_of(lambda texts: convert(numbers[: len(texts)]), name="two").encode(["a", "b"])
    assert rows.dtype == np.float32
    assert rows.tolist() == numbers


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda n: np.ones((n, 3)), r"shape \(2, 3\) for 2 texts; it must be \(2, 2\)"),
        (lambda n: np.ones((1, 2)), r"shape \(1, 2\) for 2 texts"),
        (lambda n: np.ones(2), r"shape \(2,\)"),
        (lambda n: None, "array of object"),
        (lambda n: [[1.0, 2.0], [1.0]], "is no array"),
        (lambda n: np.ones((n, 2), dtype=complex), "array of complex128"),
        (lambda n: csr_array(np.ones((n, 2))), "dense array of real numbers"),
        (lambda n: [["a", "b"]] * n, "dense array of real numbers"),
        (lambda n: [[1.0, 2.0], [np.nan, 1.0]], "not finite for 1 of 2 texts; the first of them is 'second'"),
        (lambda n: [[1e300, 2.0], [np.inf, 1.0]], "not finite for 2 of 2 texts"),
        (lambda n: torch.ones((n, 2), requires_grad=True), "is no array"),
    ],
)
def test_what_is_no_row_per_text_is_told(given, said):
    class Wrong:
        name, dimension = "wrong", 2

        def encode(self, texts):
            return given(len(texts))

    with pytest.raises(EncoderError, match=f"the encoder 'wrong' gave .*{said}"):
        encoder_of(Wrong()).encode(["first", "second"])


@pytest.mark.parametrize(
    ("name", "dimension", "said"),
    [("", 2, "name"), (None, 2, "name"), ("n", 0, "at least 1"), ("n", 2.5, "whole"), ("n", True, "whole")],
)
def test_names_and_dimensions_that_are_none(name, dimension, said):
    wrong = type("Wrong", (), {"name": name, "dimension": dimension, "encode": lambda self, texts: None})
    with pytest.raises(EncoderError, match=said):
        encoder_of(wrong())


@pytest.mark.parametrize(("texts", "said"), [("one text", "list of strings"), ([1], "number 0 is 1"), (5, "got 5")])
def test_texts_that_are_no_list_of_strings(texts, said):
    with pytest.raises(TypeError, match=said):
        encoder_of(Threes()).encode(texts)


def test_functions_need_a_name_and_rows():
    with pytest.raises(ValueError, match="needs a name"):
        encoder_of(lambda texts: np.ones((len(texts), 1)))
    for wrong in (np.ones(3), np.ones((2, 3)), np.ones((1, 0))):
        with pytest.raises(EncoderError, match="one row per text"):
            encoder_of(lambda texts, wrong=wrong: wrong, name="wrong")


def test_the_interface_is_one():
    assert isinstance(Threes(), Encoder)
    assert isinstance(encoder_of(Threes()), Encoder)
    made = encoder_of(Threes())
    assert encoder_of(made) is made
    assert isinstance(made, CheckedEncoder)
