"""Sparse coding: codes against enumeration, gradients against differences, and a planted dictionary found again."""

import warnings
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.datasets import load_digits
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.exceptions import ConvergenceWarning

from wideangle import DictionaryLearner, mutual_angular_score
from wideangle.diversity import DiversityTerm
from wideangle.exceptions import ComponentsError
from wideangle.models._base import Randomness
from wideangle.models._dictionary.codes import exact_codes, quick_codes
from wideangle.models._dictionary.trainer import DictionarySettings, DictionaryTrainer
from wideangle.models._training.steps import LearningRate

RNG = np.random.default_rng(0)
QUICK = {"max_updates": 60, "random_state": 0, "device": "cpu"}


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


ATOMS, POINTS = unit(RNG.normal(size=(3, 5))), RNG.normal(size=(30, 5))


def objective(x, z, A, alpha):
    return ((x - z @ A) ** 2).sum() / 2 + alpha * np.abs(z).sum()


def best_code(x, A, alpha, positive=False):
    """By trying all signs: with fixed signs the best code solves linear equations."""
    best = np.zeros(len(A))
    for signs in product((0, 1) if positive else (-1, 0, 1), repeat=len(A)):
        on = np.flatnonzero(signs)
        if len(on) == 0:
            continue
        z = np.zeros(len(A))
        z[on] = np.linalg.solve(A[on] @ A[on].T, A[on] @ x - alpha * np.array(signs)[on])
        if np.all(np.sign(z[on]) == np.array(signs)[on]) and objective(x, z, A, alpha) < objective(x, best, A, alpha):
            best = z
    return best


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("alpha", [0.05, 0.5, 100.0])
def test_codes_are_the_best_of_all_signs(alpha, positive):
    expected = np.array([best_code(x, ATOMS, alpha, positive) for x in POINTS])
    np.testing.assert_allclose(exact_codes(POINTS, ATOMS, alpha, positive), expected, atol=1e-4)
    quick = quick_codes(torch.tensor(POINTS), torch.tensor(ATOMS), alpha, positive, steps=500)
    np.testing.assert_allclose(quick, expected, atol=1e-6)
    assert (expected == 0).all() == (alpha == 100.0)


def test_last_digits_that_would_take_for_ever_are_not_warned_of():
    """Twenty positive components of three columns are nearly dependent, as in one of scikit-learn's checks."""
    generator = np.random.default_rng(26)
    A, X = unit(np.abs(generator.normal(size=(20, 3)))), 3 * generator.uniform(size=(20, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = exact_codes(X, A, 0.1, True)
    best = quick_codes(torch.tensor(X), torch.tensor(A), 0.1, True, steps=20_000).numpy()
    for x, z, better in zip(X, found, best, strict=True):
        assert objective(x, z, A, 0.1) <= objective(x, better, A, 0.1) + 1e-4 * x @ x


def test_codes_that_are_far_from_exact_are_told(monkeypatch):
    monkeypatch.setattr("wideangle.models._dictionary.codes.CYCLES", 1)
    generator = np.random.default_rng(0)
    X, A = unit(generator.normal(size=(10, 20))), unit(generator.normal(size=(40, 20)))
    with pytest.warns(ConvergenceWarning, match=r"of 10 rows .* larger alpha"):
        exact_codes(X, A, 0.01, False)


@pytest.mark.parametrize("positive", [False, True])
def test_a_quick_code_is_close_to_the_best_after_the_steps_of_training(positive):
    A, X = unit(RNG.normal(size=(40, 20))), unit(RNG.normal(size=(10, 20)))
    quick = quick_codes(torch.tensor(X), torch.tensor(A), 0.05, positive).numpy()
    exact = exact_codes(X, A, 0.05, positive)
    for x, z, best in zip(X, quick, exact, strict=True):
        assert objective(x, z, A, 0.05) < 1.01 * objective(x, best, A, 0.05)


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_the_gradient_is_that_of_the_least_objective(weight):
    """By differences along tangents, of the mean over rows with the best code of each."""
    settings = DictionarySettings(alpha=0.2, positive_code=False, batch_size=30)
    trainer = DictionaryTrainer(
        settings,
        DiversityTerm(weight),
        LearningRate(1e-9, "constant", None),
        torch.tensor(ATOMS),
        Randomness.of(0, torch.device("cpu")),
    )
    trainer.update(torch.tensor(POINTS), None)

    def value(A):
        each = [objective(x, best_code(x, A, 0.2), A, 0.2) for x in POINTS]
        return np.mean(each) - weight * float(mutual_angular_score(A))

    direction = RNG.normal(size=ATOMS.shape)
    direction -= (direction * ATOMS).sum(1, keepdims=True) * ATOMS
    slope = (value(unit(ATOMS + 1e-5 * direction)) - value(unit(ATOMS - 1e-5 * direction))) / 2e-5
    assert float((trainer.components().grad.numpy() * direction).sum()) == pytest.approx(slope, rel=1e-3)


def planted(n=1500):
    atoms = unit(RNG.normal(size=(8, 12)))
    codes = RNG.normal(size=(n, 8)) * (RNG.random((n, 8)) < 0.2)
    return atoms, codes @ atoms + 0.01 * RNG.normal(size=(n, 12))


def test_a_planted_dictionary_is_found():
    atoms, X = planted()
    model = DictionaryLearner(8, diversity=0.01, alpha=0.05, max_updates=500, random_state=0, device="cpu").fit(X)
    found = np.abs(atoms @ model.components_.T)
    assert found.max(1).min() > 0.99
    assert sorted(found.argmax(1)) == list(range(8))
    assert model.score(X) > 0.98


@pytest.mark.parametrize("factor", [2.0**40, 2.0**-40])
def test_components_do_not_depend_on_the_scale_and_codes_grow_with_it(factor):
    """A power of two changes no digit."""
    usual, scaled = DictionaryLearner(3, **QUICK).fit(POINTS), DictionaryLearner(3, **QUICK).fit(factor * POINTS)
    np.testing.assert_allclose(scaled.components_, usual.components_, rtol=1e-9)
    np.testing.assert_allclose(scaled.transform(factor * POINTS), factor * usual.transform(POINTS), rtol=1e-6)
    assert scaled.scale_ == pytest.approx(factor * usual.scale_)
    assert usual.scale_ == pytest.approx(np.sqrt(np.mean([x @ x for x in POINTS])))


def test_codes_and_errors_are_those_of_their_definitions():
    model = DictionaryLearner(3, alpha=0.1, **QUICK).fit(POINTS)
    codes = model.transform(POINTS)
    alpha = 0.1 * model.scale_  # in the rows' own units
    expected = np.array([best_code(x, model.components_, alpha) for x in POINTS])
    np.testing.assert_allclose(codes, expected, atol=1e-3)
    back = model.inverse_transform(codes)
    missed = sum(((x - y) ** 2).sum() for x, y in zip(POINTS, back, strict=True))
    assert model.reconstruction_error(POINTS) == pytest.approx(missed / (POINTS**2).sum())
    assert model.score(POINTS) == pytest.approx(1 - missed / (POINTS**2).sum())
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)


def test_sparse_rows_are_coded_as_dense_ones():
    X = POINTS * (RNG.random(POINTS.shape) < 0.5)
    dense, sparse = DictionaryLearner(3, **QUICK).fit(X), DictionaryLearner(3, **QUICK).fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.components_, dense.components_, rtol=1e-9)
    np.testing.assert_allclose(sparse.transform(sp.csr_array(X)), dense.transform(X), atol=1e-9)
    assert sparse.reconstruction_error(sp.csr_array(X)) == pytest.approx(dense.reconstruction_error(X))


@pytest.mark.parametrize(("surrogate", "weight"), [("angle", 1.0), ("volume", 0.1)])
def test_components_spread_with_the_weight(surrogate, weight):
    X = POINTS + 3  # a common direction
    angles = [
        DictionaryLearner(4, diversity=each, surrogate=surrogate, **QUICK).fit(X).history_[-1].mean_angle
        for each in (0.0, weight)
    ]
    assert angles[1] > angles[0] + 10


def test_without_the_regulariser_the_objective_is_as_low_as_that_of_scikit_learn():
    X = load_digits().data[:300] / 16
    X /= np.sqrt(np.square(X).sum(1).mean())
    ours = DictionaryLearner(20, diversity=0.0, alpha=0.05, max_updates=120, random_state=0, device="cpu").fit(X)
    theirs = MiniBatchDictionaryLearning(20, alpha=0.05, batch_size=100, max_iter=40, random_state=0).fit(X)
    reached = []
    for A in (ours.components_, theirs.components_):
        S = exact_codes(X, A, 0.05, False)
        reached.append(np.square(X - S @ A).sum(1).mean() / 2 + 0.05 * np.abs(S).sum(1).mean())
    assert reached[0] < 1.01 * reached[1]


def test_codes_that_must_not_be_negative():
    model = DictionaryLearner(4, positive_code=True, **QUICK).fit(POINTS)
    assert (model.transform(POINTS) >= 0).all()
    assert (DictionaryLearner(4, **QUICK).fit(POINTS).transform(POINTS) < 0).any()


def test_a_large_alpha_leaves_no_code():
    model = DictionaryLearner(3, alpha=100.0, **QUICK).fit(POINTS)
    assert not model.transform(POINTS).any()
    assert model.score(POINTS) == 0


def test_rows_of_zeros_and_more_components_than_rows():
    zeros = DictionaryLearner(3, **QUICK).fit(np.zeros((4, 5)))
    assert not zeros.transform(np.zeros((2, 5))).any()
    assert zeros.reconstruction_error(np.zeros((2, 5))) == 0
    one = DictionaryLearner(4, alpha=1e-3, diversity=0.0, **QUICK).fit(POINTS[:1])
    assert one.reconstruction_error(POINTS[:1]) < 1e-3


def test_equal_rows_do_not_make_equal_components():
    model = DictionaryLearner(4, **QUICK).fit(np.tile(POINTS[:1], (20, 1)))
    assert model.history_[-1].min_angle > 1


def test_a_stream_is_learned_chunk_by_chunk():
    atoms, X = planted()
    model = DictionaryLearner(8, diversity=0.01, alpha=0.05, batch_size=50, random_state=0, device="cpu")
    for _ in range(10):
        for part in (X[:700], X[700:]):
            model.partial_fit(part)
    assert np.abs(atoms @ model.components_.T).max(1).min() > 0.98
    assert model.n_updates_ == 10 * (14 + 16)


def test_a_pass_after_a_fit_goes_on_from_it():
    model = DictionaryLearner(3, **QUICK).fit(POINTS)
    before, scale = model.components_.copy(), model.scale_
    model.set_params(learning_rate=1e-12).partial_fit(5 * POINTS)
    np.testing.assert_allclose(model.components_, before, atol=1e-9)
    assert model.scale_ == scale


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "alpha .*got 0.0"),
        ({"alpha": np.nan}, "alpha .*got nan"),
        ({"learning_rate": 2.0}, "learning_rate is the angle .* must be at most 1 radian; got 2"),
        ({"positive_code": 1}, "positive_code .*got 1"),
        ({"schedule": "cosine"}, "schedule must be one of"),
    ],
)
def test_parameters_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        DictionaryLearner(3, **QUICK, **options).fit(POINTS)


def test_what_cannot_be_done_says_what_to_do():
    with pytest.raises(ComponentsError, match="got K=6.*score Ω"):
        DictionaryLearner(6, surrogate="volume", **QUICK).fit(POINTS)
    with pytest.raises(ValueError, match="NaN"):
        DictionaryLearner(3, **QUICK).fit(np.where(POINTS > 1, np.nan, POINTS))
    model = DictionaryLearner(3, **QUICK).fit(POINTS)
    with pytest.raises(ValueError, match="3 columns.* got 5"):
        model.inverse_transform(POINTS)
