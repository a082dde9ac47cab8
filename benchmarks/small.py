"""How good are the defaults for few documents, for titles and for long texts, and how many topics are found?

    python benchmarks/small.py --run OUT.jsonl [--minutes M]   draws of 50 to 5,000 documents of four corpora
    python benchmarks/small.py --table FILE…                   precision and 3-NN beside tf-idf and LSI
    python benchmarks/small.py --topics FILE…                  how many topics, and how well they agree with classes
    python benchmarks/small.py --quick                         one small draw

Each document asks for the others of its draw: P@10, and the share whose class most of the three nearest have. tf-idf
and LSI (10, 20 and 50 components) compare by the cosine. "ours" is ReplicatedSoftmax() as it is. "titles" are documents
of which eight words are kept, "joined" are ten documents of a class in one, "alike" are draws in which all classes are
alike in size. AMI is the adjusted mutual information of
topics and classes, "best" that of the best number of topics in the same tree. "patterns" are short made-up texts of
twelve patterns. 20-News, Reuters and TDT2 need the data sets (WIDEANGLE_DATA).
"""

import argparse
import json
import time
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from _corpora import SETS
from _records import made_with, read_records, run_missing
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.preprocessing import normalize

from wideangle.experiments.tasks import documents
from wideangle.models import ReplicatedSoftmax

SIZES = (50, 100, 200, 300, 500, 1000, 2000, 5000)
ALIKE_SIZES = (300, 1000, 3000)
LSI_SIZES = (10, 20, 50)
WORDS, TITLE, JOINED = 5000, 8, 10
K = 10


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Measure one draw."""
    torch.set_num_threads(1)
    X, y, checksum = drawn(job["data"], job["n"], job["seed"], job["kind"])
    tf_idf = normalize(TfidfTransformer(sublinear_tf=True).fit_transform(X))
    found = {"tf-idf": scores(tf_idf, y)}
    for size in LSI_SIZES:
        svd = TruncatedSVD(min(size, min(X.shape) - 1), random_state=0)
        found[f"LSI-{size}"] = scores(normalize(svd.fit_transform(tf_idf)), y)
    began = time.perf_counter()
    model = ReplicatedSoftmax(random_state=job["seed"]).fit(X)
    seconds = time.perf_counter() - began
    for name in ("balance", "details"):
        found[f"ours, {name}"] = scores(model.set_params(granularity=name).transform(X), y)
    topics = model.set_params(granularity=None).topics(X, vocabulary=[str(word) for word in range(X.shape[1])])
    agreement = [adjusted_mutual_info_score(y, topics.tree.cut(g)[topics.leaves]) for g in levels(topics)]
    sizes = [topic.size for topic in topics]
    about = {
        "found": len(topics),
        "AMI": adjusted_mutual_info_score(y, topics.of_documents),
        "best": max(agreement),
        "best number": levels(topics)[int(np.argmax(agreement))],
        "largest": max(sizes) / len(y),
        "smallest": min(sizes),
    }
    classes = len(np.unique(y))
    return job | {"scores": found, "topics": about, "classes": classes, "seconds": seconds} | made_with(checksum)


def levels(topics: Any) -> list[int]:
    """The numbers of topics that are tried for the best agreement with classes."""
    return list(range(2, topics.tree.n_leaves + 1))


def drawn(name: str, n: int, seed: int, kind: str) -> tuple[sp.csr_array, NDArray[Any], str | None]:
    """Random documents with the words that most of them have, and their classes. All of them have words."""
    if name == "patterns":
        X, y = patterns(n, seed)
        return X, y, None
    corpus = documents.corpus(name)
    counts, labels = sp.csr_array(corpus.counts).astype(np.float32), np.asarray(corpus.labels)
    order = np.random.default_rng(1000 + seed).permutation(counts.shape[0])
    if kind == "joined":
        counts, labels = joined(counts[order], labels[order])
        order = np.random.default_rng(seed).permutation(counts.shape[0])
    if kind == "alike":
        order = order[np.argsort(place_in_class(labels[order]), kind="stable")]
    X, y = sp.csr_array(counts[order[:n]]), labels[order[:n]]
    if kind == "titles":
        X = titles(X, seed)
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    columns = np.sort(np.argsort(-frequency, kind="stable")[: min(WORDS, int((frequency > 0).sum()))])
    X = sp.csr_array(X[:, columns])
    written = np.diff(X.indptr) > 0
    return X[written], y[written], corpus.checksum


def place_in_class(y: NDArray[Any]) -> NDArray[np.intp]:
    """For each document how many of its class come before it."""
    places = np.empty(len(y), dtype=np.intp)
    for label in np.unique(y):
        places[y == label] = np.arange((y == label).sum())
    return places


def titles(X: sp.csr_array, seed: int) -> sp.csr_array:
    """At most eight distinct words of each document, drawn by how often it has them."""
    generator = np.random.default_rng(seed)
    rank = generator.exponential(size=X.nnz) / X.data  # The smallest are a draw without replacement.
    kept = np.zeros(X.nnz, dtype=bool)
    for first, last in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        kept[first + np.argsort(rank[first:last])[:TITLE]] = True
    short = X.copy()
    short.data = kept.astype(np.float32)
    short.eliminate_zeros()
    return short


def joined(X: sp.csr_array, y: NDArray[Any]) -> tuple[sp.csr_array, NDArray[Any]]:
    """Ten documents of one class in one."""
    order = np.argsort(y, kind="stable")
    starts = np.concatenate([np.arange((y == label).sum()) // JOINED for label in np.unique(y)])
    group = np.unique(np.column_stack([y[order], starts]), axis=0, return_inverse=True)[1].ravel()
    adding = sp.csr_array((np.ones(len(y), dtype=np.float32), (group, order)))
    whole = sp.csr_array(adding @ X)
    return whole, y[order][np.unique(group, return_index=True)[1]]


def patterns(n: int, seed: int) -> tuple[sp.csr_array, NDArray[Any]]:
    """Texts of four to six of the eight words of one of twelve patterns, and of three of 300 other words."""
    generator = np.random.default_rng(seed)
    words = [generator.choice(200, 8, replace=False) for _ in range(12)]
    y = generator.integers(0, 12, n)
    X = np.zeros((n, 500), dtype=np.float32)
    for row, pattern in enumerate(y):
        X[row, generator.choice(words[pattern], generator.integers(4, 7), replace=False)] = 1
        X[row, 200 + generator.integers(0, 300, 3)] += 1
    return sp.csr_array(X), y


def scores(vectors: Any, y: NDArray[Any]) -> tuple[float, float]:
    """P@10 and accuracy of three neighbours, where each row asks for the others."""
    cosines = vectors @ vectors.T
    cosines = np.asarray(cosines.toarray() if sp.issparse(cosines) else cosines, dtype=np.float64)
    np.fill_diagonal(cosines, -np.inf)
    near = y[np.argsort(-cosines, axis=1, kind="stable")[:, : min(K, len(y) - 1)]]
    voted = np.where(near[:, 1] == near[:, 2], near[:, 1], near[:, 0])
    return float((near == y[:, None]).mean()), float((voted == y).mean())


def print_table(records: list[dict[str, Any]]) -> None:
    """P@10 and 3-NN in percent, as means over draws; the last column is ours less the best of the others."""
    cells: dict[Any, list[Any]] = defaultdict(list)
    for r in records:
        cells[r["kind"], r["data"], r["n"]].append(r["scores"])
    names = ["tf-idf", *(f"LSI-{size}" for size in LSI_SIZES), "ours, balance", "ours, details"]
    print(f"{'':26}" + "".join(f"{name:>15}" for name in names) + f"{'gain':>15}")
    for (kind, data, n), found in sorted(cells.items()):
        means = {name: 100 * np.mean([each[name] for each in found], axis=0) for name in names}
        others = np.max([means[name] for name in names[:4]], axis=0)
        gain = means["ours, balance"] - others
        row = "".join(f"{p:>9.1f} {a:>5.1f}" for p, a in (means[name] for name in names))
        print(f"{kind:8}{data:12}{n:>6}{row}{gain[0]:>+9.1f} {gain[1]:>+5.1f}")


def print_topics(records: list[dict[str, Any]]) -> None:
    """The number found in each draw, and the agreement with classes as a share of that of the best number."""
    cells: dict[Any, list[Any]] = defaultdict(list)
    for r in records:
        cells[r["kind"], r["data"], r["n"]].append(r | r["topics"])
    print(
        f"{'':26}{'classes':>9}{'topics found':>16}{'best':>12}{'AMI':>7}{'of best':>9}{'largest':>9}{'smallest':>10}"
    )
    for (kind, data, n), found in sorted(cells.items()):
        each = {name: [r[name] for r in found] for name in ("classes", "found", "best number", "AMI", "best")}
        share = np.mean(np.divide(each["AMI"], np.maximum(each["best"], 1e-9)))
        numbers, best = (f"{min(v)} to {max(v)}" for v in (each["found"], each["best number"]))
        print(
            f"{kind:8}{data:12}{n:>6}{np.mean(each['classes']):>9.0f}{numbers:>16}{best:>12}{np.mean(each['AMI']):>7.2f}"
            f"{share:>9.2f}{max(r['largest'] for r in found):>9.0%}{min(r['smallest'] for r in found):>10}"
        )


def jobs() -> list[dict[str, Any]]:
    """Small draws first; three of each up to 1,000 documents, then fewer, because they vary less."""
    found = []
    for n in SIZES:
        draws = 3 if n <= 1000 else 2 if n <= 2000 else 1
        found += [
            {"kind": "whole", "data": d, "n": n, "seed": s} for d, s in product((*SETS, "patterns"), range(draws))
        ]
        if n in (300, 1000, 2000):
            kinds = ("titles", "joined") if n == 300 else ("titles",)
            found += [{"kind": k, "data": d, "n": n, "seed": s} for k, d, s in product(kinds, SETS, range(2))]
    return found + [{"kind": "alike", "data": "20news", "n": n, "seed": s} for n, s in product(ALIKE_SIZES, range(3))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, metavar="OUT.jsonl")
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--topics", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after that")
    options = parser.parse_args()
    if options.quick:
        records = [run({"kind": "whole", "data": "patterns", "n": 200, "seed": 0})]
        print_table(records)
        print_topics(records)
    if options.table:
        print_table(read_records(*options.table))
    if options.topics:
        print_topics(read_records(*options.topics))
    if options.run:
        done = run_missing(run, jobs(), options.run, options.workers, options.minutes)
        print(json.dumps({"all done": done}))


if __name__ == "__main__":
    main()
