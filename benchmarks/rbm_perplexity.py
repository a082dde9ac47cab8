"""Held-out perplexity of the Replicated Softmax beside LDA (tomotopy), same topics, same documents, same measure.

    python benchmarks/rbm_perplexity.py --tune softmax OUT.jsonl   settings for likelihood, on training documents
    python benchmarks/rbm_perplexity.py --test softmax OUT.jsonl   test documents
    python benchmarks/rbm_perplexity.py --test lda     OUT.jsonl
    python benchmarks/rbm_perplexity.py --table OUT.jsonl …

exp(−mean over documents of log p(words) / length), whole documents, nothing of them shown before. For the Replicated
Softmax log p is the free energy less log Z by annealing (`log_likelihood`), estimated with four random states, beside
the unigram model (word frequencies of the training part, one added). For LDA it is estimated by left-to-right sampling
(Wallach, Murray, Salakhutdinov and Mimno, Evaluation methods for topic models, ICML 2009, Algorithm 3), with the topics
and the Dirichlet weights tomotopy fitted. Documents longer than LONGEST tokens are left out for both: the latter's cost
grows with the square of the length. Ours is also asked about documents of every length. The environment variable
WIDEANGLE_DOCSTRINGS may name a saved corpus, so that machines with other packages installed see the same docstrings.
"""

import argparse
import os
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from _lda import HAS_TOMOTOPY, tokens, untrained_lda
from _records import read_records, run_missing
from numpy.typing import NDArray

from wideangle.data import Corpus
from wideangle.experiments.tasks.documents import corpus
from wideangle.models import ReplicatedSoftmax

LONGEST, DOCUMENTS, PARTICLES = 200, 300, 20
ITERATIONS = {25: 1000, 50: 1000, 100: 500, 200: 500}  # of LDA, by its number of topics
DATA = ("docstrings", "reuters", "20news")
SIZES = (25, 50, 100, 200)
STATES = 4  # random states of annealing
LIKELIHOOD = {"document_length": None, "dropout": 0.0, "weight_decay": 0.01, "learning_rate": 3e-3, "cd_steps": 5}
"""Settings for likelihood rather than retrieval: documents at their real lengths, longer chains."""
EARLIER = {
    "weighting": "counts",
    "metric": "identity",
    "init": "random",
    "learning_rate": 3e-3,
    "max_updates": 10_000,
}
"""What the records were made with: counts as they are, for a likelihood is of counts, and the defaults of that time."""
LONG = {"20news": {"document_length": 200.0}}  # where real lengths of thousands of tokens would take hours


def held_out(corpus: Corpus, test: bool) -> tuple[sp.csr_array, sp.csr_array, sp.csr_array]:
    """Counts to fit, and short and any documents to ask about: of the test part, or of a fifth of the training part."""
    order = np.random.default_rng(0).permutation(len(corpus.train))
    cut = len(order) // 5
    train = corpus.train if test else corpus.train.subset(np.sort(order[cut:]))
    asked = corpus.test if test else corpus.train.subset(np.sort(order[:cut]))
    lengths = np.asarray(asked.counts.sum(axis=1)).ravel()
    short, written = np.flatnonzero((lengths > 0) & (lengths <= LONGEST)), np.flatnonzero(lengths > 0)
    some = [asked.counts[np.random.default_rng(1).permutation(rows)[:DOCUMENTS]] for rows in (short, written)]
    return train.counts, some[0], some[1]


def unigram_perplexity(train: sp.csr_array, asked: sp.csr_array) -> float:
    """Of the training part's word frequencies, one added to each count."""
    counts = np.asarray(train.sum(axis=0)).ravel() + 1.0
    log_p = asked @ np.log(counts / counts.sum())
    return float(np.exp(-np.mean(log_p / np.asarray(asked.sum(axis=1)).ravel())))


def left_to_right(
    words: NDArray[np.intp], topics: NDArray[np.float64], weights: NDArray[np.float64], seed: int
) -> float:
    """log p(words) of LDA with these topics (K × words) and Dirichlet weights (K)."""
    generator = np.random.default_rng(seed)
    particles = np.arange(PARTICLES)
    counts = np.zeros((PARTICLES, len(weights)))
    assigned = np.zeros((PARTICLES, len(words)), dtype=np.intp)
    total = 0.0

    def draw(word: int) -> NDArray[np.intp]:
        below = np.cumsum((counts + weights) * topics[:, word], axis=1)
        return (below < generator.random((PARTICLES, 1)) * below[:, -1:]).sum(axis=1)

    for position, word in enumerate(words):
        for earlier in range(position):
            counts[particles, assigned[:, earlier]] -= 1
            assigned[:, earlier] = draw(words[earlier])
            counts[particles, assigned[:, earlier]] += 1
        total += np.log(((counts + weights) @ topics[:, word]).mean() / (position + weights.sum()))
        assigned[:, position] = draw(word)
        counts[particles, assigned[:, position]] += 1
    return float(total)


def lda_perplexity(train: sp.csr_array, asked: sp.csr_array, K: int, seed: int, threads: int) -> float:
    """Fit LDA and estimate log p of every document asked for."""
    lda, _ = untrained_lda(train, K, seed)
    lda.train(ITERATIONS[K], workers=threads)
    # Counts of words of each topic, to smooth over the whole vocabulary: words of no training document included.
    V, eta = train.shape[1], lda.eta
    sizes = np.asarray(lda.get_count_by_topics(), dtype=float)
    known = np.array([int(word) for word in lda.used_vocabs])
    topics = np.full((K, V), eta)
    for k in range(K):
        topics[k, known] = lda.get_topic_word_dist(k) * (sizes[k] + eta * len(known))
    topics /= topics.sum(axis=1, keepdims=True)
    rows = [tokens(asked, i) for i in range(asked.shape[0])]
    each = [left_to_right(words, topics, np.asarray(lda.alpha, dtype=float), seed) / len(words) for words in rows]
    return float(np.exp(-np.mean(each)))


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one model, ask for the documents' likelihood; the job comes back with it."""
    threads = int(os.environ.get("THREADS", "1"))
    torch.set_num_threads(threads)
    train, short, every = held_out(corpus(job["data"]), job["test"])
    began = time.perf_counter()
    if job["model"] == "lda":
        value = lda_perplexity(train, short, job["K"], job["seed"], threads)
        return job | {"perplexity": value, "seconds": time.perf_counter() - began}
    model = ReplicatedSoftmax(
        job["K"], diversity=job["diversity"], random_state=job["seed"], **(EARLIER | job["settings"])
    )
    model.fit(train)
    found: dict[str, Any] = {"seconds": time.perf_counter() - began}
    asking = {"": (short, False), " rescaled": (short, True), " of any length": (every, False)}
    for name, (asked, rescaled) in asking.items():
        likelihoods = []
        for state in range(STATES):
            model.random_state = state
            likelihoods.append(model.log_likelihood(asked, rescaled=rescaled))
        values = [likelihood.perplexity for likelihood in likelihoods]
        found[f"perplexity{name}"] = float(np.mean(values))
        found[f"spread{name}"] = max(values) / min(values) - 1
        found[f"error{name}"] = max(likelihood.perplexity_error / likelihood.perplexity for likelihood in likelihoods)
        found[f"temperatures{name}"] = max(likelihood.temperatures for likelihood in likelihoods)
        found[f"doubt{name}"] = next((likelihood.doubt for likelihood in likelihoods if likelihood.doubt), "")
    found |= {"unigram": unigram_perplexity(train, short), "unigram of any length": unigram_perplexity(train, every)}
    return job | found


def jobs_of(model: str, test: bool) -> list[dict[str, Any]]:
    base: dict[str, Any] = {"model": model, "test": test}
    if model == "lda":
        return [base | {"data": d, "K": K, "seed": s} for s, d, K in product(range(3), DATA, SIZES)]
    if test:
        recipes: tuple[Any, ...] = ((0.3, {}, SIZES[::-1]), (0.0, LIKELIHOOD, (25,)), (0.0, {}, SIZES[::-1]))
        return [
            base
            | {"data": d, "K": K, "seed": 0, "diversity": lam, "settings": settings | (settings and LONG.get(d, {}))}
            for lam, settings, sizes in recipes
            for K, d in product(sizes, DATA[::-1])
        ]
    return [
        base | {"data": d, "K": 25, "seed": 0, "diversity": lam, "settings": LIKELIHOOD | changed}
        for d, lam in product(DATA[1:], (0.0, 0.03))
        for changed in (
            {},
            {"cd_steps": 1},
            {"cd_steps": 20},
            {"weight_decay": 0.1},
            {"weight_decay": 0.001},
            {"learning_rate": 1e-2},
            {"learning_rate": 1e-3},
            {"persistent": True},
            {"document_length": 50.0},
            {"max_updates": 5_000},
        )
    ]


def print_table(paths: list[Path]) -> None:
    """One row per data set, model, number of topics and recipe."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in read_records(*paths):
        settings = record.get("settings", {})
        changed = {k: v for k, v in settings.items() if LIKELIHOOD.get(k, "none") != v}
        recipe = "" if not settings else f"for likelihood {changed or ''}"
        part = "test" if record["test"] else "validation"
        key = (record["data"], part, record["K"], record["model"], str(record.get("diversity", "")), recipe)
        groups.setdefault(key, []).append(record)
    print(f"{'data':10} {'part':10} {'K':>3} {'model':8} {'λ':4} {'perplexity':>16} seeds", end="")
    print(f"{'rescaled':>9} {'any length':>10} {'unigram':>8} {'any length':>10} {'spread':>7} {'temperatures':>13}")
    for (data, part, K, model, lam, recipe), records in sorted(groups.items()):
        values = np.array([record["perplexity"] for record in records])
        print(
            f"{data:10} {part:10} {K:3} {model:8} {lam:4} {values.mean():8.1f} ± {values.std():5.1f} {len(values):5}",
            end="",
        )
        first = records[0]
        if "unigram" in first:
            any_length = first["perplexity of any length"]
            print(f"{first['perplexity rescaled']:9.1f} {any_length:10.1f} {first['unigram']:8.1f}", end="")
            print(f" {first['unigram of any length']:10.1f} {max(r['spread'] for r in records):7.2%}", end="")
            print(f" {first['temperatures']:13,} {recipe} {first['doubt']}".rstrip(), end="")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", choices=("softmax",))
    parser.add_argument("--test", choices=("softmax", "lda"))
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    parser.add_argument("out", type=Path, nargs="*", help="file of records, one JSON object per line; added to")
    arguments = parser.parse_args()
    if arguments.quick:
        topics = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
        print(left_to_right(np.array([0, 2, 2]), topics, np.array([0.5, 0.5]), 0))
        return
    if arguments.table:
        print_table(arguments.out)
        return
    model = arguments.tune or arguments.test
    if model == "lda" and not HAS_TOMOTOPY:
        parser.error("LDA needs tomotopy: pip install tomotopy")
    if model is None or len(arguments.out) != 1:
        parser.error("say what to run, --tune softmax, --test softmax or --test lda, and the file of its records")
    jobs = jobs_of(model, bool(arguments.test))
    run_missing(run, jobs, arguments.out[0], workers=arguments.workers, minutes=arguments.minutes)
    print_table(arguments.out)


if __name__ == "__main__":
    main()
