"""What a learned metric offers: distances, the matrix, the function, thresholds."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from wideangle.models import DistanceLearner
from wideangle.models._distance.metric import best_threshold


def learner(A):
    """A learner that has learned the given components."""
    fitted = DistanceLearner()
    fitted.components_ = np.asarray(A)
    fitted.n_features_in_ = fitted.components_.shape[1]
    fitted.threshold_ = 1.0
    return fitted


@pytest.fixture
def example():
    generator = np.random.default_rng(0)
    return learner(generator.standard_normal((3, 5))), generator.standard_normal((20, 2, 5))


def test_all_ways_to_the_distance_agree(example):
    fitted, pairs = example
    naive = [np.sqrt(sum(float(row @ (x - y)) ** 2 for row in fitted.components_)) for x, y in pairs]
    np.testing.assert_allclose(fitted.pair_distance(pairs), naive)
    np.testing.assert_array_equal(fitted.pair_score(pairs), -fitted.pair_distance(pairs))
    metric, M = fitted.get_metric(), fitted.get_mahalanobis_matrix()
    np.testing.assert_allclose([metric(x, y) for x, y in pairs], naive)
    np.testing.assert_allclose([np.sqrt((x - y) @ M @ (x - y)) for x, y in pairs], naive)
    latent = [fitted.transform(pairs[:, end]) for end in (0, 1)]
    np.testing.assert_allclose(np.linalg.norm(latent[0] - latent[1], axis=1), naive)
    X = pairs.reshape(40, 5)
    indices = np.arange(40).reshape(20, 2)
    for matrix in (X, sp.csr_matrix(X), X.astype(np.float32)):
        np.testing.assert_allclose(fitted.pair_distance(indices, matrix), naive, rtol=1e-5)


def test_the_metric_serves_scikit_learn_and_keeps_its_own_components(example):
    fitted, pairs = example
    X = pairs[:, 0]
    metric = fitted.get_metric()
    found = NearestNeighbors(n_neighbors=3, metric=metric).fit(X).kneighbors(X, return_distance=False)
    by_latent = NearestNeighbors(n_neighbors=3).fit(fitted.transform(X)).kneighbors(return_distance=False)
    np.testing.assert_array_equal(found[:, 1:], by_latent[:, :2])
    before = metric(X[0], X[1])
    fitted.components_ *= 2
    assert metric(X[0], X[1]) == before


def test_decisions_follow_the_threshold():
    fitted = learner([[1.0]])
    pairs = np.array([[[0.0], [0.5]], [[0.0], [1.0]], [[0.0], [1.5]]])
    assert fitted.predict_pairs(pairs).tolist() == [1, 1, -1]
    fitted.calibrate_threshold(pairs, [1, -1, -1])
    assert fitted.threshold_ == pytest.approx(0.75)
    assert fitted.predict_pairs(pairs).tolist() == [1, -1, -1]
    X = np.array([[0.0], [0.5], [1.5]])
    assert fitted.calibrate_threshold([[0, 1], [0, 2]], [1, -1], X).threshold_ == pytest.approx(1.0)


def naive_best(distances, similar, score):
    cuts = np.concatenate([[-1.0], distances])
    return max(score(similar, distances <= cut) for cut in cuts)


def accuracy(truth, said):
    return np.mean(truth == said)


def f_score(beta):
    def score(truth, said):
        precision = (truth & said).sum() / max(1, said.sum())
        recall = (truth & said).sum() / truth.sum()
        bottom = beta**2 * precision + recall
        return (1 + beta**2) * precision * recall / bottom if bottom else 0.0

    return score


@pytest.mark.parametrize("seed", range(20))
def test_thresholds_are_the_best_there_are(seed):
    generator = np.random.default_rng(seed)
    distances = generator.integers(0, 8, 15) / 4  # ties
    similar = generator.random(15) < 0.6
    similar[:2] = True, False
    cut = best_threshold(distances, similar)
    assert accuracy(similar, distances <= cut) == pytest.approx(naive_best(distances, similar, accuracy))
    for beta in (0.5, 1.0, 2.0):
        cut = best_threshold(distances, similar, "f_beta", beta)
        assert f_score(beta)(similar, distances <= cut) == pytest.approx(naive_best(distances, similar, f_score(beta)))


def test_recall_counts_more_with_a_larger_beta():
    generator = np.random.default_rng(0)
    similar = generator.random(400) < 0.5
    distances = generator.random(400) + 0.3 * ~similar
    cuts = [best_threshold(distances, similar, "f_beta", beta) for beta in (0.2, 1.0, 5.0)]
    assert cuts == sorted(cuts)
    assert cuts[0] < cuts[2]


def test_thresholds_at_the_ends():
    distances = np.array([1.0, 2.0, 3.0])
    assert best_threshold(distances, np.array([False, False, True])) < 1.0
    assert best_threshold(distances, np.array([True, False, True]), "f_beta", 5.0) == 3.0
    twins = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert best_threshold(twins, np.array([True, False])) == 1.0


def test_bad_questions():
    fitted = learner([[1.0, 0.0]])
    pairs = np.zeros((2, 2, 2))
    with pytest.raises(ValueError, match="strategy must be"):
        fitted.calibrate_threshold(pairs, [1, -1], strategy="best")
    with pytest.raises(ValueError, match="beta"):
        fitted.calibrate_threshold(pairs, [1, -1], beta=0.0)
    with pytest.raises(ValueError, match="of one kind"):
        fitted.calibrate_threshold(pairs, [1, 1])
    with pytest.raises(ValueError, match="features"):
        fitted.pair_distance(np.zeros((2, 2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        fitted.pair_distance(np.full((2, 2, 2), np.nan))
