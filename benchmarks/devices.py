"""Does a GPU learn what a CPU learns? The Replicated Softmax with its defaults, with λ = 0 and without, on both.

    python benchmarks/devices.py --device cpu --out CPU.jsonl             fits here, one record per fit, added to a file
    python benchmarks/devices.py --device cuda --out CUDA.jsonl           the same on a GPU, perhaps of another machine
    python benchmarks/devices.py --compare CPU.jsonl CUDA.jsonl           means, deviations and t-tests of two files
    python benchmarks/devices.py --device cpu --held 10 --out HELD.jsonl  with the push of the regulariser held as long
                                                                          as a GPU holds it

P@k is precision at 100, at 10 for docstrings; "rarer half" is that of the rarer half of the classes. Seeds do not pair
across devices, for each draws its own random numbers, so that the test is Welch's over seeds, corrected for all lines
of the table. Test documents are the same on both sides. Save the docstrings once and name them in WIDEANGLE_DOCSTRINGS,
so that both machines see the same ones; the other sets are found by WIDEANGLE_DATA.

What differs by device besides the order of sums and the random numbers: for how many updates the push of the
regulariser is held, which follows from what its products cost there. Each record tells it ("held").
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from _records import Record, read_records, run_missing

from wideangle.diversity import HeldPush
from wideangle.evaluation import compare_runs, holm
from wideangle.experiments.jobs import Job
from wideangle.experiments.runner import run_job

SETTINGS: dict[str, Record] = {"λ = 0": {"diversity": 0.0}, "defaults": {}}
MEASURES = {"precision": "P@k", "rarer half": "rarer half", "mean angle": "mean angle"}


@contextmanager
def holding(updates: int | None) -> Iterator[list[int]]:
    """Have the push of the regulariser held for so many updates, or as many as usual. Gives the numbers that were."""
    usual, held = HeldPush.__init__, []

    def init(self: HeldPush, *given: Any, **named: Any) -> None:
        usual(self, *given, **named)
        self.updates_held = updates or self.updates_held
        held.append(self.updates_held)

    with mock.patch.object(HeldPush, "__init__", init):
        yield held


def run(job: Record) -> Record:
    """Fit one model and measure it."""
    settings = SETTINGS[job["which"]] | {"device": job["device"]} | job.get("settings", {})
    with holding(job["held for"]) as held:
        found = run_job(Job("documents", job["data"], "ReplicatedSoftmax", settings, job["seed"]), threads=1)
    if "failed" in found:
        raise RuntimeError(f"{job} failed: {found['failed']}")
    kept = {key: found[key] for key in ("measures", "checksum", "seconds", "made with")}
    return job | kept | {"held": held[0] if held else None}


def jobs_of(arguments: argparse.Namespace) -> list[Record]:
    whiches = ["defaults"] if arguments.held else list(SETTINGS)  # With λ = 0 there is no push to hold.
    parts = product(range(arguments.seeds), arguments.sets, whiches)
    common = {"device": arguments.device, "held for": arguments.held}
    return [common | {"data": data, "which": which, "seed": seed} for seed, data, which in parts]


def groups_of(records: list[Record]) -> dict[tuple[str, str], list[Record]]:
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record["data"], record["which"]), []).append(record)
    return groups


def values(records: list[Record], measure: str) -> Any:
    return np.array([record["measures"][measure] for record in records])


def print_table(records: list[Record]) -> None:
    """Mean and deviation over seeds."""
    for (data, which), mine in groups_of(records).items():
        cells = [f"{name} {_told(values(mine, key))}" for key, name in MEASURES.items()]
        seconds = np.mean([record["seconds"] for record in mine])
        print(f"{data}, {which}, {_made_on(mine)}, {len(mine)} seeds:", "; ".join(cells), f"; {seconds:.1f} s")


def print_comparison(one: list[Record], other: list[Record]) -> None:
    """Both sides, their difference and its p-value, by itself and among all lines."""
    ours, theirs = groups_of(one), groups_of(other)
    shared = [group for group in ours if group in theirs]
    lines = []
    for group, (measure, name) in product(shared, MEASURES.items()):
        sides = ours[group], theirs[group]
        if len({record["checksum"] for side in sides for record in side}) > 1:
            raise SystemExit(f"{group[0]} is not the same data on both sides: name the same file on both machines.")
        found = [values(side, measure) for side in sides]
        compared = compare_runs(found[1], found[0])
        told = " → ".join(f"{_made_on(side)} {_told(each)}" for side, each in zip(sides, found, strict=True))
        lines.append((f"{', '.join(group)}, {name}: {told}", compared))
    corrected = holm([compared.p_value for _, compared in lines])
    for (text, compared), p_value in zip(lines, corrected, strict=True):
        print(f"{text}, {compared.difference:+.4f}, p = {compared.p_value:.3f}, of all lines {p_value:.3f}")


def _told(found: Any) -> str:
    return f"{found.mean():.4f} ± {found.std(ddof=1) if len(found) > 1 else float('nan'):.4f}"


def _made_on(records: list[Record]) -> str:
    held = sorted({record["held"] for record in records} - {None})
    return f"{records[0]['device']}{f' (held {held[0]})' if held else ''}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--out", type=Path, help="file of records, one JSON object per line; added to")
    parser.add_argument("--sets", nargs="+", default=["docstrings", "reuters"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--held", type=int, help="updates for which the push is held (default: what the device has)")
    parser.add_argument("--workers", type=int, default=1, help="processes; small models leave a GPU idle")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    parser.add_argument("--compare", type=Path, nargs=2, metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="two seeds of few updates on docstrings, twice")
    arguments = parser.parse_args()
    if arguments.compare:
        print_comparison(*map(read_records, arguments.compare))
    elif arguments.quick:
        short = {"settings": {"max_updates": 20, "n_components": 10}}
        arguments.seeds, arguments.sets = 2, ["docstrings"]
        records = [run(job | short) for job in jobs_of(arguments)]
        print_table(records)
        print_comparison(records, records)
    elif arguments.out:
        run_missing(run, jobs_of(arguments), arguments.out, arguments.workers, arguments.minutes)
        print_table(read_records(arguments.out))
    else:
        parser.error("say where records go, --out FILE, or which to --compare")


if __name__ == "__main__":
    main()
