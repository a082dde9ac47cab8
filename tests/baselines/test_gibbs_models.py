"""What both Gibbs topic models promise as estimators."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from gibbs_checks import matched_cosines
from sklearn.utils.estimator_checks import parametrize_with_checks

import wideangle
from wideangle.baselines.documents.lida import LIDA
from wideangle.baselines.documents.pitman_yor import PitmanYorTopicModel
from wideangle.data import synthetic_corpus

MODELS = [PitmanYorTopicModel, LIDA]
FEW = {"n_iterations": 12, "burn_in": 6, "sample_every": 2, "fold_in_iterations": 4}
SMALL = np.random.default_rng(0).poisson(0.8, (12, 7))

both = pytest.mark.parametrize("model", MODELS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
# scikit-learn's checks feed fractions.
@parametrize_with_checks([model(3, allow_fractions=True, **FEW) for model in MODELS])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@both
def test_topics_and_proportions_are_distributions(model):
    fitted = model(4, random_state=0, **FEW).fit(SMALL)
    assert fitted.components_.shape == (4, 7)
    proportions = fitted.transform(SMALL)
    for rows in (fitted.components_, proportions):
        assert (rows > 0).all()
        assert np.allclose(rows.sum(axis=1), 1)
    assert fitted.n_samples_ == 3


@both
def test_the_seed_decides(model):
    one, same, other = (model(3, random_state=seed, **FEW).fit(SMALL) for seed in (0, 0, 1))
    assert (one.components_ == same.components_).all()
    assert (one.transform(SMALL) == same.transform(SMALL)).all()
    assert one.perplexity(SMALL) == same.perplexity(SMALL)
    assert not np.allclose(one.components_, other.components_)


@both
def test_a_document_has_the_same_proportions_in_any_company(model):
    fitted = model(3, random_state=0, **FEW).fit(sp.csr_array(SMALL))
    np.testing.assert_allclose(fitted.transform(SMALL)[[5]], fitted.transform(sp.csr_array(SMALL[[5]])), rtol=1e-12)


@both
def test_a_document_without_words_has_the_prior_mean(model):
    fitted = model(3, random_state=0, **FEW).fit(np.vstack([SMALL, np.zeros(7)]))
    empty = fitted.transform(np.zeros((1, 7)))[0]
    assert np.isclose(empty.sum(), 1)
    if model is PitmanYorTopicModel:
        assert np.allclose(empty, 1 / 3)


@both
def test_one_document_one_word_one_topic_and_more_topics_than_words(model):
    assert model(3, random_state=0, **FEW).fit([[2, 0, 1]]).components_.shape == (3, 3)
    assert np.allclose(model(2, random_state=0, **FEW).fit([[2], [1]]).components_, 1)
    assert np.allclose(model(1, random_state=0, **FEW).fit(SMALL).transform(SMALL), 1)
    assert model(20, random_state=0, **FEW).fit(SMALL).transform(SMALL).shape == (12, 20)


@both
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, -2.0]], "Negative values"),
        ([[1.0, 0.5]], "whole numbers"),
        ([[0.0, 0.0]], "every document"),
        ([[np.nan, 1.0]], "NaN"),
        (np.zeros((0, 3)), "0 sample"),
    ],
)
def test_bad_counts(model, X, message):
    with pytest.raises(ValueError, match=message):
        model(2, **FEW).fit(X)


@both
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_components": 0}, "n_components .*got 0"),
        ({"n_components": 2.5}, "n_components"),
        ({"alpha": 0.0}, "alpha"),
        ({"beta": -1.0}, "beta"),
        ({"n_iterations": 5, "burn_in": 5}, "burn_in must be below n_iterations"),
        ({"burn_in": -1}, "burn_in .*at least 0"),
        ({"verbose": "yes"}, "verbose must be True or False"),
    ],
)
def test_bad_settings(model, settings, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model(**settings).fit(SMALL)


@pytest.mark.parametrize(
    ("model", "name"), [(PitmanYorTopicModel, "discount"), (LIDA, "topic_discount"), (LIDA, "word_discount")]
)
def test_a_discount_is_below_one(model, name):
    for wrong in (1.0, -0.1, np.nan):
        with pytest.raises(ValueError, match=f"{name} must be a number of at least 0 and below 1"):
            model(**{name: wrong}).fit(SMALL)


@both
def test_hyperparameters_stay_where_they_are_not_sampled(model):
    fitted = model(3, alpha=0.7, beta=0.3, sample_hyperparameters=False, random_state=0, **FEW).fit(SMALL)
    assert (fitted.alpha_, fitted.beta_) == (0.7, 0.3)
    sampled = model(3, alpha=0.7, beta=0.3, random_state=0, **FEW).fit(SMALL)
    assert sampled.alpha_ != 0.7


@both
def test_saved_and_loaded(model, tmp_path):
    fitted = model(3, random_state=0, **FEW).fit(SMALL)
    fitted.save(tmp_path / "model.wideangle")
    again = wideangle.load(tmp_path / "model.wideangle")
    assert (again.transform(SMALL) == fitted.transform(SMALL)).all()
    assert again.perplexity(SMALL) == fitted.perplexity(SMALL)


@both
def test_without_numba_the_error_says_what_to_install(model, monkeypatch):
    for name in list(sys.modules):
        if name == "numba" or (name.startswith("wideangle.baselines.documents._") and name.endswith("_sampler")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(ImportError, match=r"numba.*'wideangle\[baselines\]'"):
        model(2).fit(SMALL)


@both
def test_completion_scores_half_of_the_tokens_and_beats_the_words_frequencies(model):
    made = synthetic_corpus(300, 5, 100, exponent=0.0, background=0.1, seed=1)
    X = made.corpus.counts
    train, test = X[:200], X[200:]
    fitted = model(5, n_iterations=80, burn_in=40, fold_in_iterations=20, random_state=0).fit(train)
    log_p, scored = fitted.completion_log_likelihood(test)
    lengths = np.asarray(test.sum(axis=1)).ravel()
    assert (scored == lengths - lengths // 2).all()
    assert np.isclose(fitted.perplexity(test), np.exp(-np.mean(log_p / scored)))
    frequency = np.asarray(train.sum(axis=0)).ravel() + 1.0
    unigram = np.exp(-np.mean((test @ np.log(frequency / frequency.sum())) / lengths))
    assert fitted.perplexity(test) < 0.8 * unigram


@both
def test_the_perplexity_of_empty_documents_is_an_error(model):
    with pytest.raises(ValueError, match="all 2 documents are empty"):
        model(2, random_state=0, **FEW).fit(SMALL).perplexity(np.zeros((2, 7)))


@pytest.mark.slow
@pytest.mark.quick_cases(1)
@both
def test_known_topics_are_found(model):
    made = synthetic_corpus(400, 6, 150, exponent=0.0, background=0.0, seed=0)
    cosines = []
    for seed in range(3):
        fitted = model(6, n_iterations=200, burn_in=150, random_state=seed).fit(made.corpus.counts)
        cosines.append(matched_cosines(fitted.components_, made.topics))
    assert np.median(cosines) > 0.95
    assert np.min(cosines, axis=1).max() > 0.95  # Chains can stay in a mode that merges topics, but not all do.
