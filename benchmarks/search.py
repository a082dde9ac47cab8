"""What should search compare for a topic model: `transform`, or the hidden logits?

    python benchmarks/search.py [--quick]

Queries are words drawn from the test documents of the docstrings corpus, 2 to 5 different ones each, and the whole test
documents. They search the training documents, and a hit is one of the same class. "probabilities" are the centred
probabilities at unit length that `transform` gives by default, by Euclidean distance. "logits" are the hidden logits
measured from the average document, by the cosine. The error is that of the paired difference over all queries.
"""

import argparse
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data import python_docs
from wideangle.documents import Documents
from wideangle.evaluation import precision_per_query
from wideangle.models import ReplicatedSoftmax
from wideangle.view import ModelView

NEAREST = 10
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
        plain = Documents.of(view.represent(train.counts))
        both = Documents.of(plain.vectors, logits=view.logits(train.counts))
        for length in LENGTHS:
            X, rows = queries_of(counts, length, rng)
            each = []
            for documents in (plain, both):
                asked, stored, metric = view.compared(X, documents)
                each.append(precision_per_query(asked, test.labels[rows], stored, train.labels, NEAREST, metric=metric))
            found[length].append(np.array(each))
    print(f"P@{NEAREST} by class, K = 50, {updates} updates, {seeds} seeds, {len(test)} test documents")
    for length, parts in found.items():
        probabilities, logits = np.concatenate(parts, axis=1)
        gain = logits - probabilities
        name = "whole documents" if length is None else f"{length} words"
        print(
            f"{name:>15}: probabilities {probabilities.mean():.3f}, logits {logits.mean():.3f}, "
            f"gain {gain.mean():+.4f} ± {gain.std() / np.sqrt(len(gain)):.4f}"
        )


if __name__ == "__main__":
    main()
