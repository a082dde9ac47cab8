"""How well do Replicated Softmax representations retrieve, and what does the regulariser add, in which metric?

    python benchmarks/rbm_quality.py --tune OUT.jsonl    folds of the training documents: weighting × λ × metric
    python benchmarks/rbm_quality.py --longer OUT.jsonl  folds: what was best there, with more updates
    python benchmarks/rbm_quality.py --start OUT.jsonl   folds: random and SVD starts at several K and budgets
    python benchmarks/rbm_quality.py --length OUT.jsonl  folds: the first components' length; which rows the SVD is of
    python benchmarks/rbm_quality.py --curves OUT.jsonl  folds: what a smaller budget of updates reaches
    python benchmarks/rbm_quality.py --test OUT.jsonl --chosen TUNE.jsonl LONGER.jsonl
                                                         the test documents, with the settings that folds chose
    python benchmarks/rbm_quality.py --auto OUT.jsonl    the test documents, with what choose_settings finds from labels
    python benchmarks/rbm_quality.py --lsi OUT.jsonl     latent semantic indexing of tf-idf on the test documents
    python benchmarks/rbm_quality.py --dropout OUT.jsonl folds: the share of hidden units left out
    python benchmarks/rbm_quality.py --table OUT.jsonl   a table of what is in a file
    python benchmarks/rbm_quality.py --gains TEST.jsonl  what the regulariser gains on the test documents
    python benchmarks/rbm_quality.py --ranks TUNE.jsonl  how measures without labels rank the settings of --tune

The defaults are compared in granularity.py: here nothing is finished, and each representation is compared as it is.

P@k by Euclidean distance of each representation, k = 100, and 10 for docstrings, whose classes are small; "rarer half"
is the macro-average over the rarer half of the classes. "broad" are the 7 top-level groups of 20-News and the 6
packages of the docstrings; reuters/4 is Reuters cut to its 4 largest classes. Needs the data sets (WIDEANGLE_DATA).
Runs go to several processes, which is worth it on a GPU as well: small models wait for kernel launches.
"""

import argparse
import platform
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _corpora import NEAREST, SETS, Split, split
from _quality_tables import chosen_settings, print_auto, print_gains, print_ranks, print_table
from _records import read_records, run_missing
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from wideangle import __version__
from wideangle.evaluation import (
    angle_summary,
    class_table,
    half_agreement,
    half_retrieval,
    head_and_tail,
    nearest_rows,
    split_words,
)
from wideangle.exceptions import DataError
from wideangle.models import ReplicatedSoftmax
from wideangle.models._boltzmann import start
from wideangle.models._boltzmann.representation import represented
from wideangle.models._boltzmann.weighting import rarity_of, weigh_sparse
from wideangle.tuning import choose_settings
from wideangle.tuning.log_likelihoods import log_likelihoods_of_held_out_words

NOT_SETTINGS = ("data", "fold", "n", "seed", "svd_length", "svd_rows", "halves", "which", "lsi", "representation")
REPRESENTATIONS = ("centred probabilities", "centred logits", "probabilities")
WEIGHTINGS = ("counts", "balanced", "tf-idf")


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one model and measure it; the job comes back with its results."""
    torch.set_num_threads(1)
    parts = split(job["data"], job.get("fold"), job.get("n"))
    k = min(NEAREST[job["data"]], parts.train.shape[0])
    began = time.perf_counter()
    if "labels" in job:
        return job | automatic(parts, job["labels"], job["seed"], k)
    if "lsi" in job:
        train, test = lsi(parts, job["lsi"], job["seed"])
        results: dict[str, Any] = {"seconds": time.perf_counter() - began} | precision(parts, train, test, k, "LSI")
    else:
        model = fitted(job, parts)
        results = {"seconds": time.perf_counter() - began} | measured(job, model, parts, k)
    machine = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor() or platform.machine()
    return job | results | {"wideangle": __version__, "torch": torch.__version__, "machine": machine}


def fitted(job: dict[str, Any], parts: Split) -> ReplicatedSoftmax:
    """The model of a job."""
    model = ReplicatedSoftmax(random_state=job["seed"], **{k: v for k, v in job.items() if k not in NOT_SETTINGS})
    start.SVD_LENGTH = job.get("svd_length", USUAL_LENGTH)
    if "svd_rows" in job:
        rarity = rarity_of(parts.train, job["svd_rows"])
        model._for_svd = lambda rows: weigh_sparse(rows, job["svd_rows"], rarity)  # type: ignore[method-assign]
    return model.fit(parts.train)


USUAL_LENGTH = start.SVD_LENGTH


def measured(job: dict[str, Any], model: ReplicatedSoftmax, parts: Split, k: int) -> dict[str, Any]:
    """P@k and the rarer half by each representation; with "halves" also what is known without labels."""
    logits = [model.hidden_logits(X) for X in (parts.train, parts.test)]
    centres = [model._centre(X) for X in (parts.train, parts.test)]
    halves = split_words(parts.test, job["seed"]) if job.get("halves") else ()
    results: dict[str, Any] = {}
    if halves:
        likelihoods = log_likelihoods_of_held_out_words(model, parts.test, job["seed"])
        results["held-out words"] = float(np.nanmean(likelihoods))
        written = (halves[0].sum(axis=1) > 0) & (halves[1].sum(axis=1) > 0)
        model.set_params(allow_fractions=True)
        halves = tuple(half[written].astype(parts.test.dtype) for half in halves)
    wanted = (job["representation"],) if "representation" in job else REPRESENTATIONS
    for how in wanted:
        train, test = (represented(L, c, how) for L, c in zip(logits, centres, strict=True))  # type: ignore[arg-type]
        results |= precision(parts, train, test, k, how)
        if halves:
            model.set_params(representation=how)
            first, second = (model.transform(half) for half in halves)
            results[f"agreement at 10, {how}"] = half_agreement(first, second, train, 10)
            results[f"agreement at 100, {how}"] = half_agreement(first, second, train, 100)
            results[f"half retrieval, {how}"] = half_retrieval(first, second)
    angles = angle_summary(model.components_)
    last = model.history_[-1]
    return results | {
        "mean angle of weights": angles.mean,
        "mean angle": last.mean_angle,
        "smallest angle": last.min_angle,
    }


def precision(parts: Split, train: NDArray[Any], test: NDArray[Any], k: int, how: str) -> dict[str, float]:
    """P@k over all queries, and as a mean over the rarer half of the classes, for each kind of classes."""
    near = nearest_rows(test, train, k).rows
    results = {}
    for kind, labels in parts.train_labels.items():
        asked = parts.test_labels[kind]
        each = (labels[near] == asked[:, None]).mean(axis=1)
        results[f"{kind}, {how}"] = float(each.mean())
        results[f"{kind}, rarer half, {how}"] = head_and_tail(class_table(asked, each, labels, k=k)).tail.precision
    return results


def automatic(parts: Split, kind: str, seed: int, k: int) -> dict[str, Any]:
    """What `choose_settings` chooses from labels, beside the default with λ = 0, and how long both take."""
    began = time.perf_counter()
    usual = ReplicatedSoftmax(random_state=seed)
    search = choose_settings(usual, parts.train, parts.train_labels[kind], seed=seed)
    chosen = time.perf_counter() - began
    results: dict[str, Any] = {"search seconds": chosen, "search updates": search.updates, **search.best.settings}
    for which, model in (("auto", search.tuned(usual)), ("λ = 0", ReplicatedSoftmax(diversity=0.0, random_state=seed))):
        began = time.perf_counter()
        train, test = model.fit(parts.train).transform(parts.train), model.transform(parts.test)
        results[f"{which}, seconds"] = time.perf_counter() - began
        found = precision(parts, train, test, k, which)
        results |= {name.removeprefix(f"{kind}, "): value for name, value in found.items() if name.startswith(kind)}
    return results


def lsi(parts: Split, K: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Truncated SVD of sublinear tf-idf at unit length; documents are compared by the cosine."""
    weights = TfidfTransformer(sublinear_tf=True).fit(parts.train)
    svd = TruncatedSVD(K, random_state=seed).fit(weights.transform(parts.train))
    train, test = (normalize(svd.transform(weights.transform(X))) for X in (parts.train, parts.test))
    return train, test


def jobs_of(mode: str, chosen: list[Path]) -> list[dict[str, Any]]:
    """What a mode runs, in an order in which an early stop leaves every data set with something."""
    plain: list[dict[str, Any]] = [{"diversity": 0.0}]
    pushed: list[dict[str, Any]] = [
        {"diversity": weight, "metric": metric} for metric in ("covariance", "identity") for weight in (0.1, 0.3, 1.0)
    ]
    if mode == "tune":
        return [
            {"data": d, "fold": f, "seed": f, "weighting": w, "halves": True} | term
            for f, w, term, d in product(range(3), WEIGHTINGS, plain + pushed, NEAREST)
        ]
    if mode == "longer":
        weightings = {"docstrings": WEIGHTINGS[1:], "20news": WEIGHTINGS[1:]}
        budgets = [{"max_updates": 5000}, {"max_updates": 10_000, "learning_rate": 3e-3}]
        terms = plain + [p for p in pushed if p["diversity"] != (1.0 if p["metric"] == "covariance" else 0.1)]
        return [
            {"data": d, "fold": f, "seed": f, "weighting": w} | term | budget
            for f, term, budget, d in product(range(3), terms, budgets, NEAREST)
            for w in weightings.get(d, ("counts",))
        ]
    if mode == "start":
        starts: list[dict[str, Any]] = [{"init": "svd", "max_updates": n} for n in (500, 1000, 2000, 4000)]
        starts += [{"init": "random", "max_updates": n} for n in (2000, 10_000)]
        return [
            {"data": d, "fold": f, "seed": f, "n_components": K, "diversity": weight} | first
            for f, K, first, weight, d in product(range(2), (50, 25, 100, 200), starts, (0.0, 0.3), SETS)
            if first["max_updates"] < 10_000 or K == 50
        ]
    if mode == "length":
        lengths = [{"svd_length": length} for length in (1.0, 2.0, 3.0, 6.0)]
        return [
            {"data": d, "fold": 0, "seed": 0, "n_components": K} | first
            for K, first, d in product((25, 50, 100, 200), lengths, SETS)
        ] + [
            {"data": d, "fold": f, "seed": f, "weighting": w, "svd_rows": rows}
            for f, w, rows, d in product(range(2), WEIGHTINGS, WEIGHTINGS, SETS)
        ]
    if mode == "curves":
        terms = [
            {"diversity": 0.0},
            {"diversity": 0.3, "metric": "identity"},
            {"diversity": 0.3, "metric": "covariance"},
        ]
        return [
            {"data": d, "fold": f, "seed": f, "init": i, "max_updates": n} | term
            for f, n, i, term, d in product(
                range(3), (100, 250, 500, 1000, 2000, 5000), ("svd", "random"), terms, ("20news", "reuters")
            )
        ]
    if mode == "dropout":
        shares = {50: (0.0, 0.5), 100: (0.5, 0.6, 0.7), 200: (0.6, 0.7, 0.8)}
        return [
            {"data": d, "fold": f, "seed": f, "n_components": K, "dropout": p}
            for f, K in product(range(2), shares)
            for p, d in product(shares[K], SETS)
        ]
    if mode == "auto":
        sets = [(d, "own") for d in NEAREST] + [("docstrings", "broad"), ("20news", "broad")]
        return [{"data": d, "labels": kind, "seed": s} for s, (d, kind) in product(range(3), sets)]
    if mode == "lsi":
        return [{"data": d, "seed": s, "lsi": K} for s, K, d in product(range(3), (50, 100), NEAREST)]
    assert mode == "test"
    if not chosen:
        raise SystemExit("--test needs the settings that cross-validation chose: --chosen TUNE.jsonl")
    tuned = [{"data": d, "which": which} | s for d in NEAREST for which, s in chosen_settings(chosen, d).items()]
    large = [{**s, "n_components": 100, "which": f"{s['which']}, K = 100"} for s in tuned if s["data"] == "docstrings"]
    return [{"seed": s} | job for s, job in product(range(5), tuned + large)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = ("tune", "longer", "start", "length", "curves", "test", "auto", "lsi", "dropout")
    for mode in (*modes, "table", "gains", "ranks", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="*", help="file of records, one JSON object per line; added to")
    parser.add_argument(
        "--chosen", type=Path, nargs="*", default=[], help="the records of --tune and --longer, for --test"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        try:
            print(run({"data": "reuters", "n": 300, "seed": 0, "n_components": 10, "max_updates": 50, "halves": True}))
        except DataError as error:
            print(f"not run: {error}")
        return
    if arguments.table:
        (print_auto if "labels" in read_records(arguments.out[0])[0] else print_table)(*arguments.out)
        return
    if arguments.gains or arguments.ranks:
        (print_gains if arguments.gains else print_ranks)(*arguments.out)
        return
    chosen = next((mode for mode in modes if getattr(arguments, mode)), None)
    if chosen is None or len(arguments.out) != 1:
        parser.error(f"say what to run, one of {', '.join(f'--{mode}' for mode in modes)}, and the file of its records")
    run_missing(run, jobs_of(chosen, arguments.chosen), arguments.out[0], arguments.workers, arguments.minutes)
    (print_auto if chosen == "auto" else print_table)(*arguments.out)


if __name__ == "__main__":
    main()
