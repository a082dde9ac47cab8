"""Documents that repeat another one, word for word or with a few words changed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.exceptions import DataError

__all__ = ["find_duplicates"]

BANDS, PER_BAND = 12, 4  # Of pairs whose words overlap by 0.8, 99.8 % are alike in one of twelve bands of four hashes.
ALIKE_HASHES = 0.5  # Pairs with a smaller share of equal hashes are not looked at.
NEIGHBOURS = 16  # Within a band a row is compared with so many rows of the next larger sums.
ENTRIES = 4_000_000  # of a matrix that are worked on at a time, which bounds the memory

Rows = NDArray[np.intp]


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
        Word counts, or any numbers from 0 on. Documents without words repeat nothing.
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
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must be above 0 and at most 1; got {threshold}.")
    X = _checked(counts)
    keys = _content_keys(X)
    first = _first_equal(X, keys)
    if threshold == 1 or not X.nnz:
        return first
    distinct = np.flatnonzero((first == np.arange(len(first))) & (np.diff(X.indptr) > 0))
    groups = _similar(X[distinct], keys[distinct], threshold)
    # The rows are in rising order, so that the first of each group is the earliest.
    _, place, inverse = np.unique(groups, return_index=True, return_inverse=True)
    first[distinct] = distinct[place[inverse.ravel()]]
    return first[first]


def _checked(counts: Any) -> Any:
    X = sp.csr_array(counts, dtype=np.float64, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    if not np.isfinite(X.data).all() or (X.nnz and X.data.min() < 0):
        raise DataError("counts must be finite numbers from 0 on; documents are compared by the words they have.")
    return X


def _content_keys(X: Any) -> NDArray[np.uint64]:
    """A number for each row that depends on its content alone; 0 for rows without words."""
    keys = np.zeros(X.shape[0], dtype=np.uint64)
    for rows, entries, ends in _blocks(X):
        mixed = _mix(_mix(X.indices[entries].astype(np.uint64)) ^ X.data[entries].view(np.uint64))
        keys[rows] = _of_rows(np.add, mixed, ends, 0)
    return keys


def _first_equal(X: Any, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each row the first that is equal to it. Equal keys are checked."""
    first = np.arange(X.shape[0], dtype=np.int64)
    written = np.flatnonzero(np.diff(X.indptr) > 0)
    _, place, inverse = np.unique(keys[written], return_index=True, return_inverse=True)
    earliest = written[place[inverse.ravel()]]
    for rows in _parts(np.flatnonzero(earliest != written), X):
        i, j = written[rows], earliest[rows]
        equal = np.asarray(abs(X[i] - X[j]).sum(axis=1)).ravel() == 0
        first[i[equal]] = j[equal]
    return first


def _similar(X: Any, keys: NDArray[np.uint64], threshold: float) -> NDArray[np.int32]:
    """The number of the group of each row, all of which differ."""
    n = X.shape[0]
    having = np.bincount(X.indices, minlength=X.shape[1])
    X.data *= np.log1p(n / np.maximum(having, 1))[X.indices]
    sums = np.asarray(X.sum(axis=1)).ravel()
    hashes = _smallest_hashes(X)
    groups = np.arange(n, dtype=np.int32)
    edges = sp.coo_array((n, n), dtype=bool)
    for band in range(BANDS):
        bucket = _mix_columns(hashes[:, band * PER_BAND : (band + 1) * PER_BAND])
        # All that decides here is the content of rows, so that their order makes no difference.
        order = np.lexsort((keys, sums, bucket))
        found: list[tuple[Rows, Rows]] = []
        for step in range(1, NEIGHBOURS + 1):
            i, j = order[:-step], order[step:]
            near = bucket[i] == bucket[j]
            if not near.any():
                break
            near &= (groups[i] != groups[j]) & (sums[i] >= threshold * sums[j])
            for some in _parts(np.flatnonzero(near), X):
                a, b = i[some], j[some]
                likely = (hashes[a] == hashes[b]).mean(axis=1) >= ALIKE_HASHES
                a, b = a[likely], b[likely]
                same = _overlap(X, sums, a, b) >= threshold
                found.append((a[same], b[same]))
        if any(len(a) for a, _ in found):
            a, b = (np.concatenate([*side]) for side in zip(*found, strict=True))
            rows, columns = np.concatenate([edges.coords[0], a]), np.concatenate([edges.coords[1], b])
            edges = sp.coo_array((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(n, n))
            groups = sp.csgraph.connected_components(edges, directed=False)[1]
    return groups


def _overlap(X: Any, sums: NDArray[np.float64], i: Rows, j: Rows) -> NDArray[np.float64]:
    """Σ min / Σ max of pairs of rows."""
    smaller = np.asarray(X[i].minimum(X[j]).sum(axis=1)).ravel()
    return smaller / (sums[i] + sums[j] - smaller)


def _smallest_hashes(X: Any) -> NDArray[np.uint32]:
    """MinHash: of each row and each of the hash functions, the smallest hash of a word that the row has."""
    n, n_words = X.shape
    words = np.arange(n_words, dtype=np.uint64)
    found = np.empty((n, BANDS * PER_BAND), dtype=np.uint32)
    for number in range(BANDS * PER_BAND):
        hashes = (_mix(words + np.uint64((number + 1) << 40)) >> np.uint64(32)).astype(np.uint32)
        for rows, entries, ends in _blocks(X):
            found[rows, number] = _of_rows(np.minimum, hashes[X.indices[entries]], ends, 2**32 - 1)
    return found


def _of_rows(add: np.ufunc, values: NDArray[Any], ends: NDArray[Any], without: int) -> NDArray[Any]:
    """What a function makes of the values of each row; `without` for rows that have none."""
    found = np.full(len(ends) - 1, without, dtype=values.dtype)
    written = np.diff(ends) > 0
    if written.any():
        found[written] = add.reduceat(values, ends[:-1][written])
    return found


def _blocks(X: Any) -> Iterator[tuple[slice, slice, NDArray[Any]]]:
    """Rows, their entries and where those of each row end, as many at a time as memory should be taken for."""
    start, n = 0, X.shape[0]
    while start < n:
        end = int(np.searchsorted(X.indptr, X.indptr[start] + ENTRIES, side="right")) - 1
        end = min(max(end, start + 1), n)
        ends = X.indptr[start : end + 1]
        yield slice(start, end), slice(ends[0], ends[-1]), ends - ends[0]
        start = end


def _parts(rows: Rows, X: Any) -> Iterator[Rows]:
    """Some rows of a matrix, as many at a time as memory should be taken for."""
    size = max(1, int(ENTRIES / max(1.0, X.nnz / max(1, X.shape[0]))))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter numbers over 64 bits, by the finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _mix_columns(columns: NDArray[np.uint32]) -> NDArray[np.uint64]:
    mixed = np.zeros(len(columns), dtype=np.uint64)
    for column in columns.T:
        mixed = _mix(mixed ^ column.astype(np.uint64))
    return mixed
