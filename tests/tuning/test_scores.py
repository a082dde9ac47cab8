"""Scores are those of a plain loop; likelihoods are those of the model."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from scipy.special import expit, logsumexp
from sklearn.metrics import average_precision_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from tuning_cases import COUNTS, KINDS, LINE, TOPICS, WINE, quick

from wideangle._own_settings import with_setting
from wideangle.data import make_pairs, synthetic_corpus
from wideangle.evaluation import half_agreement, half_retrieval, split_words
from wideangle.exceptions import UntrustedLikelihoodError
from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier, MLPRegressor, ReplicatedSoftmax
from wideangle.tuning import cross_validate
from wideangle.tuning.log_likelihoods import (
    log_likelihoods_of_held_out_words,
    log_likelihoods_per_row,
    log_likelihoods_per_word,
)
from wideangle.tuning.measures import Held, measured


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
    """By explicit loops over documents and words; the split is the library's, which has a test of its own.

    Hidden units see √idf-weighted logarithmic counts. The chance of a word is that of its weight, over its weight.
    """
    A, alpha, beta = model.components_, model.intercept_visible_, model.intercept_hidden_
    n, having = train.shape[0], (train.toarray() > 0).sum(0)
    weights = np.sqrt(np.log((1 + n) / (1 + having)) + 1)
    shown, hidden = (part.toarray() for part in split_words(held, seed))
    each = []
    for seen, guessed in zip(shown, hidden, strict=True):
        if seen.sum() and guessed.sum():
            weighed = weights * [0 if count == 0 else 1 + np.log(count) for count in seen]
            units = expit(50 * beta + A @ (weighed * 50 / weighed.sum()))
            chances = np.exp(alpha + units @ A) / weights
            each.append(sum(n * np.log(p / chances.sum()) for n, p in zip(guessed, chances, strict=True)))
            each[-1] /= guessed.sum()
    return np.mean(each)


def useful_halves(held, seed):
    first, second = split_words(held, seed)
    useful = (first.sum(axis=1) > 0) & (second.sum(axis=1) > 0)
    return first[useful], second[useful]


def naive_agreement(model, train, y_train, held, y_held, seed):
    """Of 100 training documents a tenth is 10, so that 10 and 100 neighbours are the same."""
    near = [
        np.argsort(cdist(model.transform(half), model.transform(train)), axis=1)[:, :10]
        for half in useful_halves(held, seed)
    ]
    return np.mean([len(set(one) & set(two)) / 10 for one, two in zip(*near, strict=True)])


BITS = (np.random.default_rng(0).random((60, 6)) < expit(np.arange(6) - 3)).astype(float)
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
    "agreement of halves": (ReplicatedSoftmax(4, max_updates=60), COUNTS, None, "auto", KFold, naive_agreement),
    "half retrieval": (
        ReplicatedSoftmax(4, max_updates=60),
        COUNTS,
        None,
        "half retrieval",
        KFold,
        lambda model, a, b, held, y_held, seed: half_retrieval(*map(model.transform, useful_halves(held, seed))),
    ),
    "log-likelihood of held-out words": (
        ReplicatedSoftmax(4, max_updates=60, weighting="balanced", representation="centred logits"),
        COUNTS,
        None,
        "log-likelihood of held-out words",
        KFold,
        naive_held_out_words,
    ),
    "log-likelihood per word": (
        ReplicatedSoftmax(4, max_updates=60, weighting="counts"),
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


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", CASES)
def test_scores_are_those_of_an_explicit_loop(name):
    estimator, X, y, measure, splitter, score = CASES[name]
    tuning = cross_validate(estimator, X, y, diversity=[0.1, 0], folds=3, seed=3, measure=measure)
    assert tuning.measure == name
    labels = np.zeros(X.shape[0]) if y is None else y
    folds = list(splitter(3, shuffle=True, random_state=3).split(np.zeros((X.shape[0], 1)), labels))
    for found, weight in zip(tuning.trials, (0.1, 0.0), strict=True):
        assert found.diversity == weight
        model = with_setting(estimator, found.n_components, weight)
        model = model if found.granularity is None else model.set_params(granularity=found.granularity)
        expected = looped(model, X, labels, folds, score)
        np.testing.assert_allclose(found.scores, expected, rtol=1e-5)
        assert found.mean == pytest.approx(np.mean(expected))
        assert found.error == pytest.approx(np.std(expected, ddof=1) / 3**0.5)


def test_logits_are_compared_by_their_cosine():
    logits = ReplicatedSoftmax(4, max_updates=60, representation="logits")
    (found,) = cross_validate(logits, COUNTS, TOPICS, diversity=[0.1], seed=3).trials

    def by_cosine(model, train, y_train, held, y_held, seed):
        near = np.argsort(cdist(model.transform(held), model.transform(train), "cosine"), axis=1)[:, :10]
        return np.mean(y_train[near] == y_held[:, None])

    folds = list(StratifiedKFold(3, shuffle=True, random_state=3).split(COUNTS, TOPICS))
    expected = looped(logits.set_params(diversity=0.1), COUNTS, TOPICS, folds, by_cosine)
    np.testing.assert_allclose(found.scores, expected)


def test_annealed_likelihoods_agree_with_those_of_the_model_and_with_enumeration():
    words = ReplicatedSoftmax(15, weighting="counts", max_updates=300, random_state=0).fit(COUNTS)
    exact = naive_word_likelihood(words, None, None, COUNTS, None, 0)
    # Differences between λ that matter are of some hundredths.
    assert log_likelihoods_per_word(words, COUNTS).mean() == pytest.approx(exact, abs=2e-3)
    assert -np.log(words.perplexity(COUNTS, rescaled=True)) == pytest.approx(exact, abs=2e-3)
    real = ReplicatedSoftmax(4, weighting="counts", document_length=None, max_updates=60, random_state=0).fit(COUNTS)
    assert log_likelihoods_per_word(real, COUNTS).mean() == pytest.approx(-np.log(real.perplexity(COUNTS)), abs=1e-5)
    grey = np.random.default_rng(0).random((50, 30))
    for X in (grey, sp.csr_array(grey)):
        rows = BernoulliRBM(16, binarize=0.7, max_updates=100, random_state=0).fit(X)
        expected = rows.score_samples(X).mean()
        assert log_likelihoods_per_row(rows, X).mean() == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(("more", "last"), [(100, "300"), pytest.param(4, "19,200", marks=pytest.mark.slow)])
def test_a_partition_function_beyond_estimation_is_refused(more, last, monkeypatch):
    model = ReplicatedSoftmax(30, max_updates=1, random_state=0).fit(COUNTS)
    log_likelihoods_per_word(model, COUNTS)
    monkeypatch.setattr("wideangle.models._boltzmann.likelihood.TEMPERATURE_GROWTH", more)  # 4 is what users have
    # Large weights against large biases: few of very many states have all the probability, and few chains find them.
    model.components_ = np.random.default_rng(0).normal(0, 40, (100, COUNTS.shape[1])).astype(np.float32)
    model.intercept_hidden_ = np.full(100, -40, dtype=np.float32)
    with pytest.raises(UntrustedLikelihoodError, match=f"100 chains .* over {last} temperatures .* more cd_steps"):
        log_likelihoods_per_word(model, COUNTS)


@pytest.mark.parametrize("measure", ["agreement of halves", "half retrieval", "log-likelihood of held-out words"])
def test_documents_of_one_word_cannot_be_halved(measure):
    with pytest.raises(ValueError, match="held out"):
        cross_validate(quick, np.eye(6), diversity=[0], measure=measure)


def test_documents_that_cannot_be_halved_are_left_out():
    short = sp.csr_array(np.vstack([COUNTS.toarray()[:60], np.eye(40)[:30]]))
    model = ReplicatedSoftmax(4, max_updates=30, random_state=0).fit(COUNTS)
    for measure in ("agreement of halves", "half retrieval", "log-likelihood of held-out words"):
        whole, padded = (
            measured(measure, model, Held(sp.vstack([COUNTS, rows]).tocsr(), None, np.arange(150), held, 0))
            for rows, held in ((short[:60], 150 + np.arange(60)), (short, 150 + np.arange(90)))
        )
        assert padded == pytest.approx(whole, abs=0.1)
        assert np.isfinite(padded)


@pytest.mark.parametrize(
    ("settings", "broad"),
    [({"granularity": "groups"}, 1), ({"granularity": "details"}, 0), ({}, 0.5), ({"granularity": 0.2}, 0.2)],
)
def test_the_granularity_says_how_many_neighbours_the_halves_have_in_common(settings, broad):
    corpus = synthetic_corpus(1300, 5, 40, seed=1).corpus.counts
    train, held = np.arange(1200), np.arange(1200, 1300)
    model = ReplicatedSoftmax(4, **settings, max_updates=30, random_state=0).fit(corpus[train])
    halves = [model.transform(half) for half in useful_halves(corpus[held], 5)]
    few, many = (half_agreement(*halves, model.transform(corpus[train]), k) for k in (10, 100))
    expected = (1 - broad) * few + broad * many
    assert measured("agreement of halves", model, Held(corpus, None, train, held, 5)) == pytest.approx(expected)


def test_held_out_words_leave_the_model_as_it_is():
    model = ReplicatedSoftmax(4, max_updates=30, representation="centred logits", random_state=0).fit(COUNTS)
    before = model.get_params()
    log_likelihoods_of_held_out_words(model, COUNTS, 0)
    assert model.get_params() == before
