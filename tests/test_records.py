"""Sentences of README and docs that speak of all runs of a kind, checked against the records under results/."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from wideangle._json_lines import read_lines
from wideangle.experiments.paper_report import table_or_figure
from wideangle.experiments.records import RecordFolder
from wideangle.experiments.specs import find_specs, read_spec

RESULTS = Path(__file__).parents[1] / "results"


def records(name, **wanted):
    found = read_lines(RESULTS / name, check=bool)
    return [record for record in found if all(record.get(key) == value for key, value in wanted.items())]


def mean(found, column):
    assert found, "no record: the claim speaks of runs that are not there"
    return np.mean([record[column] for record in found])


def table(spec):
    """The table of a spec as `wideangle reproduce --report` makes it."""
    made = read_spec(find_specs()[spec])
    return table_or_figure(made, RecordFolder(RESULTS / "reproduction").read(made.task))


def gains(spec, regularised="MAR-DML", plain="DML"):
    """By column, the mean of a regularised model less that of a plain one. Every cell has all its seeds."""
    made, seeds = table(spec), read_spec(find_specs()[spec]).seeds
    rows = [made.rows[name] for name in (regularised, plain)]
    assert all(len(cell.values) == seeds for row in rows for cell in row), "the claim speaks of runs that are not there"
    return {name: one.mean - other.mean for name, one, other in zip(made.columns, *rows, strict=True)}


@pytest.mark.parametrize(("data", "measure"), list(product(["20news", "15scenes"], ["ap", "3nn"])))
def test_in_the_papers_setting_the_regulariser_is_better_at_every_size(data, measure):
    found = gains(f"distance_{measure}_{data}")
    assert len(found) == {"20news": 6, "15scenes": 5}[data]
    assert min(found.values()) > 0


@pytest.mark.parametrize("data", ["20news", "15scenes"])
def test_in_the_papers_setting_average_precision_gains_more_than_the_seeds_deviate(data):
    made = table(f"distance_ap_{data}")
    (told,) = [remark for remark in made.remarks if remark.startswith("MAR-DML against DML")]
    assert told == f"MAR-DML against DML: better at {', '.join(made.columns)}."


@pytest.mark.parametrize(
    ("data", "sizes"), [("tdt", (100, 200, 500)), ("20news", (100, 200, 500)), ("reuters", (100, 500))]
)
def test_perplexity_falls_with_the_angles_of_the_data(data, sizes):
    told = table(f"perplexity_{data}").beside_plain["MAR-RBM, ours, for likelihood"]
    assert told.partition(";")[0] == f"better at {', '.join(f'K = {size}' for size in sizes)}"
    assert "worse" not in told


@pytest.mark.parametrize("data", ["15scenes", "20news"])
def test_fewer_components_have_the_average_precision_of_the_best_plain_distance(data):
    made = table(f"distance_ap_{data}")
    plain, regularised = ([cell.mean for cell in made.rows[name]] for name in ("DML", "MAR-DML"))
    few = made.columns.index({"15scenes": "K = 10", "20news": "K = 100"}[data])
    assert min(regularised[few:]) > max(plain)


def test_tuned_plain_distances_are_better_than_regularised_ones_in_the_papers_setting():
    found = gains("distance_ap_compared", "DML, tuned", "MAR-DML")
    assert list(found) == ["20-News", "15-Scenes", "6-Activities"]
    assert min(found.values()) > 0


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("data", ["tdt", "20news", "reuters"])
@pytest.mark.parametrize("row", ["RBM", "MAR-RBM", "MAR-RBM, volume", "MAR-RBM, ours"])
def test_well_trained_documents_are_above_the_published_precision_at_every_size(data, row):
    cells = table(f"precision_{data}").rows[row]
    best = table(f"precision_{data}").rows["MAR-RBM"]
    assert len(cells) == 5
    assert all(cell.mean > ours.published for cell, ours in zip(cells, best, strict=True))


DEFAULT_SETS = [
    *(f"{name}, {kind}" for name in ("iris", "wine", "breast cancer", "digits") for kind in ("raw", "standardised")),
    *("15scenes", "mnist", "6activities", "phoneme", "20news"),
]


@pytest.mark.parametrize("data", DEFAULT_SETS)
@pytest.mark.parametrize("other", ["Euclid", "PCA"])
def test_default_distances_are_no_worse_than_euclid_on_the_recorded_sets(data, other):
    learned, plain = (records("distance_quality/defaults.jsonl", data=data, model=m) for m in ("defaults", other))
    assert mean(learned, "3-NN") >= mean(plain, "3-NN")


def best_weights(spec, data):
    """By size, the λ of the best mean accuracy. Every point has all its seeds."""
    made, seeds = table(spec), read_spec(find_specs()[spec]).seeds
    (panel,) = [panel for panel in made.panels if panel.title == data]
    assert all(len(curve.x) == 11 and len(values) == seeds for curve in panel.curves for values in curve.values)
    return {curve.name: curve.x[int(np.argmax(np.mean(curve.values, axis=1)))] for curve in panel.curves}


@pytest.mark.parametrize("spec", ["network_accuracy", "network_accuracy_no_decay"])
def test_accuracy_on_mnist_has_an_inner_optimum(spec):
    found = best_weights(spec, "MNIST")
    assert list(found) == ["K = 50", "K = 100", "K = 200", "K = 300"]
    assert all(1 <= weight <= 10 for weight in found.values())


def test_long_trained_networks_have_an_inner_optimum_on_phonemes():
    found = best_weights("network_accuracy_no_decay", "phoneme")
    assert list(found) == ["K = 50", "K = 100", "K = 200", "K = 300"]
    assert all(0.3 <= weight <= 3 for weight in found.values())


@pytest.mark.parametrize(("data", "better"), [("phoneme", "K = 100"), ("mnist", "K = 300")])
def test_networks_tuned_alike_are_nowhere_worse_with_the_regulariser(data, better):
    told = table(f"network_{data}").beside_plain["MAR-NN"]
    assert told == f"better at {better}; no difference seen in 3 of 4."


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
