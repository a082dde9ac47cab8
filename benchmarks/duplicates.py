"""What does it cost to find duplicates, and how many are found?

    python benchmarks/duplicates.py [--quick] [--rows 50 500 5000 500000]
    python benchmarks/duplicates.py --files reuters_top9.jsonl.gz 20news_bydate.jsonl.gz

Documents of 120 words, drawn by Zipf's law from 5,000; a tenth of them are earlier ones with two words changed, and as
many are equal ones. "all pairs" compares each document with each other by the same measure; "datasketch" is MinHash
with banding in Python (`pip install datasketch`, left out where it is not installed), whose candidates are checked in
the same way. Both run where there are not too many documents. The floor is one pass of scikit-learn's counter over as
many texts, which comes before: the ratio to it is what finding duplicates adds to reading. Peak memory is that of the
process, of which the counts themselves are a part.

With --files, texts in the folder WIDEANGLE_DATA are read as `wideangle fit` reads them, and duplicates are found by the
counts of the vocabulary alone, and as `fit` finds them: short texts by all their words.
"""

import argparse
import resource
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data import find_duplicates
from wideangle.data.counting.counter import WordCounter
from wideangle.data.locate import find_file
from wideangle.reading import read
from wideangle.reading.repeats import find_repeats

N_WORDS, LENGTH, CHANGED = 5000, 120, 2
THRESHOLD = 0.9  # the default
FEW, SOME = 1000, 5000  # documents up to which all pairs are compared, and up to which datasketch is asked
MOST_COUNTED = 20_000  # texts whose words are counted for the floor


def drawn(n: int, seed: int = 0) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """The words of each document, and the earlier document that it was made of, or itself."""
    rng = np.random.default_rng(seed)
    chance = 1 / np.arange(1, N_WORDS + 1)
    words = rng.choice(N_WORDS, size=(n, LENGTH), p=chance / chance.sum()).astype(np.int32)
    made_of, tenth = np.arange(n), n // 10
    made_of[n - 2 * tenth :] = rng.integers(n - 2 * tenth, size=2 * tenth)
    words = words[made_of]
    places = rng.integers(LENGTH, size=(tenth, CHANGED))
    words[np.arange(n - tenth, n)[:, None], places] = rng.integers(N_WORDS, size=(tenth, CHANGED))
    return words, made_of


def counted(words: NDArray[np.int32]) -> Any:
    rows = np.repeat(np.arange(len(words)), LENGTH)
    return sp.csr_array((np.ones(words.size), (rows, words.ravel())), shape=(len(words), N_WORDS))


def weighted(counts: Any) -> Any:
    """Counts times the weights of `find_duplicates`, of all documents."""
    weights = np.log1p(counts.shape[0] / np.maximum(np.bincount(counts.indices, minlength=N_WORDS), 1))
    return sp.csr_array(counts @ sp.diags_array(weights))


def by_all_pairs(counts: Any) -> NDArray[np.intp]:
    X = weighted(counts)
    sums = np.asarray(X.sum(axis=1)).ravel()
    first = np.arange(len(sums))
    for row in range(1, len(sums)):
        smaller = np.asarray(X[:row].minimum(X[np.full(row, row)]).sum(axis=1)).ravel()
        same = np.flatnonzero(smaller >= THRESHOLD * (sums[:row] + sums[row] - smaller))
        if len(same):
            first[row] = first[same[0]]
    return first


def by_datasketch(counts: Any) -> NDArray[np.intp]:
    datasketch = import_module("datasketch")
    X = weighted(counts)
    sums = np.asarray(X.sum(axis=1)).ravel()
    index = datasketch.MinHashLSH(threshold=0.8, num_perm=48)
    first = np.arange(len(sums))
    for row in range(len(sums)):
        hashes = datasketch.MinHash(num_perm=48)
        hashes.update_batch([b"%d" % word for word in X.indices[X.indptr[row] : X.indptr[row + 1]]])
        near = np.array(sorted(index.query(hashes)), dtype=np.intp)
        if len(near):
            smaller = np.asarray(X[near].minimum(X[np.full(len(near), row)]).sum(axis=1)).ravel()
            same = near[smaller >= THRESHOLD * (sums[near] + sums[row] - smaller)]
            first[row] = first[same[0]] if len(same) else row
        index.insert(row, hashes)
    return first


def timed(run: Callable[[Any], Any], given: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    found = run(given)
    return time.perf_counter() - start, found


def seconds_of_counting(words: NDArray[np.int32]) -> float:
    """How long it takes to count the words of texts; of many, a part is counted."""
    texts = [" ".join(f"w{word}" for word in row) for row in words[:MOST_COUNTED].tolist()]
    seconds, _ = timed(WordCounter(r"\b\w+\b").tally, texts)
    return seconds * len(words) / len(texts)


def compare(n: int) -> None:
    words, made_of = drawn(n)
    counts, floor = counted(words), seconds_of_counting(words)
    ways: dict[str, Callable[[Any], Any]] = {"ours": find_duplicates}
    if n <= FEW:
        ways["all pairs"] = by_all_pairs
    if n <= SOME and find_spec("datasketch"):
        ways["datasketch"] = by_datasketch
    planted, ours = made_of != np.arange(n), 0.0
    for way, run in ways.items():
        seconds, first = timed(run, counts)
        ours = ours or seconds
        found = np.mean(first[planted] == first[made_of[planted]])
        false = int((first[~planted] != np.arange(n)[~planted]).sum())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        times = f"{seconds:7.2f} s, {seconds / ours:6.1f} times ours, {seconds / floor:6.2f} times counting their words"
        said = f"{found:.1%} of the copies found, {false} others; peak {peak:.1f} GB"
        print(f"{n:>7,} documents, {way:>10}: {times}; {said}", flush=True)


def look_into(name: str) -> None:
    """Print how many documents of a file repeat another one."""
    path = find_file(name)
    if path is None:
        print(f"{name} is not there.")
        return
    rows = read(path)
    alone = find_duplicates(rows.X)
    seconds, found = timed(find_repeats, rows)
    repeats = [int((first != np.arange(len(rows))).sum()) for first in (alone, found)]
    print(
        f"{name}: {repeats[1]} of {len(rows):,} documents repeat another one, found in {seconds:.1f} s; "
        f"by the counts of {rows.X.shape[1]:,} words alone {repeats[0]}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="50 and 500 documents")
    parser.add_argument("--rows", type=int, nargs="+", default=[50, 500, 5000, 500_000], help="how many documents")
    parser.add_argument("--files", nargs="+", help="files of texts to look into instead")
    options = parser.parse_args()
    for name in options.files or ():
        look_into(name)
    if options.files:
        return
    find_duplicates(counted(drawn(50)[0]))  # What is imported is not timed.
    seconds_of_counting(drawn(50)[0])
    for n in [50, 500] if options.quick else options.rows:
        compare(n)


if __name__ == "__main__":
    main()
