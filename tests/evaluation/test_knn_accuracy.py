"""Accuracy of k nearest neighbours against explicit loops; ties of votes and bad input."""

import pytest
from naive_neighbors import documents, every_metric, naive_knn
from scipy import sparse

from wideangle.evaluation import knn_accuracy


@every_metric
@pytest.mark.parametrize("k", [1, 3, 4, 10])
def test_equals_naive_loops(metric, k):
    X, asked, Y, stored = documents(5, D=3)
    expected = naive_knn(Y, stored, X, asked, k, metric)
    assert knn_accuracy(Y, stored, X, asked, k, metric=metric) == expected
    assert knn_accuracy(sparse.csr_array(Y), stored, sparse.csr_array(X), asked, k, metric=metric) == expected


def test_ties_of_votes_go_to_the_nearer():
    train, labels = [[1.0], [2.0], [3.0]], ["c", "b", "a"]
    assert knn_accuracy(train, labels, [[0.0]], ["c"], 3) == 1  # three votes, three classes: the nearest decides
    assert knn_accuracy([[1.0], [2.0], [3.0], [4.0]], [1, 0, 0, 1], [[0.0]], [0], 4) == 1  # 2 to 2, of three 2 are 0
    assert knn_accuracy([[1.0], [-1.0]], ["b", "a"], [[0.0]], ["a"], 2) == 1  # equally near: the first in order
    assert knn_accuracy([[1.0], [-1.0], [1.0]], ["b", "a", "b"], [[0.0]], ["b"], 1) == 1  # two of the three nearest


def test_bad_input():
    with pytest.raises(ValueError, match="k=3.*2 rows"):
        knn_accuracy([[1.0], [2.0]], [0, 1], [[1.0]], [0])
    with pytest.raises(ValueError, match="train_labels .* 2"):
        knn_accuracy([[1.0], [2.0]], [0], [[1.0]], [0], 1)
    with pytest.raises(ValueError, match="as many columns"):
        knn_accuracy([[1.0], [2.0]], [0, 1], [[1.0, 2.0]], [0], 1)
