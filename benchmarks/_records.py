"""Runs whose results are kept: one JSON object per line, added to, so that a stopped benchmark goes on where it was.

Records that grow are plain files. `make pack` compresses them, and both are read by the name of the plain one.
"""

import json
import multiprocessing
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

from wideangle._json_lines import packed_name, read_lines, unpacked_name
from wideangle.experiments import provenance

Record = dict[str, Any]


def read_records(*paths: Path) -> list[Record]:
    """What the files hold; one that is not there holds nothing."""
    return [record for path in paths for record in read_lines(path, _any)]


def add_records(out: Path, records: Iterable[Record]) -> None:
    """Add records to a file. What is packed stays as it is: a reader gets both."""
    with unpacked_name(out).open("a", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()


def write_records(out: Path, records: Iterable[Record]) -> None:
    """Replace what a file holds, be it packed or not."""
    plain = unpacked_name(out)
    packed_name(plain).unlink(missing_ok=True)
    plain.unlink(missing_ok=True)
    add_records(plain, records)


def _any(record: Record) -> None:
    """Benchmarks differ in what a record must have."""


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
    if missing:
        add_records(out, [])  # Where nothing can be written, that is told before the first run.
    spawning = multiprocessing.get_context("spawn")
    with spawning.Pool(workers, maxtasksperchild=jobs_per_process) as pool:
        for done, record in enumerate(pool.imap_unordered(run, missing), start=1):
            add_records(out, [record])
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
