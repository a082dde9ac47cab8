"""The beginning of a model file: whether it is one, and what it says about itself.

It is read by the standard library alone, so that a command tells at once of a file that is no model. The packages that
load a model take seconds to import.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wideangle
from wideangle.exceptions import ModelFileError

__all__ = ["FORMAT", "KEY", "LONGEST_HEADER", "Header", "PathLike", "is_model_file", "read_header"]

FORMAT = 7  # of the JSON document. `load` refuses larger formats and converts smaller ones.
KEY = "wideangle"  # the name of that document in the file's metadata
LONGEST_HEADER = 100_000_000  # Readers of safetensors accept at most this many bytes.
METADATA = "__metadata__"  # where a safetensors file keeps what is no array
NAMES = "attached.documents_.names.ends"  # an array that has one number per document

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Header:
    """The JSON document of a model file, and its arrays by name. Nothing in them is checked but the format."""

    document: dict[str, Any]
    arrays: dict[str, Any]
    length: int = 0
    """bytes before the first array"""

    @property
    def n_documents(self) -> int | None:
        """How many documents the model carries; None where it carries none or does not say it."""
        try:
            return int(self.arrays[NAMES]["shape"][0])
        except (KeyError, IndexError, TypeError, ValueError):
            return None


def read_header(path: PathLike) -> Header:
    """What a model file begins with. A file that is no model, or one of a newer wideangle, raises `ModelFileError`."""
    where = Path(path)
    if where.exists() and not where.is_file() and not where.is_dir():
        raise ModelFileError(f"{path} is a pipe or a device, and a model is read from a file. Write it to one first.")
    try:
        metadata, arrays, length = _parts(where)
        if KEY not in metadata:
            raise ModelFileError(f"{path} is a safetensors file, but no model of wideangle; save one by model.save().")
        document = _mapping(json.loads(metadata[KEY]), "what it says of the model")
        number = document["format"]
    except ModelFileError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError, MemoryError) as error:
        raise damaged(path, error) from error
    if type(number) is not int or number < 1:
        raise ModelFileError(f"{path} has format {number!r}, which there never was. Fetch another copy.")
    if number > FORMAT:
        raise ModelFileError(
            f"{path} has format {number}, and wideangle {wideangle.__version__} reads up to {FORMAT}: "
            "upgrade wideangle."
        )
    return Header(document, arrays, length)


def is_model_file(path: PathLike) -> bool:
    """Whether a file says that it is a model of wideangle. It may be damaged nevertheless."""
    try:
        return KEY in _parts(Path(path))[0]
    except (ValueError, RecursionError, MemoryError):
        return False


def damaged(path: PathLike, error: Exception) -> ModelFileError:
    """What is said of a file that cannot be read as a model."""
    return ModelFileError(
        f"{path} cannot be read as a model ({error}): it is damaged, incomplete, or not from wideangle. "
        "Save the model again, or fetch another copy."
    )


def _parts(path: Path) -> tuple[dict[str, Any], dict[str, Any], int]:
    """The metadata, the arrays by name, and the bytes before these; ValueError where it is no safetensors file."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")  # The file begins with the length of its header.
        if not 2 <= length <= min(LONGEST_HEADER, os.fstat(file.fileno()).st_size - 8):
            raise ValueError("it does not begin as a safetensors file does")
        arrays = _mapping(json.loads(file.read(length)), "its header")
    return _mapping(arrays.pop(METADATA, {}), "its metadata"), arrays, 8 + length


def _mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no mapping of names to values")
    return value
