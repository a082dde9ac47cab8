"""Gives each public function and each method and parameter of each estimator odd values, and tells what came of it.

    python tests/robustness/campaign.py                               10 values of each argument
    python tests/robustness/campaign.py --group LSI --examples 100
    python tests/robustness/campaign.py --record results/reliability/bad_input.txt

Each group runs in a process of its own, with limits of time and memory per call. A call that ends this process, or
that no signal stops, is told as a fault, and the next process goes on with the call after it. The same versions of
the libraries give the same calls.
"""

import argparse
import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SECONDS = 30.0  # per call, on a busy machine
MIB = 2048  # more than the process has before the first call
HANGS_AFTER = 60.0  # seconds without a word, beyond those of a call: no signal reaches it
STARTS_WITHIN = 600.0  # seconds until the first call
MOST_RESTARTS = 20
FEW_THREADS = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "NUMBA_NUM_THREADS": "1"}
HEAD = f"{'group':<26}{'callables':>10}{'calls':>9}{'seconds':>9}{'refused':>9}{'results':>9}{'faults':>8}"


@dataclass
class Result:
    """What became of the calls of one group."""

    group: str
    kinds: Counter[str] = field(default_factory=Counter)
    callables: set[str] = field(default_factory=set)
    faults: dict[str, tuple[str, int]] = field(default_factory=dict)
    """by callable, argument and reason: the first value, and how many there were"""
    seconds: float = 0.0

    def add(self, kind: str, begun: dict[str, Any], reason: str) -> None:
        """Count a call."""
        self.kinds[kind] += 1
        self.callables.add(begun["case"])
        if kind == "fault":
            what, _, value = begun["what"].partition(" = ")
            first, times = self.faults.get(f"{what}: {reason}", (value, 0))
            self.faults[f"{what}: {reason}"] = (first, times + 1)

    def line(self) -> str:
        """A row of the table."""
        return _row(self.group, len(self.callables), self.seconds, self.kinds)

    def lines_of_faults(self) -> list[str]:
        """One line per fault, for people."""
        return [f"    {times} × {what} | first by: {value}" for what, (value, times) in self.faults.items()]


def _row(group: str, callables: int, seconds: float, kinds: Counter[str]) -> str:
    numbers = f"{callables:>10,}{kinds.total():>9,}{seconds:>9,.0f}"
    return f"{group:<26}{numbers}{kinds['refused']:>9,}{kinds['result']:>9,}{kinds['fault']:>8,}"


def run_group(group: str, examples: int, seconds: float = SECONDS, mib: int = MIB) -> Result:
    """Make all calls of a group, in as many processes after each other as it takes."""
    result, first, began = Result(group), 0, time.monotonic()
    for _ in range(MOST_RESTARTS):
        following = _run_worker(result, examples, first, seconds, mib)
        if following is None:
            break
        first = following
    else:
        result.add("fault", {"case": group, "what": f"{group} = "}, f"ended {MOST_RESTARTS} processes")
    result.seconds = time.monotonic() - began
    return result


def _run_worker(result: Result, examples: int, first: int, seconds: float, mib: int) -> int | None:
    """Read what one process tells; the number of the call from which to go on, or None where all are done."""
    command = [sys.executable, str(HERE / "worker.py"), result.group, *map(str, (examples, first, seconds, mib))]
    begun: dict[str, Any] | None = None
    ended = False
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **FEW_THREADS}
    ) as process:
        for line in _lines(process, seconds):
            told = json.loads(line)
            if "begins" in told:
                begun = told
            elif "number" in told and begun is not None:
                result.add(told["kind"], begun, told["reason"])
                begun = None
            ended = ended or "ended" in told
        process.kill()
        error = process.stderr.read().decode(errors="replace") if process.stderr else ""
    if ended:
        return None
    if begun is None:
        raise RuntimeError(f"the process of {result.group!r} ended between two calls:\n{error[-3000:]}")
    how = "hangs" if process.returncode == -9 else f"ends the process ({process.returncode})"
    result.add("fault", begun, f"{how}: {' '.join(error.split())[:300]}")
    return int(begun["begins"]) + 1


def _lines(process: subprocess.Popen[bytes], seconds: float) -> Iterator[bytes]:
    """The lines of a process, until it ends or is silent for too long."""
    assert process.stdout is not None
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


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    from robustness.groups import groups

    names = groups()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--examples", type=int, default=10, help="how many values of each argument")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the most that a call may take")
    parser.add_argument("--mib", type=int, default=MIB, help="the most memory that the calls of a group may add")
    parser.add_argument("--record", type=Path, help="a file for the table")
    given = parser.parse_args(arguments)
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    say(f"$ python tests/robustness/campaign.py --examples {given.examples}")
    say(HEAD)
    kinds: Counter[str] = Counter()
    callables, seconds = 0, 0.0
    for name in given.group:
        result = run_group(name, given.examples, given.seconds, given.mib)
        for line in (result.line(), *result.lines_of_faults()):
            say(line)
        kinds += result.kinds
        callables, seconds = callables + len(result.callables), seconds + result.seconds
    say(_row("all", callables, seconds, kinds))
    if given.record is not None:
        given.record.parent.mkdir(parents=True, exist_ok=True)
        given.record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if kinds["fault"] else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    sys.exit(main())
