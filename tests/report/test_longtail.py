"""Precision class by class."""

import numpy as np
import pytest

from wideangle.documents import Documents
from wideangle.report import longtail
from wideangle.report.longtail import long_tail


def naive_precision(vectors, labels, query, others, k):
    """Mean over all orders of ties, by the share of tied documents of the class."""
    distance = ((vectors[others] - vectors[query]) ** 2).sum(1)
    same = labels[others] == labels[query]
    kth = np.sort(distance)[k - 1]
    nearer, tied = distance < kth, distance == kth
    return (same[nearer].sum() + (k - nearer.sum()) * same[tied].mean()) / k


def grid(n, values=4, seed=0):
    """Vectors on a coarse grid: many ties and equal documents, distances exact."""
    generator = np.random.default_rng(seed)
    labels = np.minimum(generator.geometric(0.3, n) - 1, 4)
    return generator.integers(0, values, (n, 3)).astype(np.float32), labels


@pytest.mark.parametrize("values", [1, 2, 4, 50])
def test_each_document_queries_all_others(values):
    vectors, labels = grid(60, values)
    found = long_tail(Documents.of(vectors, labels=labels), k=5)
    everyone = np.arange(60)
    each = np.array([naive_precision(vectors, labels, q, everyone[everyone != q], 5) for q in everyone])
    for row in found.classes:
        assert row.precision == pytest.approx(each[labels == int(row.label)].mean(), abs=1e-4)
        assert row.size == row.queries == (labels == int(row.label)).sum()
    assert found.how == "60 documents query the 59 others."  # none queries itself


def test_held_out_documents_query_training_ones():
    vectors, labels = grid(80)
    is_train = np.arange(80) % 3 > 0
    found = long_tail(Documents.of(vectors, labels=labels, is_train=is_train, label_names="abcde"), k=5)
    stored, asking = np.flatnonzero(is_train), np.flatnonzero(~is_train)
    each = np.array([naive_precision(vectors, labels, q, stored, 5) for q in asking])
    for row in found.classes:
        mine = labels[asking] == "abcde".index(row.label)
        assert row.queries == mine.sum()
        assert row.size == (labels[stored] == "abcde".index(row.label)).sum()
        assert row.precision == (pytest.approx(each[mine].mean(), abs=1e-4) if mine.any() else None)
    assert "held-out documents query the 53 training documents." in found.how


def test_classes_come_in_order_of_size():
    vectors, labels = grid(100)
    sizes = [row.size for row in long_tail(Documents.of(vectors, labels=labels)).classes]
    assert sizes == sorted(sizes, reverse=True)


def test_a_sample_keeps_rare_classes_whole_and_says_so(monkeypatch):
    monkeypatch.setattr(longtail, "MOST_QUERIES", 30)
    monkeypatch.setattr(longtail, "MOST_SEARCHED", 90)
    labels = np.repeat([0, 1, 2], [70, 25, 5])
    documents = Documents.of(np.random.default_rng(0).random((100, 3)), labels=labels)
    found = long_tail(documents)
    assert sum(row.size for row in found.classes) == 90
    assert sum(row.queries for row in found.classes) <= 30
    rare = found.classes[-1]
    assert rare.queries == rare.size > 0
    assert "of 100" in found.how
    assert "fixed seed" in found.how
    assert "29 of 100 documents query 89 of the 99 others, drawn" in found.how
    again = long_tail(documents)
    assert (found.classes, found.how) == (again.classes, again.how)
    np.testing.assert_array_equal(found.asked, again.asked)


def test_each_query_keeps_its_precision():
    vectors, labels = grid(60)
    found = long_tail(Documents.of(vectors, labels=labels), k=5)
    for row in found.classes:
        assert found.of_each[labels[found.asked] == row.number].mean() == pytest.approx(row.precision, abs=1e-4)


@pytest.mark.parametrize("split", [False, True])
def test_overall_a_class_counts_with_all_its_documents_however_few_query(split, monkeypatch):
    """The largest class lies close together and finds itself; the others lie among one another and do not."""
    labels = np.repeat([0, 1, 2], [200, 80, 10])
    vectors = np.random.default_rng(0).normal(size=(290, 3)) * np.array([0.01, 3.0, 3.0])[labels][:, None]
    is_train = np.arange(290) % 2 > 0 if split else None
    documents = Documents.of(vectors, labels=labels, is_train=is_train)
    monkeypatch.setattr(longtail, "MOST_QUERIES", 30)
    found = long_tail(documents, k=3)
    asking = ~is_train if split else np.ones(290, dtype=bool)
    members = [int((labels[asking] == row.number).sum()) for row in found.classes]
    queries = [row.queries for row in found.classes]
    by_class = [row.precision for row in found.classes]
    assert found.precision == pytest.approx(np.average(by_class, weights=members), abs=2e-4)
    assert abs(found.precision - np.average(by_class, weights=queries)) > 0.05


@pytest.mark.parametrize("split", [False, True])
def test_overall_all_documents_count_alike_where_all_query(split):
    vectors, labels = grid(80)
    is_train = np.arange(80) % 3 > 0 if split else np.ones(80, dtype=bool)
    found = long_tail(Documents.of(vectors, labels=labels, is_train=is_train), k=5)
    stored = np.flatnonzero(is_train)
    asking = np.flatnonzero(~is_train) if split else stored
    each = [naive_precision(vectors, labels, q, stored[stored != q], 5) for q in asking]
    assert found.precision == pytest.approx(np.mean(each), abs=1e-4)


def test_few_documents_have_fewer_neighbours():
    assert long_tail(Documents.of(np.eye(3), labels=[0, 0, 1])).k == 2
    assert long_tail(Documents.of(np.eye(1), labels=[0])) is None


def test_without_labels_there_is_nothing():
    assert long_tail(None) is None
    assert long_tail(Documents.of(np.eye(3))) is None
