"""Which queries are drawn, and what each of them stands for."""

import numpy as np
import pytest

from wideangle import _blocks
from wideangle.commands.work.evaluate.sides import Sides, count_same_as_searched

CLASSES = np.repeat(np.array([0, 1, 2], dtype=np.int32), [900, 97, 3])


def sides(classes=CLASSES):
    rows = np.arange(len(classes) * 2, dtype=np.float32).reshape(-1, 2)
    return Sides(rows, classes, rows, classes, ("a", "b", "c"), "all query all", np.arange(len(classes)))


def test_rare_classes_keep_their_queries_and_count_as_much_as_they_are():
    found = sides().sampled(100, of_each_class=10)
    assert len(found.queries) == 100
    counts = np.bincount(found.asked)
    assert counts[1] >= 10
    assert counts[2] == 3
    np.testing.assert_allclose([found.weights[found.asked == c].sum() for c in range(3)], [900, 97, 3])
    np.testing.assert_array_equal(found.queries, sides().queries[found.own])
    np.testing.assert_array_equal(found.asked, CLASSES[found.own])
    assert "100 of 1,000 queries, drawn at random, 10 of each class at least" in found.protocol


def test_where_all_classes_are_frequent_the_draw_is_plain():
    many = np.tile(np.array([0, 1, 2], dtype=np.int32), 300)
    plain, found = sides(many).sampled(100), sides(many).sampled(100, of_each_class=10)
    np.testing.assert_array_equal(plain.own, found.own)
    assert (plain.weights == 1).all()


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("block", [100, 2**24])
def test_queries_that_are_among_the_searched_are_counted(n, block, monkeypatch):
    monkeypatch.setattr(_blocks, "BLOCK", block)
    generator = np.random.default_rng(0)
    database, queries = np.round(generator.normal(size=(40, 3)), 3), generator.normal(size=(12, 3))
    queries[:n] = database[7 : 7 + n] + 1e-6
    assert count_same_as_searched(Sides(queries, None, database, None, (), "some query others")) == n
