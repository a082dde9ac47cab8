"""What does the distance of halves add at each granularity, to our model and to the baselines, and what does λ add?

    python benchmarks/granularity.py --folds OUT.jsonl       folds of the training documents: λ, hardness and power
    python benchmarks/granularity.py --test OUT.jsonl        the test documents, at every granularity
    python benchmarks/granularity.py --baselines OUT.jsonl   the same for LSI, NMF, LDA, DocNADE and paragraph vectors
    python benchmarks/granularity.py --few OUT.jsonl         few documents: 50 to 3,000, each asks for the others
    python benchmarks/granularity.py --table FILE…           P@k of what is in files
    python benchmarks/granularity.py --chosen FOLDS.jsonl    what the folds say about hardness and power
    python benchmarks/granularity.py --cost [--rows N]       the share of a fit that the distance takes

One fit is measured with each finish: "plain" is the Euclidean distance of centred probabilities (of a baseline, the
cosine of what it gives), "halves" and "spectrum" the two finishes at granularities from 0 (details) to 1 (groups). P@k
with k = 100, and 10 for the classes of the docstrings; "rarer half" is the mean over the rarer half of the classes.
"broad" are the 7 top-level groups of 20-News, the 6 packages of the docstrings, and the two large classes of Reuters
against the rest. 20news/4, tdt2/10, tdt2/5 and reuters/4 are corpora with broad classes alone. Needs the data sets
(WIDEANGLE_DATA).
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _corpora import BROAD_SETS, SETS, Split, split
from _records import made_with, read_records, run_missing
from numpy.typing import NDArray

from wideangle.catalogue import UPDATES, entry_of
from wideangle.evaluation import class_table, head_and_tail, nearest_rows, precision_among
from wideangle.finishing import distances, finished, granularity
from wideangle.models import ReplicatedSoftmax

GRANULARITIES = (0.0, 0.25, 0.5, 0.75, 1.0)
LAMBDAS = (0.1, 0.0, 0.3)
SEEDS = 3
TRIED = tuple(product((0.125, 0.25, 0.5, 1.0), (0.0, 0.25, 0.5, 1.0)))  # hardness and power, on folds
BASELINES = ("LSI", "NMF", "DocNADE", "ParagraphVector", "LDA")
FEW = (50, 100, 300, 1000, 3000)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one model and measure it with each finish."""
    torch.set_num_threads(1)
    parts = split(job["data"], job.get("fold"), job.get("n"))
    model = entry_of(job["estimator"]).load()(job["K"], random_state=job["seed"], **job["settings"])
    model.set_params(finish=None)
    began = time.perf_counter()
    model.fit(parts.train)
    seconds = time.perf_counter() - began
    found = among(model, parts, job["seed"]) if job.get("few") else asked(model, parts, "fold" in job)
    return job | {"seconds": seconds, "found": found} | made_with(parts.checksum)


def asked(model: Any, parts: Split, on_folds: bool) -> dict[str, Any]:
    """Test documents ask for training documents: P@k and rarer half, by the name of the finish and the classes."""
    found = precision(parts, [dense(model.transform(X)) for X in (parts.train, parts.test)], "plain")
    for finish in ("halves", "spectrum"):
        model.set_params(finish=finish).learn_distance(parts.train)
        said = [model._said(model._checked(X, reset=False)) for X in (parts.train, parts.test)]
        for g in GRANULARITIES:
            found |= precision(parts, [model._finished(each, g) for each in said], f"{finish} {g:g}")
        if on_folds and finish == "halves":
            for hardness, power in TRIED:
                with_shape(hardness, power)
                model.learn_distance(parts.train)
                rows = [model._finished(each, 0.0) for each in said]
                found |= precision(parts, rows, f"hardness {hardness:g}, power {power:g}")
            with_shape()
    return found


def with_shape(hardness: float | None = None, power: float | None = None) -> None:
    """Let granularity 0 stand for another hardness and power; without them, for what it is."""
    distances.distance_of.cache_clear()
    setattr(finished, "hardness", granularity.hardness if hardness is None else lambda _: hardness)  # noqa: B010
    setattr(distances, "signal_power", granularity.signal_power if power is None else lambda _: power)  # noqa: B010


def among(model: ReplicatedSoftmax, parts: Split, seed: int) -> dict[str, Any]:
    """Each of few training documents asks for the others: P@5, as a mean over all of them."""
    labels = parts.train_labels["own"]
    found = {"plain": float(precision_among(model.transform(parts.train), labels, 5).mean())}
    model.set_params(finish="halves").learn_distance(parts.train)
    said = model._said(model._checked(parts.train, reset=False))
    for g in GRANULARITIES:
        found[f"halves {g:g}"] = float(precision_among(model._finished(said, g), labels, 5).mean())
    # What the halves taught is taken away, all else stays: the softened probabilities at unit length, from their mean.
    eye = {g: distances.distance_of(model.halves_, "halves", g)[0] for g in GRANULARITIES}
    for g, middle in eye.items():
        rows = finished.shaped(said, model._centre_of_logits(), g) - middle
        found[f"untaught {g:g}"] = float(precision_among(finished.unit_rows(rows), labels, 5).mean())
    return found


def dense(rows: Any) -> NDArray[Any]:
    """Rows at unit length, so that Euclidean distance ranks as the cosine does."""
    return finished.unit_rows(np.asarray(rows, dtype=np.float64))


def precision(parts: Split, rows: Sequence[NDArray[Any]], how: str) -> dict[str, list[float]]:
    """P@k and the rarer half, for each kind of classes."""
    train, test = rows
    results = {}
    near = nearest_rows(test, train, min(100, len(train))).rows  # the nearest first
    for kind, labels in parts.train_labels.items():
        k = 10 if kind == "own" and len(np.unique(labels)) > 50 else 100
        each = (labels[near[:, :k]] == parts.test_labels[kind][:, None]).mean(axis=1)
        tail = head_and_tail(class_table(parts.test_labels[kind], each, labels, k=k)).tail.precision
        results[f"{kind}, {how}"] = [float(each.mean()), float(tail)]
    return results


def jobs_of(mode: str) -> list[dict[str, Any]]:
    """What a mode runs, in an order in which an early stop leaves every data set with something."""

    def job(data: str, seed: int, K: int = 50, estimator: str = "ReplicatedSoftmax", **more: Any) -> dict[str, Any]:
        settings = more.pop("settings", {})
        small = {"n": 2000} if data in ("20news/4", "tdt2/5") else {}
        return {"data": data, "estimator": estimator, "settings": settings, "K": K, "seed": seed} | small | more

    ours = [{"diversity": weight} for weight in LAMBDAS]
    every = (*SETS, *BROAD_SETS)
    if mode == "folds":
        return [job(d, f, fold=f, settings=each) for f, each, d in product(range(3), ours, every)]
    if mode == "test":
        wide = [job("docstrings", s, 100, settings=each) for s, each in product(range(SEEDS), ours[:2])]
        found = [job(d, s, settings=each) for s, each, d in product(range(SEEDS), ours, every)]
        return found + wide
    if mode == "baselines":
        found = [job(d, s, estimator=e) for e, s, d in product(BASELINES, range(SEEDS), SETS)]
        return found + [job("docstrings", s, K, "LSI") for s, K in product(range(SEEDS), (100, 150, 200))]
    return [job(d, s, components_for(n), few=True, n=n) for n, s, d in product(FEW, range(SEEDS), SETS)]


def components_for(n: int) -> int:
    """Fewer components for fewer documents."""
    return max(2, min(50, n // 15))


def print_table(records: Sequence[dict[str, Any]]) -> None:
    """P@k in percent, the rarer half in brackets, as means over seeds; ± is the standard error of P@k."""
    cells: dict[Any, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for r in records:
        name = "λ = {diversity:g}".format(**r["settings"]) if "diversity" in r["settings"] else ""
        for key, value in r["found"].items():
            kind, _, how = key.partition(", ")
            row = (r["data"] if kind == "own" else f"{r['data']}, {kind}", r["estimator"], r["K"], name)
            cells[row][how].append(value)
    columns = ["plain", *(f"{f} {g:g}" for f in ("halves", "spectrum") for g in GRANULARITIES)]
    print(f"{'':52}" + "".join(f"{c:>20}" for c in columns))
    for row in sorted(cells):
        found = cells[row]
        said = "  ".join(str(part) for part in row)
        print(f"{said:52}" + "".join(f"{cell(found[c]):>20}" if c in found else f"{'–':>20}" for c in columns))


def cell(values: list[list[float]]) -> str:
    """Mean, rarer half and standard error of some seeds, in percent."""
    table = 100 * np.asarray(values)
    error = table[:, 0].std(ddof=1) / len(table) ** 0.5 if len(table) > 1 else float("nan")
    return f"{table[:, 0].mean():.1f} ({table[:, 1].mean():.1f}) ± {error:.1f}"


def print_few(records: Sequence[dict[str, Any]]) -> None:
    """P@5 among few documents, in percent, with and without what their halves taught."""
    cells: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for r in records:
        for how, value in r["found"].items():
            cells[r["data"], r["n"]][how].append(value)
    columns = ["plain", *(f"{f} {g:g}" for g in GRANULARITIES for f in ("untaught", "halves"))]
    print(f"{'':20}" + "".join(f"{c:>15}" for c in columns))
    for (data, n), found in sorted(cells.items()):
        print(f"{data:12}{n:>8}" + "".join(f"{100 * np.mean(found[c]):>15.1f}" for c in columns))


def print_chosen(records: Sequence[dict[str, Any]]) -> None:
    """The gain in P@k over plain λ = 0 in points, by hardness and power, per set of classes; means over folds."""
    plain: dict[Any, list[float]] = defaultdict(list)
    gain: dict[Any, dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
    for r in records:
        for key, value in r["found"].items():
            kind, _, how = key.partition(", ")
            if how == "plain" and r["settings"]["diversity"] == 0:
                plain[r["data"], kind].append(value[0])
    for r in records:
        for key, value in r["found"].items():
            kind, _, how = key.partition(", ")
            if how.startswith("hardness"):
                row = r["settings"]["diversity"], how
                gain[row][r["data"], kind].append(100 * (value[0] - np.mean(plain[r["data"], kind])))
    columns = sorted(plain)
    print(f"{'λ':>5}  {'':28}{'mean':>7}{'worst':>7}" + "".join(f"{f'{d} {k}':>18}" for d, k in columns))
    for (weight, how), found in sorted(gain.items()):
        means = [float(np.mean(found[c])) for c in columns]
        print(f"{weight:>5g}  {how:28}{np.mean(means):>7.2f}{min(means):>7.2f}" + "".join(f"{m:>18.2f}" for m in means))


def print_cost(rows: int, updates: int) -> None:
    """Seconds of a fit at defaults and of its distance, on the docstrings or on so many of their repetitions."""
    counts = split("docstrings").train
    counts = counts if not rows else counts[np.resize(np.arange(counts.shape[0]), rows)]
    model = ReplicatedSoftmax(max_updates=updates, random_state=0)
    began = time.perf_counter()
    model.fit(counts)
    whole = time.perf_counter() - began
    began = time.perf_counter()
    model.learn_distance(counts)
    learned = time.perf_counter() - began
    began = time.perf_counter()
    model.transform(counts)
    finished_in = time.perf_counter() - began
    model.set_params(finish=None)
    began = time.perf_counter()
    model.transform(counts)
    plain = time.perf_counter() - began
    print(
        f"{counts.shape[0]:,} documents: fit {whole:.1f} s, of it the distance {learned:.2f} s ({learned / whole:.1%});"
    )
    print(f"transform {finished_in:.2f} s finished, {plain:.2f} s plain")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("folds", "test", "baselines", "few"):
        parser.add_argument(f"--{mode}", type=Path, metavar="OUT.jsonl")
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--chosen", type=Path, metavar="FOLDS.jsonl")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--quick", action="store_true", help="like --cost, with few updates")
    parser.add_argument("--rows", type=int, default=0, help="with --cost: repeat the documents to so many")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after that")
    parser.add_argument("--only", nargs="+", help="estimators or data sets")
    options = parser.parse_args()
    if options.table:
        records = read_records(*options.table)
        (print_few if all("few" in r for r in records) else print_table)(records)
    elif options.chosen:
        print_chosen(read_records(options.chosen))
    elif options.cost or options.quick:
        print_cost(options.rows, 50 if options.quick else UPDATES)
    for mode in ("folds", "test", "baselines", "few"):
        out = getattr(options, mode)
        if out is not None:
            jobs = [j for j in jobs_of(mode) if not options.only or {j["estimator"], j["data"]} & set(options.only)]
            done = run_missing(run, jobs, out, options.workers, options.minutes)
            print(json.dumps({"mode": mode, "all done": done}))


if __name__ == "__main__":
    main()
