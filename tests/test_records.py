"""Sentences of README and docs that speak of all runs of a kind, checked against the records under results/."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

RESULTS = Path(__file__).parents[1] / "results"


def records(name, **wanted):
    lines = (json.loads(line) for line in (RESULTS / name).read_text(encoding="utf-8").splitlines())
    return [record for record in lines if all(record.get(key) == value for key, value in wanted.items())]


def mean(found, column):
    assert found, "no record: the claim speaks of runs that are not there"
    return np.mean([record[column] for record in found])


def gains(found, column):
    """By K, the mean of the regularised models less that of the plain ones."""
    sizes = sorted({record["n_components"] for record in found})
    parts = {
        K: [[r for r in found if r["n_components"] == K and bool(r["diversity"]) == b] for b in (0, 1)] for K in sizes
    }
    return {K: mean(regularised, column) - mean(plain, column) for K, (plain, regularised) in parts.items()}


DISTANCES = {"20news": 6, "15scenes": 5, "6activities": 5}  # data and how many K


@pytest.mark.parametrize(("data", "column"), list(product(DISTANCES, ["AP", "3-NN"])))
def test_in_the_papers_setting_the_regulariser_is_no_worse_at_every_size(data, column):
    found = gains(records("distance_quality/test.jsonl", data=data, regime="paper"), column)
    assert len(found) == DISTANCES[data]
    assert min(found.values()) > -5e-5  # equal in the digits that are printed


@pytest.mark.parametrize("regime", ["weighted", "free"])
def test_average_precision_of_scenes_gains_at_every_size(regime):
    found = gains(records("distance_quality/test.jsonl", data="15scenes", regime=regime), "AP")
    assert len(found) == 5
    assert min(found.values()) > 0


DEFAULT_SETS = [
    *(f"{name}, {kind}" for name in ("iris", "wine", "breast cancer", "digits") for kind in ("raw", "standardised")),
    *("15scenes", "mnist", "6activities", "phoneme", "20news"),
]


@pytest.mark.parametrize("data", DEFAULT_SETS)
@pytest.mark.parametrize("other", ["Euclid", "PCA"])
def test_default_distances_are_no_worse_than_euclid_on_the_recorded_sets(data, other):
    learned, plain = (records("distance_quality/defaults.jsonl", data=data, model=m) for m in ("defaults", other))
    assert mean(learned, "3-NN") >= mean(plain, "3-NN")


@pytest.mark.parametrize(("regime", "units"), list(product(["tuned", "no decay"], [50, 100, 200, 300])))
def test_accuracy_on_mnist_has_an_inner_optimum(regime, units):
    found = records("network_quality/mnist.jsonl", part="test", regime=regime, units=units)
    weights = sorted({record["diversity"] for record in found})
    means = [mean([r for r in found if r["diversity"] == weight], "accuracy") for weight in weights]
    assert len(weights) == 11
    assert 1 <= weights[int(np.argmax(means))] <= 10


SETTINGS = ("weighting", "metric", "diversity")


@pytest.mark.parametrize("kind", ["own", "broad"])
@pytest.mark.parametrize("data", ["docstrings", "20news", "reuters", "tdt2", "reuters/4"])
def test_agreement_at_100_ranks_settings_as_precision_does(data, kind):
    """Spearman's correlation over all settings is above 0, and what its choice loses is at most 0.013."""
    found = records("rbm_quality/tune.jsonl", data=data)
    if f"{kind}, centred probabilities" not in found[0]:
        pytest.skip("this set has no broad classes")
    settings = sorted({tuple(str(record.get(name)) for name in SETTINGS) for record in found})
    groups = [[r for r in found if tuple(str(r.get(name)) for name in SETTINGS) == each] for each in settings]
    assert len(groups) == 21
    agreement, precision = (
        [mean(group, f"{column}, centred probabilities") for group in groups] for column in ("agreement at 100", kind)
    )
    assert spearmanr(agreement, precision)[0] > 0
    assert max(precision) - precision[int(np.argmax(agreement))] < 0.0135
