"""Fuzzes what wideangle reads, each kind of content in a process of its own with limits of time and memory per case.

    python tests/fuzzing/campaign.py                                  10,000 cases of each target
    python tests/fuzzing/campaign.py --target CSV npz --cases 500     some of them
    python tests/fuzzing/campaign.py --target CSV --case 17           one case again, with what became of it
    python tests/fuzzing/campaign.py --record results/reliability/fuzzing.txt

    python tests/fuzzing/campaign.py --found FOLDER                   writes the smallest content of each finding

The same seed gives the same cases with the same versions of the libraries that write the good content.
"""

import argparse
import json
import os
import re
import selectors
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))

from fuzzing.targets import all_targets  # noqa: E402

HANGS_AFTER = 60.0  # seconds without a word: a case that no signal reaches
STARTS_WITHIN = 300.0  # seconds until the first case
MOST_RESTARTS = 50
FEW_THREADS = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "NUMBA_NUM_THREADS": "1"}


@dataclass
class Result:
    """What became of the cases of one target."""

    name: str
    kinds: Counter = field(default_factory=Counter)
    found: dict = field(default_factory=dict)
    """by place: the number of the first case, how many there are, and what it said"""
    seconds: float = 0.0

    def add(self, number, kind, said="", where=""):
        self.kinds[kind] += 1
        if kind == "found":
            first, times, text = self.found.get(where, (number, 0, said))
            self.found[where] = (first, times + 1, text)

    def line(self):
        cases, kinds = sum(self.kinds.values()), self.kinds
        return (
            f"{self.name:<26}{cases:>8,}{self.seconds:>9.0f}{kinds['refused']:>10,}{kinds['accepted']:>10,}"
            f"{kinds['found']:>7,}"
        )


def run_target(name, seed, cases, seconds, mib):
    """Run the cases of a target, in as many processes after each other as it takes."""
    result, first, began = Result(name), 0, time.monotonic()
    for _ in range(MOST_RESTARTS):
        first = _run_worker(result, seed, first, cases, seconds, mib)
        if first >= cases:
            break
    result.seconds = time.monotonic() - began
    return result


def _run_worker(result, seed, first, last, seconds, mib):
    """Read what one process tells, and give the number of the case from which to go on."""
    command = [sys.executable, str(HERE / "worker.py"), "work", result.name]
    command += [str(seed), str(first), str(last), str(seconds), str(mib)]
    environment = {**os.environ, **FEW_THREADS}
    running, ended = None, False
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        lines = _lines(process, seconds)
        for line in lines:
            told = json.loads(line)
            if "begins" in told:
                running = told["begins"]
            elif "case" in told:
                result.add(told["case"], told["kind"], told["said"], told["where"])
                running, first = None, told["case"] + 1
            ended = ended or "ended" in told
        process.kill()
        error = process.stderr.read().decode(errors="replace")
    if ended:
        return last
    if running is None:
        raise RuntimeError(f"the process of {result.name!r} ended between two cases:\n{error[-3000:]}")
    how = "hangs" if process.returncode == -9 else f"ends the process ({process.returncode})"
    result.add(running, "found", f"{how}: {error[-400:]}", f"{how} {_last_of_ours(error)}")
    return running + 1


def _lines(process, seconds):
    """The lines of a process, until it ends or is silent for too long."""
    patience, held = STARTS_WITHIN, b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(patience):
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                process.wait()
                return
            *whole, held = (held + piece).split(b"\n")
            yield from whole
            patience = HANGS_AFTER + seconds


def _last_of_ours(error):
    """The innermost line of our own code that faulthandler names."""
    found = re.search(r'File "[^"]*/wideangle/([^"]+)", line (\d+)', error)
    return f"{found[1]}:{found[2]}" if found else ""


def write_findings(result, folder, seed, seconds, mib):
    """One file per place at which something goes wrong, with the smallest content that shows it."""
    for place, (number, times, said) in result.found.items():
        name = re.sub(r"\W+", "-", f"{result.name} {place}").strip("-")[:100]
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.bin"
        command = [sys.executable, str(HERE / "worker.py"), "shrink", result.name, str(seed), str(number)]
        subprocess.run(
            [*command, str(seconds), str(mib), str(path)],
            env={**os.environ, **FEW_THREADS},
            stderr=subprocess.DEVNULL,
            timeout=600,
            check=False,
        )
        told = {"target": result.name, "seed": seed, "case": number, "times": times, "where": place, "said": said}
        with (folder / "found.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")


def one_case(name, seed, number, seconds):
    """What becomes of one case, in this process and without limits of memory."""
    import tempfile

    from fuzzing.target import case_of, outcome_of

    with tempfile.TemporaryDirectory() as folder:
        subject = all_targets()[name].make(Path(folder))
        content = case_of(subject, name, seed, number)
        return content, outcome_of(subject, content, seconds)


HEAD = f"{'target':<26}{'cases':>8}{'seconds':>9}{'refused':>10}{'accepted':>10}{'found':>7}"


def main(arguments=None):
    names = list(all_targets())
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--cases", type=int, default=10_000, help="how many of each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="run this one alone, here, and print what became of it")
    parser.add_argument("--seconds", type=float, default=10.0, help="the most that a case may take")
    parser.add_argument("--mib", type=int, default=1024, help="the most memory that a case may take")
    parser.add_argument("--found", type=Path, help="a folder for the smallest content of each finding")
    parser.add_argument("--record", type=Path, help="a file to which the table is added as it grows")
    given = parser.parse_args(arguments)
    if given.case is not None:
        content, outcome = one_case(given.target[0], given.seed, given.case, given.seconds)
        _say(f"{content[:500]!r}\n{outcome}")
        return 0
    _say(HEAD, given.record)
    any_found = False
    for name in given.target:
        result = run_target(name, given.seed, given.cases, given.seconds, given.mib)
        _say(result.line(), given.record)
        if given.found is not None:
            write_findings(result, given.found, given.seed, given.seconds, given.mib)
        for place, (number, times, said) in result.found.items():
            any_found = True
            _say(f"    {times} × {place}, first in case {number}: {' '.join(said.split())[:300]}")
    return 1 if any_found else 0


def _say(line, record=None):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
    if record is not None:
        record.parent.mkdir(parents=True, exist_ok=True)
        with record.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
