"""The cheap search: its cost, what it compares, and the rule by which it takes."""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
from tuning_cases import COUNTS, KINDS, LINE, NOISE, TOPICS, WINE

from wideangle.catalogue import Entry, register, unregister
from wideangle.data import synthetic_corpus
from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier, MLPRegressor, ReplicatedSoftmax
from wideangle.models._boltzmann.contrastive import ContrastiveTrainer
from wideangle.models._parameters import diversity_of
from wideangle.tuning import SettingsTrial, choose_settings, halving, measures
from wideangle.tuning.choosing import choose_among
from wideangle.tuning.results import standard_error

BITS = (COUNTS.toarray() > 0).astype(float)


def quick(**settings):
    return ReplicatedSoftmax(4, **({"max_updates": 60} | settings))


def trial(scores, diversity=0.0):
    return SettingsTrial({"diversity": diversity}, 10, tuple(scores))


@pytest.fixture
def updates(monkeypatch):
    """How many updates all fits make."""
    made, update = [], ContrastiveTrainer.update
    monkeypatch.setattr(ContrastiveTrainer, "update", lambda *batch: made.append(1) or update(*batch))
    return made


@pytest.fixture
def worth(monkeypatch):
    """Let a function of a model's parameters be its score. Sets of queries differ by noise that all fits share."""

    def planted(function):
        def scores(measure, model, held, sets):
            noise = np.random.default_rng(0).normal(size=len(sets))
            small = np.random.default_rng(crc32(str(model.get_params()).encode())).normal(size=len(sets))
            return tuple(function(model) + noise + 0.01 * (small - small.mean()))

        monkeypatch.setattr(measures, "measured_in_sets", scores)

    return planted


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("max_updates", [50, 101, 240])
@pytest.mark.parametrize("y", [TOPICS, None], ids=["labels", "no labels"])
@pytest.mark.parametrize("own", [None, 0.017])
def test_the_updates_of_all_fits_are_within_their_budget(max_updates, y, own, updates):
    found = choose_settings(quick(max_updates=max_updates, diversity=own), COUNTS, y)
    assert len(updates) == found.updates <= 1.25 * max_updates
    assert found.updates > 0.8 * max_updates  # What may be spent is mostly used.
    assert max(each.updates for each in found.trials) >= max_updates // 8


def test_one_fit_is_measured_at_each_granularity(updates, monkeypatch):
    asked, measure = [], measures.measured_in_sets

    def noted(name, model, held, sets):
        found = measure(name, model, held, sets)
        assert found == measure(name, model, replace(held, said={}), sets)  # What is kept is as good as new.
        asked.append((model.weighting, model.diversity, model.granularity))
        return found

    monkeypatch.setattr(measures, "measured_in_sets", noted)
    found = choose_settings(quick(), COUNTS, TOPICS)
    assert {w for w, _, _ in asked} == {"counts", "balanced", "tf-idf"}
    assert {λ for _, λ, _ in asked} == {0.0, 0.1, 0.3, 1.0}
    assert {g for *_, g in asked} == {0.0, 0.25, 0.5, 0.75, 1.0}
    fits = [asked[first : first + 5] for first in range(0, len(asked), 5)]  # Each is measured five times in a row.
    assert all(len({(w, λ) for w, λ, _ in fit}) == 1 and len({g for *_, g in fit}) == 5 for fit in fits)
    assert len(found.trials) == 12
    assert [each.updates for each in found.trials] == sorted((t.updates for t in found.trials), reverse=True)


def test_without_labels_only_the_weight_is_chosen():
    found = choose_settings(quick(), COUNTS)
    assert found.measure == "agreement of halves"
    assert set(found.best.settings) == {"diversity"}
    assert {each.diversity for each in found.trials} == {0.0, 0.1, 0.3, 1.0}


def test_a_measure_without_labels_chooses_only_the_weight_even_if_there_are_labels():
    found = choose_settings(quick(), COUNTS, TOPICS, measure="half retrieval")
    assert (found.measure, set(found.best.settings)) == ("half retrieval", {"diversity"})


@pytest.mark.slow
def test_what_is_set_is_kept():
    found = choose_settings(quick(weighting="log", representation="probabilities"), COUNTS, TOPICS)
    assert set(found.best.settings) == {"diversity"}
    tuned = found.tuned(quick(weighting="log", random_state=3))
    assert (tuned.weighting, tuned.random_state, tuned.diversity) == ("log", 3, found.best.diversity)
    assert set(choose_settings(quick(weighting="log"), COUNTS, TOPICS).best.settings) == {"diversity", "granularity"}
    set_too = quick(weighting="log", granularity="groups")
    assert set(choose_settings(set_too, COUNTS, TOPICS).best.settings) == {"diversity"}
    unfinished = quick(weighting="log", finish=None)  # There is nothing that a granularity would change.
    assert set(choose_settings(unfinished, COUNTS, TOPICS).best.settings) == {"diversity"}


def test_the_best_of_everything_is_found(worth):
    good = {"weighting": "tf-idf", "diversity": 1.0, "granularity": 0.25}
    worth(lambda model: sum(getattr(model, name) == value for name, value in good.items()))
    found = choose_settings(quick(), COUNTS, TOPICS)
    assert found.best.settings == good
    assert "λ = 1 (tf-idf, for 0.25) is better than λ = 0 beyond noise" in found.reason
    assert found.trials[0] == found.best


def test_what_is_better_within_noise_only_is_not_taken(worth):
    worth(lambda model: 0.001 * (model.weighting == "tf-idf") + 0.001 * (model.granularity == 0.25))
    best = choose_settings(quick(), COUNTS, TOPICS).best
    assert best.settings["weighting"] == "balanced"
    assert best.settings["granularity"] == 0.5


@pytest.mark.parametrize("granularity", [None, "groups", "details"])
@pytest.mark.parametrize("y", [TOPICS, None], ids=["labels", "no labels"])
def test_where_every_weight_costs_none_is_taken(granularity, y, worth):
    """As with broad classes, which components that are spread cut into parts."""
    worth(lambda model: -(diversity_of(model) ** 0.5))
    found = choose_settings(quick(granularity=granularity), COUNTS, y)
    assert found.best.diversity == 0
    assert "took λ = 0" in found.reason


def test_zero_and_the_own_weight_reach_the_last_round(worth):
    worth(diversity_of)
    found = choose_settings(quick(diversity=0.017), COUNTS, TOPICS)
    last = [each for each in found.trials if each.updates == found.trials[0].updates]
    assert {0.0, 0.017, 1.0} <= {each.diversity for each in last}
    assert len({each.settings["weighting"] for each in last}) == 1
    assert found.best.diversity == 1


def test_a_gain_beyond_noise_is_taken():
    taken, reason = choose_among(
        [trial(0.5 + NOISE), trial(0.55 + NOISE, 0.3), trial(0.6 + NOISE / 2, 1.0)], "P@10", 0.3
    )
    assert taken.diversity == 1
    assert reason.startswith("λ = 1 is better")


def test_a_gain_of_less_than_two_standard_errors_is_none():
    """Short fits flatter λ. NOISE has a standard error of 0.0058, that of the differences here is half of it."""
    plain = trial(0.5 + NOISE)
    cases = ((0.0050, "accuracy", 0.0), (0.0065, "accuracy", 1.0), (0.0065, "P@10", 0.0), (0.0105, "P@10", 1.0))
    for gain, measure, expected in cases:
        taken, reason = choose_among(
            [plain, trial(0.49 + NOISE, 0.3), trial(0.5 + gain + NOISE / 2, 1.0)], measure, 0.3
        )
        assert taken.diversity == expected
        assert ("the model's own λ = 0.3 −0.0100" in reason) == (expected == 0)


def test_the_own_weight_is_taken_where_it_costs_nothing_that_can_be_seen():
    plain = trial(0.5 + NOISE)
    for lost, expected in ((0.002, 0.3), (0.004, 0.0)):  # The standard error of the differences is 0.0029.
        taken, reason = choose_among([plain, trial(0.5 - lost + NOISE / 2, 0.3), trial(0.4 + NOISE, 1.0)], "P@10", 0.3)
        assert taken.diversity == expected
        assert reason.endswith("at no measurable cost." if expected else "took λ = 0.")


def test_no_weight_is_taken_that_is_worse_than_zero_beyond_noise():
    rng = np.random.default_rng(0)
    weights_taken = set()
    for _ in range(500):
        levels = rng.normal(0.5, 0.1, 5)
        trials = [trial(levels + rng.normal(-0.01 * λ, 0.01, 5), λ) for λ in (0.0, 0.1, 0.3, 1.0)]
        taken, _ = choose_among(trials, "P@10", 0.3)
        behind = np.subtract(trials[0].scores, taken.scores)
        assert behind.mean() <= (standard_error(behind) if taken.diversity else 0)
        weights_taken.add(taken.diversity)
    assert 0 in weights_taken
    assert len(weights_taken) > 1


def test_an_absurd_weight_is_not_taken():
    found = choose_settings(quick(max_updates=200), COUNTS, TOPICS, diversity=[1000])
    assert found.best.diversity < 1000


@pytest.mark.parametrize(
    ("estimator", "X", "y", "measure"),
    [
        (BernoulliRBM(4, max_updates=60), BITS, TOPICS, "P@10"),
        (BernoulliRBM(4, max_updates=60), BITS, None, "log-likelihood per row"),
        (DistanceLearner(4, max_updates=30), WINE, KINDS, "AP + 3-NN"),
        (MLPClassifier(8, max_updates=60), WINE, KINDS, "accuracy"),
        (MLPRegressor(8, max_updates=60), WINE, LINE, "R²"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else None,
)
def test_other_estimators_choose_the_weight_by_their_usual_measure(estimator, X, y, measure):
    found = choose_settings(estimator, X, y)
    assert found.measure == measure
    assert set(found.best.settings) == {"diversity"}
    assert found.updates <= 2 * estimator.max_updates
    assert found.best in found.trials


def test_precision_counts_more_neighbours_where_classes_are_large():
    """400 documents of two classes, 600 of three, and 1,800 of two: two thirds of them are searched."""
    for n, classes, k in ((400, 2, 26), (600, 3, 26), (1800, 2, 100), (150, 5, 10)):
        counts = synthetic_corpus(n, 5, 40, seed=0).corpus.counts
        model = ReplicatedSoftmax(2, weighting="counts", representation="logits", max_updates=25)
        assert choose_settings(model, counts, np.arange(n) % classes).measure == f"P@{k}"


def test_many_rows_are_not_all_used(monkeypatch):
    for name, most in (("MOST_QUERIES", 20), ("MOST_SEARCHED", 50), ("FEWEST_ROWS", 30), ("EARLIER", (15, 25))):
        monkeypatch.setattr(halving, name, most)
    seen, fit = [], ReplicatedSoftmax.fit
    monkeypatch.setattr(ReplicatedSoftmax, "fit", lambda self, X, y=None: seen.append(X.shape[0]) or fit(self, X, y))
    sizes, measure = [], measures.measured_in_sets

    def noted(name, model, held, sets):
        assert not set(held.rows) & set(held.searched)
        assert np.array_equal(np.sort(np.concatenate(sets)), np.arange(len(held.rows)))
        assert len(set(held.rows)) == len(held.rows)
        sizes.append((len(held.searched), len(held.rows)))
        return measure(name, model, held, sets)

    monkeypatch.setattr(measures, "measured_in_sets", noted)
    choose_settings(quick(), COUNTS, TOPICS)
    assert set(seen) == {32, 64, 128}  # a seventh is held out; a quarter, half and all of the others
    assert set(sizes) == {(25, 20), (50, 20)}  # A set has four queries at least.


@pytest.mark.slow
def test_the_seed_alone_decides_and_the_estimator_stays_as_it_was():
    estimator = quick(random_state=5, verbose=True)
    before = estimator.get_params()
    first = choose_settings(estimator, COUNTS, TOPICS)
    assert first == choose_settings(quick(random_state=8), COUNTS, TOPICS)
    assert first.trials != choose_settings(estimator, COUNTS, TOPICS, seed=1).trials
    assert estimator.get_params() == before
    assert first.tuned(estimator).get_params() == before | dict(first.best.settings)


def test_progress_is_told_in_updates():
    calls = []
    found = choose_settings(quick(), COUNTS, TOPICS, progress=lambda *call: calls.append(call))
    assert calls[0] == (0, 120, None)
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert done[-1] == found.updates
    assert all(isinstance(call[2], SettingsTrial) for call in calls[1:])


BAD = {
    "few rows": (quick(), COUNTS[:2], TOPICS[:2], {}, "need at least 3 rows; got 2"),
    "few rows to search": (quick(), COUNTS[:12], np.arange(12) % 2, {}, "cannot be compared by P@10: it has 8 rows"),
    "one row held out": (quick(), COUNTS[:3], None, {}, "it holds out one row only"),
    "one class": (quick(), COUNTS, np.zeros(150, int), {}, "one class"),
    "no pairs": (DistanceLearner(), WINE[:6], [0, 0, 1, 1, 2, 2], {}, "no similar"),
    "y too short": (quick(), COUNTS, TOPICS[:9], {}, "y must have 150 entries"),
    "unknown measure": (quick(), COUNTS, TOPICS, {"measure": "P@11"}, "got 'P@11'"),
    "no labels": (MLPClassifier(), WINE, None, {}, "needs y"),
    "λ < 0": (quick(), COUNTS, TOPICS, {"diversity": [-0.1]}, "at least 0"),
    "seed": (quick(), COUNTS, TOPICS, {"seed": -1}, "seed must be"),
    "progress": (quick(), COUNTS, TOPICS, {"progress": True}, "progress"),
    "a class": (ReplicatedSoftmax, COUNTS, TOPICS, {}, "make an instance"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_before_any_fit(name, monkeypatch):
    estimator, X, y, settings, message = BAD[name]
    monkeypatch.setattr(halving._Search, "fitted", lambda *_: pytest.fail("a fit was started"))
    with pytest.raises((ValueError, TypeError), match=message):
        choose_settings(estimator, X, y, **settings)


def test_estimators_without_weight_or_updates_are_refused():
    from sklearn.decomposition import NMF

    class Parts(NMF):
        """It has no λ."""

    class Weighted(NMF):
        """It has a λ, and fits that cannot be shortened."""

        def __init__(self, n_components=2, *, diversity=0.1):
            super().__init__(n_components)
            self.diversity = diversity

    for kind, grid, message in ((Parts, (), "no diversity to choose"), (Weighted, (0.0, 0.1), "use cross_validate")):
        register(Entry.of(kind, takes="counts", grid=grid))
        try:
            with pytest.raises((TypeError, ValueError), match=message):
                choose_settings(kind(), COUNTS, TOPICS)
        finally:
            unregister(kind.__name__)


def test_a_score_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setattr(measures, "measured_in_sets", lambda *_: (float("nan"),) * 5)
    with pytest.raises(ValueError, match="P@10 at λ = 0 is"):
        choose_settings(quick(), COUNTS, TOPICS)
