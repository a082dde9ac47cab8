"""Arrays of .npz files as others may have written or damaged them: what is wrong is told before memory is asked for.

NumPy reserves as much memory as the header of an array asks for, whatever the file holds, and SciPy's compiled code
takes the numbers of a sparse matrix for granted. Both are therefore looked at here first.
"""

import errno
import math
import os
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.documents import Strings
from wideangle.exceptions import DataError

__all__ = ["NpzArrays", "check_places", "checked_matrix", "packed_strings", "sparse_counts"]

MOST_COLUMNS = 2**26  # Numbers of all columns are in memory while rows are read and a model is fitted.
LARGEST_CHARACTER = 0x10FFFF
PLACES = ("indices", "indptr", "row", "col", "coords", "offsets", "shape")
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class NpzArrays(Mapping[str, NDArray[Any]]):
    """The arrays of an open .npz file by name. What cannot be read without pickle, or is damaged, raises `DataError`.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from wideangle.data.npz_arrays import NpzArrays
    >>> file = io.BytesIO()
    >>> np.savez(file, X=[1, 2])
    >>> arrays = NpzArrays(file, "my file")
    >>> list(arrays), arrays["X"].tolist()
    (['X'], [1, 2])
    """

    def __init__(self, stream: BinaryIO, called: str) -> None:
        self._called = called
        try:
            self._archive = zipfile.ZipFile(stream)
        except OSError:
            raise
        except Exception as error:  # A damaged archive may raise anything.
            raise DataError(f"{called} {self._foreign(stream)}") from error
        self._length = stream.seek(0, os.SEEK_END)
        self._members = {info.filename.removesuffix(".npy"): info for info in self._archive.infolist()}

    @staticmethod
    def _foreign(stream: BinaryIO) -> str:
        stream.seek(0)
        if stream.read(6) == b"\x93NUMPY" and len(stream.read(16)) == 16:
            return "holds a single array (.npy). Save it by its name: numpy.savez(path, X=array)."
        return "cannot be read as .npz: it is damaged or something else. Save it again."

    @property
    def files(self) -> list[str]:
        """The names of the arrays."""
        return list(self._members)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, name: str) -> NDArray[Any]:
        info = self._members[name]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about headers that Python 2 wrote, which can be read
                array = self._read(info)
        except DataError:
            raise
        except Exception as error:  # A damaged member may raise anything, a jump to nowhere among it.
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise
            raise DataError(f"{self._called}: the array {name!r} is damaged. Save it again.") from error
        if array.dtype.kind == "U" and array.size and _codes(array).max() > LARGEST_CHARACTER:
            raise DataError(f"{self._called}: the array {name!r} holds what is no character. Save it again.")
        return array

    def _read(self, info: zipfile.ZipInfo) -> NDArray[Any]:
        if info.compress_size > self._length:
            raise ValueError(f"{info.compress_size} bytes in a file of {self._length}")
        with self._archive.open(info) as member:
            version = np.lib.format.read_magic(member)
            shape, _, dtype = HEADERS[version](member)
            if dtype.hasobject:
                raise DataError(
                    f"{self._called} holds an array of objects. Save numbers and fixed-width strings, not objects."
                )
            size = math.prod(shape) * dtype.itemsize
            if min(shape, default=0) < 0 or member.tell() + size != info.file_size:
                raise ValueError(f"{info.file_size} bytes for an array of shape {shape}")
        with self._archive.open(info) as member:
            array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        return array


def _codes(array: NDArray[Any]) -> NDArray[np.uint32]:
    """The numbers of the characters of an array of strings."""
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return native.reshape(-1).view(np.uint32)


def packed_strings(arrays: Mapping[str, NDArray[Any]], name: str, ends_of: str, called: str) -> Strings:
    """Strings that were packed into two arrays, after a look at whether they can be unpacked."""
    content, ends = arrays[name], arrays[ends_of]
    whole = content.ndim == ends.ndim == 1 and content.dtype == np.uint8 and ends.dtype.kind in "iu"
    if whole and len(ends):
        whole = int(ends[0]) >= 0 and int(ends[-1]) == len(content) and not (ends[1:] < ends[:-1]).any()
    elif whole:
        whole = not len(content)
    if whole:
        try:
            content.tobytes().decode()
        except UnicodeDecodeError:
            whole = False
    # A byte that begins with these bits is the second or a later one of a character.
    if not whole or (content[ends[ends < len(content)]] & 0xC0 == 0x80).any():
        raise DataError(f"{called}: the strings {name!r} are damaged. Save it again.")
    return Strings(content, ends.astype(np.int64, copy=False))


def sparse_counts(arrays: Mapping[str, NDArray[Any]], shape: Any, called: str) -> sp.csr_array:
    """The matrix of the arrays data, indices and indptr, after a look at whether they belong together."""
    check_places(arrays, called)
    try:
        sizes = tuple(int(size) for size in shape)
        found = sp.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=sizes)
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(f"{called} holds no whole sparse matrix ({error}). Save it again.") from error
    return checked_matrix(found, called)


def check_places(arrays: Mapping[str, NDArray[Any]], called: str) -> None:
    """Raise `DataError` where the arrays that say where the numbers of a sparse matrix stand are no whole numbers."""
    for name in PLACES:
        if name in arrays and (arrays[name].ndim not in (1, 2) or arrays[name].dtype.kind not in "iu"):
            raise DataError(f"{called}: {name} must be whole numbers; got {arrays[name].dtype}. Save it again.")


def checked_matrix(matrix: Any, called: str) -> sp.csr_array:
    """A sparse matrix that came out of a file, as CSR. Compiled code of SciPy would follow wrong indices anywhere."""
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise DataError(f"{called}: rows × columns of numbers are wanted; got {matrix.dtype}, shape {matrix.shape}.")
    if matrix.shape[1] > MOST_COLUMNS:
        raise DataError(f"{called} has {matrix.shape[1]:,} columns; at most {MOST_COLUMNS:,} can be read.")
    try:
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
            # SciPy looks at neither an empty matrix nor differences that are too large for their type.
            ends = matrix.indptr.astype(np.int64)
            if ends[0] != 0 or ends[-1] != len(matrix.indices) or (ends[1:] < ends[:-1]).any():
                raise ValueError("rows end in the wrong order")
        return sp.csr_array(matrix)
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(f"{called} holds no whole sparse matrix ({error}). Save it again.") from error
