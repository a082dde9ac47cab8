"""What every measure does to its input: arrays in, clear errors."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wideangle._arguments import is_several, shown, whole
from wideangle._arrays import REAL, array_of, canonical, check_sparse
from wideangle._rows import MadeRows


def checked_rows(X: Any, name: str) -> Any:
    """A finite matrix with one sample per row: a NumPy array, or a CSR array where a sparse matrix came.

    Rows that are made when they are asked for stay so. Who makes them sees to it that they are finite.
    """
    if isinstance(X, MadeRows) and len(X) and X.dtype in (np.float32, np.float64):
        return X
    if sparse.issparse(X):
        check_sparse(X, name)
        rows = sparse.csr_array(canonical(X) if X.dtype.kind in REAL else X)
        values = rows.data
    else:
        rows = values = array_of(X, name)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers; got dtype {values.dtype}.")
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(
            f"{name} must be a matrix with one sample per row and at least one row and column; got shape {rows.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite; it holds NaN or infinities. If a model made it, its fit diverged.")
    return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)


def checked_vector(values: Any, name: str, count: int | None = None) -> NDArray[np.float64]:
    """Numbers in one dimension, `count` of them, none NaN."""
    vector = array_of(values, name, kinds=None)
    if vector.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers; got dtype {vector.dtype}.")
    _require_length(vector, name, count)
    if np.isnan(vector).any():
        raise ValueError(f"{name} must not be NaN; {int(np.isnan(vector).sum())} of {len(vector)} are.")
    return vector.astype(np.float64)


def checked_labels(labels: Any, name: str, count: int | None = None) -> NDArray[Any]:
    """Class labels of any kind in one dimension, `count` of them."""
    vector = array_of(labels, name, kinds=None)
    _require_length(vector, name, count)
    objects = vector.tolist() if vector.dtype.kind == "O" else []
    kinds = {"a number" if isinstance(each, Real) else type(each).__name__ for each in objects}
    if vector.dtype.kind not in "biufUSMO" or len(kinds) > 1 or not kinds <= {"a number", "str", "bytes"}:
        held = " and ".join(sorted(kinds)) or f"dtype {vector.dtype}"
        raise TypeError(f"{name} must hold numbers or strings, and not both; got {held}.")
    if vector.dtype.kind == "f" and not np.isfinite(vector).all():
        raise ValueError(f"{name} must be known for every sample; NaN or an infinity came. Drop those samples first.")
    return vector


def shared_codes(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """The sorted classes of both label vectors together, and each vector as positions in them."""
    names = {"U": "text", "S": "text", "M": "dates"}
    kinds = {names.get(labels.dtype.kind, "numbers") for labels in (first, second) if labels.dtype.kind != "O"}
    if len(kinds) == 2:
        one, other = sorted(kinds, reverse=True)
        raise ValueError(f"labels are {one} in one place and {other} in the other: {first.dtype} and {second.dtype}.")
    if first.dtype.kind in "iu" and second.dtype.kind in "iu" and len(first) and len(second):
        least = int(min(first.min(), second.min()))
        width = int(max(first.max(), second.max())) - least + 1
        if width <= len(first) + len(second):  # Numbers of classes need no sorting, which takes memory.
            there = np.zeros(width, dtype=bool)
            there[first - least] = there[second - least] = True
            place = np.cumsum(there) - 1
            return np.flatnonzero(there) + least, place[first - least], place[second - least]
    classes, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    return classes, codes[: len(first)], codes[len(first) :]


def checked_k(k: int, most: int | None = None) -> int:
    """k ≥ 1, and no more neighbours than there are rows."""
    k = int(whole(least=1)(k, "k"))
    if most is not None and k > most:
        raise ValueError(f"k={k} neighbours were asked for, but the database has {most} rows. Lower k.")
    return k


def checked_memory(memory: int) -> int:
    """The bytes that a block of distances may take."""
    return int(whole(least=1)(memory, "memory"))


def checked_topics(topics: Any) -> list[list[Any]]:
    """Topics as lists of words (or word numbers), each with at least one word and none twice."""
    if not is_several(topics):
        raise TypeError(f"topics must be a sequence of topics, each a sequence of words; got {shown(topics)}.")
    if any(isinstance(topic, str | bytes) for topic in topics):
        raise TypeError("topics must be a sequence of topics, each a sequence of words; got text where words belong.")
    lists = [_words_of(topic, number) for number, topic in enumerate(topics)]
    if not lists or not all(lists):
        raise ValueError(f"topics must hold at least one topic, and each at least one word; got {len(lists)} topics.")
    for number, words in enumerate(lists):
        if len(set(words)) < len(words):
            raise ValueError(f"topic {number} names a word twice: {words}. List each of its words once.")
    return lists


def _words_of(topic: Any, number: int) -> list[Any]:
    words = list(topic) if isinstance(topic, Sequence) else array_of(topic, f"topic {number}", kinds=None).tolist()
    if not isinstance(words, list) or not all(isinstance(word, str | Integral) for word in words):
        raise TypeError(f"topic {number} must be a sequence of words, or of their numbers; got {shown(topic)}.")
    return words


def _require_length(vector: NDArray[Any], name: str, count: int | None) -> None:
    if vector.ndim != 1 or len(vector) == 0:
        raise ValueError(f"{name} must have one dimension and at least one entry; got shape {vector.shape}.")
    if count is not None and len(vector) != count:
        raise ValueError(f"{name} must have {count} entries, one per sample; got {len(vector)}.")
