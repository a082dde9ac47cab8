"""How much should the query's words count beside the closeness that the model learned?

    python benchmarks/search_words.py [--quick] [--sets docstrings 20news] [--models FOLDER]

The score of a document is closeness + weight × words (`wideangle.searching`). Two measures pull in opposite directions.
"same class": queries are 2, 3 or 5 words of a test document. They search the training documents, and P@10 counts the
hits of its class. Judging by classes favours what the model learned. "the document": queries are 2 or 3 words of the
rarer half of a test document's words. They search all documents, and the measure is how often the document itself is
among the first ten. That favours the words. The error is that of the paired difference from weight 0, over all queries.

The rule: take the largest weight at which no precision by class is lower than that of weight 0 by more than twice its
error. It was applied to the docstrings and to 20-News, and the smaller of both weights is `wideangle.searching.WEIGHT`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from search import queries_of
from sklearn.metrics.pairwise import cosine_similarity

import wideangle
from wideangle.data import Corpus
from wideangle.documents import WordLists
from wideangle.evaluation import compare_runs
from wideangle.experiments.tasks.documents import corpus
from wideangle.models import ReplicatedSoftmax
from wideangle.searching import WordIndex
from wideangle.view import ModelView

FIRST = 10  # hits that are looked at
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, np.inf)  # infinite: words alone, closeness between equals


def rarer_half(counts: sp.csr_array, having: NDArray[np.intp]) -> sp.csr_array:
    """The counts of the rarer half of each document's words, by how many documents have them."""
    rows = []
    for start, end in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        words = counts.indices[start:end]
        rows.append(np.sort(words[np.argsort(having[words], kind="stable")][: len(words) // 2]))
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return sp.csr_array((np.ones(ends[-1]), np.concatenate(rows), ends), shape=counts.shape)


def scores(view: ModelView, queries: sp.csr_array, searched: Corpus) -> Iterator[list[NDArray[np.float64]]]:
    """Of each query, the scores of all documents by every weight."""
    documents = view.documents(searched.counts)
    index = WordIndex.of(WordLists.of(searched.counts).matrix(searched.counts.shape[1]))
    asked, stored, metric = view.compared(queries, documents)
    assert metric == "cosine"
    for number, row in enumerate(asked):
        closeness = cosine_similarity(row[None], stored)[0]
        words = index.scores(queries.indices[queries.indptr[number] : queries.indptr[number + 1]])
        yield [1e-9 * closeness + words if np.isinf(w) else closeness + w * words for w in WEIGHTS]


def same_class(view: ModelView, whole: Corpus, length: int, most: int) -> NDArray[np.float64]:
    """P@10 of each query by each weight."""
    train, test = whole.train, whole.test
    assert train.labels is not None
    assert test.labels is not None
    X, rows = some_queries(sp.csr_array(test.counts), length, most)
    found = [
        [np.mean(train.labels[np.argpartition(-s, FIRST)[:FIRST]] == test.labels[row]) for s in each]
        for row, each in zip(rows, scores(view, X, train), strict=True)
    ]
    return np.array(found)


def the_document(view: ModelView, whole: Corpus, length: int, most: int) -> NDArray[np.float64]:
    """Whether each query finds the document that it was made of among the first ten, by each weight."""
    assert whole.is_train is not None
    every = sp.csr_array(whole.counts)
    having = np.bincount(every.indices, minlength=every.shape[1])
    held_out = np.flatnonzero(~whole.is_train)
    X, rows = some_queries(rarer_half(every[held_out], having), length, most)
    found = [
        [np.sum(s > s[document]) + (np.sum(s == s[document]) - 1) / 2 < FIRST for s in each]  # ties half before it
        for document, each in zip(held_out[rows], scores(view, X, whole), strict=True)
    ]
    return np.array(found, dtype=float)


def some_queries(counts: sp.csr_array, length: int, most: int) -> tuple[Any, NDArray[np.intp]]:
    """Queries of so many words, of at most so many documents."""
    rng = np.random.default_rng(length)
    chosen = np.sort(rng.permutation(counts.shape[0])[:most])
    X, rows = queries_of(counts[chosen], length, rng)
    return X, chosen[rows]


def fitted(name: str, whole: Corpus, updates: int, folder: Path | None) -> ModelView:
    path = None if folder is None else folder / f"{name}-{updates}.wideangle"
    if path is not None and path.exists():
        return ModelView.of(wideangle.load(path))
    model = ReplicatedSoftmax(50, max_updates=updates, random_state=0).fit(whole.train.counts)
    if path is not None:
        model.save(path)
    return ModelView.of(model)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few updates and queries, docstrings alone")
    parser.add_argument("--sets", nargs="+", default=["docstrings"])
    parser.add_argument("--models", type=Path, help="a folder where fitted models are kept and looked for")
    options = parser.parse_args()
    updates, most = (50, 50) if options.quick else (2000, 2000)
    for name in options.sets:
        whole = corpus(name)
        view = fitted(name, whole, updates, options.models)
        print(f"{name}: K = 50, {updates} updates, {len(whole):,} documents, queries of at most {most:,} of them")
        print(f"{'weight of the words':>27}", *(f"{'words' if np.isinf(w) else f'{w:g}':>14}" for w in WEIGHTS))
        tasks = [("same class", same_class, length) for length in (2, 3, 5)]
        tasks += [("the document", the_document, length) for length in (2, 3)]
        harmless = np.ones(len(WEIGHTS), dtype=bool)
        for task, measure, length in tasks:
            found = measure(view, whole, length, most)
            gain = found - found[:, :1]
            error = gain.std(axis=0) / np.sqrt(len(gain))
            if measure is same_class:
                # Each weight is tested by itself, which sees harm sooner than a test of all of them together.
                compared = [compare_runs(each, found[:, 0], paired=True) for each in found.T]
                harmless &= [each.difference >= 0 or not each.p_value < 0.05 for each in compared]
            cells = [f"{mean:.3f} ± {far:.3f}" for mean, far in zip(found.mean(axis=0), error, strict=True)]
            print(f"{task:>15}, {length} words ", *(f"{cell:>14}" for cell in cells), flush=True)
        largest = WEIGHTS[int(np.flatnonzero(harmless)[-1])]
        print(f"largest weight that does no harm to any precision by class: {largest:g}")


if __name__ == "__main__":
    main()
