"""How sure a topic is: a probability that halves teach, against documents whose true topic is known."""

import math

import numpy as np
import pytest

from wideangle.topics import find_topics
from wideangle.topics.sureness import COINCIDE, FEWEST, SPREAD, USUAL, _most_likely, learned, probability, two_nearest
from wideangle.topics.tree import TopicTree, grow

GROUPS = 8


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def made(n, noise, seed):
    """Directions of documents, which lie between groups, and of two halves of each, which are noisy."""
    rng = np.random.default_rng(seed)
    true = unit(rng.dirichlet(np.full(GROUPS, 0.15), n) + 0.02 * rng.standard_normal((n, GROUPS)))
    halves = [unit(true + noise * rng.standard_normal(true.shape)) for _ in range(2)]
    return true, halves[0], halves[1]


def by_topic(tree, rows, number):
    """Distances to topics, one by one."""
    cut = tree.cut(number)
    nodes = np.unique(cut)
    return np.array([[min(math.dist(row, c) for c in tree.centres[cut == node]) for node in nodes] for row in rows])


@pytest.fixture(scope="module")
def tree():
    return grow(made(300, 0.0, 0)[0], None, 0)


@pytest.mark.parametrize("noise", [0.1, 0.25])
@pytest.mark.parametrize("number", [4, 8])
def test_it_is_the_share_of_texts_whose_topic_is_that_of_their_document(noise, number, tree):
    """What halves say of each other is turned into what is true of each of them, which nobody told."""
    _, first, second = made(1000, noise, 1)
    constants = learned(tree, [(first, second)])[number - 1]
    true, new, other = made(4000, noise, 2)
    of_true, of_new, of_other = (naive(tree, rows, number) for rows in (true, new, other))
    sure, _ = probability(two_nearest(of_new)[2], constants)
    right = of_new.argmin(axis=1) == of_true.argmin(axis=1)
    agree = of_new.argmin(axis=1) == of_other.argmin(axis=1)
    assert sure.mean() == pytest.approx(right.mean(), abs=0.06)
    # That the other half agrees is another question, and rarer.
    assert abs(sure.mean() - right.mean()) < 0.6 * (right.mean() - agree.mean())
    for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.0)):
        inside = (low <= sure) & (sure < high)
        if inside.sum() > 100:
            assert sure[inside].mean() == pytest.approx(right[inside].mean(), abs=0.12)


def naive(tree, rows, number):
    cut = tree.cut(number)
    far = np.linalg.norm(rows[:, None] - tree.centres[None], axis=2)
    return np.stack([far[:, cut == node].min(axis=1) for node in np.unique(cut)], axis=1)


def test_levels_are_those_of_the_tree():
    """Merging columns step by step is the same as measuring each level anew."""
    rng = np.random.default_rng(3)
    tree = grow(made(200, 0.0, 3)[0], None, 0)
    _, first, second = made(40, 0.3, 4)
    found = learned(tree, [(first, second)])
    assert found.shape == (tree.n_leaves, 3)
    for number in rng.choice(np.arange(2, tree.n_leaves + 1), 4, replace=False):
        (a, _, x), (b, _, y) = (two_nearest(by_topic(tree, half, number)) for half in (first, second))
        expected = _most_likely(x, y, a == b, 1.0, USUAL)
        np.testing.assert_allclose(found[number - 1, :2], expected, rtol=0.02, atol=0.02)


def test_the_constants_are_the_most_likely():
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 60)) * 0.5
    agree = rng.random(60) < 0.6

    def cost(a, b):
        total = 0.5 * ((a - USUAL[0]) / SPREAD[0]) ** 2 + 0.5 * ((b - USUAL[1]) / SPREAD[1]) ** 2
        for one, other, same in zip(x, y, agree, strict=True):
            p, q = 1 / (1 + math.exp(-a - b * one)), 1 / (1 + math.exp(-a - b * other))
            both = p * q + COINCIDE * (1 - p) * (1 - q)
            total -= math.log(both if same else 1 - both)
        return total

    a, b = _most_likely(x, y, agree, 1.0, USUAL)
    for da, db in ((0.05, 0), (-0.05, 0), (0, 0.3), (0, -0.3)):
        assert cost(a + da, b + db) > cost(a, b)


def test_two_throws_of_the_same_documents_count_once(tree):
    _, first, second = made(60, 0.2, 5)
    once, twice = learned(tree, [(first, second)]), learned(tree, [(first, second)] * 2)
    np.testing.assert_allclose(once, twice, rtol=1e-2, atol=1e-2)


def test_few_documents_are_near_to_the_usual_and_fewer_teach_nothing(tree):
    _, first, second = made(FEWEST, 0.2, 6)
    found = learned(tree, [(first, second)])
    assert (np.abs(found[1:, :2] - USUAL) < 2 * SPREAD).all()
    assert learned(tree, [(first[:-1], second[:-1])]) is None
    assert learned(tree, []) is None


def test_halves_that_have_nothing_in_common_make_nobody_sure(tree):
    _, first, second = made(1000, 0.1, 7)
    shuffled = np.random.default_rng(0).permutation(second)
    margin = np.linspace(0, 0.6, 7)
    level = 7
    true, wrong = (learned(tree, [(first, other)])[level] for other in (second, shuffled))
    assert probability(margin, true)[0][-1] > 0.9
    assert probability(margin, wrong)[0][-1] < 0.6


def test_probabilities_make_sense():
    margin = np.linspace(0, 1, 50)
    for constants in ([-0.3, 11.0, 0.5], [-3.0, 5.0, 1.0], [2.0, 0.0, 0.0]):
        first, second = probability(margin, np.array(constants))
        assert (np.diff(first) >= 0).all()
        assert ((second >= 0) & (second <= first) & (first + second <= 1)).all()


def test_the_second_topic_is_the_next_nearest():
    first, second, margin = two_nearest(np.array([[3.0, 1.0, 2.0], [0.0, 0.0, 5.0], [1.0, np.inf, np.inf]]))
    assert first.tolist() == [1, 0, 0]
    assert second[:2].tolist() == [2, 1]
    assert margin.tolist() == [0.5, 0.0, 1.0]


def test_topics_know_how_sure_they_are_at_every_number():
    true, first, second = made(300, 0.2, 8)
    counts = (true > 0.3).astype(int)
    counts[:, 0] += counts.sum(axis=1) == 0
    words = [f"w{k}" for k in range(GROUPS)]
    topics = find_topics(true, counts, words, n_topics=6, halves=[(first, second)])
    assert topics.is_calibrated
    found = topics.assign(first)
    assert found.calibrated
    assert ((found.second >= 0) & (found.second != found.topics)).all()
    fewer = find_topics(true, counts, words, n_topics=3, like=topics)
    assert fewer.sureness is topics.sureness
    assert fewer.assign(first).sure.mean() > found.sure.mean()  # Broad topics are easier.
    assert fewer.rename(0, "mine").sureness is topics.sureness
    plain = find_topics(true, counts, words, n_topics=6)
    assert not plain.is_calibrated
    old = plain.assign(first)
    assert not old.calibrated
    assert np.isnan(old.second_share).all()
    assert np.array_equal(
        np.argsort(old.sure), np.argsort(found.sure)
    )  # The order of documents is that of the margins.


def test_a_tree_of_one_leaf(tree):
    alone = TopicTree(np.ones((1, GROUPS), np.float32), np.array([30]), np.zeros((0, 2), np.int32))
    _, first, second = made(30, 0.2, 9)
    (constants,) = learned(alone, [(first, second)])
    assert probability(np.array([1.0]), constants)[0][0] == pytest.approx(1.0)
