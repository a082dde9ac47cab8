"""How well do Replicated Softmax representations retrieve, with the regulariser and without?

    python benchmarks/rbm_quality.py --tune  OUT.jsonl   5-fold cross-validation on the training documents alone
    python benchmarks/rbm_quality.py --dropout OUT.jsonl the same, for the share of hidden units left out
    python benchmarks/rbm_quality.py --updates OUT.jsonl the same, for the number of updates
    python benchmarks/rbm_quality.py --curves OUT.jsonl  folds again: what a smaller budget of updates reaches
    python benchmarks/rbm_quality.py --test  OUT.jsonl   the test documents, once for each record
    python benchmarks/rbm_quality.py --small OUT.jsonl   subsamples of Reuters: the defaults from 500 documents on
    python benchmarks/rbm_quality.py --table OUT.jsonl   a table of what is in a file

P@100 by Euclidean distance of hidden probabilities (the paper's protocol) and by cosine of length-normalised logits;
"tail" is the macro-average over the rarer half of the classes. Needs the data sets (WIDEANGLE_DATA). Runs go to
several processes, which is worth it on a GPU as well: small models wait for kernel launches.
"""

import argparse
import platform
import time
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from _records import Record, read_records, run_missing

from wideangle import __version__
from wideangle.data import Corpus, load
from wideangle.data.registry import CorpusName
from wideangle.evaluation import angle_summary, class_table, head_and_tail, precision_ceiling, precision_per_query
from wideangle.exceptions import DataError
from wideangle.models import ReplicatedSoftmax

DATA: tuple[CorpusName, ...] = ("reuters", "20news", "tdt2")
FOLDS = 5


def split(name: CorpusName, fold: int | None, n: int | None) -> tuple[Corpus, Corpus]:
    """Documents to train on and to ask with: the official parts, or a fold of the training part."""
    corpus = load(name)
    train, test = corpus.train, corpus.test
    if fold is not None:
        parts = np.array_split(np.random.default_rng(0).permutation(len(train)), FOLDS)
        test = train.subset(np.sort(parts[fold]))
        train = train.subset(np.sort(np.concatenate([part for f, part in enumerate(parts) if f != fold])))
    if n is not None:
        train = train.subset(np.sort(np.random.default_rng(0).permutation(len(train))[:n]))
    return train, test


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one model and measure it; the job comes back with its results."""
    torch.set_num_threads(job.pop("threads", 1))
    settings = {k: v for k, v in job.items() if k not in ("data", "fold", "n", "seed")}
    train, test = split(job["data"], job.get("fold"), job.get("n"))
    began = time.perf_counter()
    model = ReplicatedSoftmax(**settings, random_state=job["seed"]).fit(train.counts)
    seconds = time.perf_counter() - began
    assert train.labels is not None  # every set here has labels
    assert test.labels is not None
    k = min(100, len(train))
    results: dict[str, Any] = {"ceiling": float(precision_ceiling(test.labels, train.labels, k).mean())}
    metrics: dict[str, Literal["euclidean", "cosine"]] = {"probabilities": "euclidean", "logits": "cosine"}
    for representation, metric in metrics.items():
        model.set_params(representation=representation)
        asking, searched = model.transform(test.counts), model.transform(train.counts)
        each = precision_per_query(asking, test.labels, searched, train.labels, k, metric=metric)
        results[f"P@100 {representation}"] = float(each.mean())
        if representation == "probabilities":
            results["tail"] = head_and_tail(class_table(test.labels, each, train.labels, k=k)).tail.precision
    angles = angle_summary(model.components_)
    results |= {"mean angle": angles.mean, "smallest angle": angles.smallest, "seconds": seconds}
    machine = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor() or platform.machine()
    versions = {"wideangle": __version__, "torch": torch.__version__, "machine": machine, "checksum": train.checksum}
    return job | results | versions


def jobs_of(mode: str) -> list[dict[str, Any]]:
    """What a mode runs, in an order in which an early stop leaves every data set with something."""
    regularised = ReplicatedSoftmax().diversity
    if mode == "tune":
        return [
            {"data": d, "fold": f, "seed": f, "n_components": K, "weight_decay": decay, "diversity": lam}
            for f, K, decay, lam, d in product(range(2), (25, 100), (0.3, 1.0), (0.0, 0.1, 0.3, 1.0), DATA)
        ]
    if mode == "dropout":
        shares = {50: (0.0, 0.5), 100: (0.5, 0.6, 0.7), 200: (0.6, 0.7, 0.8), 500: (0.75, 0.8, 0.85)}
        return [
            {"data": d, "fold": f, "seed": f, "n_components": K, "dropout": p, "diversity": lam}
            for f, K, lam in product(range(2), shares, (regularised,))
            for p, d in product(shares[K], DATA)
        ]
    if mode == "updates":
        return [
            {"data": d, "fold": f, "seed": f, "n_components": K, "max_updates": n, "diversity": regularised}
            for f, K, n, d in product(range(2), (25, 100), (6000, 10_000, 15_000), DATA)
        ]
    if mode == "curves":
        return [
            {"data": d, "fold": f, "seed": f, "n_components": 25, "max_updates": n, "diversity": lam}
            for f, n, lam, d in product(range(3), (250, 500, 1000, 2000, 5000, 10_000), (0.0, regularised), DATA[:2])
        ]
    if mode == "small":
        return [
            {"data": "reuters", "n": n, "seed": s, "n_components": 25, "diversity": lam}
            for s, n, lam in product(range(3), (500, 1500, 5000), (0.0, regularised))
        ]
    return [
        {"data": d, "seed": s, "n_components": K, "diversity": lam}
        for sizes in ((25, 100), (500, 50, 200))
        for s, K, lam, d in product(range(3), sizes, (0.0, regularised), DATA)
    ]


def print_table(path: Path) -> None:
    """Mean and standard deviation over seeds and folds of what is in a file of records."""
    keys = ("data", "n", "n_components", "weight_decay", "dropout", "diversity", "max_updates")
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in read_records(path):
        groups.setdefault(tuple(record.get(key) for key in keys), []).append(record)
    columns = ("P@100 probabilities", "P@100 logits", "tail", "mean angle", "smallest angle", "seconds")
    print(
        f"{'data':8} {'n':>5} {'K':>4} {'decay':>5} {'drop':>5} {'λ':>5} {'updates':>7} {'runs':>4}",
        *(f"{c:>19}" for c in columns),
    )
    ordered = sorted(groups.items(), key=lambda item: [(value is not None, value or 0) for value in item[0][1:]])
    ordered.sort(key=lambda item: str(item[0][0]))
    for group, records in ordered:
        cells = [np.array([record[c] for record in records]) for c in columns]
        data, n, K, decay, drop, lam, updates = ("" if value is None else value for value in group)
        print(f"{data:8} {n:>5} {K:>4} {decay:>5} {drop:>5} {lam:>5} {updates:>7} {len(records):>4}", end=" ")
        print(*(f"{cell.mean():10.4f} ± {cell.std():.4f}" for cell in cells), end=" ")
        ceiling = records[0].get("ceiling")
        print(f"{100 * cells[0].mean() / ceiling:.1f} % of the ceiling {ceiling:.4f}" if ceiling else "")
    compare([(dict(zip(keys, group, strict=True)), records) for group, records in ordered])


def compare(groups: list[tuple[Record, list[Record]]]) -> None:
    """λ = 0 beside each λ > 0 that has the same other settings, and what was gained over all settings.

    "Beyond both deviations" are means of several runs that differ by more than both standard deviations together.
    """
    columns = {"P@100": "P@100 probabilities", "logits": "P@100 logits", "tail": "tail"}
    gains: dict[tuple[str, str], list[float]] = {}
    clear: dict[tuple[str, str], list[str]] = {}
    for settings, plain in groups:
        others = [] if settings["diversity"] else [g for g in groups if g[0] | {"diversity": 0.0} == settings]
        for other, regularised in (group for group in others if group[0]["diversity"]):
            cells = []
            for name, column in columns.items():
                found = [np.array([record[column] for record in records]) for records in (plain, regularised)]
                gain = found[1].mean() - found[0].mean()
                gains.setdefault((settings["data"], name), []).append(gain)
                if min(map(len, found)) > 1 and abs(gain) > found[0].std() + found[1].std():
                    sign = "+" if gain > 0 else "−"
                    clear.setdefault((settings["data"], name), []).append(f"{sign} at K = {settings['n_components']}")
                cells.append(f"{name} " + " → ".join(f"{f.mean():.4f} ± {f.std():.4f}" for f in found))
            closest = (np.mean([record["smallest angle"] for record in records]) for records in (plain, regularised))
            cells.append("smallest angle " + " → ".join(f"{angle:.1f}°" for angle in closest))
            named = {"n": "n", "n_components": "K", "weight_decay": "decay", "max_updates": "updates"}
            setting = (f"{short} = {settings[key]}" for key, short in named.items() if settings[key] is not None)
            runs = f"{len(plain)} and {len(regularised)} runs"
            print(settings["data"], *setting, f"λ = 0 → {other['diversity']}", *cells, runs, sep=", ")
    for (data, name), all_gains in gains.items():
        beyond = ", ".join(clear.get((data, name), ["nowhere"]))
        least, most = min(all_gains), max(all_gains)
        print(f"{data}: {name} gains from {least:+.4f} to {most:+.4f}; beyond both deviations: {beyond}")
    for sign, positive in (("= 0", False), ("> 0", True)):
        angles = [r["smallest angle"] for s, records in groups if bool(s["diversity"]) == positive for r in records]
        if angles:
            print(f"λ {sign}: the smallest angle of all {len(angles)} runs is {min(angles):.1f}°")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("tune", "dropout", "updates", "curves", "test", "small", "table", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object per line; added to")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        try:
            print(run({"data": "reuters", "n": 300, "seed": 0, "n_components": 10, "max_updates": 50}))
        except DataError as error:
            print(f"not run: {error}")
        return
    if arguments.table:
        print_table(arguments.out)
        return
    modes = ("tune", "dropout", "updates", "curves", "small", "test")
    chosen = next((mode for mode in modes if getattr(arguments, mode)), None)
    if chosen is None or arguments.out is None:
        parser.error(f"say what to run, one of {', '.join(f'--{mode}' for mode in modes)}, and the file of its records")
    run_missing(run, jobs_of(chosen), arguments.out, arguments.workers, arguments.minutes)
    print_table(arguments.out)


if __name__ == "__main__":
    main()
