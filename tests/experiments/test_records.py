"""Records are on disk when they are written, and a run that was killed damages none of them."""

import json
import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_fits import record_of

import wideangle
from wideangle.exceptions import DataError
from wideangle.experiments import tasks
from wideangle.experiments.jobs import Job
from wideangle.experiments.provenance import code_digest
from wideangle.experiments.records import RecordFolder, read_file, writing
from wideangle.experiments.runner import run_job
from wideangle.experiments.tasks import Outcome

FIRST, SECOND, THIRD = (
    record_of(Job("documents", "tdt2", "LSI", {"n_components": 3, "word": "Größe λ"}, seed=seed), precision=0.5)
    for seed in range(3)
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "documents.jsonl"


def write(path, *records):
    with writing(path) as add:
        for record in records:
            add(record)


def test_what_is_written_is_read(path):
    assert read_file(path) == []
    write(path, FIRST)
    write(path, SECOND, THIRD)
    assert read_file(path) == [FIRST, SECOND, THIRD]


def test_a_record_is_in_the_file_before_the_next_is_made(path):
    with writing(path) as add:
        add(FIRST)
        assert read_file(path) == [FIRST]


def test_the_last_record_of_a_job_counts_and_failed_ones_do_not(path):
    again = FIRST | {"measures": {"precision": 0.7}}
    job = {name: FIRST[name] for name in Job.__dataclass_fields__}
    write(path, FIRST, SECOND, again, job | {"failed": "too hot"}, job | {"seed": 9, "failed": "too cold"})
    assert RecordFolder(path.parent).read("documents") == {Job.of(FIRST).key: again, Job.of(SECOND).key: SECOND}


def test_a_job_is_the_same_whatever_the_order_of_its_settings():
    assert Job("t", "d", "e", {"a": 1, "b": 2}).key == Job("t", "d", "e", {"b": 2, "a": 1}).key
    assert len({Job("t", "d", "e", seed=1).key, Job("t", "d", "e", fold=1).key, Job("t", "d", "e").key}) == 3


def test_a_last_line_cut_anywhere_is_left_out_and_repaired(path):
    write(path, FIRST, SECOND)
    whole = path.read_bytes()
    begin = whole.index(b"\n") + 1
    for end in range(begin, len(whole) - 1):
        path.write_bytes(whole[:end])
        assert read_file(path) == [FIRST], end
        write(path, THIRD)
        assert read_file(path) == [FIRST, THIRD], end
        assert path.read_bytes().count(b"\n") == 2, end


def test_a_whole_last_line_without_its_end_is_kept(path):
    write(path, FIRST, SECOND)
    path.write_bytes(path.read_bytes()[:-1])
    assert read_file(path) == [FIRST, SECOND]
    write(path, THIRD)
    assert read_file(path) == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize("damage", [b'{"task": "docu', b"[]", b"3", b'{"task": "documents"}', b"\xff\xfe", b"\0\0\0"])
def test_damage_before_the_last_line_is_an_error_that_names_the_line(path, damage):
    write(path, FIRST, SECOND, THIRD)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + damage + b"\n" + lines[2])
    for act in (lambda: read_file(path), lambda: write(path, FIRST)):
        with pytest.raises(DataError, match=r"documents.jsonl, line 2\b"):
            act()


def test_of_two_that_write_the_second_is_told(path):
    code = "import sys; from pathlib import Path; from wideangle.experiments.records import writing\n"
    code += "with writing(Path(sys.argv[1])): pass"
    with writing(path) as add:
        add(FIRST)
        with pytest.raises(DataError, match="documents.jsonl.*Wait"):
            write(path, SECOND)
        other = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
        assert "another run is adding" in other.stderr
        add(THIRD)
    write(path, SECOND)
    assert read_file(path) == [FIRST, THIRD, SECOND]


def test_the_second_of_two_does_not_repair_what_the_first_is_writing(path):
    with writing(path) as add:
        add(FIRST)
        with path.open("ab") as file:
            file.write(b'{"task"')  # as if the first were in the middle of a line
        before = path.read_bytes()
        with pytest.raises(DataError, match="another run"):
            write(path, SECOND)
        assert path.read_bytes() == before


def test_a_record_that_is_no_json_leaves_the_file_whole(path):
    with writing(path) as add:
        add(FIRST)
        with pytest.raises(ValueError, match="JSON compliant"):
            add(SECOND | {"measures": {"precision": math.nan}})
        add(THIRD)
    assert read_file(path) == [FIRST, THIRD]


@pytest.fixture
def measured(monkeypatch):
    """Let `run_job` find an outcome with these measures and details."""

    def take(measures, details=None):
        outcome = Outcome(measures, 1.0, "abc", details or {})
        monkeypatch.setattr(tasks, "task_of", lambda name: SimpleNamespace(measured=lambda job: outcome))
        return run_job(Job.of(FIRST))

    return take


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_measure_that_is_not_finite_is_a_failure_that_names_it(measured, path, value):
    record = measured({"precision": 0.5, "perplexity": value})
    assert record["failed"] == f"not finite: perplexity = {value}"
    assert "measures" not in record
    write(path, record)
    assert RecordFolder(path.parent).read("documents") == {}


@pytest.mark.parametrize("details", [{"precision of classes": [0.5, math.nan]}, {"rows": {1, 2}}])
def test_details_that_cannot_be_written_are_a_failure(measured, path, details):
    record = measured({"precision": 0.5}, details)
    assert record["failed"].startswith("details cannot be written: ")
    write(path, record)


def test_a_good_outcome_is_recorded_with_all_that_made_it(measured, path):
    record = measured({"precision": 1}, {"k": 3})
    assert (record["measures"], record["details"], record["checksum"]) == ({"precision": 1.0}, {"k": 3}, "abc")
    assert record["seconds"] == 1.0
    assert record["all seconds"] >= 0
    assert {"wideangle", "code", "python", "numpy", "torch", "device", "machine"} <= set(record["made with"])
    assert Job.of(record) == Job.of(FIRST)
    write(path, record)
    assert read_file(path) == [json.loads(json.dumps(record))]


def test_an_error_is_a_record_too():
    record = run_job(Job("documents", "no such data", "LSI"))
    assert record["failed"].startswith("DataError: there is no data set 'no such data'")
    assert "measures" not in record


def test_records_tell_which_code_made_them(tmp_path):
    """Whatever the folder is called and whatever else is in it."""

    def made(name, **files):
        for file, text in files.items():
            (tmp_path / name / "inner").mkdir(parents=True, exist_ok=True)
            (tmp_path / name / "inner" / f"{file}.py").write_text(text)
        return code_digest(tmp_path / name)

    first = made("first", a="1", b="2")
    assert len(first) == 12
    assert made("second", b="2", a="1") == first
    (tmp_path / "second" / "inner" / "notes.txt").write_text("nothing")
    assert made("third", a="1", b="3") != first
    assert made("fourth", a="1", c="2") != first
    assert code_digest() == code_digest(Path(wideangle.__file__).parent)
