"""Duplicates of counts that are read in blocks are those of counts in memory."""

import numpy as np
import pytest
import scipy.sparse as sp
from naive_duplicates import duplicates_by_bands, hashes_of

from wideangle.data import find_duplicates
from wideangle.data.count_blocks import CountBlocks
from wideangle.data.minhash import BANDS, HASHES, PER_BAND, HashFunctions, Sketches
from wideangle.exceptions import DataError


class OnDisk:
    """Rows that can only be asked for, and that remember how many were asked for at once."""

    def __init__(self, counts):
        self._counts = sp.csr_array(counts)
        self.shape, self.nnz, self.most = self._counts.shape, self._counts.nnz, 0

    def __getitem__(self, rows):
        found = self._counts[rows].astype(np.float32)
        self.most = max(self.most, found.shape[0])
        return found


def planted(seed, n=60, n_words=300, length=40):
    """Documents of random words, of which some are equal, and some are the same but for one to twelve words."""
    rng = np.random.default_rng(seed)
    chance = 1 / np.arange(1, n_words + 1)
    words = rng.choice(n_words, size=(n, length), p=chance / chance.sum())
    words = words[np.concatenate([np.arange(n), rng.integers(n, size=2 * n)])]
    for row in words[n:]:
        places = rng.choice(length, rng.integers(0, 13), replace=False)
        row[places] = rng.integers(n_words, size=len(places))
    counts = np.zeros((len(words), n_words), dtype=int)
    np.add.at(counts, (np.arange(len(words))[:, None], words), 1)
    counts[rng.integers(len(counts), size=3)] = 0
    return counts[rng.permutation(len(counts))]


@pytest.mark.parametrize("threshold", [0.9, 0.6, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_they_are_those_of_all_hashes_in_memory(seed, threshold):
    counts = planted(seed)
    expected = duplicates_by_bands(counts, threshold)
    assert find_duplicates(counts, threshold).tolist() == expected
    assert 0 < sum(first != row for row, first in enumerate(expected)) < len(counts)


@pytest.mark.parametrize("entries", [1, 500, 10**7])
@pytest.mark.parametrize("rows", [1, 7, 2**16])
def test_rows_that_are_asked_for_give_the_same_in_blocks_of_any_size(entries, rows, monkeypatch):
    counts = planted(5)
    expected = find_duplicates(counts, 0.7)
    monkeypatch.setattr("wideangle.data.count_blocks.ENTRIES", entries)
    monkeypatch.setattr("wideangle.data.duplicates.ROWS", rows)
    given = OnDisk(counts)
    assert (find_duplicates(given, 0.7) == expected).all()
    assert given.most <= max(2, 2 * entries * len(counts) / given.nnz)


def test_counts_that_were_mapped_are_read_from_their_file(tmp_path):
    counts = sp.csr_array(planted(2).astype(float))
    parts = {}
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(counts, name))
        parts[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    mapped = sp.csr_array((parts["data"], parts["indices"], parts["indptr"]), shape=counts.shape, copy=False)
    assert (find_duplicates(mapped) == find_duplicates(counts)).all()


def test_errors_come_from_blocks_as_well():
    with pytest.raises(DataError, match="from 0 on"):
        find_duplicates(OnDisk(np.array([[1.0, 0.0], [1.0, -2.0]])))


def test_hashes_are_the_smallest_of_the_words_that_occur():
    counts = planted(1, n=10)
    counts = counts[counts.any(axis=1)]
    found = HashFunctions(counts.any(axis=0)).smallest(sp.csr_array(counts)).T
    assert found.tolist() == [hashes_of(row) for row in counts]


def test_sketches_tell_equal_bands_and_hardly_more_than_the_equal_hashes():
    rng = np.random.default_rng(0)
    hashes = rng.integers(2**32, size=(HASHES, 400), dtype=np.uint32)
    hashes[:, 200:] = np.where(rng.random((HASHES, 200)) < 0.6, hashes[:, :200], hashes[:, 200:])
    sketches = Sketches.empty(400)
    for rows in np.array_split(rng.permutation(400), 3):
        sketches.put(rows, hashes[:, rows])
    by_band = hashes.reshape(BANDS, PER_BAND, 400)
    for band in range(BANDS):
        buckets = sketches.buckets(band)
        equal = (by_band[band, :, :200] == by_band[band, :, 200:]).all(axis=0)
        assert ((buckets[:200] == buckets[200:]) == equal).all()
        assert 0 < equal.sum() < 200
    found = sketches.equal_at_most(sketches.bits[:200], sketches.bits[200:])
    assert found.tolist() == ((hashes[:, :200] & 15) == (hashes[:, 200:] & 15)).sum(axis=0).tolist()
    order = rng.permutation(400)
    expected = sketches.bits[order], sketches.bands[:, order]
    moved = sketches.in_order(order)
    assert (moved.bits == expected[0]).all()
    assert (moved.bands == expected[1]).all()


def test_what_was_given_is_left_as_it_is():
    counts = sp.csr_array(planted(0).astype(float))
    before = counts.copy()
    list(CountBlocks(counts))
    find_duplicates(counts)
    assert (counts != before).nnz == 0
