"""The Gaussian machine against sums over its hidden states, integrals over its visible ones, and finite differences."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import norm

from wideangle.diversity import DiversityTerm
from wideangle.functional.boltzmann import (
    DrawsOfPart,
    GaussianMachine,
    energy,
    free_energy,
    gibbs_step,
    hidden_logits,
    reconstruction_loss,
    sample_normal,
    shared_out,
)
from wideangle.functional.modes import log_partition_floor
from wideangle.functional.partition import annealed_log_partition, bridged_log_partition, exact_log_partition
from wideangle.models._base import Randomness
from wideangle.models._boltzmann.contrastive import ContrastiveSettings
from wideangle.models._boltzmann.gaussian import GaussianTrainer, noise_slope
from wideangle.models._training.steps import LearningRate
from wideangle.process_group.group import Part


def machine(K=3, D=4, seed=0, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    shapes = ((K, D), (D,), (K,))
    return GaussianMachine(*(scale * torch.randn(s, generator=generator, dtype=torch.float64) for s in shapes))


def states(n):
    return torch.tensor(list(itertools.product([0.0, 1.0], repeat=n)), dtype=torch.float64)


def rows(n, D, seed=1):
    return 2 * torch.randn(n, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def naive_energy(m, v, h):
    """Krizhevsky's sums with deviations of 1."""
    total = sum((float(v[j]) - float(m.visible_bias[j])) ** 2 / 2 for j in range(len(v)))
    for k in range(len(h)):
        total -= float(m.hidden_bias[k] * h[k])
        total -= sum(float(m.components[k, j] * h[k] * v[j]) for j in range(len(v)))
    return total


def naive_log_p(m, v):
    """log of the mixture of 2^K Gaussians. State h has the weight ∫ exp(−E(v, h)) dv, from completing the square."""
    logs, parts = [], []
    for h in states(len(m.hidden_bias)):
        mean = m.visible_bias + sum((h[k] * m.components[k] for k in range(len(h))), torch.zeros(len(v)).double())
        inside = sum(float(mean[j]) ** 2 - float(m.visible_bias[j]) ** 2 for j in range(len(v))) / 2
        logs.append(float(h @ m.hidden_bias) + inside)
        parts.append(sum(norm.logpdf(float(v[j]), float(mean[j])) for j in range(len(v))))
    logs = np.array(logs) - np.logaddexp.reduce(logs)
    return np.logaddexp.reduce(logs + np.array(parts))


def test_energy_is_that_of_the_sums():
    m = machine()
    for v, h in itertools.product(rows(3, 4), states(3)):
        assert float(energy(m, v[None], h[None])[0]) == pytest.approx(naive_energy(m, v, h))


def test_free_energy_and_posterior_are_those_of_the_enumerated_joint():
    m, v = machine(), rows(5, 4)
    joint = torch.stack([-energy(m, v, h.expand(len(v), -1)) for h in states(3)])
    assert torch.allclose(free_energy(m, v), -joint.logsumexp(0))
    assert torch.allclose(torch.sigmoid(hidden_logits(m, v)), torch.softmax(joint, 0).T @ states(3))


@pytest.mark.parametrize("K", [1, 3, 6])
def test_it_is_a_mixture_of_gaussians(K):
    m = machine(K, 3)
    for v in rows(4, 3):
        assert float(-free_energy(m, v[None])[0] - exact_log_partition(m)) == pytest.approx(naive_log_p(m, v))


@pytest.mark.parametrize("D", [1, 2])
def test_densities_integrate_to_one(D):
    """By the trapezoid rule over a box that holds all of the mixture but a share that rounds to 0."""
    m = machine(4, D)
    axis = torch.linspace(-20, 20, 801, dtype=torch.float64)
    grid = torch.cartesian_prod(*[axis] * D).reshape(-1, D)
    density = (-free_energy(m, grid) - exact_log_partition(m)).exp()
    assert float(density.sum() * (axis[1] - axis[0]) ** D) == pytest.approx(1, abs=1e-9)


def test_more_hidden_units_than_columns_are_summed_on_the_hidden_side():
    m = machine(5, 1)
    grid = torch.linspace(-40, 40, 4001, dtype=torch.float64)[:, None]
    assert float(exact_log_partition(m)) == pytest.approx(
        float((-free_energy(m, grid)).logsumexp(0)) + math.log(0.02), abs=1e-9
    )


def test_a_gibbs_step_draws_from_the_conditional():
    m, h = machine(), states(3)[5]
    visible, hidden = gibbs_step(m, h.expand(20_000, -1), torch.Generator().manual_seed(0))
    mean = m.visible_bias + m.components[0] + m.components[2]
    assert torch.allclose(visible.mean(0), mean, atol=0.04)  # five standard errors
    assert torch.allclose(torch.cov(visible.T), torch.eye(4).double(), atol=0.06)
    assert torch.allclose(hidden, torch.sigmoid(hidden_logits(m, visible)))


def test_parts_of_a_batch_draw_what_one_process_draws():
    means = rows(7, 3)
    whole = sample_normal(means, torch.Generator().manual_seed(3))
    parts = [
        sample_normal(means[first:last], DrawsOfPart(torch.Generator().manual_seed(3), first, 7))
        for first, last in ((0, 3), (3, 7))
    ]
    assert torch.equal(torch.cat(parts), whole)


def test_reconstruction_loss_is_minus_the_log_density():
    m, v, h = machine(), rows(6, 4), states(3)[:6]
    expected = -norm.logpdf(v.numpy(), (m.visible_bias + h @ m.components).numpy()).mean()
    assert float(reconstruction_loss(m, v, h)) == pytest.approx(expected)


def test_shares_and_precisions_stay_gaussian():
    m = machine()
    assert isinstance(shared_out(m, 0.5), GaussianMachine)
    assert isinstance(m.double(), GaussianMachine)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("base", [None, "zeros"])
def test_annealing_finds_the_exact_log_partition(seed, base):
    m = machine(6, 8, seed, scale=0.7)
    start = None if base is None else torch.zeros(8).double()
    exact, draws = float(exact_log_partition(m)), torch.Generator().manual_seed(seed)
    found = annealed_log_partition(m, draws, temperatures=400, base_bias=start)
    assert abs(float(found.value) - exact) < 4 * float(found.standard_error) + 0.02
    both = bridged_log_partition(m, draws, temperatures=400, base_bias=start)
    assert abs(float(both.value) - exact) < 4 * float(both.standard_error) + 0.02


@pytest.mark.parametrize("seed", range(5))
def test_mean_fields_bound_the_log_partition_from_below(seed):
    m = machine(7, 5, seed)
    floor, exact = float(log_partition_floor(m)), float(exact_log_partition(m))
    assert floor <= exact + 1e-9
    assert floor > exact - 1.0


def log_likelihood(m, u, log_noise):
    """Mean log-likelihood of rows u of which the machine sees u / s."""
    return float((-free_energy(m, u / log_noise.exp()) - exact_log_partition(m)).mean() - log_noise.sum())


def test_the_slope_in_the_noise_is_that_of_finite_differences():
    m, u = machine(), rows(30, 4)
    log_noise = torch.tensor([0.1, -0.4, 0.5, 0.0], dtype=torch.float64)
    slope, step = noise_slope(m, u / log_noise.exp()), 1e-5
    for j in range(4):
        moved = torch.zeros(4, dtype=torch.float64)
        moved[j] = step
        risen = log_likelihood(m, u, log_noise + moved) - log_likelihood(m, u, log_noise - moved)
        assert float(slope[j]) == pytest.approx(risen / (2 * step), rel=1e-6, abs=1e-8)


def test_contrastive_divergence_of_many_sweeps_is_the_slope_of_the_likelihood():
    m = machine(2, 3, scale=0.8)
    v = rows(1, 3).expand(20_000, -1)
    settings = ContrastiveSettings("projected", "sgd", 0.0, 0.0, 20_000, 30, False)
    randomness = Randomness.of(0, torch.device("cpu"))
    rate = LearningRate(0.0, "constant", 10)
    trainer = GaussianTrainer(settings, DiversityTerm(0.0), rate, m, torch.ones(3).double(), randomness)
    found = trainer._contrast(v, None, Part(0, len(v), len(v)), 0)
    learned = [part.clone().requires_grad_() for part in m]
    copied = GaussianMachine(*learned)
    # −F of the one row, and log Z; the trainer's gradients are per column.
    value = (-free_energy(copied, v[:1]).mean() - exact_log_partition(copied)) / 3
    slopes = torch.autograd.grad(value, learned)
    for ours, exact in zip((found.components, found.visible_bias, found.hidden_bias), slopes, strict=True):
        assert torch.allclose(ours, exact, atol=0.02)
