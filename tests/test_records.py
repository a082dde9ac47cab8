"""Sentences of README and docs that speak of all runs of a kind, checked against the records under results/."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

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


def test_no_two_components_of_a_regularised_model_are_near_copies():
    found = [record for record in records("rbm_quality/test.jsonl") if record["diversity"]]
    assert len(found) == 33
    assert min(record["smallest angle"] for record in found) > 33.9


def test_logits_gain_at_every_size_on_20_news():
    found = gains(records("rbm_quality/test.jsonl", data="20news"), "P@100 logits")
    assert len(found) == 5
    assert min(found.values()) > 0


@pytest.mark.parametrize("data", ["reuters", "20news", "tdt2"])
def test_the_default_weight_was_best_in_tuning_with_25_topics(data):
    found = records("rbm_quality/tune.jsonl", data=data, n_components=25, weight_decay=0.3)
    weights = sorted({record["diversity"] for record in found})
    means = {w: mean([r for r in found if r["diversity"] == w], "P@100 probabilities") for w in weights}
    assert max(means, key=means.get) == 0.3


@pytest.mark.parametrize(("data", "better"), [("reuters", 1.0), ("tdt2", 1.0), ("20news", 0.3)])
def test_the_better_weight_decay_in_tuning_with_25_topics(data, better):
    found = records("rbm_quality/tune.jsonl", data=data, n_components=25, diversity=0.3)
    means = {
        decay: mean([r for r in found if r["weight_decay"] == decay], "P@100 probabilities") for decay in (0.3, 1.0)
    }
    assert max(means, key=means.get) == better
