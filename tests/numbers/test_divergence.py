"""Each trainer that diverges says so within a record, keeps its last finite state, and can be used from it."""

import pickle

import numpy as np
import pytest
import torch
from robustness.judging import floats_of

from wideangle import fit_components
from wideangle.baselines.documents import DocNADE
from wideangle.exceptions import DivergenceError
from wideangle.models import BernoulliRBM, DistanceLearner, GaussianRBM, MLPClassifier, MLPRegressor, ReplicatedSoftmax
from wideangle.models._training.checkpoint_files import checkpoints_in

RNG = np.random.default_rng(0)
CLASSES = np.repeat([0, 1], 20)
COUNTS = RNG.poisson(np.where(CLASSES[:, None] == np.arange(10) % 2, 3.0, 0.3)).astype(np.float32)
SHARES = (COUNTS > 0).astype(np.float32)
POINTS = (RNG.normal(size=(40, 10)) + CLASSES[:, None]).astype(np.float32)
USUAL = {"max_updates": 60, "random_state": 0, "device": "cpu", "schedule": "constant"}
WILD = {  # The estimator, its rows and targets, what makes it diverge, and what does not.
    "ReplicatedSoftmax": (ReplicatedSoftmax(3, **USUAL), (COUNTS,), {"learning_rate": 1e38}, {"learning_rate": 0.01}),
    "BernoulliRBM": (BernoulliRBM(3, **USUAL), (SHARES,), {"learning_rate": 1e38}, {"learning_rate": 0.01}),
    "BernoulliRBM, alternating": (
        BernoulliRBM(3, algorithm="alternating", diversity=0.1, **USUAL),
        (SHARES,),
        {"learning_rate": 1e38},
        {"learning_rate": 0.01},
    ),
    "GaussianRBM": (GaussianRBM(3, **USUAL), (POINTS,), {"learning_rate": 1e38}, {"learning_rate": 0.01}),
    "MLPClassifier": (
        MLPClassifier(4, optimizer="sgd", **USUAL),
        (POINTS, CLASSES),
        {"learning_rate": 1e37},
        {"learning_rate": 0.01},
    ),
    "MLPRegressor": (
        MLPRegressor((4, 3), optimizer="sgd", diversity=0.1, metric="covariance", **USUAL),
        (POINTS, POINTS[:, 0]),
        {"learning_rate": 1e37},
        {"learning_rate": 0.01},
    ),
    "DistanceLearner": (
        DistanceLearner(3, validation_fraction=0.0, **USUAL),
        (POINTS, CLASSES),
        {"learning_rate": 1e38},
        {"learning_rate": 0.01},
    ),
    "DocNADE": (DocNADE(3, **USUAL), (COUNTS,), {"learning_rate": 1e38}, {"learning_rate": 0.01}),
}
each_way = pytest.mark.parametrize("name", WILD)


def wild(name, **more):
    """An estimator that diverges, its data, and what tames it."""
    estimator, data, wild_by, tame_by = WILD[name]
    fresh = type(estimator)(**estimator.get_params())
    return fresh.set_params(**(wild_by | more)), data, tame_by


def require_finite(model):
    for path, array in floats_of(model):
        assert "history_" in path or np.isfinite(array).all(), path


@each_way
def test_divergence_is_found_within_a_record_and_the_last_finite_state_kept(name):
    model, data, tame_by = wild(name)
    with pytest.raises(
        DivergenceError, match=rf"by update \d+.* What may help: .*lower ({'|'.join(tame_by)})"
    ) as error:
        model.fit(*data)
    assert error.value.update - error.value.kept <= 20  # A record of so few updates comes after each twentieth.
    assert model.stopped_.startswith(f"diverged by update {error.value.update}")
    assert [record.update for record in model.history_] == list(range(20, error.value.kept + 1, 20))
    require_finite(model)
    if hasattr(model, "learn_distance") and getattr(model, "finish", None) is not None:
        model.learn_distance(data[0])
    assert np.isfinite(model.transform(data[0])).all()


@each_way
def test_after_a_diverged_pass_the_next_one_goes_on_from_the_last_finite_state(name):
    model, data, tame_by = wild(name)
    if not hasattr(model, "partial_fit"):
        pytest.skip("it has no partial_fit")
    model.set_params(**tame_by).fit(*data)
    model.set_params(**WILD[name][2])
    before = {each: value for each, value in vars(model).items() if each in ("mean_row_", "n_rows_")}
    with pytest.raises(DivergenceError, match="lower"):
        model.partial_fit(np.tile(data[0], (40, 1)), *(np.tile(each, 40) for each in data[1:]))
    require_finite(model)
    for attribute, value in before.items():
        np.testing.assert_array_equal(getattr(model, attribute), value)
    model.set_params(**tame_by).partial_fit(*data)
    require_finite(model)
    assert model.stopped_.startswith("finished")


@each_way
def test_a_diverged_fit_leaves_no_checkpoint_and_a_tame_one_begins_anew(name, tmp_path):
    from wideangle.distributed import Checkpoints

    model, data, tame_by = wild(name)
    with pytest.raises(DivergenceError):
        model.fit(*data, checkpoint=Checkpoints(tmp_path, every_seconds=0))
    assert not checkpoints_in(tmp_path)
    with pytest.raises(DivergenceError):  # The same call does the same, and says so.
        model.fit(*data, checkpoint=tmp_path)
    model.set_params(**tame_by).fit(*data, checkpoint=tmp_path)
    assert model.stopped_.startswith("finished")
    require_finite(model)


def test_a_checkpoint_from_before_divergence_is_deleted(tmp_path):
    """The fit is well for forty updates, so that there are checkpoints when it diverges."""
    from wideangle.distributed import Checkpoints

    seen = []

    class Later(MLPClassifier):
        def _loss(self, outputs, values):
            seen.append(len(checkpoints_in(tmp_path)))
            return super()._loss(outputs, values) * (torch.nan if len(seen) > 45 else 1.0)

    model = Later(4, **USUAL)
    with pytest.raises(DivergenceError, match=r"update \d+.* after update 40\.") as error:
        model.fit(POINTS, CLASSES, checkpoint=Checkpoints(tmp_path, every_seconds=0))
    assert max(seen) > 0
    assert not checkpoints_in(tmp_path)
    assert error.value.kept == 40 < error.value.update <= 60
    require_finite(model)


def test_with_early_stopping_the_best_state_is_kept():
    seen = []

    class Later(MLPClassifier):
        def _loss(self, outputs, values):
            seen.append(1)
            return super()._loss(outputs, values) * (torch.nan if len(seen) > 45 else 1.0)

    model = Later(4, validation_fraction=0.2, patience=5, **USUAL)
    with pytest.raises(DivergenceError) as error:
        model.fit(POINTS, CLASSES)
    best = max(model.history_, key=lambda record: record.validation)
    assert model.stopped_ == f"diverged by update {error.value.update}; update {best.update}, the best, is kept"
    assert error.value.kept == best.update
    require_finite(model)


def test_a_warm_start_from_a_diverged_fit_goes_on():
    model, data, tame_by = wild("ReplicatedSoftmax", warm_start=True)
    model.set_params(**tame_by).fit(*data)
    learned = model.components_.copy()
    with pytest.raises(DivergenceError):
        model.set_params(learning_rate=1e38).fit(*data)
    np.testing.assert_allclose(model.components_, learned, rtol=1e-5)  # Divided by the share of dropout, and times it.
    model.set_params(**tame_by).fit(*data)
    require_finite(model)


def test_a_loss_or_a_validation_score_that_is_not_finite_is_divergence():
    class Infinite(MLPClassifier):
        def _loss(self, outputs, values):
            return super()._loss(outputs, values).detach() + torch.inf + 0 * outputs.sum()

    class Undecided(MLPClassifier):
        def _judged(self, outputs, values, weights):
            return float("nan")

    # The slope of the first is 0 · ∞ in no parameter: these stay as they are.
    with pytest.raises(DivergenceError, match="loss .* update 20"):
        Infinite(4, **USUAL).fit(POINTS, CLASSES)
    with pytest.raises(DivergenceError, match="validation score .* update 20"):
        Undecided(4, validation_fraction=0.2, **USUAL).fit(POINTS, CLASSES)


def test_fit_components_hands_out_the_last_finite_components():
    A = torch.eye(3) * 3
    with pytest.raises(DivergenceError, match="lower learning_rate") as error:
        fit_components(lambda A, batch: (A * batch).exp().sum(), A, 0.1, batches=[1.0, 50.0], learning_rate=10.0)
    found = error.value.result
    assert torch.isfinite(found.components).all()
    assert error.value.kept == error.value.update - 1 == len(found.history)
    assert not found.converged


def test_a_line_search_takes_no_step_to_infinity():
    found = fit_components(lambda A: A.square().sum().exp(), torch.eye(3), 0.1, max_iterations=20)
    assert torch.isfinite(found.components).all()
    assert np.isfinite([each.total for each in found.history]).all()


def test_the_error_can_travel_between_processes():
    error = pickle.loads(pickle.dumps(DivergenceError("training diverged", 80, 60)))
    assert (str(error), error.update, error.kept) == ("training diverged", 80, 60)
