"""Bad input is refused before any fit."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tuning_cases import COUNTS, KINDS, LINE, TOPICS, WINE, quick

from wideangle.models import DistanceLearner, MLPClassifier, MLPRegressor, ReplicatedSoftmax
from wideangle.tuning import cross_validate, running

BAD = {
    "more folds than rows": (quick, COUNTS[:2], TOPICS[:2], {}, "3 folds need at least 3 rows; got 2"),
    "one fold": (quick, COUNTS, TOPICS, {"folds": 1}, "folds must be a whole number of at least 2; got 1"),
    "folds of text": (quick, COUNTS, TOPICS, {"folds": "3"}, "folds must be"),
    "one class": (quick, COUNTS, np.zeros(150, int), {}, "y holds one class only"),
    "numbers for classes": (quick, COUNTS, np.linspace(0, 1, 150), {}, "continuous"),
    "y too short": (quick, COUNTS, TOPICS[:9], {}, "y must have 150 entries.*got shape \\(9,\\)"),
    "y with NaN": (quick, COUNTS, np.where(TOPICS > 2, np.nan, 1.0), {}, "y must be known"),
    "two columns": (quick, COUNTS, np.zeros((150, 2), int), {}, "one class per row; got shape \\(150, 2\\)"),
    "sparse y": (quick, COUNTS, sp.csr_array(np.ones((150, 1))), {}, "y must be dense"),
    "unknown measure": (quick, COUNTS, TOPICS, {"measure": "P@11"}, "must be 'auto' or one of .*got 'P@11'"),
    "foreign measure": (quick, COUNTS, TOPICS, {"measure": "accuracy"}, "ReplicatedSoftmax must be"),
    "no labels for P@10": (quick, COUNTS, None, {"measure": "P@10"}, "needs y, and none came"),
    "no labels for a distance": (DistanceLearner(), WINE, None, {}, "AP \\+ 3-NN of DistanceLearner needs y"),
    "no labels for a network": (MLPClassifier(), WINE, None, {}, "needs y"),
    "NaN": (MLPClassifier(), np.where(WINE > 2, np.nan, WINE), KINDS, {}, "contains NaN"),
    "no λ": (quick, COUNTS, TOPICS, {"diversity": []}, "diversity holds no value"),
    "no K": (quick, COUNTS, TOPICS, {"n_components": ()}, "n_components holds no value"),
    "λ < 0": (quick, COUNTS, TOPICS, {"diversity": [0, -0.1]}, "at least 0; got \\[0, -0.1\\]"),
    "λ = ∞": (quick, COUNTS, TOPICS, {"diversity": [np.inf]}, "finite"),
    "λ of text": (quick, COUNTS, TOPICS, {"diversity": "auto"}, "must be a sequence .*got 'auto'"),
    "one λ": (quick, COUNTS, TOPICS, {"diversity": 0.3}, "must be a sequence"),
    "K = 0": (quick, COUNTS, TOPICS, {"n_components": [0, 5]}, "whole numbers of at least 1; got \\[0, 5\\]"),
    "K = 2.5": (quick, COUNTS, TOPICS, {"n_components": [2.5]}, "whole numbers"),
    "seed": (quick, COUNTS, TOPICS, {"seed": -1}, "seed must be"),
    "progress": (quick, COUNTS, TOPICS, {"progress": True}, "progress must be callable"),
    "few rows to search": (quick, COUNTS[:12], np.arange(12) % 2, {}, "8 rows to search, fewer than 10"),
    "a fold of one class": (MLPClassifier(), WINE[:9], [0] * 8 + [1], {}, "training rows are of one class"),
    "no pairs": (DistanceLearner(), WINE[:6], [0, 0, 1, 1, 2, 2], {}, "no similar or no dissimilar pair"),
    "R² of one row": (MLPRegressor(), WINE[:4], LINE[:4], {}, "two rows held out in each fold"),
    "a pipeline": (make_pipeline(StandardScaler(), quick), COUNTS, TOPICS, {}, "pass the last step"),
    "a class": (ReplicatedSoftmax, COUNTS, TOPICS, {}, "a class: make an instance"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_before_any_fit(name, monkeypatch):
    estimator, X, y, settings, message = BAD[name]
    monkeypatch.setattr(running, "_fitted", lambda *_: pytest.fail("a fit was started"))
    with pytest.raises((ValueError, TypeError), match=message):
        cross_validate(estimator, X, y, **settings)


class Unclonable(ReplicatedSoftmax):
    """Changes a parameter on its way in."""

    def __init__(self, n_components=5):
        super().__init__([n_components])


def test_an_estimator_that_cannot_be_cloned_is_refused():
    with pytest.raises(TypeError, match="Unclonable cannot be cloned"):
        cross_validate(Unclonable(), COUNTS, TOPICS)


def test_an_error_of_progress_comes_through():
    def stop(done, total, finished):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        cross_validate(quick, COUNTS, TOPICS, progress=stop)
