"""Clustering scores against exhaustive matching and the definition of mutual information."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from wideangle.evaluation import clustering_accuracy, kmeans_scores, normalized_mutual_information


def naive_accuracy(labels, clusters):
    """Every way to give clusters their own classes, tried in turn."""
    classes, found = sorted(set(labels)), sorted(set(clusters))
    classes += [None] * (len(found) - len(classes))  # a cluster may stay without a class
    return max(
        sum(mapped[found.index(cluster)] == label for label, cluster in zip(labels, clusters, strict=True))
        for mapped in itertools.permutations(classes, len(found))
    ) / len(labels)


def naive_nmi(labels, clusters, average):
    n = len(labels)
    p, q, joint = Counter(labels), Counter(clusters), Counter(zip(labels, clusters, strict=True))
    information = sum(m / n * math.log(m * n / (p[a] * q[b])) for (a, b), m in joint.items())
    entropies = [-sum(m / n * math.log(m / n) for m in counts.values()) for counts in (p, q)]
    return information / average(entropies)


@pytest.mark.parametrize(("classes", "clusters"), [(3, 3), (4, 2), (2, 5), (5, 5), (1, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_accuracy_equals_exhaustive_search(classes, clusters, seed):
    rng = np.random.default_rng(seed)
    labels, found = rng.integers(classes, size=25), rng.integers(clusters, size=25)
    assert clustering_accuracy(labels, found) == pytest.approx(naive_accuracy(labels.tolist(), found.tolist()))


@pytest.mark.parametrize(("name", "average"), [("max", max), ("min", min), ("arithmetic", np.mean)])
@pytest.mark.parametrize("seed", range(3))
def test_nmi_equals_its_definition(name, average, seed):
    rng = np.random.default_rng(seed)
    labels, found = rng.integers(3, size=40), rng.integers(5, size=40)
    expected = naive_nmi(labels.tolist(), found.tolist(), average)
    assert normalized_mutual_information(labels, found, name) == pytest.approx(expected)
    if name == "max":
        assert normalized_mutual_information(labels, found) == pytest.approx(expected)


def test_names_of_labels_and_clusters_are_no_matter():
    rng = np.random.default_rng(0)
    labels, found = rng.integers(4, size=30), rng.integers(4, size=30)
    text, floats = np.array(["d", "b", "a", "c"])[labels], np.array([0.5, -1.5, 7.0, 2.25])[found]
    assert clustering_accuracy(text, floats) == clustering_accuracy(labels, found)
    assert normalized_mutual_information(text, floats) == pytest.approx(normalized_mutual_information(labels, found))
    assert clustering_accuracy(labels, text) == 1
    assert normalized_mutual_information(labels, text) == pytest.approx(1)


def test_one_cluster():
    assert clustering_accuracy([0, 0, 0, 1], [5, 5, 5, 5]) == 0.75
    assert normalized_mutual_information([0, 0, 0, 1], [5, 5, 5, 5]) == 0
    assert normalized_mutual_information([1, 1], [5, 5]) == 1


@pytest.mark.parametrize("seed", range(3))
def test_kmeans_finds_clear_clusters(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(4, size=120)
    X = 10 * rng.normal(size=(4, 6))[labels] + rng.normal(size=(120, 6)) * 0.1
    scores = kmeans_scores(X, labels, random_state=seed)
    assert (scores.accuracy, scores.nmi) == (1, pytest.approx(1))
    loss = sum(((X[labels == c] - X[labels == c].mean(0)) ** 2).sum() for c in range(4))
    assert scores.inertia == pytest.approx(loss)
    of_sparse = kmeans_scores(sparse.csr_matrix(X), labels, random_state=seed)
    assert of_sparse.inertia == pytest.approx(loss)
    assert of_sparse.accuracy == 1


def test_more_restarts_never_raise_the_loss_and_the_seed_decides():
    rng = np.random.default_rng(0)
    X, labels = rng.random((80, 5)), rng.integers(6, size=80)
    assert kmeans_scores(X, labels) == kmeans_scores(X, labels)
    for seed in range(5):
        one = kmeans_scores(X, labels, restarts=1, random_state=seed)
        assert kmeans_scores(X, labels, restarts=10, random_state=seed).inertia <= one.inertia + 1e-9


def test_a_collapsed_representation_has_one_cluster():
    scores = kmeans_scores(np.ones((6, 2)), [0, 0, 0, 0, 1, 2])
    assert scores.accuracy == pytest.approx(4 / 6)
    assert (scores.nmi, scores.inertia) == (0, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clustering_accuracy([0, 1], [0]), "clusters must have 2 entries.*got 1"),
        (lambda: clustering_accuracy([], []), "at least one entry"),
        (lambda: normalized_mutual_information([0, 1], [0, np.nan]), "clusters must be known"),
        (lambda: normalized_mutual_information([0, 1], [0, 1], "median"), "got 'median'"),
        (lambda: kmeans_scores([[1.0], [np.nan]], [0, 1]), "X must be finite"),
        (lambda: kmeans_scores([[1.0], [2.0]], [0]), "labels must have 2 entries"),
        (lambda: kmeans_scores([[1.0], [2.0]], [0, 1], restarts=0), "restarts"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_best_of_all_restarts_is_taken():
    """One start ends in a poor optimum now and then, on as many clusters as here; twenty starts have a better one."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 10)
    X = 4 * rng.normal(size=(12, 2))[labels] + 0.3 * rng.normal(size=(120, 2))
    one, many = (
        np.array([kmeans_scores(X, labels, restarts=n, random_state=seed).inertia for seed in range(8)])
        for n in (1, 20)
    )
    assert one.max() > 1.05 * one.min()
    assert (many <= one + 1e-9).all()
    assert many.max() < 1.02 * one.min()
