"""How many of our files and functions does one job enter? What a reader must open to follow it.

    python benchmarks/walks.py [--job JOB] [--list] [--quick]

A function counts once, however often it is called; so does its file. Functions of one line that Python makes by itself
(comprehensions, lambdas, the bodies of modules and classes) are read where they stand and do not count. Each job runs
in a new process, after its imports, so that no cache of an earlier job hides a step.
"""

import argparse
import contextlib
import inspect
import io
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import wideangle

PACKAGE = Path(wideangle.__file__).parent


class Walk:
    """The functions of this package that run while it is active, in all threads."""

    def __init__(self) -> None:
        self.calls: Counter[CodeType] = Counter()

    def __enter__(self) -> "Walk":
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        # Bodies of modules and classes, comprehensions and lambdas have no name of their own.
        named = bool(code.co_flags & inspect.CO_OPTIMIZED) and not code.co_name.startswith("<")
        if event == "call" and named and code.co_filename.startswith(str(PACKAGE)):
            self.calls[code] += 1

    @property
    def files(self) -> Counter[str]:
        """The number of functions entered in each file."""
        return Counter(str(Path(code.co_filename).relative_to(PACKAGE)) for code in self.calls)


def fit() -> Callable[[], object]:
    """`ReplicatedSoftmax().fit(counts)`"""
    from wideangle.data import synthetic_corpus
    from wideangle.models import ReplicatedSoftmax

    counts = synthetic_corpus(300, 5, 60).corpus.counts
    return lambda: ReplicatedSoftmax(max_updates=200, random_state=0).fit(counts)


def transform() -> Callable[[], object]:
    """`transform` of the same model"""
    from wideangle.data import synthetic_corpus
    from wideangle.models import ReplicatedSoftmax

    counts = synthetic_corpus(300, 5, 60).corpus.counts
    model = ReplicatedSoftmax(max_updates=200, random_state=0).fit(counts)
    return lambda: model.transform(counts)


def regularizer() -> Callable[[], object]:
    """`MutualAngularRegularizer().penalty(model)` and its gradient"""
    import torch

    from wideangle import MutualAngularRegularizer

    model = torch.nn.Sequential(torch.nn.Linear(20, 10), torch.nn.ReLU(), torch.nn.Linear(10, 3))
    return lambda: MutualAngularRegularizer().penalty(model, weight=0.1).backward()


def command_fit() -> Callable[[], object]:
    """`wideangle fit reviews.csv`"""
    _reviews()
    return _command("fit reviews.csv --output another.wideangle")


def command_topics() -> Callable[[], object]:
    """`wideangle topics reviews.wideangle`"""
    return _after_fit("topics reviews.wideangle")


def command_search() -> Callable[[], object]:
    """`wideangle search reviews.wideangle "late delivery"`"""
    return _after_fit("search reviews.wideangle late delivery")


def command_explore() -> Callable[[], object]:
    """`wideangle explore reviews.wideangle`"""
    return _after_fit("explore reviews.wideangle --output page.html")


JOBS = {
    job.__name__.replace("_", " "): job
    for job in (fit, transform, regularizer, command_fit, command_topics, command_search, command_explore)
}


def walk_of(name: str) -> Walk:
    """The walk of a job. Its models are made and its imports are done before, by doing it once."""
    job = JOBS[name]()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        job()
        with Walk() as walk:
            job()
    return walk


def _command(line: str) -> Callable[[], object]:
    from wideangle.cli import main

    def run() -> None:
        if main(line.split()):
            raise SystemExit(f"wideangle {line} failed")

    return run


def _after_fit(line: str) -> Callable[[], object]:
    _reviews()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        _command("fit reviews.csv --output reviews.wideangle")()
    return _command(line)


def _reviews() -> None:
    """A table of 300 short texts of three kinds."""
    kinds = (
        "late delivery parcel courier broken box",
        "friendly staff quick refund helpful call",
        "battery screen dies",
    )
    rows = [f"{number},{kinds[number % 3]} {_words(number)}" for number in range(300)]
    Path("reviews.csv").write_text("id,review\n" + "\n".join(rows) + "\n", encoding="utf-8")


def _words(number: int) -> str:
    return " ".join(f"{stem}{number % (5 + step)}" for step, stem in enumerate(("order", "colour", "week", "price")))


def lines_of(name: str) -> Iterator[str]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        walk = walk_of(name)
        os.chdir(before)
    yield f"{name:<16} {len(walk.files):>5} {len(walk.calls):>10} {sum(walk.calls.values()):>8}"
    for file, count in walk.files.items():  # in the order in which they are entered first
        yield f"    {count:>3} {file}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--job", choices=JOBS, help="one job, in this process")
    parser.add_argument("--list", action="store_true", help="the files of each walk too, in their order")
    parser.add_argument("--quick", action="store_true", help="the fit alone")
    options = parser.parse_args()
    if options.job is not None:
        lines = list(lines_of(options.job))
        print("\n".join(lines if options.list else lines[:1]))
        return
    print(f"{'job':<16} {'files':>5} {'functions':>10} {'calls':>8}", flush=True)
    for name in ("fit",) if options.quick else JOBS:
        command = [sys.executable, __file__, "--job", name, *(["--list"] if options.list else [])]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
