"""What a fit was made of and on: versions, machine, time and memory."""

import contextlib
import hashlib
import platform
import time
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import wideangle

__all__ = ["code_digest", "made_with", "measuring", "peak_gigabytes"]

PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@cache
def code_digest(root: Path = Path(wideangle.__file__).parent) -> str:
    """A short hash of the package's code: two records with the same one were made by the same code."""
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        found.update(path.relative_to(root).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


def made_with(device: str) -> dict[str, Any]:
    """Versions of what decides the result, and the machine. The runner adds the hash of the code of the fit."""
    import torch

    found: dict[str, Any] = {"wideangle": wideangle.__version__, "code": code_digest()}
    found["python"] = platform.python_version()
    for package in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    name = torch.cuda.get_device_name() if device == "cuda" else platform.processor() or platform.machine()
    return found | {"device": device, "machine": name}


@contextlib.contextmanager
def measuring() -> Iterator[dict[str, float | None]]:
    """Give a dictionary that holds, in the end, the seconds and the peak memory of what was done, in gigabytes."""
    import torch

    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    with contextlib.suppress(OSError):
        _RESET.write_text("5")  # Linux forgets the earlier peak of this process.
    found: dict[str, float | None] = {}
    began = time.perf_counter()
    yield found
    found["seconds"] = time.perf_counter() - began
    found["GB"] = peak_gigabytes()
    found["GPU GB"] = torch.cuda.max_memory_allocated() / 2**30 if cuda else None


def peak_gigabytes() -> float | None:
    """The most memory of this process; None where the system does not tell."""
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**20  # It is told in kilobytes.
    return None
