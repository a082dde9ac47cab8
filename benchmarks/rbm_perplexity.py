"""Held-out perplexity of the Replicated Softmax beside LDA (tomotopy), same topics, same documents, same measure.

    python benchmarks/rbm_perplexity.py --tune softmax OUT.jsonl   settings for likelihood, on training documents
    python benchmarks/rbm_perplexity.py --test softmax OUT.jsonl   test documents
    python benchmarks/rbm_perplexity.py --test lda     OUT.jsonl
    python benchmarks/rbm_perplexity.py --table OUT.jsonl

exp(−mean over documents of log p(words) / length), whole documents, nothing of them shown before. For the Replicated
Softmax log p is the free energy less log Z by annealing (`perplexity`); for LDA it is estimated by left-to-right
sampling (Wallach, Murray, Salakhutdinov and Mimno, Evaluation methods for topic models, ICML 2009, Algorithm 3), with
the topics and the Dirichlet weights tomotopy fitted. Documents longer than LONGEST tokens are left out for both: the
latter's cost grows with the square of the length.
"""

import argparse
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from _lda import HAS_TOMOTOPY, tokens, untrained_lda
from _records import read_records, run_missing
from numpy.typing import NDArray

from wideangle.data import Corpus, load
from wideangle.data.registry import CorpusName
from wideangle.models import ReplicatedSoftmax

LONGEST, DOCUMENTS, PARTICLES, ITERATIONS = 200, 300, 20, 1000
DATA: tuple[CorpusName, ...] = ("reuters", "20news")
LIKELIHOOD = {"document_length": None, "dropout": 0.0, "weight_decay": 0.01, "learning_rate": 3e-3, "cd_steps": 5}
"""Settings for likelihood rather than retrieval, chosen by --tune: documents at their real lengths, longer chains."""


def held_out(corpus: Corpus, test: bool) -> tuple[sp.csr_array, sp.csr_array]:
    """Counts to fit and counts to ask about: the test part, or a fifth of the training part."""
    order = np.random.default_rng(0).permutation(len(corpus.train))
    cut = len(order) // 5
    train = corpus.train if test else corpus.train.subset(np.sort(order[cut:]))
    asked = corpus.test if test else corpus.train.subset(np.sort(order[:cut]))
    lengths = np.asarray(asked.counts.sum(axis=1)).ravel()
    short = np.flatnonzero((lengths > 0) & (lengths <= LONGEST))
    return train.counts, asked.counts[np.random.default_rng(1).permutation(short)[:DOCUMENTS]]


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


def lda_perplexity(train: sp.csr_array, asked: sp.csr_array, K: int, seed: int) -> float:
    """Fit LDA and estimate log p of every document asked for."""
    lda, _ = untrained_lda(train, K, seed)
    lda.train(ITERATIONS, workers=1)
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
    train, asked = held_out(load(job["data"]), job["test"])
    began = time.perf_counter()
    if job["model"] == "lda":
        return job | {
            "perplexity": lda_perplexity(train, asked, job["K"], job["seed"]),
            "seconds": time.perf_counter() - began,
        }
    model = ReplicatedSoftmax(job["K"], diversity=job["diversity"], random_state=job["seed"], **job["settings"]).fit(
        train
    )
    found = {"perplexity": model.perplexity(asked), "rescaled": model.perplexity(asked, rescaled=True)}
    return job | found | {"seconds": time.perf_counter() - began}


def jobs_of(model: str, test: bool) -> list[dict[str, Any]]:
    base: dict[str, Any] = {"model": model, "test": test}
    if model == "lda":
        return [base | {"data": d, "K": K, "seed": s} for s, d, K in product(range(3), DATA, (25, 50))]
    if test:
        return [
            base | {"data": d, "K": K, "seed": s, "diversity": lam, "settings": settings}
            for s, settings, d, lam in product(range(3), ({}, LIKELIHOOD), DATA[::-1], (0.0, 0.3))
            for K in (25,)
        ]
    return [
        base | {"data": d, "K": 25, "seed": 0, "diversity": lam, "settings": LIKELIHOOD | changed}
        for d, lam in product(DATA, (0.0, 0.03))
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


def print_table(path: Path) -> None:
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in read_records(path):
        changed = {k: v for k, v in record.get("settings", {}).items() if LIKELIHOOD.get(k, "none") != v}
        recipe = (
            "" if record["model"] == "lda" else "default" if not record["settings"] else f"likelihood {changed or ''}"
        )
        part = "test" if record["test"] else "validation"
        lam = record.get("diversity", "")
        name = f"{record['data']:8} K={record['K']:<3} {record['model']:8} λ={lam:<5} {part} {recipe}"
        groups.setdefault(name, []).append(record)
    for name, records in sorted(groups.items()):
        values = np.array([record["perplexity"] for record in records])
        other = np.mean([record["rescaled"] for record in records if "rescaled" in record] or [np.nan])
        print(f"{values.mean():8.1f} ± {values.std():5.1f}  (rescaled {other:8.1f})  {len(values)} seeds  {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", choices=("softmax",))
    parser.add_argument("--test", choices=("softmax", "lda"))
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object a line; added to")
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
    if model is None or arguments.out is None:
        parser.error("say what to run, --tune softmax, --test softmax or --test lda, and the file of its records")
    run_missing(run, jobs_of(model, bool(arguments.test)), arguments.out, minutes=arguments.minutes)
    print_table(arguments.out)


if __name__ == "__main__":
    main()
