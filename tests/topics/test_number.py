"""How many topics there are: the number on which both halves of documents agree."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information
from sklearn.preprocessing import normalize

from wideangle.topics import find_topics
from wideangle.topics.number import _worth_of_cuts, found_number
from wideangle.topics.tree import grow, usual_number


def groups_of_vectors(n, groups, noise, seed, throws=1):
    """Unit vectors of documents in groups, and of their halves, which are noisier than whole documents."""
    rng = np.random.default_rng(seed)
    middles = normalize(rng.normal(size=(groups, 12)))
    which = rng.integers(0, groups, n)

    def draw(scale):
        return normalize(middles[which] + scale * rng.normal(size=(n, 12)))

    return draw(noise), [(draw(1.4 * noise), draw(1.4 * noise)) for _ in range(throws)], which


def leaves_of(tree, half):
    return cdist(half, tree.centres).argmin(axis=1)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "groups"), [(150, 4), (400, 9), (2000, 14)])
def test_as_many_topics_as_groups_are_found(n, groups, seed):
    rows, halves, _ = groups_of_vectors(n, groups, 0.1, seed, throws=2)
    present = np.ones((n, 2))
    found = len(find_topics(rows, present, ["one", "two"], halves=halves))
    assert abs(found - groups) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_halves_that_know_nothing_of_each_other_support_few_topics(seed):
    """Vectors in nine groups whose halves were shuffled: nothing speaks for nine topics."""
    rows, [(first, second)], _ = groups_of_vectors(400, 9, 0.1, seed)
    shuffled = np.random.default_rng(seed).permutation(second)
    tree = grow(rows, None, 0)
    assert found_number(tree, [(leaves_of(tree, first), leaves_of(tree, shuffled))], 400, 0) <= 4


def test_the_worth_of_a_number_is_mutual_information_less_chance():
    """By scikit-learn, which knows the expectation exactly; here it is the mean of some shufflings."""
    rows, halves, _ = groups_of_vectors(300, 6, 0.3, 0, throws=3)
    tree = grow(rows, None, 0)
    pairs = [(leaves_of(tree, first), leaves_of(tree, second)) for first, second in halves]
    numbers, worth, of_documents = _worth_of_cuts(tree, pairs, 0)
    assert numbers.tolist() == list(range(2, tree.n_leaves + 1))
    for number in (2, 7, tree.n_leaves):
        expected, told = [], []
        for here, there in pairs:
            table = contingency_matrix(tree.cut(number)[here], tree.cut(number)[there]).astype(np.int64)
            told.append(mutual_info_score(None, None, contingency=table))
            expected.append(expected_mutual_information(table, 300))
        assert of_documents[number - 2].mean() == pytest.approx(np.mean(told))
        assert worth[number - 2] == pytest.approx(np.mean(told) - np.mean(expected), abs=0.03)


def test_too_few_halves_leave_the_usual_number():
    rows, [(first, second)], _ = groups_of_vectors(200, 5, 0.1, 0)
    tree = grow(rows, None, 0)
    few = (leaves_of(tree, first[:10]), leaves_of(tree, second[:10]))
    assert found_number(tree, [few], 200, 0) == found_number(tree, [], 200, 0) == usual_number(200)


def test_halves_without_words_are_left_out():
    rows, [(first, second)], _ = groups_of_vectors(400, 5, 0.1, 0)
    first[::3] = 0
    assert len(find_topics(rows, np.ones((400, 2)), ["one", "two"], halves=[(first, second)])) == 5
