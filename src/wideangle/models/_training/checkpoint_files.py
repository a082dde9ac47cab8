"""Files of checkpoints: each is complete under its name or not there, and the one before it is kept beside it."""

import json
import os
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import safetensors.numpy

from wideangle._encoding import compact_json, digest
from wideangle._files import replacing
from wideangle.exceptions import CheckpointError, CheckpointWarning

KEY = "wideangle_checkpoint"
FORMAT = 2
ENDING = ".checkpoint"
BEFORE = ".before"  # what the name of the file before ends with


class Content(NamedTuple):
    """What a checkpoint holds."""

    path: Path
    """the file that it was read from"""
    document: dict[str, Any]
    arrays: dict[str, Any]


def write_checkpoint(path: Path, document: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write a file. The one that was there becomes the one before, when the new one is complete."""
    document = {"format": FORMAT} | document
    document["sha256"] = digest(document, arrays)
    content = safetensors.numpy.save(arrays, {KEY: compact_json(document)})
    with replacing(path) as temporary:
        temporary.write_bytes(content)
        if path.exists():
            os.replace(path, before(path))


def before(path: Path) -> Path:
    """The file before this one."""
    return path.with_name(path.name + BEFORE)


def newest_bytes(path: Path) -> bytes | None:
    """The bytes of the newest file that is whole, or None where there is none. What is passed over is told."""
    passed_over = []
    for candidate in (path, before(path)):
        if not candidate.exists():
            continue
        content = candidate.read_bytes()
        try:
            parse(candidate, content)
        except DamagedError as error:
            passed_over.append(f"{candidate} is damaged or cut short ({error})")
            continue
        _tell(passed_over, "The fit goes on from the checkpoint before it")
        return content
    _tell(passed_over, "There is no other checkpoint, and the fit begins anew")
    return None


class DamagedError(ValueError):
    """The bytes are not those of a whole checkpoint."""


def parse(path: Path, content: bytes) -> Content:
    """What these bytes of a file hold. `DamagedError`: they are not whole; `CheckpointError`: of another version."""
    try:
        size = int.from_bytes(content[:8], "little")
        document = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][KEY])
        if document["format"] == FORMAT:
            arrays = safetensors.numpy.load(content)
            expected = document.pop("sha256")
            if expected != digest(document, arrays):
                raise ValueError("its SHA-256 is not that of its content")
            _require_parts(document)
            return Content(path, document, arrays)
        found = int(document["format"])
    except MemoryError:  # The file may be whole.
        raise
    except Exception as error:  # What is damaged can raise any error.
        raise DamagedError(str(error) or type(error).__name__) from error
    raise CheckpointError(
        f"{path} has format {found}, and this version reads format {FORMAT}. Go on with the version that wrote it, or "
        "delete the file to begin anew."
    )


def _require_parts(document: dict[str, Any]) -> None:
    """Raise ValueError where one of the parts that each checkpoint has is missing or no such part."""
    description = document["description"]
    if not isinstance(description, dict) or not all(isinstance(value, str) for value in description.values()):
        raise ValueError("it does not say which fit it is of")
    if not {"seeds", "state"} <= document.keys():
        raise ValueError("it holds no state")


def checkpoints_in(folder: Path) -> list[Path]:
    """The files of a folder from which fits can go on."""
    return sorted(folder.glob(f"*{ENDING}*")) if folder.is_dir() else []


def _tell(passed_over: list[str], what_now: str) -> None:
    if passed_over:
        warnings.warn(f"{'; '.join(passed_over)}. {what_now}.", CheckpointWarning, stacklevel=2)
