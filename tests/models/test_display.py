"""Estimators in a notebook."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from small_models import WITH_SIZE, small

from wideangle.documents import Documents
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.report import Page
from wideangle.view import ModelView

X = np.random.default_rng(0).integers(0, 2, (40, 6)).astype(float)
Y = np.arange(40) % 2
ESTIMATORS = [small(entry) for entry in WITH_SIZE]


def named(estimator):
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=named)
def test_diagram_and_summary_once_fitted(estimator):
    estimator = type(estimator)(**estimator.get_params())
    assert "wideangle-summary" not in estimator._repr_html_()
    estimator.fit(X, Y)
    shown = estimator._repr_html_()
    assert "sk-top-container" in shown
    K = len(ModelView.of(estimator).components)  # A distance may leave out some of 4.
    assert f"<b>{K}</b> components of 6 columns" in shown
    assert "mean angle" in shown
    assert shown.count("wideangle-summary") == 1
    bundle = estimator._repr_mimebundle_()
    assert bundle["text/html"].count("wideangle-summary") == 1
    assert bundle["text/plain"] == repr(estimator)


def test_as_text_where_text_is_asked_for():
    estimator = BernoulliRBM(4, max_updates=3).fit(X)
    with config_context(display="text"):
        assert not hasattr(estimator, "_repr_html_")
        assert list(estimator._repr_mimebundle_()) == ["text/plain"]


def test_words_are_those_of_largest_weight_and_escaped():
    columns = ["<img src=x>", "b", "c", "d", "e", "f"]
    estimator = ReplicatedSoftmax(7, max_updates=3, random_state=0).fit(pd.DataFrame(X, columns=columns))
    shown = estimator._repr_html_()
    summary = shown[shown.index("wideangle-summary") :]
    assert "&lt;img src=x&gt;" in summary
    assert "<img" not in summary
    best = columns[int(estimator.components_[1].argmax())].replace("<", "&lt;").replace(">", "&gt;")
    assert f"<li>{best}, " in summary
    assert summary.count("<li>") == 5
    assert "and 2 more" in summary


def test_near_duplicates_and_zeros_are_counted():
    estimator = BernoulliRBM(4, max_updates=3).fit(X)
    estimator.components_ = np.array([[1, 0, 0, 0, 0, 0], [1, 0.1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], np.zeros(6)])
    shown = estimator._repr_html_()
    assert "smallest 6°; 1 near-duplicate pair under 30°; 1 all zeros" in shown


def test_the_summary_says_whose_angles_it_shows():
    estimator = BernoulliRBM(4, max_updates=3, random_state=0, representation="probabilities").fit(X)
    assert "°, of the weights; smallest" in estimator._repr_html_()
    estimator.documents_ = Documents.of(estimator.transform(X))
    assert "°, as the documents see them; smallest" in estimator._repr_html_()


@pytest.mark.parametrize("K", [1, 2])
def test_one_component_has_no_angle(K):
    shown = BernoulliRBM(K, max_updates=3).fit(X)._repr_html_()
    assert ("mean angle" in shown) == (K == 2)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=named)
def test_explore_gives_the_page(estimator):
    page = type(estimator)(**estimator.get_params()).fit(X, Y).explore(title="A title")
    assert isinstance(page, Page)
    assert page.title == "A title"


def test_explore_compares():
    one, two = (ReplicatedSoftmax(K, max_updates=3).fit(X) for K in (2, 3))
    assert one.explore(two, names=("before", "after")).title == "ReplicatedSoftmax: before and after"
