"""The Gaussian machine as an estimator: densities in the units of the data, noise, samples, streams."""

import copy
import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.special import expit
from scipy.stats import multivariate_normal, norm

from wideangle.models import GaussianRBM
from wideangle.models._base import Randomness
from wideangle.models._boltzmann import likelihood as room
from wideangle.models._boltzmann.gaussian import LEAST_NOISE

RNG = np.random.default_rng(0)
NOISE = np.array([0.5, 3.0, 0.02, 1.0, 40.0])
SIGNAL = np.array([[1.5, 0, 0.05, 1, 0], [0, 4.5, 0.05, 0, 100.0]])
MEANS = np.array([10.0, -50.0, 0.0, 1.0, 2000.0])
QUICK = {"random_state": 0, "device": "cpu"}


def drawn(n, seed):
    """Rows of two hidden causes, with noise of its own in each column."""
    rng = np.random.default_rng(seed)
    return MEANS + rng.integers(0, 2, (n, 2)) @ SIGNAL + NOISE * rng.normal(size=(n, 5))


X, TEST = drawn(1500, 1), drawn(500, 2)


@pytest.fixture(scope="module")
def fitted():
    return GaussianRBM(3, diversity=0.0, max_updates=1500, **QUICK).fit(X)


def parts_of_mixture(model):
    """Weights and means of the Gaussians of all hidden states, from the energy in the class's documentation."""
    logs, means = [], []
    for state in itertools.product([0, 1], repeat=len(model.components_)):
        h = np.array(state, dtype=float)
        b, variance = model.intercept_visible_.astype(float), model.noise_**2
        mean = b + variance * (h @ model.components_)
        logs.append(h @ model.intercept_hidden_ + ((mean**2 - b**2) / (2 * variance)).sum())
        means.append(model.means_ + mean)
    weights = np.exp(np.array(logs) - np.logaddexp.reduce(logs))
    return weights, np.array(means)


def test_densities_are_those_of_the_mixture_in_the_units_of_the_data(fitted):
    weights, means = parts_of_mixture(fitted)
    cov = np.diag(fitted.noise_**2)
    expected = np.log(sum(w * multivariate_normal(m, cov).pdf(TEST) for w, m in zip(weights, means, strict=True)))
    found = fitted.log_likelihood(TEST)
    np.testing.assert_allclose(found.log_p, expected, rtol=1e-6)
    assert found.doubt == ""
    assert fitted.score(TEST) == pytest.approx(expected.mean() / 5)
    np.testing.assert_allclose(fitted.score_samples(TEST), found.log_p)


def test_hidden_logits_are_those_of_the_energy(fitted):
    weights, means = parts_of_mixture(fitted)
    cov = np.diag(fitted.noise_**2)
    joint = np.array([w * multivariate_normal(m, cov).pdf(TEST) for w, m in zip(weights, means, strict=True)])
    on = np.array(list(itertools.product([0, 1], repeat=3)))
    np.testing.assert_allclose(expit(fitted.hidden_logits(TEST)), (joint / joint.sum(0)).T @ on, atol=1e-6)


def test_a_density_of_one_column_integrates_to_one():
    model = GaussianRBM(2, max_updates=100, **QUICK).fit(X[:, :1])
    grid = np.linspace(-10, 40, 5001)[:, None]
    assert np.exp(model.score_samples(grid)).sum() * 0.01 == pytest.approx(1, abs=1e-6)


def test_it_learns_the_noise_and_nearly_the_true_density(fitted):
    np.testing.assert_allclose(fitted.noise_, NOISE, rtol=0.15)
    parts = [norm.logpdf(TEST, MEANS + np.array(h) @ SIGNAL, NOISE).sum(1) for h in itertools.product([0, 1], repeat=2)]
    true = np.logaddexp.reduce(parts, axis=0) - np.log(4)
    independent = norm.logpdf(TEST, X.mean(0), X.std(0)).sum(1)
    reached = (fitted.score_samples(TEST).mean() - independent.mean()) / (true.mean() - independent.mean())
    assert 0.8 < reached < 1.05


def test_other_units_change_nothing_but_the_units(fitted):
    """Powers of two round nothing."""
    units, zeros = np.array([2.0, 0.25, 1024.0, 1.0, 2.0**-20]), np.array([0.0, 64.0, -8.0, 1.0, 0.0])
    other = GaussianRBM(3, diversity=0.0, max_updates=1500, **QUICK).fit(X * units + zeros)
    np.testing.assert_allclose(other.transform(TEST * units + zeros), fitted.transform(TEST), atol=1e-5)
    np.testing.assert_allclose(other.noise_, fitted.noise_ * units, rtol=1e-5)
    shifted = fitted.score_samples(TEST) - np.log(units).sum()
    np.testing.assert_allclose(other.score_samples(TEST * units + zeros), shifted, rtol=1e-5)


def test_samples_have_the_moments_of_the_mixture(fitted):
    weights, means = parts_of_mixture(fitted)
    middle = weights @ means
    cov = np.diag(fitted.noise_**2) + ((means - middle).T * weights) @ (means - middle)
    rows = fitted.sample(4000, sweeps=200, random_state=0)
    assert (np.abs(rows.mean(0) - middle) < 5 * np.sqrt(np.diag(cov) / 4000)).all()
    unit = np.sqrt(np.outer(np.diag(cov), np.diag(cov)))
    assert np.abs((np.cov(rows.T) - cov) / unit).max() < 0.12


def test_a_gibbs_sweep_leaves_the_data_nearly_as_it_is(fitted):
    rows = fitted.gibbs(X, random_state=0)
    assert (np.abs(rows.mean(0) - X.mean(0)) < 6 * X.std(0) / len(X) ** 0.5).all()
    np.testing.assert_allclose(rows.std(0), X.std(0), rtol=0.15)


@pytest.mark.parametrize("seed", range(3))
def test_an_annealed_likelihood_knows_its_error(seed, monkeypatch):
    model = GaussianRBM(8, max_updates=300, random_state=seed, device="cpu").fit(X)
    exact = model.log_likelihood(TEST[:20])
    monkeypatch.setattr(room, "MOST_TERMS", 0)
    found = model.log_likelihood(TEST[:20])
    assert (exact.temperatures, found.temperatures >= 300) == (0, True)
    assert found.doubt == ""
    assert (np.abs(found.log_p - exact.log_p) < 4 * found.standard_error + 0.02).all()


def test_a_record_of_validation_is_the_density_of_a_reconstruction():
    model = GaussianRBM(3, validation_fraction=0.2, max_updates=300, **QUICK).fit(X)
    order = Randomness.of(0, torch.device("cpu")).rows.permutation(len(X))[:300]
    held = X[order]
    hidden = expit(model.hidden_logits(held))
    mean = model.means_ + model.intercept_visible_ + model.noise_**2 * (hidden @ model.components_)
    expected = norm.logpdf(held, mean, model.noise_) + np.log(model.deviations_)
    best = max(record.validation for record in model.history_)
    assert best == pytest.approx(expected.mean(), abs=1e-6)


def test_the_recorded_loss_is_the_density_of_a_reconstruction(fitted):
    still = {"warm_start": True, "learning_rate": 1e-12, "max_updates": 20, "batch_size": len(X)}
    model = copy.deepcopy(fitted).set_params(**still).fit(X)
    hidden = expit(model.hidden_logits(X))
    mean = model.means_ + model.intercept_visible_ + model.noise_**2 * (hidden @ model.components_)
    expected = norm.logpdf(X, mean, model.noise_) + np.log(model.deviations_)
    assert model.history_[-1].loss == pytest.approx(-expected.mean(), abs=1e-5)


@pytest.mark.parametrize("init", ["random", "svd"])
def test_sparse_rows_are_learned_from_like_dense_ones(init):
    rows = np.where(RNG.random((80, 12)) < 0.2, RNG.normal(size=(80, 12)), 0)
    rows[:, 0] = 0
    settings = {"n_components": 3, "max_updates": 20, "init": init, **QUICK}
    dense, sparse = (GaussianRBM(**settings).fit(part) for part in (rows, sp.csr_array(rows)))
    np.testing.assert_allclose(sparse.components_, dense.components_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sparse.score_samples(sp.csr_array(rows)), dense.score_samples(rows), rtol=1e-6)


def test_principal_directions_are_those_of_the_scaled_rows():
    still = {"learning_rate": 1e-12, "diversity": 0.0, "max_updates": 1, **QUICK}
    model = GaussianRBM(3, init="svd", **still).fit(X)
    _, _, vectors = np.linalg.svd((X - X.mean(0)) / X.std(0), full_matrices=False)
    unit = model.components_ * model.noise_
    np.testing.assert_allclose(np.abs((unit * vectors[:3]).sum(1)), 1, atol=1e-5)
    # All hidden units are on half of the time, so that the machine starts with the means of the data.
    np.testing.assert_allclose(parts_of_mixture(model)[0] @ parts_of_mixture(model)[1], X.mean(0), rtol=1e-6, atol=1e-6)


def test_dropout_leaves_one_machine_of_all_units():
    still = {"learning_rate": 1e-12, "diversity": 0.0, "max_updates": 1, **QUICK}
    half, whole = (GaussianRBM(3, dropout=share, **still).fit(X) for share in (0.5, 0.0))
    np.testing.assert_allclose(half.components_, whole.components_ / 2, rtol=1e-5)


def test_the_regulariser_spreads_what_the_columns_share():
    rows = RNG.normal(size=(600, 1)) * 3 + RNG.normal(size=(600, 12))
    angles = [GaussianRBM(6, diversity=w, max_updates=300, **QUICK).fit(rows).history_[-1].mean_angle for w in (0, 0.3)]
    assert angles[1] > angles[0] + 5


def test_a_stream_goes_on_where_it_was():
    model = GaussianRBM(3, max_updates=50, **QUICK)
    for part in np.array_split(X, 3):
        model.partial_fit(part)
    assert model.n_rows_ == len(X)
    np.testing.assert_allclose(model.mean_row_, X.mean(0))
    before = model.score_samples(TEST)
    again = model.set_params(warm_start=True, learning_rate=1e-12, diversity=0.0, max_updates=1).fit(X)
    np.testing.assert_allclose(again.score_samples(TEST), before, rtol=1e-6)


def test_a_constant_column_has_no_say_and_harms_nothing():
    rows = np.column_stack([X, np.full(len(X), 0.1)])
    model = GaussianRBM(3, max_updates=200, **QUICK).fit(rows)
    assert model.deviations_[-1] == 1
    assert np.isfinite(model.score_samples(rows)).all()


def test_noise_has_a_least_value():
    """A column without noise would have an endless density, and pulls at its noise for as long as training lasts."""
    quick = {"learning_rate": 0.05, "schedule": "constant", "max_updates": 150, "diversity": 0.0, **QUICK}
    model = GaussianRBM(2, **quick).fit(np.column_stack([X[:200], np.full(200, 0.1)]))
    assert model.noise_[-1] == pytest.approx(LEAST_NOISE)


@pytest.mark.parametrize("scale", [1e-14, 1e14])
def test_columns_beyond_the_range_are_refused(scale):
    with pytest.raises(ValueError, match=r"1e\+12.*column 2 .*Scale"):
        GaussianRBM(2, **QUICK).fit(RNG.normal(size=(9, 3)) * [1, 1, scale])


def test_effects_are_weights_times_deviations(fitted):
    np.testing.assert_allclose(fitted.effects(), fitted.components_ * X.std(0), rtol=1e-6)
