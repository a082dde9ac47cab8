"""What the training of all estimators shares: rates, records, the best state, errors that say what to do."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.model_selection import GridSearchCV

from wideangle import mutual_angular_score
from wideangle.diversity import DiversityTerm, HeldPush
from wideangle.exceptions import DivergenceError
from wideangle.models import (
    BernoulliRBM,
    DictionaryLearner,
    DistanceLearner,
    MLPClassifier,
    MLPRegressor,
    ReplicatedSoftmax,
)
from wideangle.models._training.history import History, Record
from wideangle.models._training.loop import held_out_rows, train
from wideangle.models._training.steps import LearningRate, QuickAdamW, optimizer_for
from wideangle.models._training.trainer import Trainer

RNG = np.random.default_rng(0)
X = (RNG.random((60, 8)) < 0.4).astype(np.float64)
X[:, 0] = 1
Y = (X[:, 1] > 0).astype(int)
QUICK = {"max_updates": 30, "random_state": 0, "device": "cpu"}
ITERATIVE = [BernoulliRBM, DictionaryLearner, ReplicatedSoftmax, MLPClassifier, MLPRegressor]
EVERY = [*ITERATIVE, DistanceLearner]
by_class = pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)


class Walk(Trainer):
    """Counts up by the rate; diverges where it is told to."""

    def __init__(self, n_updates, diverge_at=None):
        super().__init__(DiversityTerm(0.0), LearningRate(1.0, "constant", n_updates))
        self.place, self.diverge_at = torch.zeros(2, 2), diverge_at

    def parameters(self):
        return [self.place]

    def components(self):
        return self.place + torch.eye(2)

    def step(self, rate, wants_loss, *batch):
        self.place += torch.nan if self.updates == self.diverge_at else rate
        return self.place.sum() if wants_loss else None


def walk(scores, patience, n_updates=200, told=lambda record: False):
    """Train with these validation scores, one per record of 20 updates."""
    trainer, given = Walk(n_updates), iter(scores)
    train(trainer, lambda skip: iter(lambda: (), None), n_updates, told, lambda: next(given), patience)
    return trainer


def test_the_best_state_is_kept_and_training_ends_after_patience():
    trainer = walk([1.0, 3.0, 2.0, 2.5, 9.0], patience=2)
    assert float(trainer.place[0, 0]) == 40
    assert trainer.stopped == "converged: no better validation in 2 records; update 40, the best, is kept"
    assert [record.validation for record in trainer.history.records] == [1.0, 3.0, 2.0, 2.5]


def test_an_equal_score_is_no_better():
    assert float(walk([1.0] * 8, patience=3).place[0, 0]) == 20


def test_a_callback_ends_training_and_sees_the_validation():
    seen = []
    trainer = walk(range(8), patience=2, told=lambda record: seen.append(record.validation) or len(seen) == 3)
    assert seen == [0, 1, 2]
    assert trainer.stopped == "stopped by a callback; update 60, the best, is kept"


def test_without_validation_the_last_state_is_kept():
    trainer = Walk(60)
    train(trainer, lambda skip: iter(lambda: (), None), 60, lambda record: False)
    assert trainer.stopped == "finished: max_updates=60 reached"
    assert float(trainer.place[0, 0]) == 60
    assert [record.update for record in trainer.history.records] == [20, 40, 60]


def test_divergence_keeps_the_last_recorded_state():
    trainer = Walk(100, diverge_at=61)
    with pytest.raises(DivergenceError, match="update 80.* update 60.*lower learning_rate=1") as error:
        train(trainer, lambda skip: iter(lambda: (), None), 100, lambda record: False)
    assert float(trainer.place[0, 0]) == 60
    assert trainer.stopped == "diverged by update 80; the last finite state, that of update 60, is kept"
    assert (error.value.update, error.value.kept) == (80, 60)


def test_rates_fall_to_zero_or_stay():
    assert [LearningRate(2.0, "linear", 4).at(u) for u in range(4)] == [2.0, 1.5, 1.0, 0.5]
    assert LearningRate(2.0, "constant", 4).at(3) == 2.0
    assert LearningRate(2.0, "linear", None).at(3) == 2.0


@pytest.mark.parametrize(("name", "second"), [("sgd", 1.0), ("momentum", 1.9)])
def test_one_meaning_of_each_optimiser(name, second):
    """Momentum adds 0.9 of the last step; plain steps add nothing."""
    place = torch.zeros(1)
    optimizer = optimizer_for(name, [{"params": [place]}], lr=1.0, weight_decay=0.0)
    for expected in (-1.0, -1.0 - second):
        place.grad = torch.ones(1)
        optimizer.step()
        assert float(place) == pytest.approx(expected)


@pytest.mark.parametrize("kind", [BernoulliRBM, ReplicatedSoftmax, MLPClassifier, MLPRegressor])
@pytest.mark.parametrize("optimizer", ["adam", "momentum", "sgd"])
def test_all_models_take_the_same_optimisers(kind, optimizer):
    fitted = kind(3, optimizer=optimizer, **QUICK).fit(X, Y)
    assert fitted.n_updates_ == 30


def test_rows_held_out_are_spread_over_the_classes():
    by = np.repeat([0, 1, 2], [40, 40, 20])
    held, rest = held_out_rows(100, 0.2, np.random.default_rng(0), by)
    assert np.bincount(by[held]).tolist() == [8, 8, 4]
    assert sorted([*held, *rest]) == list(range(100))
    assert np.array_equal(rest, np.sort(rest))


@by_class
@pytest.mark.parametrize("fraction", [0.001, 1.0])
def test_a_share_that_leaves_nothing_to_hold_out_or_to_train_on_is_an_error(kind, fraction):
    with pytest.raises(ValueError, match="validation_fraction=.*(0|60)"):
        kind(3, validation_fraction=fraction, **QUICK).fit(X, Y)


@pytest.mark.parametrize("kind", ITERATIVE, ids=lambda kind: kind.__name__)
def test_models_keep_the_best_of_their_validated_states(kind):
    model = kind(3, validation_fraction=0.3, patience=2, learning_rate=0.5, **(QUICK | {"max_updates": 400}))
    fitted = model.fit(X, Y)
    scores = [record.validation for record in fitted.history_]
    assert f"update {fitted.history_[int(np.argmax(scores))].update}, the best, is kept" in fitted.stopped_


@by_class
@pytest.mark.parametrize("value", [2.5, True, "5", 0, -1, np.nan])
def test_counts_of_components_that_are_none(kind, value):
    name = "hidden_layer_sizes" if kind in (MLPClassifier, MLPRegressor) else "n_components"
    with pytest.raises(ValueError, match=rf"{name} must be .*whole number.* at least 1.*; got {value!r}"):
        kind(**{name: value}, **QUICK).fit(X, Y)


@by_class
@pytest.mark.parametrize(
    ("name", "value"),
    [("max_updates", 1.5), ("batch_size", "all"), ("diversity", "0.1"), ("gamma", "1"), ("learning_rate", True)],
)
def test_parameters_of_a_wrong_type(kind, name, value):
    settings = QUICK | {name: value}
    with pytest.raises(ValueError, match=rf"{name} must be .*; got {value!r}"):
        kind(3, **settings).fit(X, Y)


def test_no_number_of_components_but_where_it_may_be_left_open():
    with pytest.raises(ValueError, match="n_components .*None"):
        BernoulliRBM(None, **QUICK).fit(X)
    assert 1 <= len(ReplicatedSoftmax(None, **QUICK).fit(X).components_) < len(X)
    assert len(DistanceLearner(None, **QUICK).fit(X, Y).components_) == 8


@by_class
def test_the_score_of_the_history_is_that_of_the_fit(kind):
    # Singular vectors are orthogonal, so that γ would not matter.
    more = QUICK | ({"init": "rows", "diversity": 0.0} if kind is DictionaryLearner else {})
    fitted = kind(3, gamma=7.0, metric="identity", validation_fraction=0.0, learning_rate=0.05, **more).fit(X, Y)
    components = fitted._shown_components()
    last = fitted.history_[-1]
    assert last.score == pytest.approx(float(mutual_angular_score(components, 7.0)), abs=1e-4)
    assert last.score != pytest.approx(float(mutual_angular_score(components, 1.0)), abs=1e-4)
    assert last.mean_angle > 3  # degrees: no more than π/2 in radians


@pytest.mark.parametrize("kind", [BernoulliRBM, DictionaryLearner, ReplicatedSoftmax, DistanceLearner])
def test_one_pass_more_says_why_it_ended(kind):
    assert kind(3, **QUICK).partial_fit(X, Y).stopped_.startswith("finished: one pass over further")


def test_entries_in_parts_are_there_once():
    whole = sp.csr_array(X)
    twice = sp.csr_array(
        (np.repeat(whole.data, 2) / 2, np.repeat(whole.indices, 2), 2 * whole.indptr), shape=whole.shape
    )
    assert not twice.has_canonical_format
    model = ReplicatedSoftmax(3, allow_fractions=True, **QUICK)
    assert np.array_equal(model.fit(twice).presence_, model.fit(whole).presence_)
    assert np.isfinite(model.fit(twice).effects()).all()
    assert twice.nnz == 2 * whole.nnz  # the user's matrix stays as it was


class TestTerm:
    def test_the_push_is_the_gradient_times_the_weight(self):
        A = torch.randn(4, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        for surrogate in ("angle", "bound", "volume"):
            term, B = DiversityTerm(0.7, surrogate, 2.0), A.clone().requires_grad_()
            (gradient,) = torch.autograd.grad(0.7 * term.value(B), B)
            assert torch.allclose(term.push(A), gradient)

    def test_a_held_push_costs_no_more_than_its_share(self):
        A = torch.randn(40, 10, generator=torch.Generator().manual_seed(0))
        # Two products of 40×40×10 against ten thousand multiplications: 3.2 of them, of which a tenth may be spent.
        held = HeldPush(DiversityTerm(1.0), A, share=0.1, cost=10_000)
        assert held.updates_held == 32
        assert [update for update in range(70) if held.is_due(update)] == [0, 32, 64]
        assert HeldPush(DiversityTerm(1.0), A, 0.1, 1e9, at_least=5).updates_held == 5
        assert not HeldPush(DiversityTerm(0.0), A, 0.1, 1e9).is_due(0)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"weight": -1.0}, "diversity.*at least 0, at most 1e\\+12; got -1"),
            ({"weight": 1e39}, "diversity.*at most 1e\\+12; got 1e\\+39"),
            ({"weight": 1.0, "gamma": -1.0}, "gamma"),
            ({"weight": 1.0, "surrogate": "sine"}, "surrogate"),
        ],
    )
    def test_what_is_no_term(self, change, message):
        with pytest.raises(ValueError, match=message):
            DiversityTerm(**change)

    def test_one_component_has_no_angle(self):
        spread = DiversityTerm(1.0).spread(torch.ones(1, 3))
        assert spread.score == 0
        assert np.isnan(spread.mean_angle)


def test_records_are_numbered_by_updates():
    history = History(1000)
    due = [update for update in range(1, 1001) if history.note(None)]
    assert due[:3] == [20, 40, 60]
    assert len(due) == 50
    made = history.record(DiversityTerm(0.0).spread(torch.eye(2)))
    assert isinstance(made, Record)
    assert (made.update, made.min_angle) == (1000, 90.0)


@pytest.mark.parametrize(
    ("n_updates", "cost", "interval"),
    [
        (2000, 0.0, 20),
        (2000, 1.9, 20),
        (2000, 3.3, 33),
        (2000, 50.0, 100),
        (300, 50.0, 20),
        (10, 50.0, 10),
        (9000, 3.3, 90),
    ],
)
def test_records_that_cost_much_are_farther_apart(n_updates, cost, interval):
    """They take a tenth of the updates' time, or more where there would be fewer than twenty."""
    assert History(n_updates, cost).interval == interval


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_quick_adam_takes_the_steps_of_torch_s(dtype):
    generator = torch.Generator().manual_seed(0)
    start = [torch.randn(shape, generator=generator, dtype=dtype) for shape in ((4, 3), (3,), (4,))]
    ends = []
    for kind in (QuickAdamW, lambda groups, **options: optimizer_for("adam", groups, **options)):
        parameters = [part.clone() for part in start]
        groups = [{"params": parameters[:1]}, {"params": parameters[1:], "weight_decay": 0.0}]
        optimizer, draws = kind(groups, lr=0.1, weight_decay=0.3, maximize=True), torch.Generator().manual_seed(1)
        for step in range(5):
            optimizer.param_groups[0]["lr"] = 0.1 / (1 + step)
            for part in parameters:
                part.grad = torch.randn(part.shape, generator=draws, dtype=dtype)
            optimizer.step()
        ends.append(parameters)
    for found, expected, begun in zip(*ends, start, strict=True):
        torch.testing.assert_close(found, expected)
        assert (found - begun).abs().min() > 0.01


class TestScore:
    def test_grid_search_needs_nothing_more(self):
        counts = RNG.poisson(0.7, (40, 12))
        counts[:, 0] += 1
        for model, data in ((ReplicatedSoftmax(3, **QUICK), counts), (BernoulliRBM(3, **QUICK), X)):
            search = GridSearchCV(model, {"n_components": [2, 3]}, cv=2).fit(data)
            assert np.isfinite(search.best_score_)
        search = GridSearchCV(DistanceLearner(**QUICK), {"n_components": [2, 3]}, cv=2).fit(X, Y)
        assert 0 <= search.best_score_ <= 1

    def test_the_score_of_a_machine_is_its_mean_log_likelihood(self):
        rows = BernoulliRBM(3, **QUICK).fit(X)
        assert rows.score(X) == pytest.approx(rows.score_samples(X).mean() / X.shape[1])
        counts = np.vstack([X.astype(int), np.zeros((1, 8), int)])
        words = ReplicatedSoftmax(3, **QUICK).fit(counts)
        assert words.score(counts) == pytest.approx(-np.log(words.perplexity(counts)))

    def test_the_score_of_a_distance_is_what_neighbours_say(self):
        fitted = DistanceLearner(2, **QUICK).fit(X, Y)
        places, right = fitted.transform(X), 0
        for i in range(len(X)):
            order = np.argsort(np.linalg.norm(places - places[i], axis=1), kind="stable")
            near = [j for j in order if j != i][:3]
            right += Y[near].sum() > 1.5 if Y[i] else Y[near].sum() < 1.5
        assert fitted.score(X, Y) == pytest.approx(right / len(X), abs=0.1)  # ties of distance may fall either way
        with pytest.raises(ValueError, match="got 1 row"):
            fitted.score(X[:1], Y[:1])


class TestNetworks:
    def test_rows_of_weight_zero_are_not_there(self):
        """In one step on all rows: the same network as without them."""
        one = QUICK | {"max_updates": 1, "optimizer": "sgd", "learning_rate": 0.5, "batch_size": 1000}
        weighted = MLPClassifier(4, **one).fit(X, Y, sample_weight=np.arange(60) < 40)
        fewer = MLPClassifier(4, **one).fit(X[:40], Y[:40])
        for a, b in zip(weighted.coefs_, fewer.coefs_, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)

    def test_a_weight_of_two_is_a_row_twice(self):
        one = QUICK | {"max_updates": 1, "optimizer": "sgd", "learning_rate": 0.5, "batch_size": 1000}
        weights = np.where(np.arange(len(X)) < 20, 2.0, 1.0)
        weighted = MLPClassifier(4, **one).fit(X, Y, sample_weight=weights)
        doubled = MLPClassifier(4, **one).fit(np.vstack([X, X[:20]]), np.concatenate([Y, Y[:20]]))
        for a, b in zip(weighted.coefs_, doubled.coefs_, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)

    @pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
    def test_bad_weights(self, kind):
        for weights, message in (
            (np.zeros(60), "at least one non-zero"),
            (np.full(60, -1.0), "[Nn]egative"),
            ([1, 2], "60"),
        ):
            with pytest.raises(ValueError, match=message):
                kind(3, **QUICK).fit(X, Y, sample_weight=weights)

    @pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
    def test_a_stream_is_learned_chunk_by_chunk(self, kind):
        y = Y if kind is MLPClassifier else 5 + 3 * X[:, 1] - X[:, 2]
        network = kind(8, learning_rate=0.02, batch_size=10, random_state=0, device="cpu")
        for _ in range(40):
            for part in (slice(0, 30), slice(30, 60)):
                network.partial_fit(X[part], y[part])
        assert network.score(X, y) > 0.95
        assert network.n_updates_ == 40 * 6
        assert len(network.history_) == 80

    @pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
    def test_a_stream_goes_on_from_a_fit(self, kind):
        y = Y if kind is MLPClassifier else 5 + 3 * X[:, 1]
        fitted = kind(4, **QUICK).fit(X, y)
        before = [part.copy() for part in fitted.coefs_]
        fitted.set_params(learning_rate=1e-12).partial_fit(X, y)
        for a, b in zip(before, fitted.coefs_, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)

    def test_classes_of_a_stream(self):
        network = MLPClassifier(3, **QUICK).partial_fit(X[:5], [0, 0, 0, 1, 1], classes=[0, 1, 2])
        network.partial_fit(X[5:8], [2, 2, 0])
        assert network.predict_proba(X).shape == (60, 3)
        with pytest.raises(ValueError, match=r"not among \[0, 1, 2\]: \[7\]"):
            network.partial_fit(X[:2], [0, 7])
        with pytest.raises(ValueError, match="classes were"):
            network.partial_fit(X[:2], [0, 1], classes=[0, 1])
