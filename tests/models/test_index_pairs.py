"""Pairs from labels, and the checks of pairs that are given."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import make_pairs
from wideangle.exceptions import DataError
from wideangle.models._distance import sampling as sampling_room
from wideangle.models._distance.pairs import checked_signs, index_pairs, point_pairs, require_both_kinds
from wideangle.models._distance.sampling import Sampling, plain_pairs, sample_pairs

LABELS = np.repeat(["a", "b", "c", "d"], [60, 25, 10, 1])


def sampled(seed=0, X=None, labels=LABELS, **changes):
    settings = {
        "n_similar": 4000,
        "n_dissimilar": 3000,
        "balance": "samples",
        "near_similar": 0.0,
        "near_dissimilar": 0.0,
        "n_neighbors": 3,
    }
    X = np.random.default_rng(9).standard_normal((len(labels), 2)) if X is None else X
    return sample_pairs(X, labels, Sampling(**(settings | changes)), np.random.default_rng(seed))


@pytest.mark.parametrize("near", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("balance", ["samples", "classes"])
def test_pairs_are_what_they_say(near, balance):
    pairs = sampled(near_similar=near, near_dissimilar=near, balance=balance)
    assert pairs.similar.sum() == 4000
    assert len(pairs) == 7000
    assert ((LABELS[pairs.left] == LABELS[pairs.right]) == pairs.similar).all()
    assert (pairs.left != pairs.right).all()


@pytest.mark.parametrize("balance", ["samples", "classes"])
def test_the_draw_is_that_of_make_pairs(balance):
    """Another room draws such pairs by itself: the first of a pair has each class, and each row, as often."""
    ours = sampled(n_similar=40_000, n_dissimilar=40_000, balance=balance)
    theirs = make_pairs(LABELS, 40_000, 40_000, balance=balance)
    for alike in (True, False):
        mine = ours.subset(ours.similar == alike)
        other = theirs.indices[(theirs.similar > 0) == alike]
        for end, column in ((mine.left, 0), (mine.right, 1)):
            counts = [np.bincount(rows, minlength=len(LABELS)) / 40_000 for rows in (end, other[:, column])]
            np.testing.assert_allclose(*counts, atol=0.012)


def test_near_partners_are_among_the_nearest():
    X = np.random.default_rng(1).standard_normal((len(LABELS), 3))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    np.fill_diagonal(distances, np.inf)
    pairs = sampled(X=X, near_similar=1.0, near_dissimilar=1.0)
    for left, right, alike in zip(pairs.left[::50], pairs.right[::50], pairs.similar[::50], strict=True):
        allowed = np.flatnonzero((LABELS[left] == LABELS) == alike)
        nearest = allowed[np.argsort(distances[left, allowed])][:3]
        assert right in nearest


def test_near_pairs_are_the_same_for_a_sparse_matrix():
    X = np.random.default_rng(1).standard_normal((len(LABELS), 3))
    dense, sparse = (sampled(X=matrix, near_similar=1.0) for matrix in (X, sp.csr_matrix(X)))
    np.testing.assert_array_equal(dense.right, sparse.right)


def test_copies_of_a_row_are_near_but_a_row_never_meets_itself():
    labels = np.repeat([0, 1], 10)
    pairs = sampled(X=np.zeros((20, 2)), labels=labels, near_similar=1.0, near_dissimilar=1.0)
    assert (pairs.left != pairs.right).all()


def test_the_search_is_bounded(monkeypatch):
    monkeypatch.setattr(sampling_room, "MOST_ANCHORS", 7)
    monkeypatch.setattr(sampling_room, "MOST_CANDIDATES", 5)
    pairs = sampled(near_similar=1.0, near_dissimilar=1.0)
    assert len(np.unique(pairs.left[pairs.similar])) <= 7
    assert ((LABELS[pairs.left] == LABELS[pairs.right]) == pairs.similar).all()


def test_seeds_decide():
    one, same, other = sampled(0), sampled(0), sampled(1)
    np.testing.assert_array_equal(one.right, same.right)
    assert (one.right != other.right).any()


def test_plain_pairs_come_from_anywhere():
    X = np.arange(40.0)[:, None]
    labels = np.repeat([0, 1], 20)
    sampling = Sampling(5000, 4000, "samples", 1.0, 1.0, 2)
    near = sample_pairs(X, labels, sampling, np.random.default_rng(0))
    plain = plain_pairs(labels, sampling, np.random.default_rng(0))
    assert (len(plain), plain.similar.sum()) == (9000, 5000)
    gap = {name: np.abs(p.left - p.right)[p.similar].max() for name, p in (("near", near), ("plain", plain))}
    assert gap["near"] <= 2
    assert gap["plain"] == 19


def test_pairs_of_one_kind_are_refused():
    with pytest.raises(DataError, match="no dissimilar pairs"):
        require_both_kinds(3, 0)


def test_labels_that_give_no_pairs():
    with pytest.raises(DataError, match="two classes"):
        sampled(labels=np.zeros(5))
    with pytest.raises(DataError, match="class of two"):
        sampled(labels=np.arange(5))


def test_given_pairs_are_checked():
    with pytest.raises(ValueError, match="rows 0 to 4.* 0 to 5"):
        index_pairs([[0, 5]], 5)
    with pytest.raises(ValueError, match="out of range"):
        index_pairs([[-1, 2]], 5)
    for wrong in ([[0.0, 1.0]], [0, 1], [[0, 1, 2]]):
        with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
            index_pairs(wrong, 5)
    for wrong in (np.zeros((3, 2)), np.zeros((3, 3, 2))):
        with pytest.raises(ValueError, match=r"shape \(n, 2, d\)"):
            point_pairs(wrong)
    with pytest.raises(ValueError, match="index pairs"):
        point_pairs(sp.eye_array(4, format="csr"))


def test_signs_are_checked():
    assert checked_signs([1, -1, 1], 3).tolist() == [True, False, True]
    with pytest.raises(ValueError, match=r"got \[0\]"):
        checked_signs([0, 1], 2)
    with pytest.raises(ValueError, match="each of the 3 pairs"):
        checked_signs([1, -1], 3)


def test_points_become_rows():
    points = np.arange(12.0).reshape(2, 2, 3)
    rows, left, right = point_pairs(points)
    np.testing.assert_array_equal(rows[left], points[:, 0])
    np.testing.assert_array_equal(rows[right], points[:, 1])
