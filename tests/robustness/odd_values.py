"""Odd and bad values: arrays, sparse matrices, tables, lists, numbers and things that are none of these.

Each strategy gives an `Odd`: a function that makes the value anew, because a function may change or use up what it
gets, and a name for reports.
"""

import decimal
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from hypothesis import strategies as st
from robustness.broken_sparse import BROKEN


@dataclass(frozen=True)
class Odd:
    """One odd value: how it is made, and what it is called."""

    name: str
    make: Callable[[], Any] = field(repr=False)


NUMBERS = (np.nan, np.inf, -np.inf, -1.0, 0.5, 0.0, 1e30, -1e30, 1e-30, 5e-324, 1e-40, 1e308, 65504.0, 1e6, 2.0**63)
TYPES = ("f8", "f4", "f2", "i1", "i8", "u8", "?", "O", "c16", "U8", "S8", "M8[D]", ">f8", ">i4", "g")
FILLS = ("good", "zeros", "ones", "equal rows", "large", "tiny", "good")
SHAPES: dict[str, Callable[[int, int], tuple[int, ...]]] = {
    "same": lambda n, d: (n, d),
    "same ": lambda n, d: (n, d),  # Twice, so that the shape is right more often.
    "one column more": lambda n, d: (n, d + 1),
    "one column less": lambda n, d: (n, max(0, d - 1)),
    "one row more": lambda n, d: (n + 1, d),
    "no rows": lambda n, d: (0, d),
    "no columns": lambda n, d: (n, 0),
    "nothing": lambda n, d: (0, 0),
    "one row": lambda n, d: (1, d),
    "one column": lambda n, d: (n, 1),
    "one cell": lambda n, d: (1, 1),
    "a vector": lambda n, d: (n,),
    "a vector of columns": lambda n, d: (d,),
    "a number": lambda n, d: (),
    "three dimensions": lambda n, d: (n, d, 1),
}
_FORMATS = ("csr", "csc", "coo", "dia", "bsr", "lil", "dok")


def _table(array: Any) -> pd.DataFrame:
    return pd.DataFrame(array, columns=[f"c{number}" for number in range(array.shape[1])])


def _missing(array: Any) -> pd.DataFrame:
    table = _table(array).astype(object)
    table.iloc[0, 0] = pd.NA
    return table


def _with_texts(array: Any) -> pd.DataFrame:
    table = _table(array).astype(object)
    table.iloc[:, 0] = "word"
    return table


def _duplicated(array: Any) -> Any:
    """Each entry in two halves, in reverse order."""
    found = sp.coo_array(array)
    where = tuple(np.concatenate([axis, axis])[::-1] for axis in found.coords)
    return sp.coo_array((np.concatenate([found.data / 2, found.data / 2])[::-1], where), shape=found.shape)


def _unsorted(array: Any) -> Any:
    rows = sp.csr_array(array)
    for first, last in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        rows.indices[first:last] = rows.indices[first:last][::-1].copy()
        rows.data[first:last] = rows.data[first:last][::-1].copy()
    rows.has_sorted_indices = False
    return rows


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _read_only_sparse(array: Any) -> Any:
    rows = sp.csr_array(array)
    for part in (rows.data, rows.indices, rows.indptr):
        part.flags.writeable = False
    return rows


def _memory_of_bytes(array: Any) -> Any:
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)


# What an array can be wrapped in. A wrapper that cannot hold an array gives the array itself (`wrapped`).
WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "an array": lambda array: array,
    "read-only": _read_only,
    "read-only memory": _memory_of_bytes,
    "columns first": np.asfortranarray,
    "turned round": lambda array: array[::-1, ::-1][::1],
    "every second": lambda array: np.repeat(array, 2, axis=0)[::2],
    "a list": lambda array: array.tolist(),
    "a tuple of tuples": lambda array: tuple(map(tuple, array.tolist())),
    "a list of unequal rows": lambda array: [row[: 1 + number % 2] for number, row in enumerate(array.tolist())],
    "a list of arrays": list,
    "masked": lambda array: np.ma.masked_array(array, mask=np.zeros(array.shape, bool) | (array == array[:1])),
    "a table": _table,
    "a table with a missing value": _missing,
    "a table of nullable integers": lambda array: _table(array).astype("Int64"),
    "a table with texts": _with_texts,
    "a table of categories": lambda array: _table(array).astype("category"),
    "a table with twice the same name": lambda array: pd.DataFrame(array, columns=["c"] * array.shape[1]),
    "a column": lambda array: pd.Series(array[:, 0]),
    "a tensor": lambda array: torch.as_tensor(array.copy()),
    "a tensor with gradient": lambda array: torch.as_tensor(array.copy()).requires_grad_(),
    "a sparse tensor": lambda array: torch.as_tensor(array.copy()).to_sparse_csr(),
    **{f"{kind}_array": lambda array, kind=kind: getattr(sp, f"{kind}_array")(array) for kind in _FORMATS},
    **{f"{kind}_matrix": lambda array, kind=kind: getattr(sp, f"{kind}_matrix")(array) for kind in _FORMATS},
    "sparse with duplicates": _duplicated,
    "sparse, unsorted": _unsorted,
    "sparse, read-only": _read_only_sparse,
    **BROKEN,
}
THINGS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a text": lambda: "some words of a text",
    "an empty text": lambda: "",
    "texts": lambda: ["some words", "more words", ""],
    "an array of texts": lambda: np.array(["some words", "more"]),
    "texts and numbers": lambda: ["a", 1, None, 2.5],
    "bytes": lambda: b"bytes",
    "0": lambda: 0,
    "-3": lambda: -3,
    "3": lambda: 3,
    "1.5": lambda: 1.5,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "1e300": lambda: 1e300,
    "2**70": lambda: 2**70,
    "10**12": lambda: 10**12,
    "True": lambda: True,
    "a complex number": lambda: 1 + 2j,
    "a decimal": lambda: decimal.Decimal("1.5"),
    "an array of no dimension": lambda: np.array(2.0),
    "float16": lambda: np.float16(1.5),
    "an object": object,
    "a class": lambda: dict,
    "a function": lambda: len,
    "an empty list": list,
    "an empty tuple": tuple,
    "an empty mapping": dict,
    "a mapping": lambda: {"a": 1, 2: None},
    "a set": lambda: {1, 2},
    "a generator": lambda: (number for number in (1, 2)),
    "a range": lambda: range(3),
    "nested lists": lambda: [[[1]], [[2]]],
    "a list of None": lambda: [None, None],
    "an empty array": lambda: np.zeros(0),
    "an empty matrix": lambda: np.zeros((0, 0)),
    "a structured array": lambda: np.zeros(3, dtype=[("a", "f8"), ("b", "i4")]),
    "an empty table": pd.DataFrame,
    "dates": lambda: pd.Series(pd.date_range("2020-01-01", periods=3)),
}
CALLED = frozenset({"a class", "a function"})  # Such a value is a function of the user, and may do what it likes.
HUGE = frozenset({"10**12", "2**70", "1e300", "infinity"})  # A number of things to make may not be so large.


def wrapped(name: str, array: Any) -> Any:
    """The array in a wrapper, or as it is where that cannot hold it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return WRAPPERS[name](array)
        except Exception:  # Not under test: pandas, SciPy and torch refuse some arrays, each in a way of its own.
            return array


def filled(good: Any, shape: tuple[int, ...], fill: str) -> Any:
    """An array of this shape, of good values or others."""
    if fill == "good":
        return np.resize(np.asarray(good, dtype=object if np.asarray(good).dtype.kind in "USO" else np.float64), shape)
    n = int(np.prod(shape))
    row = shape[-1] if shape else 1
    numbers = {"zeros": 0.0, "ones": 1.0, "large": 1e30, "tiny": 1e-30, "equal rows": np.resize(np.arange(row), n)}
    return np.broadcast_to(numbers[fill], (n,)).astype(np.float64).reshape(shape)


def _as_type(array: Any, kind: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return array.astype("i8").astype(kind) if kind.startswith("M8") else array.astype(kind)
        except (ValueError, TypeError, OverflowError):
            return array


@st.composite
def odd_arrays(draw: Any, good: Any) -> Odd:
    """Something like the good array: its shape, type, values or wrapper may be odd."""
    n, d = good.shape if good.ndim == 2 else (max(1, good.size), 1)
    of_vector = good.ndim < 2
    shape_name = draw(st.sampled_from(sorted(SHAPES)))
    shape = SHAPES[shape_name](n, d)
    if of_vector and shape_name.startswith("same"):
        shape = (n,)
    fill = draw(st.sampled_from(FILLS))
    kind = draw(st.sampled_from(TYPES))
    poked = draw(st.none() | st.sampled_from(NUMBERS))
    wrapper = draw(st.sampled_from(sorted(WRAPPERS)))

    def make() -> Any:
        array = filled(good, shape, fill)
        if poked is not None and array.size and array.dtype.kind == "f":
            array = array.copy()
            array.flat[array.size // 2] = poked
        return wrapped(wrapper, _as_type(array, kind).copy())

    return Odd(f"{wrapper}, {shape_name.strip()}, {fill}, {kind}, with {poked}", make)


def odd_things(without: frozenset[str] = frozenset()) -> st.SearchStrategy[Odd]:
    """Things that are no arrays: numbers, texts, lists, objects."""
    return st.sampled_from([Odd(name, make) for name, make in THINGS.items() if name not in without])


def odd_values(good: Any, without: frozenset[str] = frozenset()) -> st.SearchStrategy[Odd]:
    """Odd values in place of a good one: arrays like it where it is an array, and things."""
    if isinstance(good, np.ndarray | list | tuple) or sp.issparse(good) or isinstance(good, torch.Tensor):
        try:
            array = np.asarray(good.toarray() if sp.issparse(good) else good)
        except (ValueError, RuntimeError):  # Lists of unequal lengths, and of parameters of torch, make no array.
            return odd_things(without)
        return odd_arrays(array) | odd_arrays(array) | odd_arrays(array) | odd_things(without)
    return odd_things(without)
