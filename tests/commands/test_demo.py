"""What the demonstration counts, on topics made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from wideangle.commands._demonstration import _measured, shared_words
from wideangle.evaluation import class_table
from wideangle.models import ReplicatedSoftmax


def corpus_of(model):
    """Four documents of one word each, on which the topics' angles are measured."""
    return SimpleNamespace(train=SimpleNamespace(counts=np.eye(4, model.components_.shape[1], dtype=np.float32)))


@pytest.fixture
def model():
    """Three topics of ten words each: the second has five of the first, the third four of the second."""
    fitted = ReplicatedSoftmax(3, max_updates=1, random_state=0).fit(np.ones((4, 40)))
    fitted.presence_ = np.full(40, 0.5)
    fitted.components_ = np.zeros((3, 40))
    for topic, start in enumerate((0, 5, 11)):
        fitted.components_[topic, start : start + 10] = np.arange(10, 0, -1)
    return fitted


def test_shared_words_are_those_of_both_lists(model):
    assert shared_words(model).tolist() == [[10, 5, 0], [5, 10, 4], [0, 4, 10]]


def test_half_of_the_words_make_a_pair_repeated(model):
    table = class_table([0, 0, 1, 2], [1.0, 0.5, 0.2, 0.0], [0, 0, 0, 1, 1, 2], k=10)
    found = _measured(model, table, corpus_of(model))
    assert found.repeated == 1
    assert found.precision == pytest.approx(1.7 / 4)  # every query counts alike, not every class
    assert (found.head, found.tail) == (pytest.approx((0.75 + 0.2) / 2), 0.0)
