"""Documents that repeat another one, word for word or with a few words changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arguments import checked, real
from wideangle.data.count_blocks import CountBlocks, sums_of_rows
from wideangle.data.minhash import BANDS, HASHES, HashFunctions, Sketches, mix

__all__ = ["find_duplicates"]

ALIKE_HASHES = HASHES // 2  # Pairs with fewer equal hashes are not the same.
NEIGHBOURS = 16  # Within a band a row is compared with so many rows of the next larger sums.
ROWS = 2**16  # of which the neighbours are looked at together

Rows = NDArray[np.intp]
Pair = tuple[Rows, Rows]


@checked(threshold=real(above=0, most=1))
def find_duplicates(counts: Any, threshold: float = 0.9) -> NDArray[np.int64]:
    """For each document the first one that it repeats, or itself.

    Two documents are the same where they have the same counts, or where Σ w min(x, y) / Σ w max(x, y), the weighted
    overlap of their counts x and y, is at least `threshold`. The weight of a word that n_w of n different documents
    have is log(1 + n/n_w): a text that differs from another in one rare word, as titles and filled-in forms do, is not
    the same, and one that differs in a common word is. What repeats a repetition belongs to the same group.

    Candidates are found by hashes of the words (MinHash with banding), and each pair is checked. So there are no false
    pairs, and of the true ones few are missed: those whose words overlap by less than 0.7.

    Parameters
    ----------
    counts : array or sparse matrix of shape (n_documents, n_words)
        Word counts, or any numbers from 0 on. Documents without words repeat nothing. Anything with `shape`, `nnz` and
        sparse rows `counts[a:b]` and `counts[numbers]` will do: it is read in blocks, so that it may be on disk.
    threshold : float, default=0.9
        From above 0 to 1, which finds equal rows only.

    References
    ----------
    Broder (1997), On the resemblance and containment of documents. Leskovec, Rajaraman and Ullman (2014), Mining of
    Massive Datasets, Section 3.4.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.data import find_duplicates
    >>> find_duplicates(np.array([[1, 2, 0], [0, 1, 1], [1, 2, 0], [0, 0, 0], [0, 0, 0]])).tolist()
    [0, 1, 0, 3, 4]
    """
    X = CountBlocks(counts)
    keys, written, having = _surveyed(X)
    first = _first_equal(X, keys, np.flatnonzero(written))
    own = first == np.arange(len(first))
    distinct = np.flatnonzero(written & own)
    if threshold == 1 or not len(distinct):
        return first
    for some in X.parts(np.flatnonzero(~own)):
        having -= np.bincount(X.rows(some).indices, minlength=len(having))
    weights = np.log1p(len(distinct) / np.maximum(having, 1))
    rows = _hashed(X, distinct, keys[distinct], weights, HashFunctions(having > 0))
    del keys, written, own
    groups = _similar(rows, threshold)
    earliest = np.empty(int(groups.max()) + 1, dtype=np.int64)
    in_order = np.argsort(rows.numbers)[::-1]
    earliest[groups[in_order]] = rows.numbers[in_order]  # Of several rows of a group the last one stays, the smallest.
    first[rows.numbers] = earliest[groups]
    return first[first]


def _surveyed(X: CountBlocks) -> tuple[NDArray[np.uint64], NDArray[np.bool_], NDArray[np.intp]]:
    """A number for each row that depends on its content alone, whether it has words, and how many rows have each."""
    n, n_words = X.shape
    keys, written = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=bool)
    having = np.zeros(n_words, dtype=np.intp)
    for where, block in X:
        mixed = mix(mix(block.indices.astype(np.uint64)) ^ block.data.view(np.uint64))
        keys[where] = sums_of_rows(np.add, mixed, block.indptr, 0)
        written[where] = np.diff(block.indptr) > 0
        having += np.bincount(block.indices, minlength=n_words)
    return keys, written, having


def _first_equal(X: CountBlocks, keys: NDArray[np.uint64], written: Rows) -> NDArray[np.int64]:
    """For each row the first that is equal to it. Equal keys are checked."""
    first = np.arange(len(keys), dtype=np.int64)
    order = written[np.argsort(keys[written], kind="stable")]
    found = keys[order]
    begins = np.flatnonzero(np.append(True, found[1:] != found[:-1])) if len(found) else np.zeros(0, dtype=np.intp)
    earliest = np.repeat(order[begins], np.diff(np.append(begins, len(order))))
    repeats = np.flatnonzero(earliest != order)
    for some in X.parts(repeats[np.argsort(order[repeats])]):
        i, j = order[some], earliest[some]
        left, right = _both(X, i, j)
        equal = np.asarray(abs(left - right).sum(axis=1)).ravel() == 0
        first[i[equal]] = j[equal]
    return first


@dataclass(frozen=True, eq=False)
class _Hashed:
    """Rows that all differ, in the order of their sums, with all that candidates are found by."""

    X: CountBlocks
    numbers: Rows
    """which rows of X they are"""
    sums: NDArray[np.float64]
    """Σ w x of each"""
    weights: NDArray[np.float64]
    functions: HashFunctions
    sketches: Sketches

    def overlap(self, i: Rows, j: Rows) -> NDArray[np.float64]:
        """Σ w min / Σ w max of pairs of rows, 0 where too few of their hashes are equal."""
        left, right = _both(self.X, self.numbers[i], self.numbers[j])
        for side in (left, right):
            side.data *= self.weights[side.indices]
        smaller = np.asarray(left.minimum(right).sum(axis=1)).ravel()
        return np.asarray(smaller / (self.sums[i] + self.sums[j] - smaller))

    def have_equal_hashes(self, i: Rows, j: Rows) -> NDArray[np.bool_]:
        """Whether enough hashes of pairs of rows are equal. Sketches say it nearly; here hashes are compared."""
        left, right = (self.functions.smallest(side) for side in _both(self.X, self.numbers[i], self.numbers[j]))
        return np.asarray((left == right).sum(axis=0) >= ALIKE_HASHES)


def _hashed(
    X: CountBlocks, distinct: Rows, keys: NDArray[np.uint64], weights: NDArray[np.float64], functions: HashFunctions
) -> _Hashed:
    sums = np.empty(len(distinct))
    sketches = Sketches.empty(len(distinct))
    for some in X.parts(np.arange(len(distinct))):
        block = X.rows(distinct[some])
        sketches.put(some, functions.smallest(block))
        block.data *= weights[block.indices]
        sums[some] = np.asarray(block.sum(axis=1)).ravel()
    # All that decides here is the content of rows, so that their order makes no difference.
    order = np.lexsort((keys, sums))
    return _Hashed(X, distinct[order], sums[order], weights, functions, sketches.in_order(order))


def _similar(rows: _Hashed, threshold: float) -> NDArray[np.int32]:
    """The number of the group of each row."""
    n = len(rows.sums)
    groups = np.arange(n, dtype=np.int32)
    edges: Pair = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
    for band in range(BANDS):
        found = [edges]
        for i, j in _candidates(rows, rows.sketches.buckets(band), groups, threshold):
            for some in rows.X.parts(np.arange(len(i))):
                a, b = i[some], j[some]
                same = rows.overlap(a, b) >= threshold
                same[same] = rows.have_equal_hashes(a[same], b[same])
                found.append((a[same].astype(np.int32), b[same].astype(np.int32)))
        if any(len(a) for a, _ in found[1:]):
            first, second = (np.concatenate(side) for side in zip(*found, strict=True))
            edges = first, second
            graph = sp.coo_array((np.ones(len(edges[0]), dtype=bool), edges), shape=(n, n))
            groups = sp.csgraph.connected_components(graph, directed=False)[1]
    return groups


def _candidates(
    rows: _Hashed, buckets: NDArray[np.uint64], groups: NDArray[np.int32], threshold: float
) -> Iterator[Pair]:
    """Pairs of rows in one bucket whose sums and sketches allow them to be the same; no pairs of one group."""
    order = np.argsort(buckets, kind="stable")  # In a bucket rows stay in the order of their sums.
    for start in range(0, len(order), ROWS):
        here = order[start : start + ROWS + NEIGHBOURS]
        last = min(ROWS, len(order) - start)
        found: list[Pair] = []
        bucket, sums, group, bits = buckets[here], rows.sums[here], groups[here], rows.sketches.bits[here]
        for step in range(1, NEIGHBOURS + 1):
            i = np.flatnonzero(bucket[: len(here) - step][:last] == bucket[step:][:last])
            if not len(i):
                break
            i = i[(group[i] != group[i + step]) & (sums[i] >= threshold * sums[i + step])]
            i = i[rows.sketches.equal_at_most(bits[i], bits[i + step]) >= ALIKE_HASHES]
            found.append((here[i], here[i + step]))
        if any(len(i) for i, _ in found):  # Pairs of all steps are checked at once, because few are left of each.
            yield np.concatenate([i for i, _ in found]), np.concatenate([j for _, j in found])


def _both(X: CountBlocks, i: Rows, j: Rows) -> tuple[Any, Any]:
    """The rows of both sides of pairs. Each is read once."""
    numbers, place = np.unique(np.concatenate([i, j]), return_inverse=True)
    found = X.rows(numbers)
    place = place.ravel()
    return found[place[: len(i)]], found[place[len(i) :]]
