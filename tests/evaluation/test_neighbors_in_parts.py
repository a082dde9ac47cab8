"""Neighbours of a database that is gone through in parts, with many ties, against a plain loop."""

import numpy as np
import pytest
from naive_neighbors import METRICS, naive_precision

from wideangle._rows import MadeRows
from wideangle.evaluation import _neighbors, _second_look, nearest_rows, precision_among, precision_per_query

RNG = np.random.default_rng(0)
DATABASE, QUERIES = RNG.integers(3, size=(60, 3)).astype(np.float32), RNG.integers(3, size=(9, 3)).astype(np.float32)
LABELS, ASKED = RNG.integers(3, size=60), RNG.integers(3, size=9)


@pytest.fixture(params=[7, 16, 1000])
def in_parts(request, monkeypatch):
    for module in (_neighbors, _second_look):
        monkeypatch.setattr(module, "BLOCK_COLUMNS", request.param)


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("memory", [1, 3000, 2**26])
@pytest.mark.parametrize("k", [1, 10, 59])
def test_ties_share_places_in_whatever_part_they_are(metric, memory, k):
    made = MadeRows(DATABASE / 2, lambda rows: 2 * rows)
    expected = naive_precision(QUERIES, ASKED, DATABASE, LABELS, k, metric)
    for database in (DATABASE, made):
        found = precision_per_query(QUERIES, ASKED, database, LABELS, k, metric=metric, memory=memory)
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.usefixtures("in_parts")
def test_the_nearest_rows_and_each_among_the_others():
    made = MadeRows(DATABASE)
    far = np.linalg.norm(QUERIES[:, None] - DATABASE, axis=2)
    found = nearest_rows(QUERIES, made, 12)
    np.testing.assert_array_equal(found.rows, np.argsort(far, axis=1, kind="stable")[:, :12])
    np.testing.assert_allclose(found.distances, np.sort(far, axis=1)[:, :12], atol=1e-9)
    np.testing.assert_allclose(precision_among(made, LABELS, 5), precision_among(DATABASE, LABELS, 5))
