"""Runs whose results are kept: one JSON object per line, added to, so that a stopped benchmark goes on where it was."""

import json
import multiprocessing
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

from wideangle.experiments import provenance

Record = dict[str, Any]


def read_records(*paths: Path) -> list[Record]:
    """What the files hold; one that is not there holds nothing."""
    return [json.loads(line) for path in paths if path.exists() for line in path.read_text().splitlines()]


def run_missing(
    run: Callable[[Record], Record],
    jobs: Iterable[Record],
    out: Path,
    workers: int = 1,
    minutes: float = 1e9,
    jobs_per_process: int | None = None,
) -> bool:
    """Run the jobs that have no record in `out` yet, in processes of their own, and add theirs.

    False where the minutes were up before all had been run. With one job per process, the peak memory of a process is
    that of its job.
    """
    began, known = time.perf_counter(), read_records(out)
    missing = [job for job in jobs if not any(all(r.get(k) == v for k, v in job.items()) for r in known)]
    spawning = multiprocessing.get_context("spawn")
    with spawning.Pool(workers, maxtasksperchild=jobs_per_process) as pool, out.open("a") as file:
        for done, record in enumerate(pool.imap_unordered(run, missing), start=1):
            file.write(json.dumps(record) + "\n")
            file.flush()
            if time.perf_counter() - began > 60 * minutes and done < len(missing):
                pool.terminate()
                return False
    return True


def made_with(checksum: str | None) -> Record:
    """What a run was made of and on: the data's checksum, versions, the machine and the peak memory of the process."""
    on_gpu = torch.cuda.is_available()
    found = {"checksum": checksum} | provenance.made_with("cuda" if on_gpu else "cpu")
    return found | {
        "GB": provenance.peak_gigabytes(),
        "GPU GB": torch.cuda.max_memory_allocated() / 2**30 if on_gpu else None,
    }
