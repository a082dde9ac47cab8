"""How long do the commands take that use a model of many documents, and how much memory do they need?

    python benchmarks/large_models.py [--quick] [--documents 100000 1000000] [--only search info]

A model of the docstrings (50 components, 5,000 words) is fitted, and its documents are written again and again, each
copy a little elsewhere, until there are enough of them. Each command is a process of its own. "memory" is the largest
resident memory that it ever had, pages of the model file among them, and "grows" how much of that each document more
than in the small model costs. The floor is reading the file once. `explore` and `evaluate` take minutes.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from _large_models import enlarge, small_model

import wideangle

LOAD = "import sys, wideangle; wideangle.load(sys.argv[1])"
NEW = 200  # documents that are assigned
COMMANDS = ("load", "info", "topics", "search", "assign", "evaluate", "explore")
# A process that starts another one and tells the largest memory of that one: what this process once used is no matter.
MEASURE = """
import resource, subprocess, sys, time
began = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


class Measured(NamedTuple):
    """What a command took."""

    seconds: float
    bytes: int
    """the largest resident memory"""


def measured(command: str, model: Path, folder: Path) -> Measured:
    """Run a command on a model file in a process of its own."""
    new, page, table = (str(folder / name) for name in ("new.jsonl", "page.html", "table.csv"))
    arguments = {
        "load": ["-c", LOAD, str(model)],
        "search": ["-m", "wideangle", "search", str(model), "sparse matrix eigenvalues"],
        "assign": ["-m", "wideangle", "assign", str(model), new, "-o", table],
        "explore": ["-m", "wideangle", "explore", str(model), "-o", page],
    }.get(command, ["-m", "wideangle", command, str(model)])
    line = [sys.executable, "-c", MEASURE, sys.executable, *arguments]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    seconds, kilobytes = done.stdout.split()
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(float(seconds), int(kilobytes) * unit)


def read_seconds(path: Path) -> float:
    """How long it takes to read a file once."""
    began = time.perf_counter()
    with path.open("rb", buffering=0) as file:
        while file.read(2**24):
            pass
    return time.perf_counter() - began


def write_new_documents(small: Path, to: Path) -> None:
    """Texts of the small model as documents that are new to it."""
    documents = wideangle.load(small).documents_
    lines = [json.dumps({"id": f"new {row}", "text": documents.snippets[row]}) for row in range(NEW)]
    to.write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few documents, to see that all commands run")
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--only", choices=COMMANDS, nargs="+", help="some of the commands")
    asked = parser.parse_args()
    sizes = [7000] if asked.quick else asked.documents
    commands = asked.only or (["load", "info", "search"] if asked.quick else COMMANDS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = small_model(folder, *((5, 20) if asked.quick else ()))
        write_new_documents(small, folder / "new.jsonl")
        n_small = len(wideangle.load(small).documents_)
        least = {command: measured(command, small, folder) for command in commands}
        print(f"{'documents':>9} {'command':<10} {'seconds':>8} {'floor':>6} {'memory':>8} {'grows':>16}")
        for n in sizes:
            model = folder / f"{n}.wideangle"
            enlarge(small, model, n)
            floor = read_seconds(model)
            print(f"{n:>9,} a file of {model.stat().st_size / 1e6:,.0f} MB")
            for command in commands:
                found = measured(command, model, folder)
                grows = (found.bytes - least[command].bytes) / (n - n_small)
                print(
                    f"{n:>9,} {command:<10} {found.seconds:>7.1f}s {floor:>5.1f}s {found.bytes / 1e6:>5.0f} MB "
                    f"{grows:>6.0f} B/document",
                    flush=True,
                )
            model.unlink()


if __name__ == "__main__":
    main()
