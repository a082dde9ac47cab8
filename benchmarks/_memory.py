"""The time and the most memory of a command, with those of the processes that it starts."""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PAGE = 4096
EVERY = 0.05  # seconds from look to look


class Used(NamedTuple):
    """What a command took."""

    seconds: float
    alone: int
    """the most bytes of its own process at a time, pages of mapped files included"""
    with_others: int
    """the same with all processes that it started"""
    output: str


def run_measured(command: Sequence[str]) -> Used:
    """Run a command to its end. An error ends the benchmark with what the command said."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    alone = together = 0
    while True:
        own = _resident(process.pid)
        alone, together = max(alone, own), max(together, own + sum(map(_resident, _started_by(process.pid))))
        try:
            output, said = process.communicate(timeout=EVERY)
            break
        except subprocess.TimeoutExpired:
            continue
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {said[-2000:]}")
    return Used(time.perf_counter() - began, alone, together, output)


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return 0


def _started_by(pid: int) -> list[int]:
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [found for child in children for found in (child, *_started_by(child))]
