"""What data sets are made of: counts or features, labels, a split, and where they came from."""

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from wideangle._arguments import checked, optional, real, text
from wideangle._arguments import seed as a_seed
from wideangle._arrays import array_of, matrix_of
from wideangle._files import replacing
from wideangle._wording import number_of
from wideangle.data.npz_arrays import NpzArrays, packed_strings, sparse_counts
from wideangle.documents import NO_LABEL, Strings
from wideangle.exceptions import DataError

# Strings in a file, and the array of their ends. A NumPy array of strings would pad all to the longest.
PACKED = {"texts": "text_ends", "names": "name_ends"}
# The other arrays of a file that need not be there, and the kinds of values that they may hold.
KINDS = {"labels": "iu", "label_names": "U", "is_train": "b", "vocabulary": "U"}
# The same for objects made by users, in words. Names may be objects that are strings.
HELD = {
    "labels": ("biu", "whole numbers"),
    "is_train": ("b", "True or False"),
    "label_names": ("UO", "strings"),
    "vocabulary": ("UO", "strings"),
    "feature_names": ("UO", "strings"),
    "texts": ("UO", "strings"),
    "names": ("UO", "strings"),
    "groups": ("biufUSOM", "values"),
}

Self = TypeVar("Self", bound="Labelled")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Labelled:
    """Labels and split, common to `Corpus` and `Dataset`. Everything is optional; None means unknown."""

    labels: NDArray[np.int64] | None = None
    """class of each row, from 0; −1 for a row without one"""
    label_names: NDArray[np.str_] | None = None
    is_train: NDArray[np.bool_] | None = None
    """the split; None where there is no official one"""
    source: str = ""
    """file or generator it came from"""
    checksum: str | None = None
    """SHA-256 of that file"""

    def __len__(self) -> int:
        return int(self._rows().shape[0])

    def __repr__(self) -> str:
        """One line: how many rows, columns and classes there are."""
        row, column = self._nouns()
        said = [number_of(len(self), row), number_of(int(self._rows().shape[1]), column)]
        if self.labels is not None:
            said.append(number_of(len(self.class_sizes()), "class", "classes"))
        return f"{type(self).__name__}({', '.join(said)})"

    @property
    def train(self: Self) -> Self:
        """The training rows."""
        return self.subset(self._split())

    @property
    def test(self: Self) -> Self:
        """The test rows."""
        return self.subset(~self._split())

    def subset(self: Self, rows: ArrayLike) -> Self:
        """Some rows, chosen by a mask or by numbers, with all that belongs to them."""
        chosen = np.asarray(rows)
        changes = {name: getattr(self, name)[chosen] for name in self._row_fields() if getattr(self, name) is not None}
        return replace(self, **changes)

    def class_sizes(self) -> NDArray[np.int64]:
        """How many rows each class has."""
        if self.labels is None:
            raise DataError(f"{self.source or 'this data set'} has no labels.")
        n_classes = len(self.label_names) if self.label_names is not None else int(self.labels.max(initial=-1)) + 1
        return np.bincount(self.labels[self.labels != NO_LABEL], minlength=n_classes)

    @checked(train=real(above=0, below=1), seed=a_seed)
    def split_randomly(self: Self, train: float = 0.7, seed: int = 0) -> Self:
        """The same rows with a random split; the source says how it was made."""
        is_train = np.zeros(len(self), dtype=bool)
        is_train[np.random.default_rng(seed).permutation(len(self))[: round(train * len(self))]] = True
        return replace(
            self, is_train=is_train, source=f"{self.source}, random {train:.0%} split, seed {seed}".lstrip(", ")
        )

    def _rows(self) -> Any:
        raise NotImplementedError

    def _nouns(self) -> tuple[str, str]:
        """What a row and a column are called."""
        raise NotImplementedError

    def _row_fields(self) -> tuple[str, ...]:
        return ("labels", "is_train")

    def _split(self) -> NDArray[np.bool_]:
        if self.is_train is None:
            raise DataError(f"{self.source or 'this data set'} has no split; make one with .split_randomly(seed=...).")
        return self.is_train

    def _check(self) -> None:
        text(self.source, "source")
        optional(text)(self.checksum, "checksum")
        for name, (kinds, what) in HELD.items():
            if getattr(self, name, None) is not None:
                object.__setattr__(self, name, _vector(getattr(self, name), name, kinds, what))
        for name in self._row_fields():
            value = getattr(self, name)
            if value is not None and value.shape[0] != len(self):
                raise DataError(f"there are {len(self)} rows but {value.shape[0]} {name}.")
        if self.labels is not None and len(self.labels) and int(self.labels.min()) < NO_LABEL:
            raise DataError(f"labels count from 0, or are {NO_LABEL} for none; got {int(self.labels.min())}.")
        if self.labels is not None and self.label_names is not None and len(self.labels):
            largest = int(self.labels.max())
            if largest >= len(self.label_names):
                raise DataError(f"label {largest} has no name: there are {len(self.label_names)} label_names.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Corpus(Labelled):
    """Documents as word counts.

    Examples
    --------
    >>> from wideangle.data import count_words
    >>> corpus = count_words(["cats chase mice", "mice chase cheese", "cats sleep"], n_words=3)
    >>> corpus.vocabulary.tolist(), corpus.counts.toarray().tolist()
    (['cats', 'chase', 'mice'], [[1, 1, 1], [0, 1, 1], [1, 0, 0]])
    >>> corpus
    Corpus(3 documents, 3 words)
    """

    counts: sp.csr_array
    """documents × words, whole numbers"""
    vocabulary: NDArray[np.str_] | None = None
    """the word of each column"""
    texts: NDArray[np.object_] | None = None
    """the documents themselves, where they were kept"""
    names: NDArray[np.object_] | None = None
    """what each document is called, where it has a name"""
    vectors: NDArray[np.float32] | None = None
    """a vector of each document from any encoder, documents × numbers"""

    def __post_init__(self) -> None:
        if self.vectors is not None:
            object.__setattr__(self, "vectors", _vectors(self.vectors))
        counts = sp.csr_array(matrix_of(self.counts, "counts"))
        values = counts.data
        if not np.issubdtype(values.dtype, np.integer) and not np.array_equal(values, np.round(values)):
            raise DataError("counts must be whole numbers; got fractions or NaN. Pass raw counts, not tf-idf.")
        if values.size and not 0 <= values.min() <= values.max() < 2**31:
            raise DataError(f"counts must be between 0 and 2³¹; got {values.min()} to {values.max()}.")
        counts = sp.csr_array(
            (values.astype(np.int32, copy=False), counts.indices.astype(np.int32, copy=False), counts.indptr),
            shape=counts.shape,
        )
        if not counts.has_canonical_format or not counts.data.all():
            counts = counts.copy()  # the arrays may be the caller's
            counts.sum_duplicates()
            counts.eliminate_zeros()
        object.__setattr__(self, "counts", counts)
        self._check()
        if self.vocabulary is not None and len(self.vocabulary) != counts.shape[1]:
            raise DataError(f"there are {counts.shape[1]} columns but {len(self.vocabulary)} words in the vocabulary.")

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each document; 0 for a document without a known word."""
        return np.asarray(self.counts.sum(axis=1, dtype=np.int64)).ravel()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to one .npz file without pickle, under a temporary name first."""
        arrays: dict[str, Any] = {
            "data": self.counts.data,
            "indices": self.counts.indices,
            "indptr": self.counts.indptr,
        }
        arrays["shape"] = np.array(self.counts.shape, dtype=np.int64)
        for name in ("labels", "label_names", "is_train", "vocabulary", "vectors"):
            if getattr(self, name) is not None:
                arrays[name] = np.asarray(getattr(self, name))
        for name, ends in PACKED.items():
            if getattr(self, name) is not None:
                packed = Strings.of(getattr(self, name))
                arrays[name], arrays[ends] = packed.content, packed.ends
        write_npz(path, arrays)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] | BinaryIO, checksum: str | None = None, *, name: str | None = None
    ) -> "Corpus":
        """Read what `save` wrote, from a path or from an open file, which is called `name`."""
        name = name or (Path(path).name if isinstance(path, str | os.PathLike) else "the file")
        with open_npz(path, ("data", "indices", "indptr", "shape"), name) as file:
            counts = sparse_counts(file, file["shape"].ravel(), name)
            optional = {n: _of_kind(file[n], kinds, n, name) for n, kinds in KINDS.items() if n in file}
            for packed, ends in PACKED.items():
                if packed in file and ends in file:  # A foreign file may have an array of this name.
                    optional[packed] = np.array(list(packed_strings(file, packed, ends, name)), dtype=object)
            if "vectors" in file:
                optional["vectors"] = file["vectors"]
        return cls(counts=counts, source=name, checksum=checksum, **optional)

    def _rows(self) -> Any:
        return self.counts

    def _nouns(self) -> tuple[str, str]:
        return "document", "word"

    def _row_fields(self) -> tuple[str, ...]:
        return ("counts", "labels", "is_train", "texts", "names", "vectors")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset(Labelled):
    """Dense feature vectors with labels and a split, as `Corpus` has them for word counts."""

    X: NDArray[Any]
    """samples × features"""
    feature_names: NDArray[np.str_] | None = None
    groups: NDArray[Any] | None = None
    """who or what a sample came from, for splits that keep them together"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", array_of(self.X, "X", kinds=None))
        if self.X.ndim != 2:
            raise DataError(f"X must be samples × features; got shape {self.X.shape}.")
        if self.X.dtype.kind not in "iuf":
            raise DataError(f"X must be real numbers; got dtype {self.X.dtype}.")
        if np.issubdtype(self.X.dtype, np.floating) and not np.all(np.isfinite(self.X)):
            raise DataError("X holds NaN or infinities; fill or drop them first.")
        self._check()
        if self.feature_names is not None and len(self.feature_names) != self.X.shape[1]:
            raise DataError(f"there are {self.X.shape[1]} columns but {len(self.feature_names)} feature_names.")

    def _rows(self) -> Any:
        return self.X

    def _nouns(self) -> tuple[str, str]:
        return "row", "feature"

    def _row_fields(self) -> tuple[str, ...]:
        return ("X", "labels", "is_train", "groups")


def _vectors(values: Any) -> NDArray[np.float32]:
    array = array_of(values, "vectors")
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"vectors must be documents × numbers; got shape {array.shape}.")
    with np.errstate(over="ignore"):
        found = array.astype(np.float32)
    if not np.isfinite(found).all():
        raise DataError("vectors hold NaN, infinities or numbers above 3.4e38. Fill them, or drop their documents.")
    return found


def _vector(values: Any, name: str, kinds: str, what: str) -> NDArray[Any]:
    """One value per row or column. An empty list has no kind of its own."""
    array = array_of(values, name, kinds=None)
    if array.ndim != 1 or (array.size and array.dtype.kind not in kinds):
        raise DataError(f"{name} must be {what} in one dimension; got dtype {array.dtype} of shape {array.shape}.")
    if what == "strings" and array.dtype.kind == "O" and not all(isinstance(each, str | None) for each in array):
        raise DataError(f"{name} must be {what}; other objects came.")
    return array


def _of_kind(array: NDArray[Any], kinds: str, name: str, called: str) -> NDArray[Any]:
    if array.ndim != 1 or array.dtype.kind not in kinds:
        raise DataError(f"{called}: {name} must be one row of values; got {array.dtype}, shape {array.shape}.")
    return array


def write_npz(path: str | os.PathLike[str], arrays: dict[str, Any], *, comment: str = "") -> None:
    """Write one compressed .npz file, which is complete under its name or not there at all.

    A comment may say who wrote it. Archives have a place for one, and readers of arrays pass over it.
    """
    with replacing(path) as temporary:
        with temporary.open("wb") as file:
            np.savez_compressed(file, **arrays)
        if comment:
            with zipfile.ZipFile(temporary, "a") as archive:
                archive.comment = comment.encode()


@contextmanager
def open_npz(
    path: str | os.PathLike[str] | BinaryIO, needed: tuple[str, ...], called: str | None = None
) -> Iterator[NpzArrays]:
    """An .npz file without pickle that has the arrays needed, or an error that says what is wrong."""
    called = str(path) if called is None else called
    with Path(path).open("rb") if isinstance(path, str | os.PathLike) else nullcontext(path) as stream:
        file = NpzArrays(stream, called)
        missing = [name for name in needed if name not in file]
        if missing:
            raise DataError(f"{called} lacks {', '.join(missing)}; it has {', '.join(file.files)}.")
        yield file
