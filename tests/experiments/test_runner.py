"""Runs can be stopped at any moment and go on; failures and dead processes cost what they must and no more."""

import itertools
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from importlib import import_module

import fake_fits
import numpy as np
import pytest
from fake_fits import changed, failing_fit, made_spec, quick_fit, record_of, slow_fit

from wideangle.data import Corpus
from wideangle.data.locate import sha256_of
from wideangle.exceptions import DataError, SpecError
from wideangle.experiments import runner
from wideangle.experiments.jobs import Job
from wideangle.experiments.plan import Plan
from wideangle.experiments.records import RecordFolder, read_file, writing
from wideangle.experiments.runner import price, run
from wideangle.experiments.specs import read_spec

PATIENCE = 60  # seconds to wait for a process on a busy machine


@pytest.fixture(autouse=True)
def small_data(tmp_path, monkeypatch):
    """A small corpus as "docstrings"."""
    path = fake_fits.write_small_corpus(tmp_path / "small.npz")
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(path))
    split = import_module("wideangle.experiments.tasks.documents").split
    split.cache_clear()
    yield path
    split.cache_clear()


@pytest.fixture
def spec(tmp_path):
    return made_spec(tmp_path)


@pytest.fixture
def records(tmp_path):
    return tmp_path / "records"


@pytest.fixture
def pids(tmp_path):
    """The folder in which slow fits leave a file for each process."""
    folder = tmp_path / "pids"
    folder.mkdir()
    return folder


def assert_complete(spec, folder):
    """Each job that is planned has one record, and there is no other."""
    lines = read_file(folder / "documents.jsonl")
    keys = Counter(Job.of(record).key for record in lines)
    plan = Plan(spec, RecordFolder(folder).read("documents"))
    assert plan.missing() == []
    assert keys == Counter(job.key for job in plan.jobs())
    return lines


def test_everything_is_run_once_folds_first(spec, records):
    result = run([spec], records, job_runner=quick_fit)
    assert (result.done, result.failed, result.left) == (20, 0, 0)
    assert result.seconds > 0
    lines = assert_complete(spec, records)
    # Of "ours", whose λ folds choose, nothing is tested before its folds.
    ours = [record["fold"] is None for record in lines if record["settings"]["diversity"] > 0]
    assert ours == [False] * 8 + [True] * 6
    assert {record["settings"]["diversity"] for record in lines if record["fold"] is None} == {0.0, 1.0}
    again = run([spec], records, job_runner=quick_fit)
    assert (again.done, again.failed, again.left) == (0, 0, 0)
    assert read_file(records / "documents.jsonl") == lines


def test_specs_that_share_fits_run_them_once(spec, records, tmp_path):
    other = made_spec(tmp_path, changed(kind='"curve by size"', seeds="3"), name="other")
    assert run([spec, other, spec], records, job_runner=quick_fit).done == 26
    assert_complete(other, records)


def test_dear_fits_come_first(spec, records):
    # Known costs: 2 components are dear, 8 are cheap, and nothing is known of other estimators.
    costs = {2: 9.0, 8: 1.0}
    old = Job("documents", "docstrings", "ReplicatedSoftmax")
    with writing(records / "documents.jsonl") as write:
        for size, seconds in costs.items():
            write(record_of(Job(**vars(old) | {"settings": {"n_components": size}}), seconds, precision=0.5))
    run([spec], records, job_runner=quick_fit)
    sizes = [record["settings"]["n_components"] for record in read_file(records / "documents.jsonl")[2:]]
    assert sizes[:14] == [2] * 6 + [4] * 2 + [8] * 6


def test_large_fits_come_first_where_nothing_is_known(spec, records):
    run([spec], records, job_runner=quick_fit)
    sizes = [record["settings"]["n_components"] for record in read_file(records / "documents.jsonl")]
    assert sizes[:14] == [8] * 6 + [4] * 2 + [2] * 6


def test_progress_is_told_after_every_fit(spec, records):
    told = []
    run([spec], records, job_runner=quick_fit, progress=lambda *each: told.append(each))
    assert [done for done, _, _ in told] == list(range(1, 21))
    # Six fits are planned once the folds are run.
    assert [total for _, total, _ in told] == [14] * 14 + [20] * 6
    assert {note for _, _, note in told} == {"docstrings, ReplicatedSoftmax"}


def test_no_fit_is_begun_after_the_budget(spec, records, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(runner.time, "perf_counter", lambda: clock[0])

    def minute(job, threads=None):
        clock[0] += 60
        return quick_fit(job)

    result = run([spec], records, job_runner=minute, budget=2.5)
    assert (result.done, result.left, result.seconds) == (3, 11, 180)  # The one that began at 2 minutes is waited for.
    assert run([spec], records, job_runner=minute, budget=0).done == 1
    # What is left is run later, with what was there.
    assert run([spec], records, job_runner=minute).done == 16
    assert_complete(spec, records)


def test_a_clock_that_says_now_yes_and_now_no_does_not_keep_a_run_for_ever(spec, records, monkeypatch):
    """At the last moment of a budget one look at the clock may find it spent and the next one not yet."""
    looks = itertools.count()

    def clock():
        look = next(looks)
        assert look < 50, "the same fits are planned again and again"
        return 0.0 if look < 2 or look % 2 else 120.0

    monkeypatch.setattr(runner.time, "perf_counter", clock)
    result = run([spec], records, job_runner=quick_fit, budget=1)
    assert (result.done, result.left) == (0, 14)


def test_a_budget_that_is_spent_begins_nothing_in_processes(spec, records):
    result = run([spec], records, job_runner=quick_fit, jobs=2, budget=-1)
    assert (result.done, result.left) == (0, 14)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failed_fit_is_tried_once_per_run(spec, records, tmp_path, jobs):
    calls = tmp_path / "calls"
    fit = partial(failing_fit, calls=calls)
    result = run([spec], records, job_runner=fit, jobs=jobs)
    assert (result.done, result.failed, result.left) == (16, 4, 4)
    assert set(Counter(calls.read_text().splitlines()).values()) == {1}
    failed = [record for record in read_file(records / "documents.jsonl") if "failed" in record]
    assert [record["settings"]["n_components"] for record in failed] == [4] * 4
    again = run([spec], records, job_runner=fit, jobs=jobs)
    assert (again.done, again.failed, again.left) == (0, 4, 4)
    assert set(Counter(calls.read_text().splitlines()).values()) == {1, 2}
    mended = run([spec], records, job_runner=quick_fit)
    assert (mended.done, mended.failed, mended.left) == (4, 0, 0)


def test_a_failed_fold_holds_up_what_waits_for_it_alone(spec, records):
    def run_but_one(job, threads=None):
        record = quick_fit(job)
        is_bad = job.fold == 1 and job.settings["n_components"] == 2
        return {**{name: record[name] for name in Job.__dataclass_fields__}, "failed": "bad"} if is_bad else record

    result = run([spec], records, job_runner=run_but_one)
    # 14 fits at first, of which 2 fail, and 2 seeds at 8 components. 4 are as near to 2 as to 8, and 2 comes first.
    assert (result.done, result.failed) == (14, 2)


def test_nothing_is_begun_where_a_spec_cannot_be_run(spec, records, tmp_path):
    bad = made_spec(tmp_path, changed(models='["nothing"]'), name="bad")
    with pytest.raises(SpecError, match="no model 'nothing'"):
        run([spec, bad], records, job_runner=quick_fit)
    assert not records.exists()


def test_a_second_run_on_the_same_records_is_refused(spec, records):
    with writing(records / "documents.jsonl"), pytest.raises(DataError, match="another run"):
        run([spec], records, job_runner=quick_fit)


def test_the_price_is_that_of_like_fits(spec, records, tmp_path):
    (cost,) = price([spec], records)
    assert (cost.spec, cost.fits, cost.done, cost.seconds, cost.unpriced) == ("made_up", 14, 0, None, 14)
    run([made_spec(tmp_path, changed(seeds="1"), name="less")], records, job_runner=quick_fit)
    (cost,) = price([spec], records)
    assert (cost.fits, cost.done, cost.seconds, cost.unpriced) == (20, 14, 6.0, 0)
    run([spec], records, job_runner=quick_fit)
    (cost,) = price([spec], records)
    assert (cost.fits, cost.done, cost.seconds, cost.unpriced) == (20, 20, 0.0, 0)


@pytest.mark.parametrize(
    ("estimator", "size"),
    [("ReplicatedSoftmax", "n_components"), ("LMNN", "n_principal"), ("MLPClassifier", "hidden_layer_sizes")],
)
def test_the_most_like_fits_tell_what_a_fit_costs(estimator, size):
    def job(data="a", of=2, name=estimator, key=size):
        return Job("t", data, name, {key: of})

    known = {"same": (job(), 1), "again": (job(of=2), 3), "larger": (job(of=4), 50), "elsewhere": (job("b"), 500)}
    records = {key: record_of(each, seconds) for key, (each, seconds) in known.items()}
    records["other"] = record_of(job("a", name="LSI", key="n_components"), 9000)
    assert runner.expected_seconds(job(), records) == 2  # the median of the same data and size
    assert runner.expected_seconds(job(of=8), records) == 3  # of the same data
    assert runner.expected_seconds(job("c"), records) == 26.5  # of the estimator
    assert runner.expected_seconds(job(name="NMF", key="n_components"), records) is None


def test_the_price_needs_no_data(spec, records, monkeypatch, tmp_path):
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(tmp_path / "missing.npz"))
    assert price([spec], records)[0].fits == 14


def test_a_dead_process_costs_no_record(spec, records, pids):
    """Two processes fit; one of them is killed in the middle, and the fits go on in new ones."""
    killed = []

    def kill_one(done, total, note):
        if done == 4:
            killed.append(max(int(path.name) for path in pids.iterdir()))
            os.kill(killed[0], signal.SIGKILL)

    result = run([spec], records, jobs=2, job_runner=partial(slow_fit, pids=pids), progress=kill_one)
    assert (result.done, result.failed, result.left) == (20, 0, 0)
    assert_complete(spec, records)
    assert killed
    assert killed[0] != os.getpid()
    assert len(list(pids.iterdir())) > 2  # Others took its place.


@pytest.mark.slow
def test_processes_that_die_again_and_again_end_the_run(spec, records):
    with pytest.raises(RuntimeError, match="4 times.*fewer --jobs"):
        run([spec], records, jobs=2, job_runner=fake_fits.deadly_fit)
    # Those that were not deadly are kept.
    assert all(record["settings"]["n_components"] != 4 for record in read_file(records / "documents.jsonl"))


def cluster_of(workers):
    distributed = pytest.importorskip("distributed")
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0", silence_logs=logging.CRITICAL
    )


@pytest.mark.slow
def test_a_dask_cluster_runs_the_fits_though_a_worker_is_killed(spec, records, pids):
    killed = []

    def kill_one(done, total, note):
        if done == 4:
            killed.append(max(int(path.name) for path in pids.iterdir()))
            os.kill(killed[0], signal.SIGKILL)

    fit = partial(slow_fit, pids=pids)
    with cluster_of(2) as cluster:
        result = run([spec], records, dask=cluster.scheduler_address, job_runner=fit, progress=kill_one)
    assert (result.done, result.failed, result.left) == (20, 0, 0)
    assert_complete(spec, records)
    processes = {int(path.name) for path in pids.iterdir()}
    assert set(killed) <= processes
    assert len(processes) >= 2
    assert os.getpid() not in processes


@pytest.mark.slow
def test_a_cluster_of_one_worker_fits_there_and_not_here(tmp_path, records, pids):
    spec, fit = made_spec(tmp_path, changed(models='["plain"]', seeds="1")), partial(slow_fit, pids=pids)
    with cluster_of(1) as cluster:
        address = cluster.scheduler_address
        assert run([spec], records, dask=address, job_runner=fit, budget=-1).done == 0
        # A fit that kills worker after worker fails, and the others are run.
        deadly = run([spec], records, dask=address, job_runner=fake_fits.deadly_fit)
        assert (deadly.done, deadly.failed, deadly.left) == (2, 1, 1)
        assert run([spec], records, dask=address, job_runner=fit).done == 1
    (process,) = pids.iterdir()
    assert process.name != str(os.getpid())


def assert_whole(record, data):
    """A record of a real fit has all that must be known to trust it."""
    assert 0 <= record["measures"]["precision"] <= 1
    assert record["checksum"] == sha256_of(data)
    assert 0 < record["seconds"] <= record["all seconds"]
    assert record["GB"] is None or record["GB"] > 0
    assert record["made with"]["device"] in ("cpu", "cuda")
    assert record["made on"].endswith("+00:00")
    assert len(record["details"]["classes"]) == len(record["details"]["precision of classes"]) == 4


def test_real_fits_are_recorded_whole(tmp_path, records, small_data):
    text = changed(models='["plain", "weights"]', kind='"by data"', sizes=None, tuned_at=None, seeds="1", folds="1")
    spec = made_spec(tmp_path, text)
    result = run([spec], records)
    # Three sizes on one fold, then the best of them, and tf-idf, which has no size.
    assert (result.done, result.failed, result.left) == (5, 0, 0), read_file(records / "documents.jsonl")
    lines = assert_complete(spec, records)
    for record in lines:
        assert_whole(record, small_data)
    (softmax,) = (record for record in lines if record["fold"] is None and record["estimator"] == "ReplicatedSoftmax")
    assert {"clustering", "NMI", "components' NPMI", "mean angle", "rarer half"} <= set(softmax["measures"])
    assert len(softmax["details"]["words"]) == softmax["settings"]["n_components"]


def test_a_class_that_no_document_of_a_fold_asks_for_is_no_failure(tmp_path, records, small_data):
    corpus = Corpus.open(small_data)
    labels = np.arange(len(corpus)) % 3
    labels[np.flatnonzero(corpus.is_train)[:3]] = 3  # a class of three: most folds lack it
    replace(corpus, labels=labels).save(small_data)
    spec = made_spec(tmp_path, changed(models='["sized"]', seeds="1", folds="5"), SIZED)
    assert run([spec], records).failed == 0
    told = [record["details"] for record in read_file(records / "documents.jsonl") if record["fold"] is not None]
    precisions = [each["precision of classes"][each["classes"].index(3)] for each in told]
    assert None in precisions


SIZED = '["sized"]\nestimator = "LSI"\ntried = { log_counts = [true, false] }\n'


@pytest.mark.slow
def test_a_command_that_is_killed_goes_on_where_it_was(tmp_path, records, small_data):
    """Everything dies at once, as by a power cut: no record is lost, repeated or damaged."""
    sizes = [2, 3, 4, 5, 6, 8]
    path = fake_fits.write_spec(tmp_path, changed(sizes=sizes, models='["plain"]', seeds="4", tuned_at=None))
    file = records / "documents.jsonl"
    command = [sys.executable, "-m", "wideangle", "reproduce", str(path), "--records", str(records), "--json"]
    begun = subprocess.Popen(
        [*command, "--jobs", "2"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + PATIENCE
        while not file.exists() or file.read_bytes().count(b"\n") < 3:
            assert begun.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < until
            time.sleep(0.005)
    finally:
        os.killpg(begun.pid, signal.SIGKILL)  # the group of this one command
        begun.wait()
    kept = read_file(file)
    assert 3 <= len(kept) < 24
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["done"], told["failed"], told["left"]) == (24 - len(kept), 0, 0)
    lines = assert_complete(read_spec(path), records)
    assert len(lines) == 24
    assert lines[: len(kept)] == kept
    for record in lines:
        assert_whole(record, small_data)
