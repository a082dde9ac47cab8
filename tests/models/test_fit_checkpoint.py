"""`fit(…, checkpoint=folder)`: each estimator of the catalogue takes it, and callbacks are called as without it."""

import inspect
from dataclasses import is_dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from interrupted_fits import ProgramEndsError, assert_same_bits, fit_interrupted
from saved_models import MODELS, data
from training_cases import BITS, CASES, COUNTS

from wideangle.baselines.documents import DPPLDA, LDA, LIDA, PitmanYorTopicModel
from wideangle.catalogue import entries
from wideangle.exceptions import CheckpointError
from wideangle.models import BernoulliRBM
from wideangle.models._training.checkpoint import Checkpoints

METHODS = [(entry.name, name) for entry in entries() for name in ("fit", "fit_pairs") if hasattr(entry.load(), name)]
SAMPLED = {"n_iterations": 9, "burn_in": 4, "sample_every": 2, "random_state": 0}
STEPWISE = {
    "LDA": lambda: (LDA(4, max_iter=6, tol=0.0, random_state=0), COUNTS, None),
    "DPPLDA": lambda: (DPPLDA(4, max_iter=4, tol=0.0, random_state=0), COUNTS, None),
    "Pitman–Yor": lambda: (PitmanYorTopicModel(4, **SAMPLED), COUNTS, None),
    "LIDA": lambda: (LIDA(4, **SAMPLED), COUNTS, None),
    "Pitman–Yor without a seed": lambda: (PitmanYorTopicModel(4, **SAMPLED | {"random_state": None}), COUNTS, None),
}


def learned(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_") and name != "history_"}


def assert_same(model, other):
    """Two fitted models hold the same bits, whatever they hold."""
    one, two = learned(model), learned(other)
    assert list(one) == list(two)
    for name, value in one.items():
        if name == "module_":
            for mine, its in zip(value.parameters(), two[name].parameters(), strict=True):
                assert mine.equal(its)
        else:
            of_record = is_dataclass(value)
            mine, its = (vars(value), vars(two[name])) if of_record else (value, two[name])
            np.testing.assert_equal(mine, its, err_msg=name)


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_each_way_to_fit_takes_a_checkpoint(name, method):
    fit = getattr(next(entry for entry in entries() if entry.name == name).load(), method)
    assert inspect.signature(fit).parameters["checkpoint"].default is None


@pytest.mark.quick_cases(12)
@pytest.mark.parametrize("name", MODELS)
def test_a_fit_that_has_ended_is_not_done_again(name, tmp_path, monkeypatch):
    estimator, target, dtype = MODELS[name]
    X, y = data(target, dtype)
    # Without a seed, a second fit would find something else.
    unseeded = estimator.get_params(deep=False) | ({"random_state": None} if hasattr(estimator, "random_state") else {})
    first, second = (type(estimator)(**unseeded).fit(X, y, checkpoint=tmp_path) for _ in range(2))
    assert_same(first, second)
    one, two = (sp.csr_array(model.transform(X)) for model in (first, second))
    np.testing.assert_array_equal(one.toarray(), two.toarray())
    with pytest.raises(CheckpointError, match="content of X was"):
        second.fit(X[::-1], y, checkpoint=tmp_path)


@pytest.mark.parametrize("name", STEPWISE)
def test_a_fit_by_steps_goes_on_with_the_same_bits(name, tmp_path, monkeypatch):
    monkeypatch.setitem(CASES, name, STEPWISE[name])
    model, times = fit_interrupted(name, tmp_path, monkeypatch, after=2)
    assert times >= 1
    with Checkpoints(tmp_path):  # It has ended, and is not done again.
        assert_same(STEPWISE[name]()[0].fit(COUNTS), model)
    if "without" not in name:
        assert_same(STEPWISE[name]()[0].fit(COUNTS), model)


class Counting:
    """A callback of scikit-learn's that counts records, and ends the program or the fit after some."""

    def __init__(self, dies_after=None, stops_after=None):
        self.records, self.dies_after, self.stops_after = 0, dies_after, stops_after

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        pass

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        if not context.task_name.startswith("record"):
            return False
        self.records += 1
        if self.records == self.dies_after:
            raise ProgramEndsError
        return self.records == self.stops_after

    def teardown(self, estimator, context):
        pass


def test_callbacks_see_the_records_that_are_left_and_can_still_stop(tmp_path):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")

    def model(callback):
        return BernoulliRBM(4, max_updates=200, random_state=0).set_callbacks(callback)

    def every_record(name):
        return Checkpoints(tmp_path / name, 0)

    undisturbed = BernoulliRBM(4, max_updates=200, random_state=0).fit(BITS)
    with pytest.raises(ProgramEndsError):
        model(Counting(dies_after=4)).fit(BITS, checkpoint=every_record("one"))
    rest = Counting()
    assert_same_bits(model(rest).fit(BITS, checkpoint=every_record("one")), undisturbed)
    assert rest.records == len(undisturbed.history_) - 3
    with pytest.raises(ProgramEndsError):
        model(Counting(dies_after=4)).fit(BITS, checkpoint=every_record("two"))
    stopped = model(Counting(stops_after=2)).fit(BITS, checkpoint=every_record("two"))
    assert stopped.stopped_ == "stopped by a callback"
    assert len(stopped.history_) == 5
