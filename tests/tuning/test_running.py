"""Pairing, seeds, processes, progress and the picture."""

import numpy as np
import pytest
import torch
from matplotlib.image import imread
from sklearn.base import clone
from tuning_cases import COUNTS, NOISE, TOPICS, quick, trial

from wideangle._validation import HAS_CALLBACKS
from wideangle.exceptions import DivergenceError
from wideangle.models import ReplicatedSoftmax
from wideangle.tuning import Tuning, cross_validate, running


def test_a_trial_has_the_same_folds_and_seeds_in_every_grid():
    fixed = clone(quick).set_params(granularity=0.5)  # A grid chooses one granularity for all its trials.
    alone = cross_validate(fixed, COUNTS, TOPICS, diversity=[0.3]).trials
    among = cross_validate(fixed, COUNTS, TOPICS, diversity=[0, 0.3, 0.3], n_components=[4, 3]).trials
    assert [(t.n_components, t.diversity) for t in among] == [(3, 0.0), (3, 0.3), (4, 0.0), (4, 0.3)]
    assert alone[0] == among[3]


def test_the_seed_alone_decides():
    first, again, other = (
        cross_validate(quick.set_params(random_state=state), COUNTS, TOPICS, diversity=[0, 0.3], seed=seed)
        for state, seed in ((7, 0), (8, 0), (7, 1))
    )
    assert first == again
    assert first.trials != other.trials


@pytest.mark.slow
def test_processes_give_the_same_bits(monkeypatch):
    settings = {"diversity": [0, 0.3], "folds": 2}
    alone = cross_validate(quick, COUNTS, TOPICS, **settings)
    monkeypatch.setattr(running, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(running.joblib, "cpu_count", lambda: 2)
    assert cross_validate(quick, COUNTS, TOPICS, **settings) == alone


def test_threads_are_given_back():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        cross_validate(quick, COUNTS, TOPICS, diversity=[0])
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_a_diverged_fit_is_named():
    wild = ReplicatedSoftmax(4, max_updates=60, learning_rate=1e30, optimizer="sgd")
    with pytest.raises(DivergenceError, match=r"K = 4, λ = 0\.5 on fold 1"):
        cross_validate(wild, COUNTS, TOPICS, diversity=[0.5])


def test_a_score_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setattr(running, "measured_in_views", lambda *_: [(float("nan"),)])
    with pytest.raises(ValueError, match=r"K = 4, λ = 0\.5 on fold 1 is nan"):
        cross_validate(quick, COUNTS, TOPICS, diversity=[0.5])


def test_sparse_dense_and_both_precisions_agree():
    single, double, dense = (
        cross_validate(quick, X, TOPICS, diversity=[0.3]).trials[0].mean
        for X in (COUNTS.astype(np.float32), COUNTS.astype(np.float64), COUNTS.toarray().astype(np.float64))
    )
    assert dense == pytest.approx(double, abs=0.05)
    assert single == pytest.approx(double, abs=0.05)


def test_the_estimator_stays_as_it_was():
    estimator = ReplicatedSoftmax(4, max_updates=30, random_state=5, verbose=True)
    before = estimator.get_params()
    tuning = cross_validate(estimator, COUNTS, TOPICS, diversity=[0, 0.3], n_components=[3])
    assert estimator.get_params() == before
    assert not [name for name in vars(estimator) if name.endswith("_") or name.startswith("_")]
    tuned = tuning.tuned(estimator)
    changed = {"n_components": 3, "diversity": tuning.best.diversity}
    if tuning.granularities.best is not tuning.granularities.own:  # Else it is left open.
        changed["granularity"] = tuning.granularities.best.granularity
    assert tuned.get_params() == before | changed


@pytest.mark.skipif(not HAS_CALLBACKS, reason="scikit-learn has no callbacks before 1.9")
def test_callbacks_of_the_estimator_are_not_called(capsys):
    from sklearn.callback import ProgressBar

    estimator = ReplicatedSoftmax(4, max_updates=30)
    estimator.set_callbacks(ProgressBar())
    cross_validate(estimator, COUNTS, TOPICS, diversity=[0.3])
    assert capsys.readouterr().out == ""


def test_progress_is_told_of_every_fit_and_of_finished_trials():
    calls = []
    tuning = cross_validate(
        quick, COUNTS, TOPICS, diversity=[0, 0.3], folds=2, progress=lambda *call: calls.append(call)
    )
    assert [(done, total) for done, total, _ in calls] == [(done, 4) for done in range(5)]
    assert [finished for *_, finished in calls] == [None, None, tuning.trials[0], None, tuning.trials[1]]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("one_weight", [False, True])
def test_the_picture_is_a_valid_image(tmp_path, one_weight):
    weights = (0.3,) if one_weight else (0.0, 0.1, 1.0)
    trials = tuple(trial(0.5 + w / 10 + NOISE, w, K) for K in (5, 50) for w in weights)
    path = tmp_path / "curve.image"
    Tuning("P@10", trials, trials[-1], "…").draw(path)
    image = imread(path, format="png")
    assert image.shape[0] > 300
    assert image.shape[1] > 500
    assert len(np.unique(image.reshape(-1, image.shape[2]), axis=0)) > 10
    Tuning("P@10", trials[:1], trials[0], "…").draw(path)
