"""Builds sdist and wheel into dist/, checks them, and uses the wheel where the repository is not: `make package`.

Both are built twice, in two folders, and have to have the same bytes; so has the wheel that the sdist builds. Their
README is that of long_description.py. The wheel is installed in a clean environment, with the versions of
constraints.txt, and its commands run in an empty folder."""

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email import message_from_bytes
from pathlib import Path

from long_description import for_index

ROOT = Path(__file__).parent.parent
SOURCES = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "src")
# Each runs in the folder that the ones before it wrote to.
COMMANDS = (
    ["--version"],
    ["demo"],
    ["info", "wideangle-demo/regularised.wideangle"],
    ["search", "wideangle-demo/regularised.wideangle", "random numbers"],
)


def main(arguments: list[str] | None = None) -> None:
    """Build, check, install and use."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the clean environment")
    parser.add_argument("--no-install", action="store_true", help="build and check only")
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="wideangle-package-") as name:
        folder = Path(name)
        sdist, wheel = build_twice(folder)
        check_contents(sdist, wheel)
        check_metadata(wheel)
        for tool in (["twine", "check", "--strict", str(sdist), str(wheel)], ["check_wheel_contents", str(wheel)]):
            subprocess.run([sys.executable, "-m", *tool], check=True)
        dist = ROOT / "dist"
        shutil.rmtree(dist, ignore_errors=True)
        dist.mkdir()
        shutil.copy(ROOT / "constraints.txt", dist)  # The image is built of this folder.
        for file in (sdist, wheel):
            shutil.copy(file, dist)
            print(f"dist/{file.name}: {file.stat().st_size:,} bytes")
        if not parsed.no_install:
            use(wheel, parsed.python, folder)


def build_twice(folder: Path) -> tuple[Path, Path]:
    """An sdist and a wheel, after a second build has given the same bytes."""
    first, second = (_built(folder / name) for name in ("one", "two"))
    unpacked = folder / "unpacked"
    with tarfile.open(first[0]) as archive:
        archive.extractall(unpacked)  # our own archive, built above
    from_sdist = _build(next(unpacked.iterdir()), "--wheel", folder / "three")
    for one, other in ((first[0], second[0]), (first[1], second[1]), (first[1], from_sdist)):
        if one.read_bytes() != other.read_bytes():
            raise SystemExit(f"{one} and {other} differ. The same sources must give the same bytes.")
    return first


def _built(folder: Path) -> tuple[Path, Path]:
    """An sdist and a wheel of a copy of the sources, in which no earlier build has left anything."""
    copy = folder / "sources"
    copy.mkdir(parents=True)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, copy)
    readme = copy / "README.md"
    readme.write_text(for_index(readme.read_text(encoding="utf-8")), encoding="utf-8")
    sdist = _build(copy, "--sdist", folder)
    _without_times(sdist)
    return sdist, _build(copy, "--wheel", folder)


def _without_times(sdist: Path) -> None:
    """Write an sdist anew with the time of the sources for each file: setuptools keeps the times at which it made
    them."""
    time = int(_time_of_the_sources())
    plain = sdist.with_suffix("")
    with tarfile.open(sdist) as old, tarfile.open(plain, "w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "", ""
            member.mode = 0o644 if member.isfile() else 0o755
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with sdist.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=time) as packed:
        packed.write(plain.read_bytes())
    plain.unlink()


def _build(sources: Path, kind: str, folder: Path) -> Path:
    # Without isolation the build takes setuptools of this environment, which is locked by its hash.
    command = [sys.executable, "-m", "build", "--no-isolation", kind, "--outdir", str(folder), str(sources)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": _time_of_the_sources()}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    (built,) = folder.glob("*.tar.gz" if kind == "--sdist" else "*.whl")
    return built


def _time_of_the_sources() -> str:
    """SOURCE_DATE_EPOCH as given, or the time of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return given
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def check_contents(sdist: Path, wheel: Path) -> None:
    """The wheel has each file of the package and nothing besides; the sdist has no tests and no results."""
    package = ROOT / "src" / "wideangle"
    files = {file.relative_to(package.parent).as_posix() for file in package.rglob("*") if file.is_file()}
    expected = {name for name in files if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if not re.match(r"wideangle-[^/]*\.dist-info/", name)}
    if found != expected:
        raise SystemExit(
            f"{wheel.name} lacks {sorted(expected - found)} and should not have {sorted(found - expected)}. "
            "See [tool.setuptools.package-data] in pyproject.toml."
        )
    with tarfile.open(sdist) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    unwanted = tops - {*SOURCES, "PKG-INFO", "setup.cfg"}
    if unwanted:
        raise SystemExit(f"{sdist.name} should not have {sorted(unwanted)}. See MANIFEST.in.")


def check_metadata(wheel: Path) -> None:
    """The wheel has the version of its name, the licence, the command, and types; what it says of itself has no dead
    links."""
    version = wheel.name.split("-")[1]
    info = f"wideangle-{version}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        metadata = message_from_bytes(archive.read(f"{info}/METADATA"))
        commands = archive.read(f"{info}/entry_points.txt").decode()
        present = set(archive.namelist())
    description = str(metadata.get_payload())
    expected = {
        "the version": metadata["Version"] == version,
        "the licence": metadata["License-Expression"] == "BSD-3-Clause" and f"{info}/licenses/LICENSE" in present,
        "the command": "wideangle = wideangle.cli:main" in commands,
        "py.typed": "wideangle/py.typed" in present and "Typing :: Typed" in metadata.get_all("Classifier", []),
        "a long description": metadata["Description-Content-Type"] == "text/markdown" and len(description) > 1000,
        "links that lead somewhere": for_index(description) == description,
    }
    lacking = [what for what, is_there in expected.items() if not is_there]
    if lacking:
        raise SystemExit(f"{wheel.name} lacks {', '.join(lacking)}. See [project] in pyproject.toml.")


def use(wheel: Path, python: str, folder: Path) -> None:
    """Install the wheel in an environment of its own, and run commands in an empty folder."""
    subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
    inside = str(folder / "venv" / "bin" / "python")
    constraints = str(ROOT / "constraints.txt")
    install = [inside, "-m", "pip", "install", "--quiet", "--constraint", constraints, str(wheel)]
    subprocess.run(install, cwd=folder, check=True)
    subprocess.run([inside, "-m", "pip", "check"], cwd=folder, check=True)
    empty = folder / "empty"
    empty.mkdir()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "WIDEANGLE"))}
    where = "import wideangle; print(wideangle.__file__)"
    found = subprocess.run(
        [inside, "-c", where], cwd=empty, env=environment, check=True, capture_output=True, text=True
    )
    if not found.stdout.startswith(str(folder / "venv")):
        raise SystemExit(f"The installed package should be used, but this one was: {found.stdout.strip()}")
    for command in COMMANDS:
        print("wideangle", *command, flush=True)
        subprocess.run([folder / "venv" / "bin" / "wideangle", *command], cwd=empty, env=environment, check=True)


if __name__ == "__main__":
    main()
