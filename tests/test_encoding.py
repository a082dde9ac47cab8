"""Values of every kind come back from a file as they were; what cannot be stored is named."""

from typing import Any, TypeVar

import numpy as np
import pytest
import torch
import typing_extensions
from saved_models import assert_same, small_machine
from sklearn.base import clone

import wideangle
from wideangle._encoding import fits, named
from wideangle.exceptions import ModelFileError


@pytest.fixture(scope="module")
def machine():
    return small_machine()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.wideangle"


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        -float("inf"),
        -0.0,
        5e-324,
        0.1 + 0.2,
        np.float16(0.1),
        np.bool_(True),
        np.str_("wört"),
        2**62,
        "a\ud800\x00\"\\'",
        (),
        [(), [1, (2.5, None)]],
        {(1, "a"): [True], None: np.arange(3, dtype=np.uint16), 2: {}},
        np.zeros((0, 3), dtype=np.int8),
        np.array(2.5, dtype=np.float32),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([["a", "bcd"]]),
        np.array([None, 1, "a", 2.5, (1, 2)], dtype=object),
        np.array([np.nan, -np.nan, np.inf]),
    ],
    ids=repr,
)
def test_values_of_every_kind(machine, path, value):
    model = clone(machine)
    model.__dict__.update(vars(machine), note_=value)
    model.save(path)
    again = wideangle.load(path)
    assert_same(again.note_, value)
    if isinstance(value, np.ndarray):
        assert again.note_.flags.writeable


def test_arrays_in_the_other_order_of_bytes_and_with_gaps(machine, path):
    model = clone(machine)
    model.__dict__.update(vars(machine), swapped_=np.arange(3, dtype=">i4"), gaps_=np.arange(6.0)[::2])
    model.save(path)
    again = wideangle.load(path)
    assert again.swapped_.tolist() == [0, 1, 2]
    assert again.gaps_.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("random_state", np.random.RandomState(0)),
        ("verbose", torch.ones(2)),
        ("note_", np.array([1j])),
        ("note_", np.ma.masked_array([1], [True])),
        ("note_", [0, {"a": b"bytes"}]),
        ("note_", np.array(["2020-01-01"], dtype="datetime64[D]")),
    ],
)
def test_what_cannot_be_stored_is_named(machine, path, name, value):
    model = clone(machine)
    model.__dict__.update({**vars(machine), name: value})
    with pytest.raises(ModelFileError, match=rf"{name}.* of this BernoulliRBM is an? .*Before saving"):
        model.save(path)
    assert not list(path.parent.iterdir())


def test_arrays_are_known_by_the_alias_of_newer_versions_of_numpy():
    """From NumPy 2.5 on, NDArray is what a `type` statement makes, on Python 3.12 and later."""
    kind = TypeVar("kind", bound=np.generic)
    shaped = np.ndarray[tuple[Any, ...], np.dtype[kind]]
    alias = typing_extensions.TypeAliasType("alias", shaped, type_params=(kind,))
    for hint in (np.ndarray[tuple[Any, ...], np.dtype[np.float64]], alias[np.float64]):
        assert fits(np.zeros(2), hint)
        assert fits(None, hint | None)
        assert not fits(np.zeros(2, dtype=int), hint)
        assert not fits([0.0], hint)
        assert named(hint) == "an array of float64"
