"""Components on a plane."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from wideangle.functional import pairwise_angles
from wideangle.report.layout import place


def angles_of(K, D, seed=0):
    return pairwise_angles(np.random.default_rng(seed).standard_normal((K, D)))


@pytest.mark.parametrize("K", [0, 1, 2, 3, 40])
def test_every_number_of_components_has_its_finite_places(K):
    points = place(angles_of(K, 30) if K else np.zeros((0, 0)))
    assert points.shape == (K, 2)
    assert np.isfinite(points).all()


def test_what_a_plane_can_show_is_shown_exactly():
    truth = np.random.default_rng(0).standard_normal((12, 2))
    distances = squareform(pdist(truth))
    np.testing.assert_allclose(squareform(pdist(place(distances))), distances, atol=0.02)


def test_two_are_as_far_apart_as_their_angle():
    points = place(np.array([[0, 0.7], [0.7, 0]]))
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(0.7)


def test_duplicates_fall_together_and_others_do_not():
    rows = np.random.default_rng(0).standard_normal((20, 50))
    rows[7] = -2 * rows[3]
    points = place(pairwise_angles(rows))
    distances = squareform(pdist(points)) + 9 * np.eye(20)
    assert distances[3, 7] < 0.1 * distances[0].min()


def test_all_equal_components_have_one_place():
    assert np.ptp(place(np.zeros((5, 5))), axis=0).max() < 1e-6


def test_the_map_is_the_same_every_time():
    angles = angles_of(60, 40)
    np.testing.assert_array_equal(place(angles), place(angles.copy()))


def test_neighbours_by_angle_are_neighbours_on_the_map():
    generator = np.random.default_rng(0)
    centres = generator.standard_normal((4, 100))
    rows = np.repeat(centres, 10, axis=0) + 0.5 * generator.standard_normal((40, 100))
    distances = squareform(pdist(place(pairwise_angles(rows)))) + 9 * np.eye(40)
    assert (distances.argmin(axis=1) // 10 == np.arange(40) // 10).all()
