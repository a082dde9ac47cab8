"""Tries the callables of one group in a process of its own, under limits, and tells what became of each call.

The campaign starts it as `python worker.py GROUP EXAMPLES FIRST SECONDS MIB`. It prints one JSON line before each call
and one after it, so that who reads them knows which call it was that ended or stopped the process.
"""

import faulthandler
import json
import logging
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from robustness.groups import cases_of
from robustness.judging import judged
from robustness.trying import trials


def limit_memory(mib: int) -> None:
    """Let this process take so much more address space than it has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + mib * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def work(group: str, examples: int, first: int, seconds: float, mib: int) -> None:
    """Make each call from number `first` on."""
    logging.disable()
    with tempfile.TemporaryDirectory(prefix="bad-input-") as folder:
        os.chdir(folder)  # A text may be taken for the name of a file.
        cases = cases_of(group)
        for case in cases:
            case.prepare()
            judged(lambda case=case: case.on({}, Path(folder)))  # What is loaded on first use takes memory of its own.
        limit_memory(mib)
        every = [trial for case in cases for trial in trials(case, examples)]
        for number, trial in enumerate(every[first:], start=first):
            tell({"begins": number, "case": str(trial.case), "what": str(trial)})
            verdict = trial.judged(Path(folder), seconds)
            tell({"number": number, "kind": verdict.kind, "reason": verdict.reason})
        tell({"ended": True})


def tell(line: dict[str, Any]) -> None:
    """Print one line, at once."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    faulthandler.enable()
    name, *numbers = sys.argv[1:]
    work(name, int(numbers[0]), int(numbers[1]), float(numbers[2]), int(numbers[3]))
