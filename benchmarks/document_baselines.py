"""How good are the baselines of documents, beside the Replicated Softmax and the paper's figures, and how fast?

    python benchmarks/document_baselines.py --tune OUT.jsonl    one fold of the training documents: settings of each
                                                                model; a second call tries the best at the second K
    python benchmarks/document_baselines.py --test OUT.jsonl [--chosen TUNE.jsonl]
                                                                the test documents: defaults first, then what was chosen
    python benchmarks/document_baselines.py --speed [OUT.jsonl] token updates per second at K = 100 on 20-News
    python benchmarks/document_baselines.py --table TEST.jsonl  ours beside all, with the paper's figures
    python benchmarks/document_baselines.py --fold TUNE.jsonl   what each setting reached on the fold

P@k, k = 100, and 10 for docstrings, by the metric with which the model is searched, and by Euclidean distance; "rarer
half" is the macro-average over the rarer half of the classes. Accuracy and NMI of k-means, k the number of classes, 10
restarts, on test documents at unit length. NPMI (of the training documents) and the share of distinct words among the
first 10 words of 50 groups that `find_topics` makes of the training documents, and of the components where these are
topics. The perplexity is that of one half of a document's words given the other; that of DocNADE is of all words.
`--only` takes names of classes. What is not installed is left out, and is said so. Needs the data sets
(WIDEANGLE_DATA).
"""

import argparse
import importlib.util
import json
import platform
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from _baseline_tables import chosen_settings, print_fold, print_tables
from _corpora import NEAREST, SETS, Split, split
from _lda import HAS_TOMOTOPY, untrained_lda
from _records import made_with, read_records, run_missing
from numpy.typing import NDArray
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from wideangle.catalogue import COMPONENTS, Entry, entry_of
from wideangle.evaluation import (
    class_table,
    document_npmi,
    head_and_tail,
    kmeans_scores,
    nearest_rows,
    topic_diversity,
)
from wideangle.exceptions import DataError
from wideangle.topics import find_topics
from wideangle.view import ModelView, transform_metric

WORDS, TOPICS, SEEDS = 10, 50, 3
SIZES = (50, 100)  # K; the default is 50
LARGE = ("20news", "tdt2")
ORDER = ("20news", "tdt2", "docstrings", "reuters")


def one_by_one(**values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """The first of all values, then each of the others with the first of the rest."""
    first = {name: tried[0] for name, tried in values.items()}
    return [first, *(first | {name: value} for name, tried in values.items() for value in tried[1:])]


def sweeps(*numbers: int) -> list[dict[str, Any]]:
    """Numbers of Gibbs sweeps, of which the first half is not averaged."""
    return [{"n_iterations": number, "burn_in": number // 2} for number in numbers]


# What --tune tries at the first K; at the second, what was best at the first. The first of each list is the default.
# One parameter is changed at a time, and LARGE corpora are spared the longest chains, for the cost.
GRIDS: dict[str, list[dict[str, Any]]] = {
    "PitmanYorTopicModel": sweeps(300, 100, 1000),
    "LIDA": sweeps(300, 100, 1000),
    "DPPLDA": one_by_one(diversity=(0.001, 0.0003, 0.003), document_prior=(None, 0.1, 0.3)),
    "LDA": one_by_one(document_prior=(None, 0.05, 0.1, 0.3, 1.0)),
    "ParagraphVector": one_by_one(epochs=(40, 10, 20, 100), sample=(1e-5, 1e-4, 0.0)),
    "DocNADE": one_by_one(learning_rate=(0.005, 0.002, 0.015), max_updates=(2000, 1000, 5000)),
    "NMF": one_by_one(log_counts=(True, False)),
    "LSI": one_by_one(log_counts=(True, False)),
    "TfIdf": one_by_one(log_counts=(True, False)),
    "BagOfWords": one_by_one(log_counts=(True, False)),
}
# Ours, for the measures that rbm_quality.py does not take. The records of its --test have the tuned P@k.
OURS: dict[str, dict[str, Any]] = {"default": {}, "λ = 0": {"diversity": 0.0}}
OUR_MODEL = "ReplicatedSoftmax"
SAMPLED = ("PitmanYorTopicModel", "LIDA")
NEEDS = {"ParagraphVector": "gensim"} | dict.fromkeys(SAMPLED, "numba")


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one model and measure it; the job comes back with its results."""
    torch.set_num_threads(1)
    with threadpool_limits(1):
        parts = split(job["data"], job.get("fold"), job.get("n"))
        entry = entry_of(job["model"])
        kind: Any = entry.load()
        settings = dict(job["settings"])
        if "random_state" in kind().get_params():
            settings["random_state"] = job["seed"]
        began = time.perf_counter()
        model = kind(**settings).fit(parts.train)
        fitted = time.perf_counter() - began
        train, test = model.transform(parts.train), model.transform(parts.test)
        results: dict[str, Any] = {"seconds": fitted, "transform seconds": time.perf_counter() - began - fitted}
        results |= retrieved(job["data"], entry, model, parts, train, test)
        if hasattr(model, "perplexity") and job["model"] != OUR_MODEL:  # ours would need a partition function
            results["perplexity"] = float(model.perplexity(parts.test))
        if "fold" not in job:
            results |= clustered(test, parts) | read(entry, model, parts, train, job["seed"])
    return job | results | made_with(parts.checksum)


def retrieved(data: str, entry: Entry, model: Any, parts: Split, train: Any, test: Any) -> dict[str, float]:
    """P@k over all queries and as a mean over the rarer half of the classes, by the model's metric and by Euclid's."""
    k = min(NEAREST[data], parts.train.shape[0])
    own = entry.metric if entry.searched_by == "transform" else transform_metric(model)
    results = {}
    for metric, tail in ((own, ""), ("euclidean", ", Euclid")):
        near = nearest_rows(test, train, k, metric=metric).rows
        for kind, labels in parts.train_labels.items():
            asked = parts.test_labels[kind]
            each = (labels[near] == asked[:, None]).mean(axis=1)
            classes = "" if kind == "own" else f", {kind}"
            results[f"P@k{tail}{classes}"] = float(each.mean())
            table = class_table(asked, each, labels, k=k)
            results[f"rarer half{tail}{classes}"] = float(head_and_tail(table).tail.precision)
    return results


def clustered(test: Any, parts: Split) -> dict[str, float]:
    """k-means of the test documents. Those without words have no direction, and stay at 0."""
    found = kmeans_scores(normalize(test), parts.test_labels["own"])
    return {"accuracy": found.accuracy, "NMI": found.nmi}


def read(entry: Entry, model: Any, parts: Split, train: Any, seed: int) -> dict[str, float]:
    """NPMI and distinct words of groups of documents, and of components that are topics."""
    vectors = train.toarray().astype(np.float32) if sp.issparse(train) else train
    numbers = [str(column) for column in range(parts.train.shape[1])]
    groups = find_topics(vectors, parts.train, numbers, n_topics=TOPICS, n_words=WORDS, random_state=seed)
    words = [[int(word) for word in topic.words] for topic in groups]
    results = {"NPMI, groups": npmi(words, parts), "distinct, groups": topic_diversity(words)}
    if entry.noun == "topic" and entry.name != OUR_MODEL:
        columns: NDArray[np.intp] = ModelView.of(model).top_columns(WORDS)
        words = columns.tolist()
        results |= {"NPMI": npmi(words, parts), "distinct": topic_diversity(words)}
    return results


def npmi(words: list[list[int]], parts: Split) -> float:
    return float(np.mean(document_npmi(words, parts.train)))


def jobs_of(mode: str, models: list[str], corpora: list[str], chosen: list[Path]) -> list[dict[str, Any]]:
    """What a mode runs, in an order in which an early stop leaves every model and corpus with something."""
    all_sizes: list[dict[str, Any]] = [{"n_components": K} for K in SIZES]
    sizes: dict[str, list[dict[str, Any]]] = {
        model: all_sizes if entry_of(model).size is not None else [{}] for model in models
    }
    baselines = [model for model in models if model != OUR_MODEL]
    if mode == "tune":
        return tuning_jobs(baselines, sizes, corpora, read_records(*chosen))
    first = [(OUR_MODEL, which, settings) for which, settings in OURS.items() if OUR_MODEL in models]
    first += [(model, "default", {}) for model in baselines]
    jobs: list[dict[str, Any]] = [
        {"data": data, "model": model, "which": which, "settings": settings, "seed": seed}
        for seed, (model, which, settings), data in product(range(SEEDS), first, corpora)
    ]
    records = read_records(*chosen)
    for seed, model, data in product(range(SEEDS), baselines, corpora):
        settings = chosen_settings(records, data, model)
        if settings is not None:
            jobs.append({"data": data, "model": model, "which": "tuned", "settings": settings, "seed": seed})
    return jobs


def tuning_jobs(
    models: list[str], sizes: dict[str, list[dict[str, Any]]], corpora: list[str], known: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Every setting at the first K; at the second, what was best at the first, once all of that is known."""
    jobs = []
    for model, data in product(models, corpora):
        job = {"data": data, "model": model, "fold": 0, "seed": 0}
        first = [sizes[model][0] | settings for settings in GRIDS[model] if affordable(settings, data)]
        jobs += [job | {"settings": settings} for settings in first]
        mine = [r for r in known if (r["data"], r["model"]) == (data, model) and r["settings"] in first]
        if len(mine) == len(first):
            best = chosen_settings(mine, data, model)
            jobs += [job | {"settings": (best or {}) | size} for size in sizes[model][1:]]
    return jobs


def affordable(settings: dict[str, Any], data: str) -> bool:
    return data not in LARGE or settings.get("n_iterations", 0) <= 300


def speeds(data: str, K: int, n: int | None, repeats: int) -> list[dict[str, Any]]:
    """Token updates per second of one core: all that a sweep does, but for the draws of hyperparameters."""
    counts = split(data, n=n).train.astype(np.int64)
    tokens = int(counts.sum())
    found = []
    for name in SAMPLED:
        if (lacking := not_installed(name)) is not None:
            print(lacking)
            continue
        rng = np.random.default_rng(0)
        kind: Any = entry_of(name).load()
        chain = kind(K)._chain(counts, rng)
        for progress in np.linspace(0, 1, repeats):  # compiles, and leaves the first state
            chain.sweep(rng, float(progress))
        began = time.perf_counter()
        for _ in range(repeats):
            chain.sweep(rng, 1.0)
        found.append((name, time.perf_counter() - began))
    if HAS_TOMOTOPY:
        model = untrained_lda(counts, K, 0)[0]
        model.train(repeats, workers=1)
        began = time.perf_counter()
        model.train(repeats, workers=1)
        found.append(("tomotopy's LDA", time.perf_counter() - began))
    else:
        print("tomotopy's LDA: not run: tomotopy is not installed")
    machine = platform.processor() or platform.machine()
    return [
        {"data": data, "K": K, "model": name, "tokens": tokens, "updates per second": tokens * repeats / seconds,
         "machine": machine}
        for name, seconds in found
    ]  # fmt: skip


def not_installed(model: str) -> str | None:
    package = NEEDS.get(model)
    missing = package is not None and importlib.util.find_spec(package) is None
    return f"{model}: not run: {package} is not installed" if missing else None


def quick() -> None:
    """Every model on a few documents, with few updates."""
    few = {"DocNADE": {"max_updates": 30}, "LDA": {"max_iter": 5}, "DPPLDA": {"max_iter": 5}}
    few |= {model: {"n_iterations": 4, "burn_in": 2, "fold_in_iterations": 2} for model in SAMPLED}
    few |= {"ParagraphVector": {"epochs": 2, "inference_epochs": 2}, OUR_MODEL: {"max_updates": 30}}
    for model in (OUR_MODEL, *GRIDS):
        if (lacking := not_installed(model)) is not None:
            print(lacking)
            continue
        settings = few.get(model, {}) | ({} if entry_of(model).size is None else {"n_components": 10})
        record = run({"data": "docstrings", "n": 300, "model": model, "settings": settings, "seed": 0, "fold": 0})
        print(f"{model:<20} P@k {record['P@k']:.3f}, {record['seconds']:.1f} s", flush=True)
    for record in speeds("docstrings", COMPONENTS, 300, 2):
        print(f"{record['model']:<20} {record['updates per second']:,.0f} token updates per second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("tune", "test", "speed", "table", "fold", "quick"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("out", type=Path, nargs="*", help="file of records, one JSON object per line; added to")
    parser.add_argument("--chosen", type=Path, nargs="*", default=[], help="the records of --tune, for --test")
    parser.add_argument("--only", nargs="+", default=[OUR_MODEL, *GRIDS], choices=[OUR_MODEL, *GRIDS])
    parser.add_argument("--corpora", nargs="+", default=list(ORDER), choices=SETS)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        quick()
        return
    if arguments.table or arguments.fold:
        (print_tables if arguments.table else print_fold)(*arguments.out)
        return
    if arguments.speed:
        try:
            records = speeds("20news", 100, None, 5)
        except DataError as error:
            raise SystemExit(f"not run: {error}") from None
        for record in records:
            print(f"{record['model']:<20} {record['updates per second']:,.0f} token updates per second", flush=True)
            for path in arguments.out:
                with path.open("a") as file:
                    file.write(json.dumps(record) + "\n")
        return
    mode = "tune" if arguments.tune else "test" if arguments.test else None
    if mode is None or len(arguments.out) != 1:
        parser.error("say what to run, --tune, --test or --speed, and the file of its records")
    lacking = {model: not_installed(model) for model in arguments.only}
    models = [model for model, why in lacking.items() if why is None]
    for said in filter(None, lacking.values()):
        print(said, flush=True)
    jobs = jobs_of(mode, models, arguments.corpora, arguments.out if mode == "tune" else arguments.chosen)
    run_missing(run, jobs, arguments.out[0], arguments.workers, arguments.minutes)
    (print_fold if mode == "tune" else print_tables)(*arguments.out)


if __name__ == "__main__":
    main()
