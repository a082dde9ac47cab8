"""What should search compare for a topic model: what `transform` gives, the hidden logits, or its own finer finish?

    python benchmarks/search.py [--quick]

Queries are words drawn from the test documents of the docstrings corpus, 2 to 5 different ones each, and the whole test
documents. They search the training documents, and a hit is one of the same class. "transform" takes the query as a
document like all others, at the default granularity. "logits" are the hidden logits measured from the average document,
by the cosine, without a finish. "search" is what `wideangle search` does: half the granularity, and a query at half the
distance of a document from the average one. The error is that of the paired difference over all queries.
"""

import argparse
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data import python_docs
from wideangle.evaluation import precision_per_query
from wideangle.models import ReplicatedSoftmax
from wideangle.view import Metric, ModelView

NEAREST = 10
WAYS = ("transform", "logits", "search")
LENGTHS = (2, 3, 4, 5, None)  # words per query; None: the whole document


def queries_of(counts: Any, length: int | None, rng: np.random.Generator) -> tuple[Any, NDArray[np.intp]]:
    """Queries of so many different words of each document that has them, and the rows of these documents."""
    if length is None:
        return counts, np.arange(counts.shape[0])
    starts, ends = counts.indptr[:-1], counts.indptr[1:]
    rows = np.flatnonzero(ends - starts >= length)
    words = [rng.choice(counts.indices[starts[row] : ends[row]], length, replace=False) for row in rows]
    shape = (np.ones(length * len(rows)), np.concatenate(words), np.arange(0, length * len(rows) + 1, length))
    return sp.csr_array(shape, shape=(len(rows), counts.shape[1])), rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one seed, few updates")
    quick = parser.parse_args().quick
    seeds, updates = (1, 50) if quick else (3, 500)
    corpus = python_docs()
    train, test = corpus.train, corpus.test
    assert train.labels is not None
    assert test.labels is not None
    counts = sp.csr_array(test.counts)
    found: dict[int | None, list[NDArray[np.float64]]] = {length: [] for length in LENGTHS}
    for seed in range(seeds):
        model = ReplicatedSoftmax(50, max_updates=updates, random_state=seed).fit(train.counts)
        view, rng = ModelView.of(model), np.random.default_rng(seed)
        documents, logits = view.documents(train.counts), model.hidden_logits(train.counts)
        middle = logits.mean(axis=0)
        for length in LENGTHS:
            X, rows = queries_of(counts, length, rng)
            sides: tuple[tuple[Any, Any, Metric], ...] = (
                (view.represent(X), view.vectors(documents), "cosine"),
                (model.hidden_logits(X) - middle, logits - middle, "cosine"),
                view.compared(X, documents),
            )
            each = [
                precision_per_query(asked, test.labels[rows], stored, train.labels, NEAREST, metric=metric)
                for asked, stored, metric in sides
            ]
            found[length].append(np.array(each))
    print(f"P@{NEAREST} by class, K = 50, {updates} updates, {seeds} seeds, {len(test)} test documents")
    for length, parts in found.items():
        ways = np.concatenate(parts, axis=1)
        name = "whole documents" if length is None else f"{length} words"
        means = ", ".join(f"{way} {each.mean():.3f}" for way, each in zip(WAYS, ways, strict=True))
        gains = (f"{g.mean():+.4f} ± {g.std() / np.sqrt(len(g)):.4f} over {way}" for way, g in gains_of(ways))
        print(f"{name:>15}: {means}; search gains {', '.join(gains)}")


def gains_of(ways: NDArray[np.float64]) -> list[tuple[str, NDArray[np.float64]]]:
    """What search gains over the two other ways, query by query."""
    return [(way, ways[-1] - each) for way, each in zip(WAYS[:-1], ways[:-1], strict=True)]


if __name__ == "__main__":
    main()
