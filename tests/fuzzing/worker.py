"""Runs cases of one target in a process of its own, under limits, and tells on its standard output what became of them.

The campaign starts it as `python worker.py TARGET SEED FIRST LAST SECONDS MIB`. It prints one JSON line before each
case and one after it, so that who reads them knows which case it was that ended or stopped the process.
"""

import faulthandler
import json
import logging
import resource
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzzing.minimal import minimal
from fuzzing.target import case_of, outcome_of
from fuzzing.targets import all_targets


def limit_memory(mib):
    """Let this process take so much more address space than it has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + mib * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def work(name, seed, first, last, seconds, mib, tell):
    """Run the cases from `first` to before `last`."""
    logging.disable()
    with tempfile.TemporaryDirectory(prefix="fuzzing-") as folder:
        subject = all_targets()[name].make(Path(folder))
        for number, content in enumerate(subject.seeds):
            outcome = outcome_of(subject, content, 60)
            if outcome.kind == "found" or (name != "records" and outcome.kind != "accepted"):
                raise AssertionError(f"good content {number} of {name!r} is not accepted: {outcome}")
        limit_memory(mib)
        for number in range(first, last):
            tell({"begins": number})
            outcome = outcome_of(subject, case_of(subject, name, seed, number), seconds)
            told = {"case": number, "kind": outcome.kind, "said": outcome.said, "where": outcome.where}
            tell(told)
        tell({"ended": True})


def shrink(name, seed, number, seconds, mib, target):
    """Write the smallest content to a file that fails as a case does."""
    logging.disable()
    with tempfile.TemporaryDirectory(prefix="fuzzing-") as folder:
        subject = all_targets()[name].make(Path(folder))
        limit_memory(mib)
        Path(target).write_bytes(minimal(subject, name, seed, number, seconds))


def _tell(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    faulthandler.enable()
    task, name, *rest = sys.argv[1:]
    if task == "work":
        seed, first, last, seconds, mib = rest
        work(name, int(seed), int(first), int(last), float(seconds), int(mib), _tell)
    else:
        seed, number, seconds, mib, target = rest
        shrink(name, int(seed), int(number), float(seconds), int(mib), target)
