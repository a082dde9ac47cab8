"""What is planned, from records that are made up: folds first, and on the test part what folds chose."""

import pytest
from fake_fits import MODELS, by_key, changed, made_spec, record_of

from wideangle.exceptions import DataError
from wideangle.experiments.jobs import Job
from wideangle.experiments.plan import Plan

BY_DATA = {"kind": '"by data"', "sizes": None, "tuned_at": None}


def fold_records(spec, score, choose=lambda job: True):
    """Run plans again and again, giving every fold job a score; the records in the end."""
    records = {}
    for _ in range(5):
        new = [job for job in Plan(spec, records).missing() if job.fold is not None and choose(job)]
        records |= by_key(*(record_of(job, precision=score(job)) for job in new))
    return records


def by_part(jobs):
    return [job for job in jobs if job.fold is not None], [job for job in jobs if job.fold is None]


def of(jobs, size=None, **settings):
    wanted = settings if size is None else settings | {"n_components": size}
    return [job for job in jobs if wanted.items() <= job.settings.items()]


def test_what_is_tried_is_run_on_every_fold_before_anything_is_tested(tmp_path):
    spec = made_spec(tmp_path)
    folds, tests = by_part(Plan(spec, {}).jobs())
    # "ours" tries two λ at 2 and 8 components on 2 folds; "plain" has nothing to choose.
    assert len(folds) == 8
    assert {(job.settings["n_components"], job.settings["diversity"], job.fold) for job in folds} == {
        (size, weight, fold) for size in (2, 8) for weight in (0.1, 1.0) for fold in (0, 1)
    }
    assert all(job.seed == job.fold for job in folds)
    assert {(job.settings["n_components"], job.settings["diversity"], job.seed) for job in tests} == {
        (size, 0.0, seed) for size in (2, 4, 8) for seed in (0, 1)
    }
    assert all(job.settings["max_updates"] == 5 and job.task == "documents" for job in (*folds, *tests))


def test_the_test_part_waits_until_all_folds_of_its_size_are_run(tmp_path):
    spec = made_spec(tmp_path)
    late = {}
    for job in by_part(Plan(spec, {}).jobs())[0]:
        records = fold_records(spec, lambda job: 0.5, lambda other, job=job: other.key != job.key)
        tests = [test for test in by_part(Plan(spec, records).jobs())[1] if test.settings["diversity"] > 0]
        late[job.key] = {test.settings["n_components"] for test in tests}
        assert job.settings["n_components"] not in late[job.key]
        assert late[job.key]  # The other size is not held up.
    assert len(late) == 8


def test_the_best_mean_of_the_folds_is_chosen(tmp_path):
    spec = made_spec(tmp_path)
    # 1.0 is best in fold 1 by far, and 0.1 in fold 0 by little.
    points = {(0.1, 0): 0.6, (0.1, 1): 0.2, (1.0, 0): 0.5, (1.0, 1): 0.4}
    records = fold_records(spec, lambda job: points[job.settings["diversity"], job.fold])
    ours = spec.candidates["ours"]
    assert Plan(spec, records).settings("docstrings", ours, 2)["diversity"] == 1.0
    points[1.0, 1] = 0.29
    records = fold_records(spec, lambda job: points[job.settings["diversity"], job.fold])
    assert Plan(spec, records).settings("docstrings", ours, 2)["diversity"] == 0.1


FOUR = MODELS.replace("diversity = [0.1, 1.0]", "diversity = [0.1, 1.0, 2.0, 3.0]")


def test_a_shortlist_of_the_first_fold_is_tried_on_the_others(tmp_path):
    spec = made_spec(tmp_path, changed(folds="3", shortlist="2", sizes="[2]", tuned_at=None), FOUR)
    folds, _ = by_part(Plan(spec, {}).jobs())
    assert {(job.settings["diversity"], job.fold) for job in folds} == {(weight, 0) for weight in (0.1, 1.0, 2.0, 3.0)}
    # On the first fold 3 is best by far, then 2; the others think most of 2, and would have thought more of 1.
    points = {0.1: (0.1, 0.1, 0.1), 1.0: (0.4, 0.9, 0.9), 2.0: (0.5, 0.8, 0.8), 3.0: (0.8, 0.2, 0.2)}
    records = fold_records(spec, lambda job: points[job.settings["diversity"]][job.fold])
    assert len(records) == 4 + 2 * 2
    assert {job.settings["diversity"] for job in by_part(Plan(spec, records).jobs())[0] if job.fold} == {2.0, 3.0}
    assert Plan(spec, records).settings("docstrings", spec.candidates["ours"], 2)["diversity"] == 2.0
    # Nothing is chosen before the last of them is run.
    for key in records:
        less = {other: record for other, record in records.items() if other != key}
        assert Plan(spec, less).settings("docstrings", spec.candidates["ours"], 2) is None


def test_no_regulariser_is_not_pushed_out_by_many_choices_with_one(tmp_path):
    """Else a model with more choices could be worse, by the folds themselves, than one with fewer."""
    text = changed(shortlist="1", sizes="[2]", tuned_at=None, models='["ours", "none"]')
    none = '["none"]\nlike = "ours"\ntried = { diversity = 0.0, max_updates = [5, 6] }\n'
    more = MODELS.replace("{ diversity = [0.1, 1.0] }", "{ diversity = [0.0, 0.1, 1.0], max_updates = [5, 6] }")
    spec = made_spec(tmp_path, text, more + none)
    # Any λ > 0 looks better on the first fold, and is worse on the second.
    points = lambda job: 0.5 + (0.1 if job.fold == 0 else -0.3) * (job.settings["diversity"] > 0)  # noqa: E731
    plan = Plan(spec, fold_records(spec, points))
    chosen = [plan.settings("docstrings", candidate, 2) for candidate in spec.candidates.values()]
    assert [settings["diversity"] for settings in chosen] == [0.0, 0.0]


def test_of_equal_ones_the_first_named_is_on_the_shortlist(tmp_path):
    spec = made_spec(tmp_path, changed(shortlist="2", sizes="[2]", tuned_at=None), FOUR)
    records = fold_records(spec, lambda job: 0.5)
    assert {job.settings["diversity"] for job in by_part(Plan(spec, records).jobs())[0] if job.fold} == {0.1, 1.0}


def test_a_shortlist_longer_than_what_is_tried_changes_nothing(tmp_path):
    plain, long = (made_spec(tmp_path / name, changed(shortlist=name)) for name in ("0", "9"))
    assert {job.key for job in Plan(plain, {}).jobs()} == {job.key for job in Plan(long, {}).jobs()}


def test_a_likelihood_in_doubt_is_not_chosen(tmp_path):
    """Annealing that misses most of the mass makes a model look better than it is."""
    text = changed(task='"likelihood"', measure='"perplexity"', sizes="[2]", tuned_at=None)
    spec = made_spec(tmp_path, text)
    for doubted, chosen in ((1.0, 0.1), (0.0, 1.0)):
        measures = {
            0.1: {"log-likelihood": -6.0, "unigram": 900.0, "doubted": 0.0},
            1.0: {"log-likelihood": -2.0, "unigram": 900.0, "doubted": doubted},
        }
        records = by_key(
            *(
                record_of(job, **measures[job.settings["diversity"]])
                for job in Plan(spec, {}).missing()
                if job.fold is not None
            )
        )
        assert Plan(spec, records).settings("docstrings", spec.candidates["ours"], 2)["diversity"] == chosen


@pytest.mark.parametrize(("low", "high"), [(-1.0, 0.0), (0.0, 0.5), (-3.0, -2.0)])
def test_a_score_of_zero_is_a_score(tmp_path, low, high):
    """The log-likelihood is negative, so that 0 is better than most."""
    spec = made_spec(tmp_path)
    records = fold_records(spec, lambda job: high if job.settings["diversity"] == 1.0 else low)
    assert Plan(spec, records).settings("docstrings", spec.candidates["ours"], 2)["diversity"] == 1.0


def test_of_equal_scores_the_first_is_chosen(tmp_path):
    spec = made_spec(tmp_path)
    plan = Plan(spec, fold_records(spec, lambda job: 0.0))
    assert plan.settings("docstrings", spec.candidates["ours"], 8)["diversity"] == 0.1


@pytest.mark.parametrize(("size", "nearest"), [(3, 2), (5, 2), (7, 20), (15, 20), (20, 20), (40, 20)])
def test_a_size_between_takes_the_best_of_the_nearest_by_ratio(tmp_path, size, nearest):
    # 2 · 20 = 40, so that numbers above √40 ≈ 6.3 are nearer to 20 as a ratio, though not as a difference.
    sizes = sorted({2, 20, size})
    spec = made_spec(tmp_path, changed(sizes=f"{sizes}", tuned_at="[2, 20]"))
    best = {2: 0.1, 20: 1.0}
    records = fold_records(spec, lambda job: float(job.settings["diversity"] == best[job.settings["n_components"]]))
    plan = Plan(spec, records)
    settings = plan.settings("docstrings", spec.candidates["ours"], size)
    assert settings == {"max_updates": 5, "diversity": best[nearest], "n_components": size}
    tests = of(by_part(plan.jobs())[1], size, diversity=best[nearest])
    assert len(tests) == 2


def test_folds_choose_the_size_where_there_is_a_column_per_data_set(tmp_path):
    spec = made_spec(tmp_path, changed(**BY_DATA))
    # λ is tried at 2 and 8; the size 4 is tried with the λ of 2, which is as near as 8 and comes first.
    folds, tests = by_part(Plan(spec, {}).jobs())
    assert {job.settings["n_components"] for job in of(folds, diversity=0.0)} == {2, 4, 8}
    assert of(folds, 4) == of(folds, 4, diversity=0.0)
    assert tests == []

    def score(job):
        return {2: 0.2, 4: 0.9, 8: 0.5}[job.settings["n_components"]] - job.settings["diversity"] / 100

    records = fold_records(spec, score)
    plan = Plan(spec, records)
    for name in ("plain", "ours"):
        assert plan.size("docstrings", spec.candidates[name]) == (4, True)
    folds, tests = by_part(plan.jobs())
    assert len(of(folds, 4, diversity=0.1)) == 2
    assert of(folds, 4, diversity=1.0) == []
    assert {(job.settings["n_components"], job.settings["diversity"]) for job in tests} == {(4, 0.0), (4, 0.1)}
    assert len(tests) == 4
    without_one = {key: record for key, record in records.items() if key != of(folds, 4, diversity=0.1)[0].key}
    assert Plan(spec, without_one).size("docstrings", spec.candidates["ours"]) == (None, False)


def test_a_model_without_sizes_is_fitted_as_it_is(tmp_path):
    spec = made_spec(tmp_path, changed(models='["weights"]'))
    assert [(job.estimator, job.settings, job.seed, job.fold) for job in Plan(spec, {}).jobs()] == [
        ("TfIdf", {}, 0, None),
        ("TfIdf", {}, 1, None),
    ]


def test_a_curve_changes_lambda_alone(tmp_path):
    text = changed(kind='"curve by weight"', models='["ours"]', sizes="[4]", tuned_at=None, weights="{ ours = [0, 3] }")
    spec = made_spec(tmp_path, text)
    records = {}
    folds, tests = by_part(Plan(spec, records).jobs())
    assert folds == []  # λ is all that they would choose, and it is given.
    assert [(job.settings["diversity"], job.seed) for job in tests] == [(0.0, 0), (0.0, 1), (3.0, 0), (3.0, 1)]
    records |= by_key(record_of(tests[2], precision=0.9))
    plan, ours = Plan(spec, records), spec.candidates["ours"]
    assert [record["measures"]["precision"] for record in plan.tests("docstrings", ours, 4, diversity=3.0)] == [0.9]
    assert plan.tests("docstrings", ours, 4, diversity=0.0) == []


def test_records_of_one_spec_serve_another(tmp_path):
    one = made_spec(tmp_path)
    records = fold_records(one, lambda job: 0.5)
    records |= by_key(*(record_of(job, precision=0.5) for job in Plan(one, records).missing()))
    assert Plan(one, records).missing() == []
    smaller = made_spec(tmp_path, changed(kind='"curve by size"', measure='"NMI"', sizes="[2, 8]"), name="smaller")
    assert Plan(smaller, records).missing() == []
    more = Plan(made_spec(tmp_path, changed(seeds="3"), name="more"), records)
    assert [job.seed for job in more.missing()] == [2] * 6


def test_no_job_is_planned_twice(tmp_path):
    spec = made_spec(tmp_path, changed(**BY_DATA))
    for records in ({}, fold_records(spec, lambda job: job.settings["n_components"])):
        keys = [job.key for job in Plan(spec, records).jobs()]
        assert len(keys) == len(set(keys))


def test_a_spec_without_models_plans_nothing(tmp_path):
    assert Plan(made_spec(tmp_path, 'title = "t"\nkind = "class sizes"\ndata = ["tdt2"]'), {}).jobs() == []


def test_data_sets_are_tuned_apart(tmp_path):
    spec = made_spec(tmp_path, changed(kind='"curve by size"', data='["docstrings", "tdt2"]'))
    best = {"docstrings": 0.1, "tdt2": 1.0}
    plan = Plan(spec, fold_records(spec, lambda job: float(job.settings["diversity"] == best[job.data])))
    for data, weight in best.items():
        assert plan.settings(data, spec.candidates["ours"], 2)["diversity"] == weight
    assert len({job.key for job in plan.jobs()}) == 2 * 20
    assert all(isinstance(job, Job) for job in plan.jobs())


def test_a_whole_number_is_the_same_setting_with_and_without_a_point():
    one, other = (Job("documents", "reuters", "LSI", {"weight": weight}) for weight in (1, 1.0))
    assert one.key == other.key
    assert one.key != Job("documents", "reuters", "LSI", {"weight": 1.5}).key


def test_records_of_two_versions_of_the_data_are_not_averaged(tmp_path):
    spec = made_spec(tmp_path, changed(models='["plain"]', sizes="[4]", tuned_at=None))
    jobs = Plan(spec, {}).jobs()
    records = by_key(*(record_of(job, precision=0.5) | {"checksum": f"{job.seed}"} for job in jobs))
    with pytest.raises(DataError, match="several versions of the data"):
        Plan(spec, records).tests("docstrings", spec.candidates["plain"], 4)
