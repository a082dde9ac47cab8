"""What the demonstration measures, on vectors made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from wideangle.commands.work.demo.demonstration import _measured


def part(labels, rows):
    return SimpleNamespace(labels=np.asarray(labels), counts=np.asarray(rows))


def test_every_query_counts_alike_and_a_class_of_its_own_direction_has_a_topic():
    """Four classes of twelve rows; each has its own direction, except that the last two share one."""
    directions = np.eye(3)[[0, 1, 2, 2]]
    labels = np.repeat([0, 1, 2, 3], [20, 16, 12, 8])
    generator = np.random.default_rng(0)
    stored = directions[labels] + 0.01 * generator.standard_normal((len(labels), 3))
    asked_labels = np.array([0, 0, 1, 2, 3])
    corpus = SimpleNamespace(train=part(labels, stored), test=part(asked_labels, directions[asked_labels]))
    found = _measured(directions[asked_labels], stored, corpus)
    mine = {row.label: row.precision for row in found.classes}
    assert (mine[0], mine[1]) == (1.0, 1.0)
    assert mine[2] + mine[3] == pytest.approx(1.0)  # their ten nearest are those of both
    assert found.measured.precision == pytest.approx((2 * mine[0] + mine[1] + mine[2] + mine[3]) / 5)
    assert found.measured.tail == pytest.approx((mine[2] + mine[3]) / 2)
    assert 0 < found.measured.nmi < 1
    assert found.measured.near_duplicates is None  # these vectors are of no model
