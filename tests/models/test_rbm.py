"""The Bernoulli machine: likelihood, training, stopping, every kind of input."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from wideangle.exceptions import DivergenceError
from wideangle.models import BernoulliRBM


def patterns(n=400, noise=0.05, seed=0):
    """Four prototypes of eight bits, some far more popular than others."""
    generator = np.random.default_rng(seed)
    prototypes = np.array(
        [[1, 1, 0, 0, 0, 0, 1, 0], [0, 0, 1, 1, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1], [1, 0, 1, 0, 1, 0, 0, 0]]
    )
    kind = generator.choice(4, n, p=[0.6, 0.25, 0.1, 0.05])
    flip = generator.random((n, 8)) < noise
    return np.where(flip, 1 - prototypes[kind], prototypes[kind]).astype(np.float32), kind


def model(**changes):
    return BernoulliRBM(
        **({"n_components": 6, "learning_rate": 0.02, "max_updates": 600, "random_state": 0, "device": "cpu"} | changes)
    )


def all_rows(n):
    return np.array(list(itertools.product([0.0, 1.0], repeat=n)))


def test_probabilities_of_all_rows_sum_to_one():
    fitted = model(max_updates=100).fit(patterns()[0])
    assert np.exp(fitted.score_samples(all_rows(8))).sum() == pytest.approx(1)
    assert fitted.log_partition().exact


def test_annealing_agrees_with_enumeration_after_training():
    fitted = model().fit(patterns()[0])
    exact, estimate = fitted.log_partition(), fitted.log_partition(exact=False, temperatures=500)
    gap = abs(float(exact.value - estimate.value))
    assert gap < max(0.1, 3 * float(estimate.standard_error))
    assert float(estimate.effective_samples) > 20


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("changes", [{}, {"persistent": True}, {"cd_steps": 5}, {"algorithm": "alternating"}])
def test_training_raises_the_likelihood_of_new_rows(changes):
    X, _ = patterns()
    new, _ = patterns(seed=1)
    independent = np.clip(X.mean(0), 1e-3, 1 - 1e-3)
    baseline = (new * np.log(independent) + (1 - new) * np.log(1 - independent)).sum(1).mean()
    assert model(**changes).fit(X).score_samples(new).mean() > baseline + 0.3


def test_momentum_learns_too():
    X, _ = patterns()
    fitted = model(optimizer="momentum", learning_rate=1.0, diversity=0.0).fit(X)
    assert fitted.history_[-1].loss < fitted.history_[0].loss - 0.1


@pytest.mark.slow
def test_both_algorithms_reach_the_same_quality():
    """Over three seeds the total, likelihood per unit and λΩ, differs by little."""
    X, _ = patterns()
    totals = {}
    for algorithm in ("projected", "alternating"):
        fits = [model(algorithm=algorithm, diversity=0.1, max_updates=1500, random_state=s).fit(X) for s in range(3)]
        totals[algorithm] = np.mean([f.score_samples(X).mean() / 8 + 0.1 * f.history_[-1].score for f in fits])
    assert totals["alternating"] == pytest.approx(totals["projected"], abs=0.015)


@pytest.mark.slow
def test_diversity_widens_the_angles():
    X, _ = patterns()
    plain, wide = (
        np.mean([model(diversity=d, random_state=s).fit(X).history_[-1].mean_angle for s in range(3)])
        for d in (0.0, 1.0)
    )
    assert wide > plain + 10


def test_sparse_dense_and_kinds_agree():
    X, _ = patterns()
    reference = model(max_updates=50).fit(X)
    for same in (sp.csr_matrix(X), sp.csr_array(X), X.astype(bool), X.astype(int)):
        fitted = model(max_updates=50).fit(same)
        # Singular vectors of sparse and dense rows are rounded differently.
        assert np.allclose(fitted.components_, reference.components_, atol=1e-4)
        assert np.allclose(fitted.transform(same), reference.transform(X), atol=1e-4)
    assert model(max_updates=5).fit(X.astype(np.float64)).components_.dtype == np.float64


def test_the_same_seed_gives_the_same_bits():
    X, _ = patterns()
    one, again, other = (model(max_updates=50, random_state=s).fit(X).components_ for s in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_partial_fit_goes_on():
    X, _ = patterns()
    machine = model(n_components=4)
    losses = []
    for _ in range(100):
        machine.partial_fit(X)
        losses.append(-machine.score_samples(X).mean())
    assert losses[-1] < losses[0] - 0.3
    assert machine.n_updates_ == 400
    assert clone(machine).fit(X).n_updates_ == 600


@pytest.mark.parametrize("monitor", ["reconstruction", "free_energy"])
def test_early_stopping(monitor):
    X, _ = patterns()
    fitted = model(validation_fraction=0.2, patience=3, monitor=monitor, max_updates=4000, schedule="constant").fit(X)
    best = max(fitted.history_, key=lambda record: record.validation).update
    assert f"in 3 records; update {best}, the best," in fitted.stopped_
    assert fitted.n_updates_ < 4000
    assert all(record.validation is not None for record in fitted.history_)


@pytest.mark.parametrize("rate", [1e37, 1e38])
@pytest.mark.parametrize("diversity", [0.0, 0.3])
def test_divergence_is_named_and_the_last_finite_state_kept(diversity, rate):
    X, _ = patterns()
    machine = model(learning_rate=rate, schedule="constant", diversity=diversity)
    with pytest.raises(DivergenceError, match="learning_rate.*weight_decay"):
        machine.fit(X)
    assert np.isfinite(machine.components_).all()


class Counting:
    def __init__(self, stop_after=10**9):
        self.ends, self.stop_after, self.fitted = 0, stop_after, None

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        pass

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.ends += 1
        self.fitted = fitted_estimator
        return self.ends >= self.stop_after

    def teardown(self, estimator, context):
        pass


def test_scikit_learn_callbacks_see_each_record_and_can_stop():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")
    X, _ = patterns()
    seen = Counting()
    fitted = model(max_updates=200).set_callbacks(seen).fit(X)
    assert seen.ends == len(fitted.history_) + 1  # and the fit itself
    stopped = model(max_updates=200).set_callbacks(Counting(stop_after=5)).fit(X)
    assert stopped.n_updates_ == 5 * 20  # a record every 25 updates
    assert stopped.stopped_ == "stopped by a callback"


def test_in_a_pipeline_under_grid_search():
    X, y = patterns()
    search = GridSearchCV(
        make_pipeline(model(max_updates=200), LogisticRegression()), {"bernoullirbm__diversity": [0.0, 0.1]}, cv=2
    )
    assert search.fit(X, y).score(X, y) > 0.9


def test_pandas_in_and_out():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    X = pd.DataFrame(patterns()[0], columns=[f"bit{j}" for j in range(8)])
    fitted = model(max_updates=20).set_output(transform="pandas").fit(X)
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    assert fitted.transform(X).columns.tolist() == [f"bernoullirbm{k}" for k in range(6)]


@pytest.mark.slow
def test_gibbs_draws_rows_like_the_data():
    X, _ = patterns(2000)
    drawn = model(max_updates=2000).fit(X).gibbs(X, random_state=0)
    assert set(np.unique(drawn)) <= {0.0, 1.0}
    assert drawn.mean(0) == pytest.approx(X.mean(0), abs=0.08)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[0.0, 2.0]] * 3), r"0 to 2\. Scale them, or pass binarize"),
        (np.array([[-1.0, 0.0]] * 3), "-1 to 0"),
        (np.array([[np.nan, 0.0]] * 3), "NaN"),
        (np.zeros((0, 3)), "0 sample"),
    ],
)
def test_bad_rows(X, message):
    with pytest.raises(ValueError, match=message):
        model().fit(X)


@pytest.mark.parametrize(
    "changes",
    [
        {"n_components": 0},
        {"diversity": -1},
        {"diversity": float("nan")},
        {"learning_rate": 0},
        {"algorithm": "alternate"},
        {"optimizer": "rmsprop"},
        {"schedule": "cosine"},
        {"monitor": "loss"},
        {"dropout": 1.0},
        {"surrogate": "angles"},
        {"device": "tpu9"},
        {"validation_fraction": 1.0},
    ],
)
def test_bad_parameters(changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        model(**changes).fit(patterns()[0])


def test_one_row_and_more_units_than_rows():
    fitted = model(n_components=20, max_updates=20).fit(np.array([[0.0, 1.0, 1.0]]))
    assert fitted.transform(np.array([[0.0, 1.0, 1.0]])).shape == (1, 20)


@pytest.mark.parametrize(
    ("K", "left_out"), [(1, 0.0), (10, 0.0), (25, 0.188), (50, 0.5), (100, 0.6), (200, 0.754), (500, 0.870)]
)
def test_automatic_dropout_is_what_the_docstring_says(K, left_out):
    assert model(dropout="auto")._dropout(K) == pytest.approx(left_out, abs=1e-3)


def test_effects_are_weights_times_the_spread_of_their_columns():
    X = np.random.default_rng(0).random((40, 6)) ** [1, 2, 3, 4, 5, 6]
    fitted = BernoulliRBM(3, max_updates=5, random_state=0).fit(X)
    p = X.mean(axis=0)
    assert np.allclose(fitted.effects(), fitted.components_ * np.sqrt(p * (1 - p)))
