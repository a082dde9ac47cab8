"""What `benchmarks/metric_baselines.py` runs, and which settings it takes."""

import pytest
from metric_baselines import SMALL_SETS, TRIED, best_settings, tuning_jobs
from metric_baselines import test_jobs as jobs_of_the_test_part


def fold(value, number, **settings):
    record = {"data": "15scenes", "model": "ITML", "stage": "fold", "fold": number, "AP": value, "3-NN": 0.5}
    return record | {"n_principal": 50, "slack": 1.0} | settings


def test_the_best_mean_of_those_on_the_most_folds_is_taken():
    records = [fold(0.5, 0), fold(0.7, 1), fold(0.4, 0, slack=10.0), fold(0.6, 1, slack=10.0), fold(0.9, 0, slack=0.1)]
    assert best_settings(records) == {("15scenes", "ITML"): {"n_principal": 50, "slack": 1.0}}
    failed = {"data": "15scenes", "model": "ITML", "failed": "out of memory"}
    assert best_settings([records[2], failed])["15scenes", "ITML"]["slack"] == 10.0


def test_defaults_come_first_and_every_method_before_the_second_seed():
    chosen = {"n_principal": 200, "slack": 0.1}
    jobs = jobs_of_the_test_part([fold(0.5, 0, **chosen)])
    stages = [job["stage"] for job in jobs]
    assert stages == sorted(stages)
    first = [job["seed"] for job in jobs if job["stage"] == "defaults"]
    assert [seed > 0 for seed in first] == sorted(seed > 0 for seed in first)
    tuned = [job for job in jobs if job["stage"] == "tuned" and job["data"] not in SMALL_SETS]
    assert [{name: job[name] for name in chosen} for job in tuned] == [chosen] * 3
    assert {job["model"] for job in jobs if job["data"] == "20news"} == set(TRIED)


def test_no_two_jobs_are_the_same():
    for jobs in (jobs_of_the_test_part([]), tuning_jobs(2)):
        assert len({tuple(sorted(job.items(), key=str)) for job in jobs}) == len(jobs)


@pytest.mark.parametrize("model", TRIED)
def test_what_is_tried_begins_with_the_default(model):
    from wideangle.baselines import metrics

    defaults = getattr(metrics, model)().get_params()
    assert TRIED[model][0].items() <= defaults.items()
    assert all(settings.keys() == TRIED[model][0].keys() for settings in TRIED[model])
