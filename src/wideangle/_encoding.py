"""Values to JSON and back, with arrays of numbers kept apart by name; checksums; checks of values against types."""

import dataclasses
import hashlib
import json
import math
import re
import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from wideangle._blocks import bytes_of, is_finite, parts
from wideangle.exceptions import DataError, ModelFileError

DTYPES = ("bool", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)))
DTYPES += ("float16", "float32", "float64")
LONGEST_PADDING = 10_000  # An array of strings may reserve so many characters more than its longest string has.
# Weights of words are logarithms, which are far within these limits.
LEAST_WEIGHT, LARGEST_WEIGHT = 1e-12, 1e12
LARGEST_ROW = 1e6  # Sums of squares of so large numbers, and of so many, must stay finite too.


class Encoder:
    """Turns values into JSON. Arrays of numbers go into `arrays`, under the path at which they were found.

    Finite floats become JSON numbers. Python writes as many digits as are needed to read the same bits back.
    """

    def __init__(self, owner: str, arrays: dict[str, Any], records: tuple[type, ...]) -> None:
        self.owner, self.arrays, self.records = owner, arrays, records

    def encode(self, value: Any, path: str) -> Any:
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}  # JSON has no NaN
        if isinstance(value, np.generic):
            return {"scalar": self.encode(np.asarray(value), path)}
        if type(value) is np.ndarray:
            return self._array(value, path)
        if type(value) in (list, tuple):
            items = self._items(value, path)
            return items if type(value) is list else {"tuple": items}
        if type(value) is dict:
            return {"dict": [self._items(pair, f"{path}.{i}") for i, pair in enumerate(value.items())]}
        if type(value) in self.records:
            kept = (field for field in dataclasses.fields(value) if field.metadata.get("saved", True))
            pairs = ((field.name, getattr(value, field.name)) for field in kept)
            return {
                "record": type(value).__name__,
                "fields": {key: self.encode(part, f"{path}.{key}") for key, part in pairs},
            }
        raise self._refused(path, f"a {type(value).__name__}")

    def _items(self, values: Any, path: str) -> list[Any]:
        return [self.encode(value, f"{path}.{i}") for i, value in enumerate(values)]

    def _array(self, array: np.ndarray[Any, Any], path: str) -> Any:
        if array.dtype.kind in "UO":
            dtype = f"U{array.dtype.itemsize // 4}" if array.dtype.kind == "U" else "object"
            return {"items": self._items(array.ravel().tolist(), path), "shape": list(array.shape), "dtype": dtype}
        if array.dtype.name not in DTYPES:
            raise self._refused(path, f"an array of {array.dtype}")
        # The memory order is kept, because products of the same numbers in another order may round differently.
        by_columns = array.flags.f_contiguous and not array.flags.c_contiguous
        stored = array.T if by_columns else array
        self.arrays[path] = np.ascontiguousarray(stored, dtype=array.dtype.newbyteorder("=")).reshape(stored.shape)
        return {"array": path, "by_columns": by_columns}

    def _refused(self, path: str, what: str) -> ModelFileError:
        return ModelFileError(
            f"{path} of this {self.owner} is {what}, which a model file cannot hold: it takes None, numbers, strings, "
            "arrays of them, and lists, tuples and dicts. Before saving, set a parameter to such a value "
            "(set_params(random_state=0)), take callbacks away (set_callbacks()), or delete the attribute."
        )


class ContentError(ValueError):
    """A model holds something wrong. The message says what, and what should be there."""


class Decoder:
    """Turns what `Encoder` made into values again. Where it could not have made it, ContentError names the entry."""

    def __init__(self, arrays: Mapping[str, Any], records: tuple[type, ...]) -> None:
        self.arrays, self.records = arrays, {cls.__name__: cls for cls in records}

    def decode(self, node: Any, path: str) -> Any:
        """The value of the entry at a path of the document."""
        if isinstance(node, list):
            return [self.decode(part, f"{path}.{i}") for i, part in enumerate(node)]
        if not isinstance(node, dict):
            return node
        try:
            return self._value(node, path)
        except ContentError:
            raise
        except DataError as error:  # A record says itself what is wrong with it.
            raise ContentError(f"{path}: {error}".rstrip(".")) from error
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
            raise ContentError(f"{path} cannot be {in_short(node)} ({error!r})") from error

    def _value(self, node: dict[str, Any], path: str) -> Any:
        """What a mapping stands for. Any error can come out of a mapping that no `Encoder` made."""
        if "float" in node:
            return float(node["float"])
        if "scalar" in node:
            return self.decode(node["scalar"], path)[()]
        if "array" in node:
            array = self.arrays[node["array"]]
            return array.T if node["by_columns"] else array
        if "items" in node:
            return self._items(node, path)
        if "tuple" in node:
            return tuple(self._list(node["tuple"], path))
        if "dict" in node:
            pairs = self._list(node["dict"], path)
            return dict(pairs)
        if "record" not in node or not isinstance(node.get("fields"), dict):
            raise ContentError(f"{path} is {in_short(node)}, which is no value of a model file")
        return self._record(node["record"], node["fields"], path)

    def _list(self, node: Any, path: str) -> list[Any]:
        if not isinstance(node, list):
            raise ContentError(f"{path} must be a list of values; got {in_short(node)}")
        return [self.decode(part, f"{path}.{i}") for i, part in enumerate(node)]

    def _record(self, name: Any, nodes: dict[str, Any], path: str) -> Any:
        if not isinstance(name, str) or name not in self.records:
            raise ContentError(f"{path} is a record {name!r}, but may hold only {', '.join(self.records) or 'none'}")
        kind = self.records[name]
        fields = {key: self.decode(part, f"{path}.{key}") for key, part in nodes.items()}
        hints, known = _hints(kind), dataclasses.fields(kind)
        for key, value in fields.items():
            if key not in {field.name for field in known}:
                raise ContentError(f"{path} is a {name}, which has no {key!r}")
            if not fits(value, hints[key]):
                raise ContentError(f"{key} of its {name} is {in_short(value)}, and must be {named(hints[key])}")
        for field in known:
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if required and field.name not in fields:
                raise ContentError(f"{path} is a {name} without {field.name!r}")
        return kind(**fields)

    def _items(self, node: dict[str, Any], path: str) -> np.ndarray[Any, Any]:
        items, shape, dtype = self._list(node["items"], path), node["shape"], node["dtype"]
        if not isinstance(dtype, str) or not re.fullmatch(r"U\d{1,9}|object", dtype):
            raise ContentError(f"{path} is an array of strings, and its dtype is {in_short(dtype)}")
        if not isinstance(shape, list) or not all(fits(size, int) and size >= 0 for size in shape):
            raise ContentError(f"{path} is an array, and its shape is {in_short(shape)}")
        if math.prod(shape) != len(items):
            raise ContentError(f"{path} is an array of shape {tuple(shape)}, and has {len(items)} items")
        longest = max((len(item) for item in items if isinstance(item, str)), default=0)
        if dtype != "object" and int(dtype[1:]) > LONGEST_PADDING + longest:  # A short file must not fill the memory.
            raise ContentError(f"{path} reserves {dtype[1:]} characters per string, and the longest has {longest}")
        array = np.empty(shape, dtype=dtype)
        flat = array.reshape(-1)
        for i, item in enumerate(items):
            flat[i] = item
        return array


def compact_json(document: Any) -> str:
    """JSON without spaces and with sorted keys. The same content always gives the same text."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(document: dict[str, Any], arrays: dict[str, Any]) -> str:
    """SHA-256 of the document without its own SHA-256, and of every array's name, type, shape and values."""

    def parts() -> Iterator[Any]:
        yield compact_json(document).encode()
        for name, array in sorted(arrays.items()):
            yield compact_json([name, array.dtype.name, list(array.shape)]).encode()
            yield from bytes_of(array)

    found = hashlib.sha256()
    for part in parts():
        found.update(part)
    return found.hexdigest()


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has the annotated type. NumPy's numbers count as Python's."""
    hint = _meant(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if origin is np.ndarray:
        kind = get_args(parts[1])[0]
        return isinstance(value, np.ndarray) and (kind is Any or np.issubdtype(value.dtype, kind))
    if hint is bool:
        return isinstance(value, bool | np.bool_) or (fits(value, int) and value in (0, 1))
    if hint is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, float | np.floating) or fits(value, int)
    return isinstance(value, origin or hint)


@cache
def _hints(kind: type) -> dict[str, Any]:
    """The annotated types of a class. To find them takes longer than to read a small record."""
    return get_type_hints(kind)


def _meant(hint: Any) -> Any:
    """What an alias of the `type` statement stands for, as NDArray is one from NumPy 2.5 on; others as they are."""
    origin = get_origin(hint)
    if hasattr(origin, "__value__"):
        return origin.__value__[get_args(hint)]
    return getattr(hint, "__value__", hint)


def named(hint: Any) -> str:
    """An annotated type in words for people."""
    hint = _meant(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(named(part) for part in parts)
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin is np.ndarray:
        return f"an array of {getattr(get_args(parts[1])[0], '__name__', 'numbers')}"
    simple = {int: "a whole number", float: "a number", bool: "True or False", str: "a string", type(None): "None"}
    return simple.get(hint, getattr(hint, "__name__", str(hint)))


def in_short(value: Any) -> str:
    """A value in few words for people, however large it is."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}, shape {value.shape}"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"


def check_finite(name: str, array: np.ndarray[Any, Any]) -> None:
    """Raise ContentError where an array holds NaN or infinities."""
    if not is_finite(array):
        raise ContentError(f"{name} holds NaN or infinities")


def _size(array: np.ndarray[Any, Any]) -> float:
    """The largest absolute value of an array."""
    return max(float(array.max(initial=0)), -float(array.min(initial=0)))


def check_usable(name: str, array: np.ndarray[Any, Any]) -> None:
    """Raise ContentError where an array of floats holds numbers whose products with each other are not finite."""
    check_finite(name, array)
    largest = math.sqrt(float(np.finfo(array.dtype).max)) / LARGEST_ROW
    if array.ndim and any(_size(array[part]) > largest for part in parts(len(array), array)):
        raise ContentError(f"{name} holds numbers above {largest:.0e}, with which nothing can be computed")
