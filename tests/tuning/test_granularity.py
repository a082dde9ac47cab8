"""The granularity that labels choose: from one fit, in cross-validation, and how sure the choice is."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from tuning_cases import COUNTS, TOPICS, quick

from wideangle._own_settings import unfitted_copy
from wideangle.baselines.documents import LSI, TfIdf
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.tuning import choose_granularity, cross_validate
from wideangle.tuning.granularity import TRIED, choice_among

LEVELS = np.random.default_rng(0).random(400)  # what queries share at all granularities
SPREAD = np.random.default_rng(1).normal(0, 0.1, 400)
SPREAD -= SPREAD.mean()  # Its mean has a standard error of 0.005.


@pytest.fixture(scope="module")
def model():
    return ReplicatedSoftmax(4, max_updates=60, random_state=7).fit(COUNTS)


def precision(vectors, labels, database, stored, k, *, leave_out):
    """By a loop over queries; there are no ties."""
    apart = cdist(vectors, database)
    if leave_out:
        np.fill_diagonal(apart, np.inf)
    near = [np.argsort(row)[:k] for row in apart]
    return np.array([np.mean(stored[rows] == label) for rows, label in zip(near, labels, strict=True)])


@pytest.mark.parametrize("leave_out", [True, False])
def test_scores_and_gains_are_those_of_transform_at_each_granularity(model, leave_out):
    asked = np.arange(150) if leave_out else np.arange(100, 150)
    stored = np.arange(150) if leave_out else np.arange(100)
    database = None if leave_out else (COUNTS[stored], TOPICS[stored])
    choice = choose_granularity(model, COUNTS[asked], TOPICS[asked], database=database, k=7)
    assert choice.measure == "P@7"
    assert [trial.granularity for trial in choice.trials] == list(TRIED)
    expected = {}
    for number in TRIED:
        copied = unfitted_copy(model)
        copied.__dict__.update(model.__dict__)
        vectors = copied.set_params(granularity=number).transform(COUNTS)
        expected[number] = precision(
            vectors[asked], TOPICS[asked], vectors[stored], TOPICS[stored], 7, leave_out=leave_out
        )
    for trial in choice.trials:
        each, gained = expected[trial.granularity], expected[trial.granularity] - expected[0.5]
        assert trial.score == pytest.approx(each.mean(), abs=1e-3)
        assert trial.gain == pytest.approx(gained.mean(), abs=1e-3)
        assert trial.gain_error == pytest.approx(gained.std(ddof=1) / len(gained) ** 0.5, abs=1e-3)
    assert choice.own.granularity == 0.5
    assert choice.best in choice.trials
    assert len({trial.score for trial in choice.trials}) > 1


def test_the_model_stays_as_it_is(model):
    before, vectors = model.get_params(), model.transform(COUNTS)
    choose_granularity(model, COUNTS, TOPICS)
    assert model.get_params() == before
    np.testing.assert_array_equal(model.transform(COUNTS), vectors)


def test_the_own_granularity_is_tried_too():
    lsi = LSI(4, finish="spectrum", granularity=0.4).fit(COUNTS)
    choice = choose_granularity(lsi, COUNTS, TOPICS, granularities=("groups", 0.1))
    assert [trial.granularity for trial in choice.trials] == [0.1, 0.4, 1.0]
    assert (choice.own.granularity, choice.own.gain, choice.own.clear) == (0.4, 0, False)


def test_many_documents_are_not_all_asked_with(model):
    every, some, again, other = (
        choose_granularity(model, COUNTS, TOPICS, most_queries=most, seed=seed)
        for most, seed in ((150, 0), (40, 0), (40, 0), (40, 1))
    )
    assert some == again
    assert some != other
    assert some.own.error > every.own.error


def test_the_rarer_half_of_the_classes(model):
    labels = np.where(np.arange(150) < 12, "rare", "frequent")
    choice = choose_granularity(model, COUNTS, labels)
    assert all(trial.rarer < trial.score for trial in choice.trials)
    only = choose_granularity(model, COUNTS[:9], ["a"] * 9, database=(COUNTS, labels))
    assert [trial.rarer for trial in only.trials] == [None] * 5  # All queries are of one class.


def test_what_is_clearly_better_is_taken():
    scores = {0.0: LEVELS - 0.02, 0.5: LEVELS, 0.75: LEVELS + 0.011 + SPREAD, 1.0: LEVELS + 0.013 + SPREAD}
    choice = choice_among(scores, 0.5, "P@10", "queries")
    assert (choice.best.granularity, choice.best.clear) == (1.0, True)
    assert choice.reason == "Groups finds 1.3 points more than balance (± 0.5 over queries)."


def test_what_is_better_within_noise_is_not_taken():
    choice = choice_among({0.0: LEVELS + 0.008 + SPREAD, 0.5: LEVELS}, 0.5, "P@10", "queries")
    assert choice.best is choice.own
    assert choice.reason == (
        "No other granularity is clearly better than balance: details finds 0.8 points more (± 0.5 over queries)."
    )
    choice = choice_among({0.0: LEVELS - 0.1, 0.3: LEVELS}, 0.3, "P@10", "queries")
    assert choice.reason == "No other granularity finds more than 0.3."


def test_few_folds_need_more_standard_errors():
    """Three values have a standard error of two degrees of freedom, which is often far too small."""
    own, noise = np.array([0.5, 0.6, 0.4]), np.array([0.01, 0.0, -0.01])  # an error of 0.0058
    for gain, clear in ((0.02, False), (0.04, True)):
        choice = choice_among({0.0: own + gain + noise, 0.5: own}, 0.5, "P@10", "3 folds")
        assert choice.best.clear is clear
    alone = choice_among({0.0: np.array([1.0]), 0.5: np.array([0.0])}, 0.5, "P@10", "queries")
    assert alone.best is alone.own  # One query tells nothing about others.


BAD = {
    "no finish": (lambda model: LSI(4).fit(COUNTS), COUNTS, TOPICS, {}, "Fit it with finish='halves'"),
    "representation": (
        lambda model: ReplicatedSoftmax(3, max_updates=5, representation="logits").fit(COUNTS),
        COUNTS,
        TOPICS,
        {},
        "has no granularity here",
    ),
    "cannot have one": (lambda model: TfIdf().fit(COUNTS), COUNTS, TOPICS, {}, "Take a model of word counts"),
    "other rows": (
        lambda model: BernoulliRBM(3, max_updates=5).fit(COUNTS.toarray() > 0),
        COUNTS,
        TOPICS,
        {},
        "BernoulliRBM has no granularity",
    ),
    "one class": (lambda model: model, COUNTS, np.zeros(150), {}, "one class only"),
    "y too short": (lambda model: model, COUNTS, TOPICS[:9], {}, "y must have 150 entries"),
    "no number": (lambda model: model, COUNTS, TOPICS, {"granularities": (0, 2)}, "got 2"),
    "no sequence": (lambda model: model, COUNTS, TOPICS, {"granularities": "groups"}, "must be a sequence"),
    "seed": (lambda model: model, COUNTS, TOPICS, {"seed": -1}, "seed must be"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name, model):
    estimator, X, y, settings, message = BAD[name]
    with pytest.raises((ValueError, TypeError), match=message):
        choose_granularity(estimator(model), X, y, **settings)


@pytest.mark.slow
def test_cross_validation_measures_each_fit_at_all_granularities(monkeypatch):
    fits, fit = [], ReplicatedSoftmax.fit
    monkeypatch.setattr(ReplicatedSoftmax, "fit", lambda self, X, y=None: fits.append(1) or fit(self, X, y))
    monkeypatch.setattr("wideangle.tuning.running.seconds_of_fits", lambda *_: 0.0)
    found = cross_validate(quick, COUNTS, TOPICS, diversity=[0, 0.3])
    assert len(fits) == 6
    choice = found.granularities
    assert [trial.granularity for trial in choice.trials] == list(TRIED)
    assert {trial.granularity for trial in found.trials} == {choice.best.granularity}
    assert found.tuned(quick).granularity == (None if choice.best is choice.own else choice.best.granularity)
    means = []
    for number in (0.0, choice.best.granularity):
        estimator = unfitted_copy(quick).set_params(granularity=number)
        alone = cross_validate(estimator, COUNTS, TOPICS, diversity=[0, 0.3])
        assert alone.granularities is None  # It was set, and is kept.
        means.append(np.mean([trial.scores for trial in alone.trials]))
    assert choice.trials[0].score == pytest.approx(means[0])
    assert choice.best.score == pytest.approx(means[1])
    np.testing.assert_allclose([t.scores for t in found.trials], [t.scores for t in alone.trials])


def test_cross_validation_compares_granularities_by_labels_alone():
    assert cross_validate(quick, COUNTS, diversity=[0]).granularities is None
    assert cross_validate(LSI(4), COUNTS, TOPICS).granularities is None
    finished = cross_validate(LSI(4, finish="halves"), COUNTS, TOPICS, granularities=(0, 1))
    assert [trial.granularity for trial in finished.granularities.trials] == [0, 0.5, 1]
    with pytest.raises(ValueError, match="LSI has no granularity here"):
        cross_validate(LSI(4), COUNTS, TOPICS, granularities=(0, 1))
    with pytest.raises(ValueError, match="granularities"):
        cross_validate(quick, COUNTS, diversity=[0], granularities=(0, 1))
