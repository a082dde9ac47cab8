"""Validation of the distance learner: what is held out, which state is kept, and what happens to small data."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from wideangle.data import make_pairs
from wideangle.evaluation import knn_accuracy
from wideangle.exceptions import DataError
from wideangle.models import DistanceLearner
from wideangle.models._distance import principal as principal_room
from wideangle.models._distance import splits as splits_room
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._distance.principal import principal_directions
from wideangle.models._distance.rows import PairRows
from wideangle.models._distance.sampling import Sampling
from wideangle.models._distance.scores import NeighborVotes
from wideangle.models._distance.splits import disjoint_held_out_rows, pair_splits, row_splits
from wideangle.models._distance.training import chosen_state, records_since_best

SAMPLING = Sampling(2000, 2000, "samples", 0.0, 0.0, 3)
SMALL = {"n_similar": 3000, "n_dissimilar": 3000, "batch_size": 300, "device": "cpu"}


def learnable(n=240, D=8, seed=0):
    """Three classes in the first feature; the others are loud and say nothing."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 3, n)
    X = 3 * generator.standard_normal((n, D))
    X[:, 0] = 2 * y + 0.3 * generator.standard_normal(n)
    return X, y


def spheres(n=300, seed=0):
    """Two classes, one around the other: nearest neighbours tell them apart, and no linear map makes that easier."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = generator.integers(0, 2, n)
    return X * (1 + 0.5 * y)[:, None], y


def clusters(n, seed, D=30, n_clusters=40):
    """Four classes, each of about ten clusters that lie anywhere."""
    generator = np.random.default_rng(99)
    centres, labels = generator.standard_normal((n_clusters, D)), generator.integers(0, 4, n_clusters)
    generator = np.random.default_rng(seed)
    which = generator.integers(0, n_clusters, n)
    return centres[which] + 0.75 * generator.standard_normal((n, D)), labels[which]


def all_pairs(y):
    left, right = np.triu_indices(len(y), 1)
    return IndexPairs(left, right, y[left] == y[right])


def test_what_is_learned_is_kept_where_it_helps():
    X, y = learnable()
    fitted = DistanceLearner(max_updates=100, learning_rate=0.1, random_state=0, **SMALL).fit(X, y)
    new, truth = learnable(seed=1)
    assert knn_accuracy(fitted.transform(X), y, fitted.transform(new), truth) > knn_accuracy(X, y, new, truth) + 0.2
    assert fitted.stopped_.startswith(f"validated: update {fitted.n_updates_} is not clearly worse than any")
    seen = [record.validation for record in fitted.history_]
    assert fitted.history_[0].update == 0
    assert seen[-1] > seen[0] + 0.2
    assert fitted.n_updates_ == fitted.history_[-1].update > 0


@pytest.mark.parametrize("seed", range(3))
def test_the_start_is_kept_where_learning_does_not_help(seed):
    X, y = spheres(seed=seed)
    fitted = DistanceLearner(max_updates=50, hinge_weight=0.01, learning_rate=0.2, random_state=seed, **SMALL).fit(X, y)
    assert fitted.n_updates_ == 0
    assert "the start" in fitted.stopped_
    assert len(fitted.history_) == 1
    # All principal directions at one length: Euclidean distances but for their scale
    M = fitted.get_mahalanobis_matrix()
    np.testing.assert_allclose(M, M[0, 0] * np.eye(3), atol=1e-9 * M[0, 0])


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("seed", range(3))
def test_learning_that_does_harm_is_left_out(seed):
    """Classes of ten clusters each are told apart by their nearest rows; pairs of few rows are learned by heart."""
    X, y = clusters(400, seed)
    new, truth = clusters(1000, seed + 50)

    def accuracy(**changes):
        settings = {"max_updates": 200, "learning_rate": 0.05, "random_state": seed, "device": "cpu"}
        fitted = DistanceLearner(n_similar=10_000, n_dissimilar=10_000, **(settings | changes)).fit(X, y)
        return knn_accuracy(fitted.transform(X), y, fitted.transform(new), truth)

    euclid = knn_accuracy(X, y, new, truth)
    assert accuracy(validation_fraction=0.0) < euclid - 0.01
    assert accuracy() > euclid - 0.004


def test_the_earliest_state_within_one_standard_error_is_chosen():
    right = np.zeros((4, 100))
    right[0, :80] = 1
    right[1, :89] = 1
    right[2, :90] = 1  # the best: by one case better than the one before, and by ten than the start
    right[3, :85] = 1
    always = [True] * 4
    assert chosen_state(list(right), always) == 1
    assert chosen_state(list(right), [True, False, True, True]) == 2
    assert chosen_state(list(right), [False] * 4) is None
    assert records_since_best(list(right), always) == 1
    assert records_since_best(list(right), [False] * 4) == 0
    assert chosen_state([np.array([0.5]), np.array([0.7]), np.array([0.7]), np.array([0.6])], always) == 1


@pytest.mark.parametrize(("lost", "gained", "kept"), [(0, 3, 0), (0, 5, 1), (10, 19, 0), (10, 24, 1)])
def test_the_start_is_kept_unless_the_best_leads_by_two_standard_errors(lost, gained, kept):
    """The lead is gained − lost cases, and its error about the root of gained + lost cases."""
    start = np.repeat([1.0, 0.0], 100)
    learned = start.copy()
    learned[:lost] = 0.0
    learned[100 : 100 + gained] = 1.0
    assert chosen_state([start, learned], [True, True]) == kept
    # Where the start violates the margin too often, it cannot be kept.
    assert chosen_state([start, learned], [False, True]) == 1


def test_the_choice_does_not_depend_on_the_order_of_held_out_rows():
    generator = np.random.default_rng(0)
    table = generator.random((25, 300)) + np.linspace(0, 0.2, 25)[:, None]
    chosen = chosen_state(list(table), [True] * 25)
    assert chosen > 10
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(300)
        assert chosen_state(list(table[:, order]), [True] * 25) == chosen


def naive_score(train, labels, row, truth):
    """Half a point for a right vote of the three nearest, and a sixth for each of them that has the class."""
    near = [labels[i] for i in sorted(range(len(train)), key=lambda i: np.linalg.norm(train[i] - row))[:3]]
    winner = max(near, key=near.count)  # The first of several, which is the nearest.
    return 0.5 * (winner == truth) + near.count(truth) / 6


def test_scores_are_of_votes_and_of_neighbours():
    generator = np.random.default_rng(0)
    y = generator.integers(0, 4, 200)
    X = generator.standard_normal((200, 5)) + 0.4 * y[:, None] + 1000.0
    A = generator.standard_normal((3, 5))
    held_out, rest = np.arange(0, 200, 4), np.setdiff1d(np.arange(200), np.arange(0, 200, 4))
    score = NeighborVotes(y, held_out, rest, generator)
    expected = [naive_score(X[rest] @ A.T, y[rest], X[row] @ A.T, y[row]) for row in held_out]
    votes = [knn_accuracy(X[rest] @ A.T, y[rest], X[[row]] @ A.T, y[[row]]) for row in held_out]
    assert len({round(6 * value) for value in expected}) > 3
    for matrix in (X, sp.csr_matrix(X)):
        found = score(torch.from_numpy(A), PairRows(matrix, torch.device("cpu")))
        np.testing.assert_allclose(found, expected)
        np.testing.assert_array_equal(found >= 0.5, votes)  # as in the evaluation


@pytest.mark.parametrize("fraction", [0.1, 0.2, 0.3, 0.45])
def test_rows_are_held_out_once_and_from_all_classes(fraction):
    codes = np.repeat([0, 1, 2, 3], [60, 25, 10, 1])
    parts = disjoint_held_out_rows(codes, fraction, np.random.default_rng(0))
    assert len(parts) == min(3, int(1 / fraction))
    assert len(np.unique(np.concatenate(parts))) == sum(len(part) for part in parts)
    for part in parts:
        assert len(part) == round(fraction * len(codes))
        counts = np.bincount(codes[part], minlength=4)
        np.testing.assert_allclose(counts[:3], len(part) * np.array([60, 25, 10]) / 95, atol=1)
        assert counts[3] == 0  # alone in its class


def test_enough_rows_are_held_out_and_no_more(monkeypatch):
    monkeypatch.setattr(splits_room, "ENOUGH_ROWS", 30)
    codes = np.arange(200) % 2
    assert [len(part) for part in disjoint_held_out_rows(codes, 0.2, np.random.default_rng(0))] == [30]
    assert [len(part) for part in disjoint_held_out_rows(codes, 0.1, np.random.default_rng(0))] == [15, 15]
    assert [len(part) for part in disjoint_held_out_rows(codes, 0.05, np.random.default_rng(0))] == [10, 10, 10]
    assert [len(part) for part in disjoint_held_out_rows(codes, 0.02, np.random.default_rng(0))] == [4, 4, 4]


@pytest.mark.parametrize("monitor", ["neighbors", "average_precision"])
def test_no_pair_to_train_on_has_a_row_that_is_held_out(monitor):
    _, y = learnable()
    pairs = all_pairs(y)
    found = row_splits(y, pairs, 0.25, monitor, SAMPLING, np.random.default_rng(0))
    assert len(found) == 3
    for split in found:
        ends = (
            split.score.held_out
            if monitor == "neighbors"
            else np.union1d(split.score.pairs.left, split.score.pairs.right)
        )
        used = np.union1d(split.pairs.left, split.pairs.right)
        assert not np.intersect1d(ends, used).size
        assert len(used) == 180


def test_given_pairs_are_split():
    _, y = learnable()
    pairs = all_pairs(y)
    (split,) = pair_splits(pairs, 0.25, np.random.default_rng(0))
    assert len(split.score.pairs) == round(0.25 * len(pairs))
    assert sorted([*split.pairs.left, *split.score.pairs.left]) == sorted(pairs.left)
    assert pair_splits(pairs, 0.0, np.random.default_rng(0)) == []


@pytest.mark.parametrize(("fraction", "held"), [(0.001, 0), (1.0, 240)])
def test_a_fraction_that_leaves_nothing_is_named(fraction, held):
    X, y = learnable()
    with pytest.raises(
        ValueError, match=f"validation_fraction={fraction} of 240 rows is {held}; there must be at least"
    ):
        DistanceLearner(validation_fraction=fraction, **SMALL).fit(X, y)
    pairs = make_pairs(y, 120, 120)
    with pytest.raises(
        ValueError, match=f"validation_fraction={fraction} of 240 pairs is {held}; there must be at least"
    ):
        DistanceLearner(validation_fraction=fraction, **SMALL).fit_pairs(pairs.indices, pairs.similar, X)


def test_small_data():
    """Down to classes of one or two rows: validated where that can be done, else trained to the end."""
    X, _ = learnable()
    for labels in ([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 2], [0, 0, 1], [0, 1, 1, 2]):
        fitted = DistanceLearner(max_updates=20, random_state=0, **SMALL).fit(X[: len(labels)], labels)
        assert np.isfinite(fitted.components_).all()
    assert "max_updates=20 " in fitted.stopped_
    assert DistanceLearner(max_updates=20, **SMALL).fit(*load_iris(return_X_y=True)).stopped_.startswith("validated")
    with pytest.raises(DataError, match="rows leaves no"):
        DistanceLearner(validation_fraction=0.3, **SMALL).fit(X[:4], [0, 1, 1, 2])


def test_monitor_says_what_is_validated():
    X, y = learnable()
    settings = {"max_updates": 50, "learning_rate": 0.1, "random_state": 0, **SMALL}
    by_precision = DistanceLearner(monitor="average_precision", **settings).fit(X, y)
    assert "average precision" in by_precision.stopped_
    pairs = make_pairs(y, 2000, 2000)
    given = (pairs.indices, pairs.similar, X)
    assert "max_updates=50 " in DistanceLearner(**settings).fit_pairs(*given).stopped_
    validated = DistanceLearner(validation_fraction=0.2, **settings).fit_pairs(*given)
    assert "average precision" in validated.stopped_
    assert validated.history_[-1].validation == max(record.validation for record in validated.history_)
    with pytest.raises(ValueError, match="monitor='neighbors'"):
        DistanceLearner(monitor="neighbors", **settings).fit_pairs(*given)


def test_patience_ends_the_validation_early(monkeypatch):
    """With a patience of 2 the trainings that validate make two records; one of 25 lets them make all."""
    from wideangle.models._distance.scores import NeighborVotes

    calls = []
    monkeypatch.setattr(NeighborVotes, "__call__", lambda self, A, rows: calls.append(1) or np.ones(len(self.held_out)))
    X, y = learnable()
    for patience, records in ((2, 2), (25, 25)):
        calls.clear()
        DistanceLearner(patience=patience, max_updates=500, random_state=0, **SMALL).fit(X, y)
        assert len(calls) == 3 * (1 + records)


@pytest.mark.slow
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("fraction", [None, 0.2])
def test_few_violations_and_validation_go_together(fraction):
    X, y = learnable()
    settings = {"max_updates": 100, "learning_rate": 0.05, "random_state": 0, "hinge_weight": 0.5, **SMALL}
    soft = DistanceLearner(4, **settings).fit(X, y)
    hard = DistanceLearner(4, max_violations=0.02, validation_fraction=fraction, **settings).fit(X, y)
    assert hard.violations_ < 0.02 < soft.violations_
    assert hard.history_[0].validation is not None
    pairs = make_pairs(y, 2000, 2000)
    by_pairs = DistanceLearner(4, max_violations=0.02, validation_fraction=0.2, **settings)
    assert by_pairs.fit_pairs(pairs.indices, pairs.similar, X).violations_ < 0.02


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["all", "few", "deficient", "twins"])
def test_principal_directions_of_dense_and_sparse_rows(kind, seed, monkeypatch):
    # Without directions to spare, subspace iteration must find the right ones by itself, and not that of the mean.
    monkeypatch.setattr(principal_room, "EXTRA_DIRECTIONS", 0)
    monkeypatch.setattr(principal_room, "PASSES", 300)
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((60, 40)) * np.linspace(3, 0.5, 40) * (generator.random((60, 40)) < 0.4) + 5.0
    if kind == "deficient":
        X[:, 7:15] = 0.0
    if kind == "twins":  # three equal variances without correlation: any basis of their space would do
        X[:, :3] = 0.0
        X[[0, 1, 2], [0, 1, 2]] = 1.0
    K = 6 if kind == "few" else 40
    dense, sparse = (principal_directions(x, K, np.random.default_rng(seed)) for x in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(dense, sparse, atol=1e-7)
    np.testing.assert_allclose(dense @ dense.T, np.eye(K), atol=1e-7)
    reference = PCA(K, svd_solver="full").fit(X)
    variances = ((X - X.mean(0)) @ dense.T).var(axis=0, ddof=1)
    np.testing.assert_allclose(variances, reference.explained_variance_, rtol=1e-3, atol=1e-9)
