"""What is best for vectors of documents from any encoder, and where are they better than words?

    python benchmarks/vectors.py --folds OUT.jsonl [--full]    documents left out of the training part: what to choose
    python benchmarks/vectors.py --test OUT.jsonl [--full]     the test documents, with what the folds left
    python benchmarks/vectors.py --topics OUT.jsonl [--full]   topics of vectors beside BERTopic, S³ and KeyNMF
    python benchmarks/vectors.py --table FILE…                 P@k of the methods, in brackets the rarer half of classes
    python benchmarks/vectors.py --summary TEST.jsonl          one line per set and size
    python benchmarks/vectors.py --chosen FOLDS.jsonl          the gain of each finish over centred vectors, in points
    python benchmarks/vectors.py --quick                       300 docstrings, with LSI alone

Vectors are those of wordllama (256 columns), and LSI with 300 components as a stand-in for other encoders. "whole" are
the texts, "short" only subjects (20-News), titles (Reuters) and first sentences (docstrings). "raw" is the cosine of
the vectors; "centred" that of their differences from the mean; "without first k" leaves out principal directions;
"spectrum", "halves" and "neighbours m" are learned distances and granularities from 0 (details) to 1 (groups). Halves
are those of texts, encoded; neighbours are the m nearest documents by the cosine of tf-idf. "counts" is
ReplicatedSoftmax() of the words; "counts + vectors w" puts both beside one another. P@k with k = 10, for all documents
of Reuters and 20-News k = 100. At most 1,000 documents ask. Without --full there are 300 documents in three draws and
3,000 in one, which takes about five minutes on a free core. Needs the data sets (WIDEANGLE_DATA) and wordllama,
tokenizers and safetensors; `--topics` leaves out what is not installed of bertopic and turftopic.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _records import made_with, read_records, run_missing
from _vectors_distances import NEIGHBOURS, beside, finishes, moved, nearest_by_words, of_neighbours
from _vectors_encoders import by_lsi, by_wordllama, has_wordllama, tf_idf, timed
from _vectors_sets import KINDS, SETS, Documents, Draw, documents, drawn, words_per_document
from _vectors_tables import print_chosen, print_summary, print_table, print_topics
from _vectors_topics import run_topics
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD

from wideangle.evaluation import class_table, head_and_tail, nearest_rows
from wideangle.finishing.distances import by_halves
from wideangle.finishing.finished import unit_rows
from wideangle.models import ReplicatedSoftmax

SIZES = (300, 3000, None)
SEEDS = 3
WEIGHTS, TESTED_WEIGHTS = (0.1, 0.2, 0.3, 0.5, 0.7), (0.3, 0.5)
BEST = 3, 1.0  # neighbours and granularity of the vectors that are put beside counts
TESTED = [
    *("raw", "centred", "without first 1", "spectrum 0.75", "halves, 0.5", "halves, 1"),
    *("neighbours 3, 0.5", "neighbours 3, 1", "neighbours 5, 1"),
]


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Measure one draw with everything."""
    torch.set_num_threads(1)
    if job["part"] == "topics":
        return job | run_topics(job)
    everything = documents(job["data"], job["kind"])
    draw = drawn(job["data"], everything, job["part"], job["n"], job["seed"])
    found: dict[str, list[float]] = {}
    seconds: dict[str, float] = {}
    for name, train, asked in represented(everything, draw, job, seconds):
        found[name] = precision(everything, draw, train, asked)
    about = {"k": draw.k, "words": words_per_document([everything.texts[row] for row in draw.train])}
    return job | {"found": found, "seconds": seconds} | about | made_with(everything.checksum)


def represented(everything: Documents, draw: Draw, job: dict[str, Any], seconds: dict[str, float]) -> Iterator[Any]:
    """The name of each representation, and its rows of training documents and of those that ask."""
    counts = [everything.counts[rows] for rows in (draw.train, draw.asked)]
    words = tf_idf(*counts)
    yield "tf-idf", *words
    svd = TruncatedSVD(min(50, min(counts[0].shape) - 1), random_state=job["seed"]).fit(words[0])
    yield "LSI-50", *(unit_rows(svd.transform(each)) for each in words)
    near, seconds["neighbours"] = timed(nearest_by_words, words[0], max(NEIGHBOURS))
    lsi, seconds["LSI"] = timed(by_lsi, *counts, job["seed"])
    vectors = {"LSI": [unit_rows(each) for each in lsi]}
    if "wordllama" in job["encoders"]:
        encoded = by_wordllama(everything.texts)
        seconds["encoding all"] = encoded.seconds
        parts = (encoded.whole[draw.train], encoded.whole[draw.asked])
        halves = (encoded.first[draw.train], encoded.second[draw.train])
        vectors["wordllama"] = [unit_rows(each.astype(np.float64)) for each in (*parts, *halves)]
    for encoder, (train, asked, first, second) in vectors.items():
        for name, *rows in finishes(train, asked, (first, second), near):
            if job["part"] == "folds" or name in TESTED:
                yield f"{encoder}, {name}", *rows
    if not job["counts"]:
        return
    model, seconds["counts"] = timed(ReplicatedSoftmax(random_state=job["seed"]).fit, counts[0])
    for name in ("groups", "balance", "details"):
        model.set_params(granularity=name)
        ours = [unit_rows(np.asarray(model.transform(each), dtype=np.float64)) for each in counts]
        yield f"counts, {name}", *ours
    for encoder, (train, asked, *_) in vectors.items():
        yield from together(encoder, job["part"], ours, taught(train, asked, near, *BEST), near)


def together(encoder: str, part: str, ours: list[Any], theirs: Any, near: NDArray[np.intp]) -> Iterator[Any]:
    """Counts (details) and vectors in one representation, and that with a distance of its own."""
    for weight in WEIGHTS if part == "folds" else TESTED_WEIGHTS:
        yield f"counts + {encoder} {weight:g}", *(beside(*pair, weight) for pair in zip(ours, theirs, strict=True))
    half = [beside(*pair, 0.5) for pair in zip(ours, theirs, strict=True)]
    yield f"counts + {encoder} 0.5, neighbours", *taught(half[0], half[1], near, 3, 0.75)


def taught(train: Any, asked: Any, near: NDArray[np.intp], count: int, granularity: float) -> tuple[Any, Any]:
    moments = of_neighbours(train, near[:, :count])
    return moved(train, asked, moments.middle, by_halves(moments, granularity))


def precision(everything: Documents, draw: Draw, train: Any, asked: Any) -> list[float]:
    """P@k and that of the rarer half of the classes."""
    known, wanted = everything.labels[draw.train], everything.labels[draw.asked]
    each = (known[nearest_rows(asked, train, draw.k).rows] == wanted[:, None]).mean(axis=1)
    tail = head_and_tail(class_table(wanted, each, known, k=draw.k)).tail.precision
    return [float(each.mean()), float(tail)]


def jobs_of(part: str, full: bool) -> list[dict[str, Any]]:
    """What a part runs, in an order in which an early stop leaves every set with something."""
    if part == "topics":
        seeds = range(SEEDS if full else 1)
        return [{"part": part, "data": d, "seed": s} for s, d in product(seeds, SETS)]
    jobs = product(SIZES if full else SIZES[:2], range(SEEDS), KINDS, SETS)
    return [
        {"part": part, "data": d, "kind": kind, "n": n, "seed": seed, "encoders": ["wordllama"], "counts": counts}
        for n, seed, kind, d in jobs
        if full or n == SIZES[0] or seed == 0
        for counts in [full or part == "test" or n == SIZES[0]]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for part in ("folds", "test", "topics"):
        parser.add_argument(f"--{part}", type=Path, metavar="OUT.jsonl")
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--summary", type=Path, metavar="TEST.jsonl")
    parser.add_argument("--chosen", type=Path, metavar="FOLDS.jsonl")
    parser.add_argument("--full", action="store_true", help="all sizes, three seeds, counts in folds")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after that")
    parser.add_argument("--only", nargs="+", help="data sets")
    options = parser.parse_args()
    if options.table:
        records = read_records(*options.table)
        (print_topics if records[0]["part"] == "topics" else print_table)(records)
    elif options.summary:
        print_summary(read_records(options.summary))
    elif options.chosen:
        print_chosen(read_records(options.chosen))
    elif options.quick:
        job = {
            "part": "folds",
            "data": "docstrings",
            "kind": "short",
            "n": 300,
            "seed": 0,
            "encoders": [],
            "counts": True,
        }
        print_table([run(job)])
    for part in ("folds", "test", "topics"):
        out = getattr(options, part)
        if out is not None:
            if part != "topics" and not has_wordllama():
                parser.error("wordllama is not installed: pip install wordllama tokenizers safetensors")
            jobs = [j for j in jobs_of(part, options.full) if not options.only or j["data"] in options.only]
            done = run_missing(run, jobs, out, options.workers, options.minutes)
            print(json.dumps({"part": part, "all done": done}))


if __name__ == "__main__":
    main()
