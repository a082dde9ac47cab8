"""Laws of the distances that halves of documents teach."""

import numpy as np
import pytest
from naive_finish import half_moments, pairwise, projection, unit
from scipy.stats import ortho_group

from wideangle.finishing.distances import FINISHES, LEAST_SHRINKAGE, by_halves, by_spectrum
from wideangle.finishing.halves import Moments, moments_of

GRANULARITIES = [0.0, 0.2, 0.5, 1.0]
K = 5


def halves_of(n, noise, signal, seed):
    """Documents of known signal and noise: both halves have the same part in common, and noise of their own."""
    rng = np.random.default_rng(seed)
    common = rng.multivariate_normal(np.zeros(len(noise)), signal, n)
    first, second = (common + rng.multivariate_normal(np.zeros(len(noise)), noise, n) for _ in range(2))
    return (first + second) / 2, first, second


def covariance(seed, spread=3.0):
    turn = ortho_group.rvs(K, random_state=seed)
    return turn @ np.diag(np.geomspace(1 / spread, spread, K)) @ turn.T


@pytest.fixture(params=range(3))
def moments(request):
    return moments_of(*halves_of(400, covariance(request.param), covariance(request.param + 10), request.param))


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_distances_are_those_of_the_formula(granularity, moments):
    """The symmetric root and G diag(g)^{b/2} differ by a rotation, so that all distances are the same."""
    rows = np.random.default_rng(1).normal(size=(20, K))
    A = projection(moments.noise, moments.signal, moments.shrinkage, 400, granularity)
    expected = pairwise([unit(row @ A) for row in rows])
    found = pairwise([unit(row @ by_halves(moments, granularity)) for row in rows])
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("finish", FINISHES)
def test_the_root_is_symmetric_and_turns_with_the_representation(finish, granularity, moments):
    turn = ortho_group.rvs(K, random_state=5)
    turned = Moments(turn.T @ moments.middle, *(turn.T @ part @ turn for part in moments[1:4]), *moments[4:])
    root = FINISHES[finish](moments, granularity)
    np.testing.assert_allclose(root, root.T, atol=1e-9)
    np.testing.assert_allclose(FINISHES[finish](turned, granularity), turn.T @ root @ turn, atol=1e-6)


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_the_unit_of_the_representation_does_not_matter(granularity, moments):
    """Noise and signal that are 100 times as large give a multiple of the same root."""
    larger = moments._replace(**{name: 100 * getattr(moments, name) for name in ("noise", "signal", "spread")})
    for finish in FINISHES.values():
        one, other = finish(moments, granularity), finish(larger, granularity)
        np.testing.assert_allclose(one / np.trace(one), other / np.trace(other), atol=1e-9)


def test_details_ignore_the_signal(moments):
    other = moments._replace(signal=covariance(77))
    np.testing.assert_allclose(by_halves(moments, 0.0), by_halves(other, 0.0), atol=1e-9)
    assert not np.allclose(by_halves(moments, 0.5), by_halves(other, 0.5), atol=1e-2)


def test_details_make_the_shrunk_noise_alike_in_all_directions(moments):
    root = by_halves(moments, 0.0)
    share = max(LEAST_SHRINKAGE, moments.shrinkage, 1 - moments.belief)
    M = (1 - share) * moments.noise + share * np.trace(moments.noise) / K * np.eye(K)
    np.testing.assert_allclose(root @ M @ root, np.eye(K), atol=1e-9)


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_where_all_directions_are_alike_rows_stay_as_they_are(granularity):
    alike = Moments(np.zeros(K), 0.3 * np.eye(K), 0.7 * np.eye(K), np.eye(K), 0.2, 0.8)
    for finish in FINISHES.values():
        root = finish(alike, granularity)
        np.testing.assert_allclose(root, root[0, 0] * np.eye(K), atol=1e-12)
        assert root[0, 0] > 0


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_halves_that_are_identical_teach_nothing(granularity):
    whole = np.random.default_rng(0).normal(size=(30, K))
    np.testing.assert_array_equal(by_halves(moments_of(whole, whole, whole), granularity), np.eye(K))


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_without_any_signal_documents_are_still_told_apart(granularity, moments):
    """By chance all directions may have a negative signal, as one component easily has."""
    without = moments._replace(signal=-np.eye(K))
    assert np.linalg.eigvalsh(by_halves(without, granularity))[0] > 0
    np.testing.assert_allclose(by_halves(without, granularity), by_halves(without, 0.0), atol=1e-9)


def test_nothing_jumps_as_the_granularity_moves(moments):
    """Not even at 0, where directions without signal begin to be left out."""
    turn = np.linalg.eigh(moments.noise)[1]
    some = moments._replace(signal=turn @ np.diag([-1.0, 0.0, 0.1, 1.0, 2.0]) @ turn.T)
    for finish in FINISHES.values():
        roots = np.array([finish(some, granularity) for granularity in np.linspace(0, 1, 401)])
        steps = np.abs(np.diff(roots, axis=0)).max(axis=(1, 2))
        assert steps.max() < 0.02 * np.abs(roots).max()


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_what_cannot_be_believed_leaves_rows_as_they_are(granularity, moments):
    root = by_halves(moments._replace(belief=0.0), granularity)
    np.testing.assert_allclose(root, root[0, 0] * np.eye(K), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_noise_that_is_alike_in_all_directions_does_not_hide_the_signal(seed):
    """Its estimate is shrunk to what it should be, but that says nothing against the signal."""
    found = moments_of(*halves_of(5000, np.eye(K), covariance(seed), seed))
    assert found.shrinkage > 0.5
    strongest = np.linalg.eigh(covariance(seed))[1][:, -1]
    root = by_halves(found, 1.0)
    assert strongest @ root @ strongest > 1.2 * np.trace(root) / K


@pytest.mark.parametrize("granularity", [0.0, 1.0])
def test_the_fewer_the_documents_the_nearer_the_root_to_a_multiple_of_the_identity(granularity):
    noise, signal = covariance(0, 2.0), covariance(1, 2.0)

    def uneven(n):
        found = []
        for seed in range(20):
            found_noise = moments_of(*halves_of(n, noise, signal, seed))._replace(signal=signal)
            values = np.linalg.eigvalsh(by_halves(found_noise, granularity))
            found.append(values[-1] / values[0])
        return np.mean(found)

    few, some, many = (uneven(n) for n in (10, 50, 2000))
    assert 1 <= few < some < many


@pytest.mark.parametrize("seed", range(4))
def test_moments_recover_the_noise_and_the_signal(seed):
    noise, signal = covariance(seed), covariance(seed + 20)
    found = moments_of(*halves_of(20_000, noise, signal, seed))
    np.testing.assert_allclose(found.noise, noise, atol=0.12)
    np.testing.assert_allclose(found.signal, signal, atol=0.12)
    np.testing.assert_allclose(found.spread, signal + noise / 2, atol=0.12)
    assert found.shrinkage < 0.01


@pytest.mark.parametrize("seed", range(3))
def test_moments_are_those_of_loops_over_documents(seed):
    whole, first, second = halves_of(50, covariance(seed), covariance(seed + 1), seed)
    found = moments_of(whole, first, second)
    noise, signal = half_moments(first, second)
    np.testing.assert_allclose(found.noise, noise, atol=1e-12)
    np.testing.assert_allclose(found.signal, signal, atol=1e-12)
    np.testing.assert_allclose(found.spread, np.cov(whole.T, bias=True), atol=1e-12)
    np.testing.assert_allclose(found.middle, whole.mean(axis=0))


def test_the_spectrum_stretches_small_directions_for_details_and_large_ones_for_groups():
    nothing = np.zeros((2, 2))
    spread = Moments(np.zeros(2), nothing, nothing, np.diag([4.0, 1.0]), 1.0, 0.0)
    for granularity in (0.0, 0.5, 1.0):
        root = by_spectrum(spread, granularity)
        assert root[0, 0] / root[1, 1] == pytest.approx(4 ** ((granularity - 0.5) / 2))
    np.testing.assert_array_equal(by_spectrum(spread._replace(spread=nothing), 0.0), np.eye(2))
