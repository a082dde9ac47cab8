"""What `benchmarks/metric_baselines.py` runs, and what its tables print."""

import numpy as np
import pytest
from _distance_parts import parts_of, scores
from _metric_tables import print_tables
from metric_baselines import SETS, SMALL_SETS, TRIED, chosen_inside, fold_of, most_rows
from metric_baselines import test_jobs as jobs_of_the_test_part

from wideangle.experiments.tasks import distances


def test_defaults_come_first_and_every_method_before_the_second_seed():
    jobs = jobs_of_the_test_part()
    stages = [job["stage"] for job in jobs]
    assert stages == sorted(stages)
    first = [job["seed"] for job in jobs if job["stage"] == "defaults"]
    assert [seed > 0 for seed in first] == sorted(seed > 0 for seed in first)
    assert {job["data"] for job in jobs if job["stage"] == "tuned"} == set(SMALL_SETS)
    assert {job["model"] for job in jobs if job["data"] == "6activities"} == set(TRIED)
    assert {job["seed"] for job in jobs if job["data"] == "6activities"} == {0}


def test_no_two_jobs_are_the_same():
    jobs = jobs_of_the_test_part()
    assert len({tuple(sorted(job.items(), key=str)) for job in jobs}) == len(jobs)


def test_tables_of_the_paper_are_left_to_the_experiments():
    assert {"20news", "15scenes"} <= set(distances.DATA)
    assert not {"20news", "15scenes"} & set(SETS)


def test_nca_alone_sees_some_of_many_rows_and_is_not_run_on_all_images():
    assert {model: most_rows(model, 60_000) for model in TRIED} == dict.fromkeys(TRIED, 60_000) | {"NCA": 3000}
    assert most_rows("NCA", 100) == 100
    run = {job["model"] for job in jobs_of_the_test_part() if job["data"] == "mnist, all rows"}
    assert run == set(TRIED) - {"NCA"}


@pytest.mark.parametrize("model", TRIED)
def test_what_is_tried_begins_with_the_default(model):
    from wideangle.baselines import metrics

    defaults = getattr(metrics, model)().get_params()
    assert TRIED[model][0].items() <= defaults.items()
    assert all(settings.keys() == TRIED[model][0].keys() for settings in TRIED[model])


def test_the_settings_of_the_best_fold_are_taken(monkeypatch):
    """Of wine's 13 columns no method can make 30 components."""
    parts, asked = parts_of("wine, raw", 0), []
    worth = {None: 0.5, 10: 0.8}

    def images(model, settings, inner, seed):
        asked.append(settings["n_components"])
        assert len(inner[1]) + len(inner[3]) == len(parts[1])  # training rows alone
        return None, worth[settings["n_components"]], None

    monkeypatch.setattr("metric_baselines.images", images)
    monkeypatch.setattr("metric_baselines.scores", lambda name, seed, train, *rest: {"AP": train, "3-NN": 0.1})
    assert chosen_inside({"data": "wine, raw", "model": "NCA", "seed": 0}, parts) == {"n_components": 10}
    assert asked == [None, 10]


def test_a_fold_has_every_class_and_no_row_of_the_rest():
    X, y, *_ = parts_of("wine, standardised", 3)
    rest, y_rest, fold, y_fold, _ = fold_of(X, y)
    assert set(y_fold) == set(y_rest) == set(y)
    np.testing.assert_array_equal(np.sort(np.concatenate([rest, fold]), axis=0), np.sort(X, axis=0))
    assert not {tuple(row) for row in fold} & {tuple(row) for row in rest}


def test_scores_are_those_of_loops():
    X, y, Z, z, checksum = parts_of("iris, standardised", 0)
    assert checksum is None
    found = scores("iris, standardised", 0, X, y, Z, z)
    votes = [np.bincount(y[np.argsort(((X - row) ** 2).sum(axis=1))[:3]], minlength=3) for row in Z]
    right = [vote.argmax() == label for vote, label in zip(votes, z, strict=True)]
    assert found["3-NN"] == pytest.approx(np.mean(right), abs=0.04)  # one of 30 rows may have tied neighbours
    assert scores("iris, standardised", 0, X, y, np.repeat(z[:, None] * 10.0, 4, axis=1), z)["AP"] == 1.0


def test_tables_name_failures_and_gains_over_euclid(capsys):
    # By the three seeds ITML gains 24 to 26 points, and SERAPH now gains and now loses.
    gains = {"Euclidean": [0.0, 0.0, 0.0], "ITML": [0.24, 0.25, 0.26], "Seraph": [0.2, -0.2, 0.1]}
    runs = [(model, seed, 0.5 + gain) for model, each in gains.items() for seed, gain in enumerate(each)]
    records = [
        {"data": "wine, raw", "model": m, "stage": "defaults", "seed": s, "AP": v, "3-NN": v, "seconds": 1.0, "GB": 0.5}
        for m, s, v in runs
    ]
    records.append({"data": "6activities", "model": "LMNN", "stage": "defaults", "seed": 0, "failed": "out of memory"})
    print_tables(records)
    printed = capsys.readouterr().out
    assert "out of memory" in printed
    by_model = {line.split()[0]: line for line in reversed(printed.splitlines()) if line.split()}
    assert "+25.0 ± 0.6             better" in by_model["ITML"]
    assert "+3.3 ±12.0 no difference seen" in by_model["Seraph"]
