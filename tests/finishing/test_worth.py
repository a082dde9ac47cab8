"""The distance of halves helps where a direction is noisy, and does not harm where there is nothing to learn."""

import numpy as np
import pytest
from naive_finish import precision
from own_estimators import Projected

CLASSES, WORDS = 5, 60
LOUD = 8  # The last columns are words that every document has, each by chance.


class Loud(Projected):
    """Directions of which the first is about frequent words that mean nothing."""

    def _represent(self, rows):
        said = super()._represent(rows)
        totals = np.asarray(rows.sum(axis=1)).ravel()
        frequent = np.asarray(rows[:, -LOUD:] @ np.resize([1.0, -1.0], LOUD)).ravel()
        return np.column_stack([2 * np.sqrt(WORDS) * frequent / np.maximum(totals, 1), said[:, 1:]])


def planted(n, seed, purity=0.5):
    """Documents of classes that prefer some words, with loud words among them."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, n)
    preferred = rng.dirichlet(np.full(WORDS - LOUD, 0.1), CLASSES)
    chances = np.empty((n, WORDS))
    chances[:, :-LOUD] = 0.7 * (purity * preferred[labels] + (1 - purity) / (WORDS - LOUD))
    chances[:, -LOUD:] = 0.3 / LOUD
    return rng.poisson(40 * chances).astype(float), labels


def gained(X, labels, seed, **settings):
    """Precision with the distance of halves, and without."""
    model = Loud(12, random_state=seed, **settings).fit(X)
    rows = model._represent(X)
    plain = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return precision(model.transform(X), labels, 10), precision(plain, labels, 10)


@pytest.mark.parametrize("granularity", ["details", "balance", "groups"])
def test_a_noisy_direction_no_longer_drowns_the_others(granularity):
    found = np.array([gained(*planted(400, seed), seed, granularity=granularity) for seed in range(4)])
    assert (found[:, 0] > found[:, 1]).all()
    assert (found[:, 0] - found[:, 1]).mean() > 0.05


@pytest.mark.parametrize("granularity", ["details", "balance", "groups"])
def test_chance_stays_chance(granularity):
    found = []
    for seed in range(4):
        X, labels = planted(300, seed)
        rng = np.random.default_rng(seed)
        shuffled = np.column_stack([rng.permutation(column) for column in X.T])  # No document is about anything.
        found.append(gained(shuffled, labels, seed, granularity=granularity))
    assert np.abs(np.mean(found, axis=0) - 1 / CLASSES).max() < 0.03


@pytest.mark.parametrize("n", [25, 60])
def test_few_documents_are_not_harmed(n):
    found = np.array([gained(*planted(n, seed), seed) for seed in range(12)])
    assert found[:, 0].mean() > found[:, 1].mean() - 0.02


def test_random_directions_of_which_none_is_loud_lose_nothing():
    found = []
    for seed in range(4):
        X, labels = planted(300, seed)
        model = Projected(12, random_state=seed).fit(X)
        rows = model._represent(X) - model._represent(X).mean(axis=0)
        found.append((precision(model.transform(X), labels, 10), precision(rows, labels, 10)))
    assert np.subtract(*np.mean(found, axis=0)) > -0.01
