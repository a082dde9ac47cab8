"""Pair distances and the pair loss: against loops, finite differences and known optima."""

import numpy as np
import pytest
import torch

from wideangle.functional.mahalanobis import loss_pull, pair_loss, pair_terms, squared_distances


def pairs(seed, n=40, D=6, K=3):
    generator = torch.Generator().manual_seed(seed)
    left, right, A = (
        torch.randn(shape, generator=generator, dtype=torch.float64) for shape in ((n, D), (n, D), (K, D))
    )
    return left, right, 0.4 * A, torch.rand(n, generator=generator) < 0.3


def naive_loss(A, left, right, similar, hinge_weight, margin):
    """The objective as the docstring has it, by loops."""
    near, far = [], []
    for x, y, alike in zip(left.numpy(), right.numpy(), similar.numpy(), strict=True):
        squared = sum(float(row @ (x - y)) ** 2 for row in A.numpy())
        (near if alike else far).append(squared if alike else max(0.0, margin - squared))
    return np.mean(near) + hinge_weight * np.mean(far)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("hinge_weight", "margin"), [(1.0, 1.0), (4.0, 1.0), (0.5, 3.0)])
def test_loss_is_the_naive_one(seed, hinge_weight, margin):
    left, right, A, similar = pairs(seed)
    found = pair_loss(squared_distances(A, left, right), similar, hinge_weight, margin)
    assert float(found) == pytest.approx(naive_loss(A, left, right, similar, hinge_weight, margin))


@pytest.mark.parametrize("seed", range(3))
def test_closed_form_is_the_gradient_of_the_naive_loss(seed):
    left, right, A, similar = pairs(seed)
    n_similar = int(similar.sum())
    projected = (left - right) @ A.mT
    terms = pair_terms(projected.square().sum(1), similar, 1 / n_similar, 2.0 / (len(similar) - n_similar), 1.5)
    gradient = loss_pull(projected, terms.slope).mT @ (left - right)
    assert float(terms.value) == pytest.approx(naive_loss(A, left, right, similar, 2.0, 1.5))
    step = 1e-6
    for k, d in ((0, 0), (1, 3), (2, 5)):
        nudge = torch.zeros_like(A)
        nudge[k, d] = step
        rise = naive_loss(A + nudge, left, right, similar, 2.0, 1.5) - naive_loss(
            A - nudge, left, right, similar, 2.0, 1.5
        )
        assert float(gradient[k, d]) == pytest.approx(rise / (2 * step), rel=1e-5, abs=1e-8)


def test_autograd_agrees_with_the_closed_form():
    left, right, A, similar = pairs(0)
    A.requires_grad_()
    pair_loss(squared_distances(A, left, right), similar, 3.0).backward()
    with torch.no_grad():
        projected = (left - right) @ A.mT
        n_similar = int(similar.sum())
        terms = pair_terms(projected.square().sum(1), similar, 1 / n_similar, 3 / (len(similar) - n_similar))
        torch.testing.assert_close(loss_pull(projected, terms.slope).mT @ (left - right), A.grad)


def test_a_pair_at_the_margin_asks_for_nothing():
    terms = pair_terms(torch.tensor([1.0, 0.99, 1.01]), torch.tensor([False] * 3), 1.0, 1.0)
    assert terms.slope.tolist() == [0.0, -1.0, 0.0]
    assert terms.violating.tolist() == [False, True, False]


def test_distances_do_not_change_under_translation_and_rotation_of_the_latent_space():
    left, right, A, _ = pairs(1)
    turn = torch.linalg.qr(torch.randn(3, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)))[0]
    expected = squared_distances(A, left, right)
    torch.testing.assert_close(squared_distances(turn @ A, left + 5, right + 5), expected)
    torch.testing.assert_close(squared_distances(A, right, left), expected)
    torch.testing.assert_close(squared_distances(2 * A, left, right), 4 * expected)


def test_a_kind_that_is_missing_counts_as_nothing():
    squared = torch.tensor([0.2, 0.6])
    assert float(pair_loss(squared, torch.tensor([True, True]))) == pytest.approx(0.4)
    assert float(pair_loss(squared, torch.tensor([False, False]), hinge_weight=2.0)) == pytest.approx(1.2)
