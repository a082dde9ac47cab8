"""Models that are on this computer: folders, and what the hub's own programs have put into its cache.

Nothing is downloaded here. A fit that waits for a network would surprise, and one command gets a model.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from wideangle._optional import optional_import
from wideangle.exceptions import EncoderError

__all__ = ["local_model", "version_of"]

CHUNK = 2**20  # bytes read at a time
DIGITS = 12  # of a version
COMMIT = re.compile("[0-9a-f]{40}")  # The hub's cache keeps each commit in a folder of its name.
# What decides the vectors. The same model in other formats, and what is written about it, does not.
PARTS = {".safetensors", ".bin", ".json", ".txt", ".model", ".npy", ".npz"}


def local_model(model: str, kind: str, extra: str) -> tuple[Path, str]:
    """The folder of a model, and its name with its version."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        label = folder.resolve().name  # The whole path is nobody's business who gets a model file.
        files = sorted(file for file in folder.rglob("*") if file.suffix in PARTS and file.is_file())
        if not files:
            raise EncoderError(f"the folder {model} holds no model. Name the folder that {kind} saved one in.")
        return folder, f"{kind}:{label}@{version_of(files)}"
    if model.startswith((".", "/", "~")) or "\\" in model or model.count("/") > 1:
        raise EncoderError(f"there is no folder {model}. Check the path of the model.")
    hub = optional_import("huggingface_hub", extra=extra, purpose=f"the encoder {kind}")
    try:
        folder = Path(hub.snapshot_download(model, local_files_only=True))
    except (OSError, ValueError):
        raise EncoderError(
            f"the model {model} is not on this computer, and nothing is downloaded unasked. Get it where there is a "
            f"network: hf download {model}. Or name a folder: --encoder {kind}:FOLDER."
        ) from None
    version = folder.name[:DIGITS] if COMMIT.fullmatch(folder.name) else version_of(sorted(folder.rglob("*.*")))
    return folder, f"{kind}:{model}@{version}"


def version_of(files: Iterable[Path]) -> str:
    """Twelve digits that tell the contents of some files from others."""
    digest = hashlib.blake2b(digest_size=DIGITS // 2)
    for path in files:
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while piece := file.read(CHUNK):
                digest.update(piece)
    return digest.hexdigest()
