"""Documents on a plane."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_blobs
from sklearn.manifold import trustworthiness

from wideangle.exceptions import DataError
from wideangle.report.plane import check_layout, lay_out


def rows_of(n, K=10, seed=0):
    return np.random.default_rng(seed).standard_normal((n, K))


def assert_fills_the_square(points):
    """Both axes are centred, and the wider one reaches from -1 to 1."""
    np.testing.assert_allclose(points.max(axis=0) + points.min(axis=0), 0, atol=1e-6)
    assert np.abs(points).max() == pytest.approx(1)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_clusters_stay_together_and_neighbours_are_kept(seed):
    X, labels = make_blobs(200, n_features=10, centers=5, random_state=seed)
    points = lay_out(X, random_state=seed)
    assert trustworthiness(X, points, n_neighbors=15) > 0.95
    distances = squareform(pdist(points)) + 9 * np.eye(len(X))
    assert (labels[distances.argmin(axis=1)] == labels).all()


def test_the_same_seed_gives_the_same_bits():
    X = rows_of(60)
    np.testing.assert_array_equal(lay_out(X, random_state=3), lay_out(X.copy(), random_state=3))


def test_another_seed_gives_another_layout():
    X = rows_of(60)
    assert not np.array_equal(lay_out(X, random_state=3), lay_out(X, random_state=4))


def test_places_do_not_depend_on_the_order_of_documents():
    X, order = rows_of(60), np.random.default_rng(1).permutation(60)
    np.testing.assert_array_equal(lay_out(X[order]), lay_out(X)[order])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 7, 8, 9, 40])
@pytest.mark.parametrize("K", [1, 2, 10])
def test_every_number_of_documents_has_its_places(n, K):
    points = lay_out(rows_of(n, K))
    assert points.shape == (n, 2)
    assert points.dtype == np.float32
    assert np.isfinite(points).all()
    assert len(np.unique(points, axis=0)) == n
    if n > 1:
        assert_fills_the_square(points)


def test_three_documents_have_the_shape_of_their_triangle():
    X = np.array([[0.0, 0, 1], [3, 0, 1], [0, 4, 1]])
    distances = pdist(lay_out(X))
    np.testing.assert_allclose(distances / distances[0], [1, 4 / 3, 5 / 3], rtol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_few_documents_are_turned_one_way(seed):
    X = rows_of(6)
    turn = np.linalg.qr(rows_of(10, seed=seed))[0]
    np.testing.assert_allclose(lay_out(-X), lay_out(X), atol=1e-5)
    np.testing.assert_allclose(lay_out(X @ turn), lay_out(X), atol=1e-5)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_widest_spread_lies_along_x_and_the_outermost_points_on_the_positive_side(seed):
    points = lay_out(rows_of(50), random_state=seed).astype(np.float64)
    (wide, mixed), (_, narrow) = np.cov(points.T)
    assert wide >= narrow
    assert mixed == pytest.approx(0, abs=1e-6)
    centred = points - points.mean(axis=0)
    assert (centred.max(axis=0) >= -centred.min(axis=0)).all()


def test_equal_documents_all_lie_in_the_middle():
    np.testing.assert_array_equal(lay_out(np.ones((50, 4))), np.zeros((50, 2)))


def test_equal_rows_have_one_place_and_others_another():
    different, which = rows_of(20), np.random.default_rng(1).integers(20, size=300)
    points = lay_out(different[which])
    same = which[:, None] == which
    distances = squareform(pdist(points))
    assert distances[same].max() == 0
    assert distances[~same].min() > 0


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_documents_without_words_lie_together_in_a_corner_apart_from_the_rest(n):
    X = np.insert(rows_of(n), [0, 0, n], 0.0, axis=0)
    points, empty = lay_out(X), ~X.any(axis=1)
    np.testing.assert_array_equal(points[empty], np.full((3, 2), -1))
    assert np.linalg.norm(points[~empty] + 1, axis=1).min() > 0.1
    np.testing.assert_allclose(points[~empty], 0.9 * lay_out(X[~empty]), atol=1e-6)


def test_documents_without_words_alone_lie_in_the_middle():
    np.testing.assert_array_equal(lay_out(np.zeros((4, 3))), np.zeros((4, 2)))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_very_small_and_large_numbers_are_scaled(scale):
    X = rows_of(30)
    np.testing.assert_allclose(lay_out(scale * X[:6]), lay_out(X[:6]), atol=1e-6)
    assert_fills_the_square(lay_out(scale * X))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_named(wrong):
    X = rows_of(10)
    X[[4, 7], 2] = wrong
    with pytest.raises(DataError, match="2 rows .*row 4"):
        lay_out(X)
    with pytest.raises(DataError, match="2 rows .*row 4"):
        check_layout(X[:, 1:3], 10)


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2, 2))])
def test_vectors_are_a_matrix(wrong):
    with pytest.raises(DataError, match="must be a matrix"):
        lay_out(wrong)


@pytest.mark.parametrize("wrong", [[["a", "b"]], [[1, 2], [3]], None])
def test_what_is_no_array_of_numbers_is_refused(wrong):
    with pytest.raises(DataError, match="array of numbers|matrix"):
        check_layout(wrong, 1)


def test_a_layout_that_is_brought_keeps_its_shape_and_fills_the_square():
    brought = 7 * rows_of(30, 2) + [100, -3]
    points = check_layout(brought, 30)
    assert points.dtype == np.float32
    assert_fills_the_square(points)
    ratios = pdist(points) / pdist(brought)
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-3)


def test_a_layout_of_equal_points_lies_in_the_middle():
    np.testing.assert_array_equal(check_layout([[5, 7]] * 3, 3), np.zeros((3, 2)))
    assert check_layout(np.zeros((0, 2)), 0).shape == (0, 2)


def test_a_layout_of_huge_numbers_is_scaled():
    np.testing.assert_allclose(check_layout([[1e308, 0], [1.7e308, 0]], 2), [[-1, 0], [1, 0]])


@pytest.mark.parametrize("shape", [(4, 2), (6, 2), (5, 3), (2, 5)])
def test_a_layout_of_another_shape_is_refused(shape):
    with pytest.raises(DataError, match=f"here 5 × 2, but its shape is {shape[0]} × {shape[1]}"):
        check_layout(np.zeros(shape), 5)


def test_progress_is_told_from_the_beginning_to_the_end_and_changes_nothing():
    told = []
    points = lay_out(rows_of(60), progress=told.append)
    assert told == sorted(told)
    assert 0 < told[0] < 0.1
    assert told[-1] == 1
    np.testing.assert_array_equal(points, lay_out(rows_of(60)))
