"""Large margin nearest neighbours against brute force."""

import numpy as np
import pytest
import torch

from wideangle.baselines.metrics import LMNN, _triplets
from wideangle.baselines.metrics._triplets import impostors, margin_loss, target_neighbours


@pytest.fixture
def some(monkeypatch):
    monkeypatch.setattr(_triplets, "SEARCH_ENTRIES", 50)  # several blocks
    monkeypatch.setattr(_triplets, "LOSS_ENTRIES", 100)
    generator = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2, 3], [9, 7, 2, 1])  # one class with few rows, and one with a single row
    generator.shuffle(codes)
    return generator.standard_normal((19, 3)), codes


def squared(X, i, j):
    return float(((X[i] - X[j]) ** 2).sum())


def naive_targets(X, codes, k):
    return [
        sorted((j for j in range(len(X)) if j != i and codes[j] == codes[i]), key=lambda j: squared(X, i, j))[:k]
        for i in range(len(X))
    ]


def naive_impostors(X, codes, m):
    return [
        sorted((j for j in range(len(X)) if codes[j] != codes[i]), key=lambda j: squared(X, i, j))[:m]
        for i in range(len(X))
    ]


def naive_loss(X, targets, others, push):
    total = active = 0
    for i, near in enumerate(targets):
        for j in near:
            total += (1 - push) * squared(X, i, j)
            for far in others[i]:
                hinge = max(0.0, 1 + squared(X, i, j) - squared(X, i, far))
                total += push * hinge
                active += hinge > 0
    return total / sum(map(len, targets)), active


def test_target_neighbours_and_impostors_are_those_of_brute_force(some):
    X, codes = some
    targets = target_neighbours(torch.from_numpy(X), codes, 3)
    found = [row[there].tolist() for row, there in zip(targets.numbers, targets.valid, strict=True)]
    assert found == naive_targets(X, codes, 3)
    assert impostors(torch.from_numpy(X), codes, 4).tolist() == naive_impostors(X, codes, 4)
    assert impostors(torch.from_numpy(X), codes, 99).shape == (19, 10)


@pytest.mark.parametrize("push", [0.0, 0.3, 1.0])
def test_the_loss_is_that_of_loops_and_its_gradient_that_of_differences(some, push):
    X, codes = some
    rows = torch.from_numpy(X)
    targets, others = target_neighbours(rows, codes, 2), impostors(rows, codes, 6)
    loss, slopes, n_active = margin_loss(rows, targets, others, push)
    assert (loss, n_active) == pytest.approx(
        naive_loss(X, naive_targets(X, codes, 2), naive_impostors(X, codes, 6), push)
    )
    for i in range(len(X)):
        for c in range(3):
            step = torch.zeros_like(rows)
            step[i, c] = 1e-6
            above, below = (margin_loss(rows + s * step, targets, others, push)[0] for s in (1, -1))
            assert (above - below) / 2e-6 == pytest.approx(float(slopes[i, c]), abs=1e-6)


def test_the_reported_loss_is_that_of_the_components(some):
    X, codes = some
    model = LMNN(n_neighbors=2, n_impostors=99, push_weight=0.7, device="cpu", random_state=0).fit(X, codes)
    Z = model.transform(X)
    others = naive_impostors(Z, codes, 10)
    loss, n_active = naive_loss(Z, naive_targets(X, codes, 2), others, 0.7)
    assert model.objective_ == pytest.approx(loss)
    assert model.n_active_ == n_active


@pytest.mark.slow
def test_training_lowers_the_loss_until_nothing_small_helps():
    generator = np.random.default_rng(1)
    X, y = generator.standard_normal((60, 3)) * [5.0, 1.0, 1.0], np.arange(60) % 2
    X[:, 1] += y
    model = LMNN(n_impostors=30, tol=1e-7, max_updates=2000, device="cpu", random_state=0).fit(X, y)
    assert model.stopped_ == "converged"
    targets = naive_targets(X, y, 3)

    def loss(A):
        Z = X @ A.T
        return naive_loss(Z, targets, naive_impostors(Z, y, 30), 0.5)[0]

    best = loss(model.components_)
    assert best == pytest.approx(model.objective_)
    scale = np.abs(model.components_).max()
    for _ in range(30):
        assert loss(model.components_ + 0.02 * scale * generator.standard_normal((3, 3))) > best * 0.999


def test_classes_that_lie_apart_get_their_margin():
    generator = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([y + 0.05 * generator.standard_normal(40), generator.standard_normal((40, 2))])
    model = LMNN(push_weight=0.99, max_updates=500, tol=1e-6, device="cpu", random_state=0).fit(X, y)
    distances = ((model.transform(X)[:, None] - model.transform(X)[None]) ** 2).sum(2)
    gaps = [
        distances[i, y != y[i]].min() - distances[i, j] for i, near in enumerate(naive_targets(X, y, 3)) for j in near
    ]
    assert min(gaps) > 0.9
    assert model.score(X, y) == 1.0


def test_a_search_follows_the_components():
    """Rows that become near during training are found: few candidates with searches do as well as all of them."""
    generator = np.random.default_rng(0)
    X, y = generator.standard_normal((80, 4)) * [4.0, 2.0, 1.0, 1.0], np.arange(80) % 2
    X[:, 2] += 1.5 * y
    few = LMNN(n_impostors=10, refresh_every=5, tol=0.0, device="cpu", random_state=0).fit(X, y)
    all_ = LMNN(n_impostors=40, tol=0.0, device="cpu", random_state=0).fit(X, y)
    losses = []
    for model in (few, all_):
        Z = model.transform(X)
        losses.append(naive_loss(Z, naive_targets(X, y, 3), naive_impostors(Z, y, 40), 0.5)[0])
    assert losses[0] < 1.1 * losses[1]


def test_fewer_components():
    X, y = np.random.default_rng(0).standard_normal((30, 4)), np.arange(30) % 3
    assert LMNN(2, device="cpu").fit(X, y).components_.shape == (2, 4)
    assert LMNN(2, n_principal=3, device="cpu").fit(X, y).components_.shape == (2, 4)


@pytest.mark.parametrize("n_impostors", [1, 3])
def test_updates_that_let_new_impostors_in_are_undone(n_impostors):
    generator = np.random.default_rng(2)
    X, y = generator.standard_normal((80, 4)) * [3.0, 2.0, 1.0, 1.0], np.arange(80) % 2
    X[:, 2] += y
    start = LMNN(n_impostors=n_impostors, push_weight=0.9, max_updates=1, device="cpu").fit(X, y).objective_
    model = LMNN(n_impostors=n_impostors, push_weight=0.9, max_updates=400, tol=0.0, device="cpu").fit(X, y)
    Z = model.transform(X)
    loss, _ = naive_loss(Z, naive_targets(X, y, 3), naive_impostors(Z, y, n_impostors), 0.9)
    assert model.objective_ == pytest.approx(loss)
    assert model.objective_ <= start
    assert "new impostors" in model.stopped_
