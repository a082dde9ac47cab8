"""Is `sure` a probability? How often is the topic of a document right, among documents that are so sure of it?

    python benchmarks/sureness.py [--corpora docstrings 20news reuters] [--record FILE.jsonl] [--quick]
    python benchmarks/sureness.py --table FILE.jsonl [FILE.jsonl …]
    python benchmarks/sureness.py --few OUT.jsonl [--corpora …]     draws of 100 to 1,000 training documents
    python benchmarks/sureness.py --few-table FILE.jsonl

A model is fitted on the training documents, and topics are found. The held-out documents are asked three questions,
and are put into rows by how sure they are. "halves": a coin parts the words of documents that are twice as long as
usual, so that either half is as long as a usual document. Do both halves have the same topic, as often as their `sure`
says? This is the only question whose answer should be the same number. "class": is the class of most of the topic's
training documents that of the document? A topic has documents of several classes, so that this is lower, but it must
rise. "refit": a second model with another seed has topics of its own, each of which is called as that topic of the
first model which most of its training documents have. Does it give the document the same topic?

Of few documents the first question is asked alone, of all held-out documents with ten words or more. "own" is what
halves of the documents that the model was fitted to would have taught, "held out" what is taught: halves of documents
that a second model has not seen.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from _records import read_records, write_records
from numpy.typing import NDArray

from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.data import Corpus
from wideangle.evaluation.halves import part_words
from wideangle.experiments.tasks.documents import corpus
from wideangle.models import ReplicatedSoftmax
from wideangle.topics import Topics, held_out
from wideangle.topics.sureness import COINCIDE

FEW, DRAWS, SHORTEST = (100, 300, 1000), 3, 10
EDGES = (0.0, 0.5, 0.7, 0.9, 1.0)
CHECKS = ("halves", "class", "refit")
Record = dict[str, Any]


def fitted(data: Corpus, seed: int, updates: int, n_topics: int | None = None) -> tuple[ReplicatedSoftmax, Topics]:
    model = ReplicatedSoftmax(COMPONENTS, max_updates=updates, random_state=seed).fit(data.train.counts)
    words = [str(column) for column in range(data.train.counts.shape[1])]
    return model, model.topics(data.train.counts, n_topics, vocabulary=words)


def measured(name: str, seed: int, updates: int) -> Iterator[Record]:
    data = corpus(name)
    model, topics = fitted(data, seed, updates)
    found = model.assign(data.test.counts)
    placed = found.topics >= 0
    sure = found.sure[placed]
    assert data.train.labels is not None
    assert data.test.labels is not None
    largest = most_frequent(topics.of_documents, data.train.labels, len(topics))
    of_class = largest[found.topics[placed]] == data.test.labels[placed]
    other, again = fitted(data, seed + 1, updates, len(topics))
    called = most_frequent(again.of_documents, topics.of_documents, len(again))
    same = called[other.assign(data.test.counts).topics[placed]] == found.topics[placed]
    about = {"corpus": name, "seed": seed, "topics": len(topics)}
    for check, expected, seen in (
        ("halves", *halves(model, data)),
        ("class", sure, of_class),
        ("refit", sure, same),
    ):
        for low, high in pairwise(EDGES):
            inside = (low <= expected) & ((expected < high) | (high == 1.0))
            row = {"check": check, "from": low, "to": high, "documents": int(inside.sum())}
            row |= {"said": mean(expected[inside]), "seen": mean(seen[inside])}
            yield about | row
        yield (
            about
            | {"check": check, "from": 0.0, "to": 1.0, "documents": len(seen), "said": mean(expected)}
            | {"seen": mean(seen)}
        )


def halves(model: ReplicatedSoftmax, data: Corpus) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How probable it is that both halves of long documents have the same topic, and whether they have."""
    lengths = [np.diff(part.counts.tocsr().indptr) for part in (data.train, data.test)]
    long = np.flatnonzero(lengths[1] >= 2 * np.median(lengths[0]))
    first, second = (
        model.assign(half) for half in part_words(data.test.counts.tocsr()[long], np.random.default_rng(0))
    )
    both = (first.topics >= 0) & (second.topics >= 0)
    p, q = first.sure[both], second.sure[both]
    return p * q + COINCIDE * (1 - p) * (1 - q), first.topics[both] == second.topics[both]


def of_few(name: str, n: int, seed: int) -> Record:
    """A draw of training documents: what is said of halves of held-out documents, taught in both ways, and seen."""
    data = corpus(name)
    rows = np.random.default_rng(seed).choice(data.train.counts.shape[0], n, replace=False)
    train, test = data.train.counts.tocsr()[rows], data.test.counts.tocsr()
    used = np.asarray(train.sum(axis=0)).ravel() > 0
    train, test = train[:, used], test[:, used]
    test = test[np.asarray(test.sum(axis=1)).ravel() >= SHORTEST]
    model = ReplicatedSoftmax(random_state=seed).fit(train)
    words = [str(column) for column in range(train.shape[1])]
    first, second = part_words(test, np.random.default_rng(0))
    record: Record = {"corpus": name, "n": n, "seed": seed}
    for taught, few in (("own", 0), ("held out", n + 1)):
        held_out.FEW = few  # Below it a second model teaches.
        topics = model.topics(train, vocabulary=words)
        one, other = model.assign(first), model.assign(second)
        both = (one.topics >= 0) & (other.topics >= 0)
        p, q = one.sure[both], other.sure[both]
        record |= {"topics": len(topics), taught: mean(p * q + COINCIDE * (1 - p) * (1 - q))}
        record["seen"] = mean(one.topics[both] == other.topics[both])
    return record


def few_table(records: list[Record]) -> None:
    print(f"{'corpus':<12}{'documents':>10}{'topics':>8}{'own':>8}{'held out':>10}{'seen':>8}")
    for name, n in dict.fromkeys((record["corpus"], record["n"]) for record in records):
        mine = [record for record in records if (record["corpus"], record["n"]) == (name, n)]
        topics, own, out, seen = (np.mean([r[key] for r in mine]) for key in ("topics", "own", "held out", "seen"))
        print(f"{name:<12}{n:>10,}{topics:>8.0f}{own:>8.2f}{out:>10.2f}{seen:>8.2f}")


def most_frequent(groups: NDArray[Any], labels: NDArray[Any], n: int) -> NDArray[np.intp]:
    """The most frequent label of each group."""
    return np.array(
        [np.bincount(labels[(groups == group) & (labels >= 0)], minlength=1).argmax() for group in range(n)]
    )


def mean(values: NDArray[Any]) -> float | None:
    return round(float(values.mean()), 4) if len(values) else None


def table(records: list[Record]) -> None:
    """One line per row of documents: how many they are, what was said and what was seen, for each question."""
    for name, topics in dict.fromkeys((record["corpus"], record["topics"]) for record in records):
        mine = [record for record in records if record["corpus"] == name]
        print(f"{name}, {topics} topics")
        print(f"{'sure':<12}" + "".join(f"{check + ': n':>12}{'said':>7}{'seen':>7}" for check in CHECKS))
        for low, high in [*pairwise(EDGES), (0.0, 1.0)]:
            cells = ""
            for check in CHECKS:
                (row,) = (r for r in mine if (r["check"], r["from"], r["to"]) == (check, low, high))
                numbers = "".join(
                    f"{'–' if row[key] is None else format(row[key], '.2f'):>7}" for key in ("said", "seen")
                )
                cells += f"{row['documents']:>12,}{numbers}"
            print(f"{'all' if high - low == 1 else f'{low:.1f} to {high:.1f}':<12}{cells}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["docstrings", "20news", "reuters"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--table", type=Path, nargs="+")
    parser.add_argument("--few", type=Path, metavar="OUT.jsonl")
    parser.add_argument("--few-table", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.few_table is not None:
        few_table(read_records(options.few_table))
        return
    if options.few is not None:
        found = [of_few(name, n, seed) for name in options.corpora for n in FEW for seed in range(DRAWS)]
        write_records(options.few, found)
        few_table(found)
        return
    if options.table is not None:
        table(read_records(*options.table))
        return
    records: list[Record] = []
    for name in ["docstrings"] if options.quick else options.corpora:
        records += measured(name, options.seed, 20 if options.quick else UPDATES)
    if options.record is not None:
        write_records(options.record, records)
    table(records)


if __name__ == "__main__":
    main()
