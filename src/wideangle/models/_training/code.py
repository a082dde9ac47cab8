"""Which code fits: a checkpoint is of the code that wrote it, since other code may take other steps."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import scipy
import sklearn
import torch

import wideangle

ROOT = Path(wideangle.__file__).parent
# No fit enters these rooms, and a version is a number only: changes of them leave checkpoints as they are.
NOT_OF_FITS = (
    *("_version.py", "commands", "distributed", "experiments", "integrations", "report", "searching", "theory"),
)


@cache
def code_of_fits() -> dict[str, str]:
    """The versions of what computes, and a hash of our own code."""
    found = hashlib.sha256()
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT)
        if inside.parts[0] not in NOT_OF_FITS:
            found.update(f"\n{inside.as_posix()}\n".encode())
            found.update(path.read_bytes())
    others = {module.__name__: module.__version__ for module in (torch, np, scipy, sklearn)}
    return {
        "wideangle": f"{wideangle.__version__}, code {found.hexdigest()[:12]}",
        **{f"version of {name}": version for name, version in others.items()},
    }


def without_version(description: Mapping[str, str]) -> dict[str, str]:
    """The same description, of our package the hash alone: two versions whose fits have the same code are the same."""
    told = description.get("wideangle")
    return {**description} if told is None else {**description, "wideangle": told.rpartition(", ")[2]}
