"""The records in the repository, of which the tables are built, are whole."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest

from wideangle._json_lines import unpacked_name
from wideangle.data import registry
from wideangle.experiments.jobs import Job
from wideangle.experiments.records import read_file
from wideangle.experiments.tasks import TASKS, task_of

FOLDER = Path(__file__).parents[2] / "results" / "reproduction"
FILES = sorted({unpacked_name(path) for path in FOLDER.glob("*.jsonl*")})
FIELDS = {"task", "data", "estimator", "settings", "seed", "fold"}
FIELDS |= {"measures", "details", "seconds", "checksum", "all seconds", "made with", "made on"}

if not FILES:
    pytest.skip(f"there are no records in {FOLDER}", allow_module_level=True)


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def records(path):
    return read_file(path)


def test_each_file_is_that_of_a_task(path, records):
    assert path.stem in TASKS
    assert records
    assert {record["task"] for record in records} == {path.stem}
    assert {record["data"] for record in records} <= set(task_of(path.stem).DATA)


def test_no_fit_has_failed(records):
    assert [record["failed"] for record in records if "failed" in record] == []


def test_each_record_has_all_that_must_be_known(records):
    for number, record in enumerate(records, 1):
        assert set(record) >= FIELDS, number
        assert record["made with"]["wideangle"], number
        assert record["made with"]["device"] in ("cpu", "cuda"), number


def test_no_job_is_recorded_twice(records):
    counts = Counter(Job.of(record).key for record in records)
    assert [key for key, count in counts.items() if count > 1] == []


def test_measures_are_known_and_finite(path, records):
    task = task_of(path.stem)
    for number, record in enumerate(records, 1):
        assert set(record["measures"]) <= set(task.MEASURES), number
        assert math.isfinite(record["measures"][task.SCORE]), number
        assert all(map(math.isfinite, record["measures"].values())), number
        assert record["seconds"] >= 0, number
        json.dumps(record, allow_nan=False)


def test_the_data_was_the_data_that_is_known_here(records):
    for number, record in enumerate(records, 1):
        if record["data"] in registry.names() and record["checksum"] is not None:
            assert record["checksum"] == registry._ENTRIES[record["data"]].sha256, number


def test_a_checksum_is_lacking_only_where_none_was_recorded_then(records):
    """Fits of a date have a checksum; those without a date were made before the runner, by single benchmarks."""
    for number, record in enumerate(records, 1):
        if record["data"] in registry.names() and record["made on"] is not None:
            assert record["checksum"] is not None, number


def test_estimators_and_parameters_are_those_of_the_catalogue(records):
    from inspect import signature

    from wideangle.catalogue import entry_of

    parameters = {}
    for number, record in enumerate(records, 1):
        name = record["estimator"]
        if name not in parameters:
            parameters[name] = set(signature(entry_of(name).load()).parameters)
        assert set(record["settings"]) <= parameters[name], number
