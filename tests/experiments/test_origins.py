"""Records tell which code made them; those of other code can be told apart and run again."""

import sys
from importlib import import_module
from pathlib import Path

import fake_fits
import pytest
from fake_fits import changed, made_spec, quick_fit, record_of

import wideangle
from wideangle.experiments import code_of_fits
from wideangle.experiments.code_of_fits import OTHER_ROOMS, fit_digest, modules_of_fit
from wideangle.experiments.jobs import Job
from wideangle.experiments.origins import UNKNOWN, Origin, is_of_this_code, origin_of, told_origins
from wideangle.experiments.records import RecordFolder, read_file, writing
from wideangle.experiments.runner import price, run, run_job
from wideangle.experiments.versions import Version, versions

ROOT = Path(wideangle.__file__).parent
FITS = [
    ("documents", "docstrings", "ReplicatedSoftmax", {"n_components": 3, "max_updates": 5, "diversity": 0.3}),
    ("documents", "docstrings", "LSI", {"n_components": 3}),
    pytest.param(
        *("likelihood", "docstrings", "ReplicatedSoftmax", {"n_components": 2, "max_updates": 5}),
        marks=pytest.mark.slow,
    ),
]


@pytest.fixture(autouse=True)
def small_data(tmp_path, monkeypatch):
    """A small corpus as "docstrings"."""
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(fake_fits.write_small_corpus(tmp_path / "small.npz")))
    split = import_module("wideangle.experiments.tasks.documents").split
    split.cache_clear()
    yield
    split.cache_clear()


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A function that changes a file in a copy of the package, and gives the digest of a fit there."""
    import shutil

    shutil.copytree(ROOT, tmp_path / "wideangle", ignore=shutil.ignore_patterns("*.pyc", "static"))

    def changed_digest(name, change, fit=("documents", "ReplicatedSoftmax")):
        with monkeypatch.context() as patch:
            patch.setattr(code_of_fits, "ROOT", tmp_path / "wideangle")
            path = tmp_path / "wideangle" / name
            text = path.read_text(encoding="utf-8")
            path.write_text(change(text), encoding="utf-8")
            forget()
            found = fit_digest(*fit)
            path.write_text(text, encoding="utf-8")
        forget()
        return found

    yield changed_digest
    forget()


def forget():
    for function in (fit_digest, modules_of_fit):
        function.cache_clear()


@pytest.mark.parametrize(("task", "data", "estimator", "settings"), FITS, ids=lambda value: str(value)[:20])
def test_whatever_a_fit_runs_is_in_its_digest(task, data, estimator, settings):
    """All files of the package that are entered are hashed, or belong to rooms that change no measure."""
    entered = set()

    def enter(frame, event, argument):
        if event == "call":
            entered.add(frame.f_code.co_filename)

    hashed = modules_of_fit(task, estimator)
    fit_digest(task, estimator)
    job = Job(task, data, estimator, settings)
    run_job(job)  # Imports would be profiled, slowly.
    sys.setprofile(enter)
    try:
        record = run_job(job)
    finally:
        sys.setprofile(None)
    assert "failed" not in record, record["failed"]
    inside = [Path(file) for file in entered if Path(file).is_relative_to(ROOT)]
    names = {".".join(("wideangle", *path.relative_to(ROOT).with_suffix("").parts)) for path in inside}
    names = {name.removesuffix(".__init__") for name in names}
    others = tuple(f"wideangle.{room}" for room in (*OTHER_ROOMS, "experiments"))
    lacking = {each for each in names - set(hashed) if not any(f"{each}.".startswith(f"{room}.") for room in others)}
    # Packages hand names on as they are imported; the runner and what it records are around the fit.
    assert lacking <= {"wideangle", "wideangle.models", "wideangle.baselines.documents"}
    assert {f"wideangle.experiments.tasks.{task}", "wideangle.experiments.tasks._fitting"} <= set(hashed) & names


def test_code_that_decides_a_fit_changes_its_digest(copied):
    fits = ("documents", "ReplicatedSoftmax"), ("documents", "LSI"), ("networks", "MLPClassifier")
    before = {fit: fit_digest(*fit) for fit in fits}
    assert len(set(before.values())) == 3

    def touched(name):
        return [fit for fit in fits if copied(name, lambda text: f"{text}\nNEW = 1\n", fit) != before[fit]]

    assert touched("models/_boltzmann/contrastive.py") == [fits[0]]
    assert touched("functional/gram.py") == [*fits]
    assert touched("evaluation/retrieval.py") == [*fits[:2]]
    assert touched("experiments/tasks/networks.py") == [fits[2]]
    rooms = ("report/explorer.py", "commands/fit.py", "reading/reader.py", "evaluation/comparing.py")
    for other in (*rooms, "_version.py"):
        assert touched(other) == [], other
    assert touched("evaluation/__init__.py") == []  # It hands names on.
    # Documents are not asked for their likelihood; another task does that.
    assert touched("functional/partition.py") == []
    likelihood = ("likelihood", "ReplicatedSoftmax")
    assert copied("functional/partition.py", lambda text: f"{text}\nNEW = 1\n", likelihood) != fit_digest(*likelihood)


def test_comments_and_docstrings_do_not_change_a_digest(copied):
    before = fit_digest("documents", "ReplicatedSoftmax")
    name = "functional/gram.py"
    assert (ROOT / name).read_text(encoding="utf-8").startswith('"""')
    other_words = '"""Quite other words.\n\n'
    assert copied(name, lambda text: f"# A remark.\n\n{text.replace(chr(34) * 3, other_words, 1)}") == before
    assert copied(name, lambda text: f'{text}\nNAME = "a # in a string"\n') != copied(
        name, lambda text: f'{text}\nNAME = "a # in another string"\n'
    )


def test_an_entry_of_the_catalogue_counts_by_itself(monkeypatch):
    from dataclasses import replace

    entry = code_of_fits.entry_of("LSI")
    before = fit_digest("documents", "LSI")
    for change, is_same in (({"metric": "euclidean"}, False), ({"summary": "other words"}, True)):
        monkeypatch.setattr(code_of_fits, "entry_of", lambda name, change=change: replace(entry, **change))
        forget()
        assert (fit_digest("documents", "LSI") == before) is is_same
    monkeypatch.undo()
    forget()


def test_the_origin_of_a_record_is_what_it_tells():
    record = record_of(Job("documents", "tdt2", "LSI"))
    assert origin_of(record) == Origin(UNKNOWN, UNKNOWN)
    record["made with"] |= {"code": "whole", "device": "cuda"}
    assert origin_of(record) == Origin("whole", "cuda")
    assert not is_of_this_code(record)
    record["made with"]["code of the fit"] = fit_digest("documents", "LSI")
    assert origin_of(record).code == fit_digest("documents", "LSI")
    assert is_of_this_code(record)


@pytest.mark.parametrize(
    ("origins", "told"),
    [
        ([], ""),
        ([Origin("a", "cpu")], "1 fit by 1 version of the code, on cpu (1)."),
        ([Origin("a", "cpu"), Origin("b", "cuda")], "2 fits by 2 versions of the code, on cpu (1) and cuda (1)."),
        ([Origin(UNKNOWN, "cuda")] * 2, "2 fits by unknown code (2), on cuda (2)."),
    ],
)
def test_origins_in_words(origins, told):
    assert told_origins(origins) == told


def present_fit(job, threads=None):
    """A fit of the code that is here now."""
    record = quick_fit(job)
    return record | {"made with": {"code of the fit": fit_digest(job.task, job.estimator), "device": "cpu"}}


def test_records_of_other_code_are_run_again_on_request_and_stay(tmp_path):
    spec, folder = made_spec(tmp_path, changed(models='["plain"]')), tmp_path / "records"
    assert run([spec], folder, job_runner=quick_fit).done == 6
    old = read_file(folder / "documents.jsonl")
    assert run([spec], folder, job_runner=present_fit).done == 0
    (cost,) = price([spec], folder, only_this_code=True)
    assert (cost.done, cost.seconds, cost.unpriced) == (0, 6.0, 0)  # Other code tells what a fit costs.
    assert run([spec], folder, job_runner=present_fit, only_this_code=True, budget=-1).done == 0
    assert run([spec], folder, job_runner=present_fit, only_this_code=True).done == 6
    assert run([spec], folder, job_runner=present_fit, only_this_code=True).done == 0
    lines = read_file(folder / "documents.jsonl")
    assert lines[:6] == old
    assert len(lines) == 12
    known = RecordFolder(folder)
    assert all(map(is_of_this_code, known.read("documents").values()))  # The newer ones count.
    # An older version of the code may add a record later: the last counts, unless this code alone is asked for.
    with writing(folder / "documents.jsonl") as write:
        write(old[0])
    key = Job.of(old[0]).key
    assert not is_of_this_code(known.read("documents")[key])
    assert is_of_this_code(known.read("documents", only_this_code=True)[key])


def test_versions_count_the_records_of_a_spec(tmp_path):
    spec, folder = made_spec(tmp_path, changed(sizes="[2, 8]")), tmp_path / "records"
    run([spec], folder, job_runner=quick_fit)
    run([made_spec(tmp_path, changed(models='["plain"]', sizes="[2]", tuned_at=None), name="one")], folder,
        job_runner=present_fit, only_this_code=True)  # fmt: skip
    assert versions([spec], folder) == [
        Version("made_up", UNKNOWN, UNKNOWN, False, 8, 6),
        Version("made_up", fit_digest("documents", "ReplicatedSoftmax"), "cpu", True, 0, 2),
    ]
