"""Tuning: scores are those of a plain loop, folds are paired, the choice says how sure it is."""

import itertools
import time

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from matplotlib.image import imread
from scipy.spatial.distance import cdist
from scipy.special import expit, logsumexp
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import average_precision_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wideangle._validation import HAS_CALLBACKS
from wideangle.data import make_pairs, synthetic_corpus
from wideangle.exceptions import DivergenceError
from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier, MLPRegressor, ReplicatedSoftmax
from wideangle.tuning import Trial, Tuning, cross_validate, running
from wideangle.tuning.choosing import choose, within_noise
from wideangle.tuning.folds import make_folds
from wideangle.tuning.grid import GRIDS, diversities, with_setting
from wideangle.tuning.likelihood import log_likelihood_per_row, log_likelihood_per_word, split_words

CORPUS = synthetic_corpus(150, 5, 40, seed=0)
COUNTS = CORPUS.corpus.counts
TOPICS = np.asarray(CORPUS.corpus.labels)
WINE, KINDS = load_wine(return_X_y=True)
WINE = StandardScaler().fit_transform(WINE)
quick = ReplicatedSoftmax(4, max_updates=60, random_state=7)


@pytest.fixture(autouse=True)
def _one_core(monkeypatch):
    """Starting processes takes longer than these fits; one test asks for two cores."""
    monkeypatch.setattr(running.joblib, "cpu_count", lambda: 1)


def trial(scores, diversity=0.0, K=5):
    return Trial(K, diversity, tuple(scores))


# Scores are those of a plain loop.


def looped(estimator, X, y, folds, score):
    """Fits of fold f with random_state = seed + f, seed = 3."""
    found = []
    for f, (train, held) in enumerate(folds):
        model = estimator.set_params(random_state=3 + f).fit(X[train], y[train])
        found.append(score(model, X[train], y[train], X[held], y[held], 3 + f))
    return found


def naive_precision(model, train, y_train, held, y_held, seed):
    nearest = np.argsort(cdist(model.transform(held), model.transform(train)), axis=1)[:, :10]
    return np.mean(y_train[nearest] == y_held[:, None])


def naive_distance(model, train, y_train, held, y_held, seed):
    pairs = make_pairs(y_held, 20_000, 20_000, seed=seed)
    here, there = (held[pairs.indices[:, side]] for side in (0, 1))
    apart = np.linalg.norm((here - there) @ model.components_.T, axis=1)
    voters = KNeighborsClassifier(3).fit(train @ model.components_.T, y_train)
    accuracy = voters.score(held @ model.components_.T, y_held)
    return (average_precision_score(pairs.similar > 0, -apart) + accuracy) / 2


def naive_word_likelihood(model, train, y_train, held, y_held, seed):
    """log p of counts scaled to 50 tokens, by summing over all hidden states."""
    A, alpha, beta = model.components_, model.intercept_visible_, model.intercept_hidden_
    states = np.array(list(itertools.product((0, 1), repeat=len(A))))
    log_Z = logsumexp(50 * (states @ beta + logsumexp(alpha + states @ A, axis=1)))
    counts = held.toarray() * 50 / held.toarray().sum(1, keepdims=True)
    joint = counts @ (alpha + states @ A).T + 50 * (states @ beta)
    return np.mean((logsumexp(joint, axis=1) - log_Z) / 50)


def naive_row_likelihood(model, train, y_train, held, y_held, seed):
    A, alpha, beta = model.components_, model.intercept_visible_, model.intercept_hidden_
    states = np.array(list(itertools.product((0, 1), repeat=A.shape[1])))

    def of(rows):
        return rows @ alpha + np.logaddexp(0, beta + rows @ A.T).sum(1)

    return np.mean(of(held) - logsumexp(of(states)))


def naive_held_out_words(model, train, y_train, held, y_held, seed):
    """By explicit loops over documents and words; the split is the library's, which has a test of its own."""
    A, alpha, beta = model.components_, model.intercept_visible_, model.intercept_hidden_
    shown, hidden = (part.toarray() for part in split_words(held, seed))
    each = []
    for seen, guessed in zip(shown, hidden, strict=True):
        if seen.sum() and guessed.sum():
            units = expit(50 * beta + A @ (seen * 50 / seen.sum()))
            chances = np.exp(alpha + units @ A)
            each.append(sum(n * np.log(p / chances.sum()) for n, p in zip(guessed, chances, strict=True)))
            each[-1] /= guessed.sum()
    return np.mean(each)


BITS = (np.random.default_rng(0).random((60, 6)) < expit(np.arange(6) - 3)).astype(float)
LINE = np.round(WINE[:, :3] @ [1.0, -2.0, 0.5] + 0.1 * WINE[:, 3]).astype(int)  # whole numbers are no classes here
CASES = {
    "P@10": (ReplicatedSoftmax(4, max_updates=60), COUNTS, TOPICS, "auto", StratifiedKFold, naive_precision),
    "AP + 3-NN": (DistanceLearner(4, max_updates=30), WINE, KINDS, "auto", StratifiedKFold, naive_distance),
    "accuracy": (
        MLPClassifier((8, 4), max_updates=60, learning_rate=0.01),
        WINE,
        KINDS,
        "auto",
        StratifiedKFold,
        lambda model, a, b, held, y_held, seed: np.mean(model.predict(held) == y_held),
    ),
    "R²": (
        MLPRegressor(8, max_updates=60, learning_rate=0.01),
        WINE,
        LINE,
        "auto",
        KFold,
        lambda model, a, b, held, y_held, seed: r2_score(y_held, model.predict(held)),
    ),
    "log-likelihood of held-out words": (
        ReplicatedSoftmax(4, max_updates=60),
        COUNTS,
        None,
        "auto",
        KFold,
        naive_held_out_words,
    ),
    "log-likelihood per word": (
        ReplicatedSoftmax(4, max_updates=60),
        COUNTS,
        TOPICS,
        "log-likelihood per word",
        StratifiedKFold,
        naive_word_likelihood,
    ),
    "log-likelihood per row": (
        BernoulliRBM(3, max_updates=60),
        BITS,
        None,
        "auto",
        KFold,
        naive_row_likelihood,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_scores_are_those_of_an_explicit_loop(name):
    estimator, X, y, measure, splitter, score = CASES[name]
    tuning = cross_validate(estimator, X, y, diversity=[0.1, 0], folds=3, seed=3, measure=measure)
    assert tuning.measure == name
    labels = np.zeros(X.shape[0]) if y is None else y
    folds = list(splitter(3, shuffle=True, random_state=3).split(np.zeros((X.shape[0], 1)), labels))
    for found, weight in zip(tuning.trials, (0.1, 0.0), strict=True):
        assert found.diversity == weight
        expected = looped(with_setting(estimator, found.n_components, weight), X, labels, folds, score)
        np.testing.assert_allclose(found.scores, expected, rtol=1e-5)
        assert found.mean == pytest.approx(np.mean(expected))
        assert found.error == pytest.approx(np.std(expected, ddof=1) / 3**0.5)


def test_logits_are_compared_by_their_cosine():
    estimator = quick.set_params(representation="probabilities")
    logits = ReplicatedSoftmax(4, max_updates=60, representation="logits")
    (found,) = cross_validate(logits, COUNTS, TOPICS, diversity=[0.1], seed=3).trials

    def by_cosine(model, train, y_train, held, y_held, seed):
        near = np.argsort(cdist(model.transform(held), model.transform(train), "cosine"), axis=1)[:, :10]
        return np.mean(y_train[near] == y_held[:, None])

    folds = list(StratifiedKFold(3, shuffle=True, random_state=3).split(COUNTS, TOPICS))
    expected = looped(logits.set_params(diversity=0.1), COUNTS, TOPICS, folds, by_cosine)
    np.testing.assert_allclose(found.scores, expected)
    assert estimator.representation == "probabilities"


# Likelihoods without labels.


def test_words_are_shown_or_hidden_by_a_coin():
    counts = sp.csr_array(np.array([[1000, 0, 3], [0, 0.5, 2000.5]]))
    shown, hidden = (part.toarray() for part in split_words(counts, 0))
    np.testing.assert_array_equal(shown + hidden, counts.toarray())
    assert np.all(shown >= 0)
    assert 440 < shown[0, 0] < 560
    assert 0.5 in (shown[1, 1], hidden[1, 1])
    assert not np.array_equal(split_words(counts, 1)[0].toarray(), shown)


def test_annealed_likelihoods_agree_with_those_of_the_model_and_with_enumeration():
    words = ReplicatedSoftmax(15, max_updates=300, learning_rate=0.01, random_state=0).fit(COUNTS)
    exact = naive_word_likelihood(words, None, None, COUNTS, None, 0)
    # Differences between λ that matter are of some hundredths.
    assert log_likelihood_per_word(words, COUNTS) == pytest.approx(exact, abs=2e-3)
    assert -np.log(words.perplexity(COUNTS, rescaled=True)) == pytest.approx(exact, abs=2e-3)
    real = ReplicatedSoftmax(4, document_length=None, max_updates=60, random_state=0).fit(COUNTS)
    assert log_likelihood_per_word(real, COUNTS) == pytest.approx(-np.log(real.perplexity(COUNTS)), abs=1e-5)
    grey = np.random.default_rng(0).random((50, 30))
    for X in (grey, sp.csr_array(grey)):
        rows = BernoulliRBM(16, binarize=0.7, max_updates=100, random_state=0).fit(X)
        assert log_likelihood_per_row(rows, X) == pytest.approx(rows.score_samples(X).mean(), abs=0.05)


def test_a_partition_function_beyond_estimation_is_refused():
    model = ReplicatedSoftmax(30, max_updates=1, random_state=0).fit(COUNTS)
    log_likelihood_per_word(model, COUNTS)
    # Large weights against large biases: few of very many states have all the probability, and few chains find them.
    model.components_ = np.random.default_rng(0).normal(0, 40, (100, COUNTS.shape[1])).astype(np.float32)
    model.intercept_hidden_ = np.full(100, -40, dtype=np.float32)
    with pytest.raises(ValueError, match=r"100 annealed chains are worth \d\.\d.*dropout=0"):
        log_likelihood_per_word(model, COUNTS)


def test_documents_of_one_word_cannot_be_halved():
    with pytest.raises(ValueError, match="no document held out has two words"):
        cross_validate(quick, np.eye(6), diversity=[0])


# Pairing and seeds.


def test_a_trial_has_the_same_folds_and_seeds_in_every_grid():
    alone = cross_validate(quick, COUNTS, TOPICS, diversity=[0.3]).trials
    among = cross_validate(quick, COUNTS, TOPICS, diversity=[0, 0.3, 0.3], n_components=[4, 3]).trials
    assert [(t.n_components, t.diversity) for t in among] == [(3, 0.0), (3, 0.3), (4, 0.0), (4, 0.3)]
    assert alone[0] == among[3]


def test_the_seed_alone_decides():
    first, again, other = (
        cross_validate(quick.set_params(random_state=state), COUNTS, TOPICS, diversity=[0, 0.3], seed=seed)
        for state, seed in ((7, 0), (8, 0), (7, 1))
    )
    assert first == again
    assert first.trials != other.trials


def test_processes_give_the_same_bits(monkeypatch):
    settings = {"diversity": [0, 0.3], "folds": 2}
    alone = cross_validate(quick, COUNTS, TOPICS, **settings)
    monkeypatch.setattr(running, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(running.joblib, "cpu_count", lambda: 2)
    assert cross_validate(quick, COUNTS, TOPICS, **settings) == alone


def test_what_fits_will_take_is_foreseen_to_a_factor():
    model = ReplicatedSoftmax(4, max_updates=1000)
    jobs = [running.Job(4, 0.3, f, fold, f) for f, fold in enumerate(make_folds(150, TOPICS, 2, 0))]
    running.run_job(quick, COUNTS, TOPICS, "P@10", jobs[0])  # what happens once is not to count
    foreseen = running.expected_seconds(model, COUNTS, TOPICS, jobs)
    began = time.perf_counter()
    for job in jobs:
        running.run_job(model, COUNTS, TOPICS, "P@10", job)
    assert 0.1 < foreseen / (time.perf_counter() - began) < 10  # other work on the machine comes and goes


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
    with pytest.raises(DivergenceError, match=r"K = 4, λ = 0\.5 on fold 1 diverged; leave that setting out"):
        cross_validate(wild, COUNTS, TOPICS, diversity=[0.5])


def test_a_score_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setattr(running, "measured", lambda *_: float("nan"))
    with pytest.raises(ValueError, match=r"P@10 at K = 4, λ = 0\.5 on fold 1 is nan"):
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
    assert tuned.get_params() == before | changed


@pytest.mark.skipif(not HAS_CALLBACKS, reason="scikit-learn has no callbacks before 1.9")
def test_callbacks_of_the_estimator_are_not_called(capsys):
    from sklearn.callback import ProgressBar

    estimator = ReplicatedSoftmax(4, max_updates=30)
    estimator.set_callbacks(ProgressBar())
    cross_validate(estimator, COUNTS, TOPICS, diversity=[0.3])
    assert capsys.readouterr().out == ""


# Folds.


def test_small_classes_neither_crash_nor_warn():
    labels = np.array(["a"] * 20 + ["b"] * 9 + ["c"] * 2 + ["d"], dtype=object)
    folds = make_folds(len(labels), labels, 3, 0)
    assert sorted(np.concatenate([held for _, held in folds])) == list(range(len(labels)))
    for train, held in folds:
        assert not set(train) & set(held)
        assert np.sum(labels[held] == "b") == 3
        assert np.sum(labels[held] == "a") in (6, 7)
        assert np.isin(labels[held], ("c", "d")).sum() == 1


@pytest.mark.parametrize("sizes", [[5, 1], [3, 2, 1], [1] * 6, [2, 2, 2], [6]])
def test_every_partition_into_classes_can_be_split(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    assert sorted(len(held) for _, held in make_folds(6, labels, 3, 0)) == [2, 2, 2]


def test_long_tailed_labels_are_tuned_on():
    labels = TOPICS.copy()
    labels[:4] = [91, 92, 93, 93]
    assert len(cross_validate(quick, COUNTS, labels, diversity=[0.3]).trials[0].scores) == 3


# What wins.


def test_the_planted_number_of_topics_beats_one():
    model = ReplicatedSoftmax(max_updates=500, learning_rate=0.01)
    tuning = cross_validate(model, COUNTS, TOPICS, diversity=[0.3], n_components=[1, 8])
    assert tuning.best.n_components == 8
    assert "K = 8" in tuning.reason


def test_an_absurd_weight_loses():
    X, y = load_iris(return_X_y=True)
    model = MLPClassifier(8, max_updates=150, learning_rate=0.01, activation="sigmoid")
    tuning = cross_validate(model, StandardScaler().fit_transform(X), y, diversity=[0, 1e6])
    assert tuning.best.diversity == 0
    assert "No λ is better than 0 beyond noise" in tuning.reason


# The rule.

NOISE = np.array([0.01, 0.0, -0.01])


def test_a_gain_beyond_noise_is_taken():
    plain, own, best = trial(0.5 + NOISE), trial(0.55 + NOISE, 0.3), trial(0.6 + NOISE / 2, 1.0)
    taken, reason = choose([plain, own, best], "P@10", 0.3)
    assert taken is best
    assert reason.startswith("λ = 1 is better than λ = 0 beyond noise: P@10 0.6000 ± 0.0029, +0.1000 ± 0.0029")
    assert "it is the largest tried" in reason
    assert "largest" not in choose([plain, best, trial(0.5 + NOISE, 2.0)], "P@10", 0.3)[1]


def test_within_noise_the_estimators_own_weight_is_taken():
    plain, own, best = trial(0.5 + NOISE), trial(0.5 + NOISE[::-1], 0.3), trial(0.501 + NOISE[[1, 0, 2]], 1.0)
    taken, reason = choose([plain, own, best], "P@10", 0.3)
    assert taken is own
    assert "No λ is better than 0 beyond noise" in reason
    assert "took the estimator's own λ = 0.3, −0.0010 ±" in reason


def test_within_noise_a_worse_own_weight_is_not_taken():
    plain, own, best = trial(0.5 + NOISE), trial(0.4 + NOISE, 0.3), trial(0.501 + NOISE[::-1], 0.1)
    assert choose([plain, own, best], "P@10", 0.3)[0] is best
    assert choose([plain, own], "P@10", 0.3)[0] is plain
    assert "took the best mean, λ = 0.1" in choose([plain, own, best], "P@10", 0.3)[1]


def test_noise_is_that_of_paired_differences():
    # Folds differ by far more than the settings do, and each fold says the same of them.
    levels = np.array([0.2, 0.5, 0.8])
    plain, best = trial(levels), trial(levels + np.array([0.010, 0.011, 0.012]), 1.0)
    assert plain.error > 10 * (best.mean - plain.mean)
    assert not within_noise(plain, best)
    assert choose([plain, best], "P@10", 1.0)[0] is best


def test_a_smaller_number_of_components_within_noise_is_named():
    trials = [trial(0.5 + NOISE, 0.3, 5), trial(0.501 + NOISE[::-1], 0.3, 50), trial(0.1 + NOISE, 0.3, 2)]
    taken, reason = choose(trials, "P@10", 0.3)
    assert taken.n_components == 50
    assert "K = 5 with λ = 0.3 is no worse beyond noise" in reason
    assert "K = 2" not in reason


def test_without_zero_the_reason_says_so():
    assert "λ = 0 was not tried" in choose([trial(NOISE, 0.1), trial(NOISE, 0.3)], "P@10", 0.3)[1]
    assert choose([trial(NOISE, 0.1)], "P@10", 0.3)[1].startswith("Only λ = 0.1 was tried")


# Grids.


@pytest.mark.parametrize("kind", GRIDS)
def test_default_grids_have_zero_and_the_estimators_own_weight(kind):
    assert {0.0, kind().diversity} <= set(diversities(kind(), None))
    assert 0.017 in diversities(kind(diversity=0.017), None)
    assert 4 <= len(diversities(kind(), None)) <= 5
    volume = diversities(kind(surrogate="volume", diversity=0.0), None)
    assert max(volume) == pytest.approx(max(GRIDS[kind]) / 100)


def test_the_own_number_of_components_is_the_default():
    assert cross_validate(quick, COUNTS, TOPICS, diversity=[0]).best.n_components == 4
    free = DistanceLearner(max_updates=5)
    assert cross_validate(free, WINE, KINDS, diversity=[0]).best.n_components == WINE.shape[1]


def test_widths_of_a_network_keep_their_proportion():
    network = MLPClassifier((200, 100))
    assert with_setting(network, 50, 0.0).hidden_layer_sizes == (50, 25)
    assert with_setting(network, 200, 0.0).hidden_layer_sizes == (200, 100)
    assert with_setting(network, 1, 0.0).hidden_layer_sizes == (1, 1)
    assert with_setting(MLPRegressor(30), 7, 0.0).hidden_layer_sizes == (7,)


# Progress and the picture.


def test_progress_is_told_of_every_fit_and_of_finished_trials():
    calls = []
    tuning = cross_validate(
        quick, COUNTS, TOPICS, diversity=[0, 0.3], folds=2, progress=lambda *call: calls.append(call)
    )
    assert [(done, total) for done, total, _ in calls] == [(done, 4) for done in range(5)]
    assert [finished for *_, finished in calls] == [None, None, tuning.trials[0], None, tuning.trials[1]]


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


# Bad input.

BAD = {
    "more folds than rows": (quick, COUNTS[:2], TOPICS[:2], {}, "3 folds need at least 3 rows; got 2"),
    "one fold": (quick, COUNTS, TOPICS, {"folds": 1}, "folds must be a whole number of at least 2; got 1"),
    "folds of text": (quick, COUNTS, TOPICS, {"folds": "3"}, "folds must be"),
    "one class": (quick, COUNTS, np.zeros(150, int), {}, "y holds one class only"),
    "numbers for classes": (quick, COUNTS, np.linspace(0, 1, 150), {}, "continuous"),
    "y too short": (quick, COUNTS, TOPICS[:9], {}, "y must have 150 entries.*got shape \\(9,\\)"),
    "y with NaN": (quick, COUNTS, np.where(TOPICS > 2, np.nan, 1.0), {}, "y must be known"),
    "two columns": (quick, COUNTS, np.zeros((150, 2), int), {}, "one class a row; got shape \\(150, 2\\)"),
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
