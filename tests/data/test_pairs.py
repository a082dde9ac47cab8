"""Pairs from labels: what they are, how often each class comes."""

import numpy as np
import pytest

from wideangle.data import make_pairs
from wideangle.data.pairs import PairDrawer
from wideangle.exceptions import DataError

LABELS = np.repeat([0, 1, 2, 3], [50, 20, 5, 1])


@pytest.mark.parametrize("balance", ["pairs", "samples", "classes"])
def test_similar_share_a_label_and_dissimilar_do_not(balance):
    labels = np.random.default_rng(0).permutation(LABELS)
    pairs = make_pairs(labels, 3000, 2000, balance=balance, seed=1)
    same = labels[pairs.indices[:, 0]] == labels[pairs.indices[:, 1]]
    assert same.tolist() == (pairs.similar == 1).tolist()
    assert (pairs.similar == 1).sum() == 3000
    assert (pairs.indices[:, 0] != pairs.indices[:, 1]).all()
    assert len(pairs) == 5000


@pytest.mark.parametrize(
    ("balance", "expected"),
    [
        ("pairs", np.array([50 * 49, 20 * 19, 5 * 4, 0])),
        ("samples", np.array([50, 20, 5, 0])),
        ("classes", np.array([1, 1, 1, 0])),
    ],
)
def test_how_often_a_class_is_drawn(balance, expected):
    pairs = make_pairs(LABELS, 20_000, 0, balance=balance)
    share = np.bincount(LABELS[pairs.indices[:, 0]], minlength=4) / 20_000
    assert share == pytest.approx(expected / expected.sum(), abs=0.015)


def test_uniform_over_pairs_is_uniform():
    labels = np.array([0, 0, 0, 1, 1])
    pairs = make_pairs(labels, 30_000, 30_000, balance="pairs")
    for sign, n in ((1, 3 * 2 + 2), (-1, 2 * 6)):
        chosen = pairs.indices[pairs.similar == sign]
        _, counts = np.unique(chosen, axis=0, return_counts=True)
        assert len(counts) == n
        assert counts / 30_000 == pytest.approx(np.full(n, 1 / n), abs=0.01)


def test_single_member_classes_meet_others_only():
    pairs = make_pairs(LABELS, 1000, 4000, balance="classes")
    alone = np.flatnonzero(LABELS == 3)[0]
    assert not (pairs.indices[pairs.similar == 1] == alone).any()
    assert (pairs.indices[pairs.similar == -1, 0] == alone).mean() == pytest.approx(0.25, abs=0.03)


def test_seed():
    one, again, other = (make_pairs(LABELS, 50, 50, seed=seed).indices.tolist() for seed in (1, 1, 2))
    assert one == again != other


def test_string_labels():
    assert len(make_pairs(["a", "b", "a"], 3, 3)) == 6


@pytest.mark.parametrize(
    ("labels", "arguments", "message"),
    [
        ([0, 0, 0], {}, "two classes; got 1"),
        ([0, 1, 2], {}, "class of two samples"),
        ([[0, 1]], {}, "shape"),
        ([0, 0, 1], {"n_similar": -1}, "n_similar .*at least 0"),
        ([0, 0, 1], {"balance": "class"}, "got 'class'"),
    ],
)
def test_mistakes(labels, arguments, message):
    with pytest.raises((DataError, ValueError), match=message):
        make_pairs(labels, **arguments)


def test_one_class_still_gives_similar_pairs():
    assert (make_pairs([0, 0, 0], 10, 0).similar == 1).all()


def test_a_million_samples_are_no_trouble():
    labels = np.random.default_rng(0).integers(0, 1000, 1_000_000)
    pairs = make_pairs(labels, 1000, 1000)
    assert ((labels[pairs.indices[:, 0]] == labels[pairs.indices[:, 1]]) == (pairs.similar == 1)).all()


def test_a_drawer_goes_on_with_the_callers_generator():
    drawer = PairDrawer(LABELS)
    assert drawer.codes.tolist() == LABELS.tolist()
    generator = np.random.default_rng(1)
    first, second = (drawer.draw(50, alike=True, balance="samples", generator=generator) for _ in range(2))
    assert (np.stack(first) != np.stack(second)).any()
    np.testing.assert_array_equal(np.column_stack(first), make_pairs(LABELS, 50, 0, seed=1).indices)
    for left, right in (first, second):
        assert (LABELS[left] == LABELS[right]).all()
