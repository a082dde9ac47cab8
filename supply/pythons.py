"""Runs the quick tests with other Pythons and other versions of the packages, and keeps what came of it.

    python supply/pythons.py --python python3.12 --dependencies tested newest --keep results/reliability/pythons.txt

Each pair of a Python and a set of dependencies gets a virtual environment of its own, which is deleted afterwards. On
Linux, torch brings gigabytes of CUDA libraries where pip finds no build for the CPU."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHOWN = ("torch", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "stop-words")
DEPENDENCIES = ("tested", "newest", "oldest")


def main(arguments: list[str] | None = None) -> int:
    """Run the pairs one after another; the exit code is 1 where any of them failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="the interpreters, by name or path")
    parser.add_argument(
        "--dependencies", nargs="+", choices=DEPENDENCIES, default=["tested"], help="constraints.txt and so on"
    )
    parser.add_argument("--keep", type=Path, help="the record to which one paragraph per pair is added")
    parser.add_argument("--tests", nargs="+", default=[], help="files and folders of tests; all of them by default")
    parser.add_argument("--processes", type=int, default=2, help="how many processes run the tests")
    parsed = parser.parse_args(arguments)
    results = []
    for python in parsed.python:
        for dependencies in parsed.dependencies:
            with tempfile.TemporaryDirectory(prefix="wideangle-pythons-") as folder:
                said, ok = run_tests(python, dependencies, parsed.tests, parsed.processes, Path(folder))
            print(said, flush=True)
            if parsed.keep:
                parsed.keep.parent.mkdir(parents=True, exist_ok=True)
                with parsed.keep.open("a", encoding="utf-8") as file:
                    file.write(said + "\n")
            results.append(ok)
    return 0 if all(results) else 1


def run_tests(python: str, dependencies: str, tests: list[str], processes: int, folder: Path) -> tuple[str, bool]:
    """What to keep of one pair, and whether all tests passed."""
    version = _output([python, "-c", "import platform; print(platform.python_version())"]).strip()
    title = f"Python {version}, {dependencies} dependencies"
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    inside = str(folder / "venv" / "bin" / "python")
    constraints = _constraints(dependencies, folder)
    install = [inside, "-m", "pip", "install", "--quiet", "--constraint", str(constraints), "--editable", ".[test]"]
    installed = subprocess.run(install, cwd=ROOT, capture_output=True, text=True)
    if installed.returncode:
        errors = [line for line in installed.stderr.splitlines() if line.startswith("ERROR")]
        return f"{title}\n  could not be installed: {' '.join(errors)}", False
    command = ["-m", "pytest", "-q", "-n", str(processes), "-m", "not slow", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "TMPDIR": str(folder)}
    tested = subprocess.run([inside, *command], cwd=ROOT, capture_output=True, text=True, env=environment)
    lines = tested.stdout.splitlines()
    failures = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    last = re.sub(r"^=* ?| in [\d.]+s.*$", "", lines[-1]) if lines else tested.stderr.strip()
    said = [title, f"  {_versions(inside)}", f"  pytest -m 'not slow' {' '.join(tests)}".rstrip(), f"  {last}"]
    return "\n".join(said + [f"  {line}" for line in failures]), tested.returncode == 0


def _constraints(dependencies: str, folder: Path) -> Path:
    """The file that tells pip which versions to take."""
    if dependencies == "oldest":
        return ROOT / "constraints-oldest.txt"
    tested = ROOT / "constraints.txt"
    if dependencies == "tested":
        return tested
    # Another torch would be another gigabyte for each pair; a new one is tested when constraints.txt is renewed.
    torch = [line for line in tested.read_text(encoding="utf-8").splitlines() if line.startswith("torch==")]
    newest = folder / "newest.txt"
    newest.write_text("\n".join(torch) + "\n", encoding="utf-8")
    return newest


def _versions(python: str) -> str:
    code = f"from importlib.metadata import version\nfor name in {SHOWN}: print(name, version(name), sep='==')"
    return " ".join(_output([python, "-c", code]).split())


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    raise SystemExit(main())
