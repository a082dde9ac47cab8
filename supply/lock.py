"""Writes the versions that are tested, and the hashes of their files: `make lock`, or `make lock UPGRADE=--upgrade`
for new versions.

constraints.txt       versions alone, for people: any build of torch will do
supply/locked.txt     the same versions with the hashes of all files of each release, for CI; all packages but torch,
                      which is in
supply/torch-cpu.txt  as it is built for the CPU, where pip is told where to find it, and in
supply/torch.txt      as the package index has it, with the CUDA libraries that it needs on Linux
supply/tools.txt      the tools of this folder, with hashes

torch stands in two files since pip prefers a file whose hash the index tells to a local one, and so CUDA to the CPU.

All of them hold for Python 3.10 and newer and for all platforms: a package that dropped an old Python is named twice,
with markers."""

import argparse
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
WITH_TORCH = ("torch==", "cuda-", "nvidia-", "triton==")
OLDEST_PYTHON = "3.10"


def main(arguments: list[str] | None = None) -> None:
    """Resolve, split and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions, not those that are there")
    upgrade = parser.parse_args(arguments).upgrade
    with tempfile.TemporaryDirectory() as folder:
        # Editable installs without build isolation need setuptools, which is no dependency of ours otherwise.
        setuptools = Path(folder, "setuptools.in")
        setuptools.write_text("setuptools>=77\n")
        releases = _resolved(
            ["pyproject.toml", "--extra", "dev", str(setuptools)], Path(folder), ROOT / "constraints.txt", upgrade
        )
    torch = next(pin for pin, _ in releases if pin.startswith("torch=="))
    pins = [pin for pin, _ in releases if not pin.startswith("setuptools==")]
    _write(
        ROOT / "constraints.txt", "What is tested. Any build of the same torch will do. Written by `make lock`.", pins
    )
    hashed = "with the hashes of all files of each release. Written by `make lock`."
    others = [_with_hashes(*release) for release in releases if not release[0].startswith(WITH_TORCH)]
    _write(HERE / "locked.txt", f"The packages of constraints.txt but torch, {hashed}", others)
    indexed = [_with_hashes(*release) for release in releases if release[0].startswith(WITH_TORCH)]
    _write(HERE / "torch.txt", f"torch and its CUDA libraries as the package index has them, {hashed}", indexed)
    cpu = sorted({*_cpu_hashes_so_far(torch), *_cpu_hashes_here(torch)} - set(dict(releases)[torch]))
    _write(
        HERE / "torch-cpu.txt", "torch as it is built for the CPU. Written by `make lock`.", [_with_hashes(torch, cpu)]
    )
    with tempfile.TemporaryDirectory() as folder:
        tools = _resolved(["supply/tools.in"], Path(folder), HERE / "tools.txt", upgrade)
    _write(HERE / "tools.txt", f"The tools of this folder, {hashed}", [_with_hashes(*tool) for tool in tools])


def _resolved(sources: list[str], folder: Path, earlier: Path, upgrade: bool) -> list[tuple[str, list[str]]]:
    """Pins with their markers, and the hashes of each; versions that an earlier file has stay where they can."""
    target = folder / "resolved.txt"
    if earlier.exists() and not upgrade:
        target.write_text(earlier.read_text(encoding="utf-8"), encoding="utf-8")
    command = ["uv", "pip", "compile", *sources, "--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes"]
    command += ["--no-header", "--no-annotate", "--quiet", "--native-tls", "--output-file", str(target)]
    subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return read_lock(target)


def read_lock(path: Path) -> list[tuple[str, list[str]]]:
    """The pins of a file, with their markers, and the hashes of each.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "locked.txt")
    >>> _ = file.write_text("h11==0.16.0 \\\\\\n    --hash=sha256:aa \\\\\\n    --hash=sha256:bb\\n")
    >>> read_lock(file)
    [('h11==0.16.0', ['sha256:aa', 'sha256:bb'])]
    """
    joined = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split("--hash=") for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [(" ".join(pin.split()), [one.strip() for one in hashes]) for pin, *hashes in lines]


def _cpu_hashes_so_far(pin: str) -> list[str]:
    """The hashes that an earlier lock has of this torch, since no one machine sees all of its builds."""
    path = HERE / "torch-cpu.txt"
    return dict(read_lock(path)).get(pin, []) if path.exists() else []


def _cpu_hashes_here(pin: str) -> list[str]:
    """The hash of the torch that pip takes on this machine, which is the build for the CPU where pip can find it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, pin]
        subprocess.run(command, check=True)
        return ["sha256:" + hashlib.sha256(file.read_bytes()).hexdigest() for file in Path(folder).iterdir()]


def _with_hashes(pin: str, hashes: list[str]) -> str:
    return " \\\n    ".join([pin, *("--hash=" + one for one in hashes)])


def _write(path: Path, heading: str, lines: list[str]) -> None:
    path.write_text("\n".join([f"# {heading}", *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
