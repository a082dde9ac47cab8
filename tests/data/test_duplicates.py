"""Duplicates are found as all pairs would find them: no false ones, whatever the order of the documents."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import find_duplicates
from wideangle.exceptions import DataError


def naive(counts, threshold=0.9):
    """The definition, pair by pair: equal rows first, then weighted overlap of different ones, then groups."""
    rows = [tuple(row) for row in np.asarray(counts, dtype=float).tolist()]
    different = [row for row in dict.fromkeys(rows) if any(row)]
    n = len(different)
    having = [sum(1 for row in different if row[word]) for word in range(len(rows[0]))]
    weight = [np.log(1 + n / max(count, 1)) for count in having]
    group = {row: number for number, row in enumerate(different)}
    for a in different:
        for b in different:
            smaller = sum(w * min(x, y) for w, x, y in zip(weight, a, b, strict=True))
            larger = sum(w * max(x, y) for w, x, y in zip(weight, a, b, strict=True))
            if smaller >= threshold * larger and group[a] != group[b]:
                old, new = group[b], group[a]
                group = {row: new if number == old else number for row, number in group.items()}
    first, seen = [], {}
    for number, row in enumerate(rows):
        first.append(seen.setdefault(group[row], number) if any(row) else number)
    return first


def written(rng, n, n_words=2000, length=80):
    """Documents of random words, frequent and rare."""
    chance = 1 / np.arange(1, n_words + 1)
    words = rng.choice(n_words, size=(n, length), p=chance / chance.sum())
    counts = np.zeros((n, n_words), dtype=int)
    np.add.at(counts, (np.arange(n)[:, None], words), 1)
    return counts


def changed(rng, counts, n_changed):
    """Each document with some of its words replaced by others."""
    again = counts.copy()
    for row in again:
        here = np.repeat(np.arange(len(row)), row)
        for word in rng.choice(here, n_changed, replace=False):
            row[word] -= 1
        np.add.at(row, rng.integers(len(row), size=n_changed), 1)
    return again


def partition(first):
    """The groups, whatever their rows are called."""
    groups = {}
    for row, of in enumerate(np.asarray(first).tolist()):
        groups.setdefault(of, set()).add(row)
    return {frozenset(group) for group in groups.values()}


@pytest.mark.parametrize("seed", range(8))
def test_few_documents_are_grouped_as_by_all_pairs(seed):
    rng = np.random.default_rng(seed)
    some = written(rng, 12, 60, 30)
    counts = np.concatenate(
        [some, some[:4], changed(rng, some, 1), changed(rng, some, 3), np.zeros((2, 60), dtype=int)]
    )
    counts = counts[rng.permutation(len(counts))]
    expected, found = naive(counts), find_duplicates(counts).tolist()
    assert all(any(group <= large for large in partition(expected)) for group in partition(found))  # no false ones
    assert sum(a != b for a, b in zip(expected, found, strict=True)) <= 1  # and hardly any is missed


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_documents_only_changes_which_is_the_first(seed):
    rng = np.random.default_rng(seed)
    some = written(rng, 150)
    counts = np.concatenate([some, some[:30], changed(rng, some[:60], 3)])
    order = rng.permutation(len(counts))
    found, shuffled = find_duplicates(counts), find_duplicates(counts[order])
    assert {frozenset(order[list(group)].tolist()) for group in partition(shuffled)} == partition(found)


def test_the_result_names_first_documents_only():
    rng = np.random.default_rng(0)
    some = written(rng, 100)
    first = find_duplicates(np.concatenate([some, changed(rng, some, 2), changed(rng, some, 2)]))
    assert (first <= np.arange(300)).all()
    assert (first[first] == first).all()
    assert first.dtype == np.int64


@pytest.mark.parametrize("n_changed", [1, 2])
def test_long_texts_with_few_words_changed_are_found(n_changed):
    rng = np.random.default_rng(n_changed)
    some = written(rng, 500, length=120)
    first = find_duplicates(np.concatenate([some, changed(rng, some, n_changed)]))
    assert (first[:500] == np.arange(500)).all()
    assert np.mean(first[500:] == np.arange(500)) > 0.99


def test_short_texts_that_differ_in_a_rare_word_are_not_the_same():
    # Titles: "notes on the history of …"
    n = 200
    shared, own = np.ones((n, 3), dtype=int), np.eye(n, dtype=int)
    counts = np.concatenate([shared, own], axis=1)
    assert (find_duplicates(counts) == np.arange(n)).all()
    # Forms: twenty words that all have, and one that is filled in
    counts = np.concatenate([np.ones((n, 20), dtype=int), own], axis=1)
    assert (find_duplicates(counts) == np.arange(n)).all()


def test_equal_documents_are_the_same_however_short():
    assert find_duplicates([[1, 0], [1, 0], [0, 1], [1, 0], [2, 0]]).tolist() == [0, 0, 2, 0, 4]


def test_what_repeats_a_repetition_belongs_to_the_group():
    rng = np.random.default_rng(3)
    others = written(rng, 200, length=100)
    chain = [others[0]]
    for _ in range(5):
        chain.append(changed(rng, chain[-1][None], 2)[0])
    first = find_duplicates(np.concatenate([others, chain[1:]]))
    assert first[200:].tolist() == [0] * 5
    ends = find_duplicates(np.concatenate([others, chain[-1:]]))
    assert ends[200] == 200  # Without what lies between them, the ends are not the same.


def test_documents_without_words_repeat_nothing():
    assert find_duplicates(np.zeros((3, 4))).tolist() == [0, 1, 2]
    assert find_duplicates(np.zeros((0, 4))).tolist() == []
    assert find_duplicates(np.zeros((2, 0))).tolist() == [0, 1]


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, np.asarray])
@pytest.mark.parametrize("dtype", [np.int64, np.float32, bool])
def test_every_kind_of_matrix_gives_the_same(kind, dtype):
    some = written(np.random.default_rng(0), 40, 50, 20)
    counts = np.concatenate([some, some[::-1]]).astype(dtype)
    given = kind(counts)
    before = given.copy()
    expected = find_duplicates(counts)
    assert (find_duplicates(given) == expected).all()
    assert abs(given.astype(float) - before.astype(float)).sum() == 0  # What is given is not changed.
    assert (expected[40:] <= np.arange(40)[::-1]).all()


def test_explicit_zeros_and_unsorted_columns_make_no_difference():
    counts = sp.csr_array((np.array([1.0, 2, 0, 2, 1]), np.array([0, 2, 1, 2, 0]), np.array([0, 3, 5])), shape=(2, 3))
    assert find_duplicates(counts).tolist() == [0, 0]


def test_a_threshold_of_one_finds_equal_documents_only():
    rng = np.random.default_rng(0)
    some = written(rng, 100)
    first = find_duplicates(np.concatenate([some, changed(rng, some, 1), some]), 1.0)
    assert (first[200:] == first[:100]).all()
    assert (first[:200] == np.arange(200)).all()


@pytest.mark.slow
def test_many_documents_that_are_nearly_the_same_take_no_quadratic_time():
    import time

    rng = np.random.default_rng(0)
    n = 20_000
    added = sp.csr_array(
        (np.ones(2 * n), (np.repeat(np.arange(n), 2), rng.integers(2000, size=2 * n))), shape=(n, 2000)
    )
    counts = sp.csr_array(sp.csr_array(np.ones((n, 1))) @ sp.csr_array(written(rng, 1, length=200)) + added)
    start = time.process_time()
    first = find_duplicates(counts, 0.8)
    assert time.process_time() - start < 30
    assert np.mean(first == 0) > 0.99


@pytest.mark.parametrize("blocks", [1, 50])
def test_blocks_make_no_difference(blocks, monkeypatch):
    rng = np.random.default_rng(0)
    some = written(rng, 60)
    counts = np.concatenate([some, some[:10], changed(rng, some, 2)])
    whole = find_duplicates(counts)
    monkeypatch.setattr("wideangle.data.count_blocks.ENTRIES", blocks)
    assert (find_duplicates(counts) == whole).all()


@pytest.mark.parametrize("threshold", [0, -1, 1.1, float("nan")])
def test_thresholds_that_make_no_sense(threshold):
    with pytest.raises(ValueError, match="threshold"):
        find_duplicates(np.eye(3), threshold)


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_numbers_that_are_no_counts(value):
    with pytest.raises(DataError, match="from 0 on"):
        find_duplicates(np.array([[1.0, value]]))
