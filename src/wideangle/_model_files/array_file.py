"""Arrays in a safetensors file, written and read a part at a time.

The package safetensors builds a file in memory before it is written, and copies each array that is read. A model of
millions of documents is larger than memory may be. The bytes of the file are those that safetensors writes.
"""

import json
import mmap
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors
from numpy.typing import NDArray

from wideangle._blocks import bytes_of
from wideangle._mapped import map_array
from wideangle._model_files.header import METADATA, Header

__all__ = ["header_of", "read_arrays", "write_arrays"]

# What safetensors calls each type, in the order in which it stores arrays. Wide types come first, so that every array
# begins at a multiple of the bytes that its numbers have.
TYPES = {
    "uint64": "U64",
    "int64": "I64",
    "float64": "F64",
    "float32": "F32",
    "uint32": "U32",
    "int32": "I32",
    "float16": "F16",
    "uint16": "U16",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}
PLACES = {name: place for place, name in enumerate(TYPES)}
NUMPY = {stored: name for name, stored in TYPES.items()}
MAPPED_FROM = 2**20  # Arrays of so many bytes stay in their file, if they belong to documents.
# A file that is mapped cannot be replaced on Windows, and `wideangle topics --rename` replaces the file that it read.
CAN_MAP = hasattr(mmap.mmap, "madvise") and sys.byteorder == "little"


def header_of(arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    """What a safetensors file begins with: the length of its header, and the header."""
    entries: dict[str, Any] = {METADATA: dict(metadata)}
    end = 0
    for name in _stored_order(arrays):
        array = arrays[name]
        begin, end = end, end + array.nbytes
        shape = [int(size) for size in array.shape]
        entries[name] = {"dtype": TYPES[array.dtype.name], "shape": shape, "data_offsets": [begin, end]}
    header = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # so that the arrays begin at a multiple of 8
    return len(header).to_bytes(8, "little") + header


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], header: bytes) -> None:
    """Write a file that begins with a header of `header_of`. Arrays may be in files themselves."""
    with path.open("wb") as file:
        file.write(header)
        for name in _stored_order(arrays):
            for part in bytes_of(arrays[name]):
                file.write(part.data)


def read_arrays(path: str | os.PathLike[str], header: Header, mapped: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file. Large ones whose names begin with `mapped` stay in the file, and cannot be written to."""
    with safetensors.safe_open(os.fspath(path), framework="numpy") as file:  # It checks the header.
        names = list(file.keys())
        large = [name for name in names if name.startswith(mapped) and _stays(header.arrays[name])]
        found = {name: file.get_tensor(name) for name in names if name not in large}
    for name in large:
        entry = header.arrays[name]
        where = header.length + int(entry["data_offsets"][0])
        found[name] = map_array(path, NUMPY[entry["dtype"]], tuple(entry["shape"]), offset=where)
    return found


def _stays(entry: dict[str, Any]) -> bool:
    begin, end = entry["data_offsets"]
    return CAN_MAP and entry["dtype"] in NUMPY and end - begin >= MAPPED_FROM


def _stored_order(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    return sorted(arrays, key=lambda name: (PLACES[arrays[name].dtype.name], name))
