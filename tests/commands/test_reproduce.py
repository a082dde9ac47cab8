"""`wideangle reproduce`: what it lists, prices, runs and reports."""

import json
from importlib import import_module

import pytest
from fake_fits import changed, write_small_corpus, write_spec

from wideangle.experiments.records import read_file
from wideangle.experiments.specs import find_specs

QUICK = changed(kind='"by data"', models='["weights", "plain"]', sizes=None, tuned_at=None, seeds="1", folds="1")


@pytest.fixture(autouse=True)
def small_data(tmp_path, monkeypatch):
    """A small corpus as "docstrings", and no other data."""
    monkeypatch.setenv("WIDEANGLE_DOCSTRINGS", str(write_small_corpus(tmp_path / "small.npz")))
    monkeypatch.setenv("WIDEANGLE_DATA", str(tmp_path))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")
    split = import_module("wideangle.experiments.tasks.documents").split
    split.cache_clear()
    yield
    split.cache_clear()


@pytest.fixture
def spec(tmp_path):
    return write_spec(tmp_path / "specs", QUICK, name="own")


@pytest.fixture
def records(tmp_path):
    return tmp_path / "records"


@pytest.mark.slow
def test_list_names_every_spec_without_data_at_eighty_columns(run, records):
    code, out, err = run("reproduce", "--list", "--records", records)
    assert (code, err) == (0, "")
    assert set(find_specs()) <= set(out.split())
    assert max(map(len, out.splitlines())) <= 80
    assert not records.exists()


def test_list_of_the_records_of_the_repository_is_right(answer):
    from pathlib import Path

    folder = Path(__file__).parents[2] / "results" / "reproduction"
    if not folder.is_dir():
        pytest.skip("the records of the repository are not here")
    (cost,) = answer("reproduce", "network_accuracy_brief", "--list", "--records", folder)
    assert (cost["fits"], cost["done"], cost["seconds"], cost["unpriced"]) == (440, 440, 0, 0)


def test_a_dry_run_tells_the_price_and_fits_nothing(run, answer, spec, records):
    (cost,) = answer("reproduce", spec, "--dry-run", "--records", records)
    assert cost == {"spec": "own", "fits": 4, "done": 0, "seconds": None, "unpriced": 4}
    _, out, _ = run("reproduce", spec, "--dry-run", "--records", records)
    assert "own" in out
    assert "– + 4 unknown" in out
    assert max(map(len, out.splitlines())) <= 80
    assert not records.exists()


def test_a_dry_run_tells_that_data_is_missing(run, records):
    code, out, err = run("reproduce", "precision_tdt", "--dry-run", "--records", records)
    assert (code, out) == (1, "")
    assert "precision_tdt.toml, line 6: tdt2_counts.npz is not in" in err


def test_fits_are_run_once_and_reported(run, answer, spec, records, tmp_path):
    # Three sizes on a fold, then the best of them, and tf-idf.
    first = answer("reproduce", spec, "--records", records)
    assert (first["done"], first["failed"], first["left"]) == (5, 0, 0)
    kept = read_file(records / "documents.jsonl")
    assert len(kept) == 5
    _, out, _ = run("reproduce", spec, "--records", records)
    assert out.startswith("0 fits in")
    assert "0 failed, 0 left." in out
    assert read_file(records / "documents.jsonl") == kept
    (cost,) = answer("reproduce", spec, "--list", "--records", records)
    assert (cost["fits"], cost["done"]) == (5, 5)
    made = answer("reproduce", spec, "--report", "--records", records, "-o", tmp_path / "out")
    assert made == {"folder": str(tmp_path / "out"), "tables": 1, "figures": 0}
    assert "plain" in (tmp_path / "out" / "own.md").read_text(encoding="utf-8")
    _, out, _ = run("reproduce", spec, "--report", "--records", records, "-o", tmp_path / "out")
    assert "1 table and 0 figures in" in out


def test_a_report_needs_neither_data_nor_fits(answer, records, tmp_path):
    records.mkdir()
    (records / "documents.jsonl").touch()
    made = answer("reproduce", "precision_tdt", "topics", "--report", "--records", records, "-o", tmp_path / "out")
    assert (made["tables"], made["figures"]) == (2, 0)
    assert "These are some of them." in (tmp_path / "out" / "README.md").read_text()
    assert not (tmp_path / "out" / "index.html").exists()  # It would hold these two alone.


def test_a_report_is_built_in_some_formats(run, answer, records, tmp_path, capsys):
    records.mkdir()
    (records / "documents.jsonl").touch()
    report = ["reproduce", "precision_tdt", "--report", "--records", records, "-o", tmp_path / "out", "--formats"]
    answer(*report, "csv, html")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"precision_tdt.csv", "precision_tdt.html", "README.md"}
    with pytest.raises(SystemExit):
        run(*report, "md,docx")
    assert "'docx' is no format of a report: take some of md, csv, tex, html, png, svg" in capsys.readouterr().err


def test_a_report_of_no_records_is_refused(run, records, tmp_path):
    code, _, said = run("reproduce", "--report", "--records", records, "-o", tmp_path / "out")
    assert code == 1
    assert "no records" in said


def test_a_budget_is_kept(answer, spec, records):
    found = answer("reproduce", spec, "--records", records, "--budget", "0")
    assert found["done"] == 0
    assert found["left"] == 4


def test_failed_fits_are_pointed_out(run, records, tmp_path):
    models = '["bad"]\nestimator = "LSI"\nsettings = { n_components = -1 }\n'
    bad = write_spec(tmp_path / "bad", changed(kind='"by data"', models='["bad"]', sizes=None, tuned_at=None), models)
    code, out, _ = run("reproduce", bad, "--records", records)
    assert code == 0
    assert "2 failed, 2 left." in out
    assert "The records tell why; the next run tries them again." in out
    assert all("n_components" in record["failed"] for record in read_file(records / "documents.jsonl"))


@pytest.mark.parametrize(
    ("name", "hint"), [("precision_tdtt", "Did you mean 'precision_tdt'?"), ("zebra", "See --list.")]
)
def test_an_unknown_spec_is_wrong_usage(run, name, hint):
    code, out, err = run("reproduce", name, "--list")
    assert (code, out) == (2, "")
    assert f"there is no spec '{name}'. {hint}" in err


def test_a_mistake_in_a_spec_is_told_in_one_line(run, spec, records):
    spec.write_text(QUICK + "sedes = 3\n", encoding="utf-8")
    code, out, err = run("reproduce", spec, "--records", records)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert f"own.toml, line {len(QUICK.splitlines()) + 1}: a spec has no key 'sedes'. Did you mean 'seeds'?" in err


def test_damaged_records_are_told(run, spec, records):
    records.mkdir()
    (records / "documents.jsonl").write_text("{}\n" + json.dumps({}) + "\n")
    code, _, err = run("reproduce", spec, "--records", records)
    assert code == 1
    assert "documents.jsonl, line 1, is not a record" in err


def test_records_of_other_code_are_told_apart_and_run_again(run, answer, spec, records, tmp_path):
    answer("reproduce", spec, "--records", records)
    (version, *others) = answer("reproduce", spec, "--versions", "--records", records)
    assert {each["is_this_code"] for each in (version, *others)} == {True}
    assert sum(each["folds"] + each["tests"] for each in (version, *others)) == 5
    # As if other code had made them.
    file = records / "documents.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["made with"]["code of the fit"] = "another"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    (version,) = answer("reproduce", spec, "--versions", "--records", records)
    assert (version["code"], version["is_this_code"], version["folds"], version["tests"]) == ("another", False, 3, 2)
    code, out, err = run("reproduce", spec, "--versions", "--records", records)
    assert (code, err) == (0, "")
    assert "another" in out
    assert max(map(len, out.splitlines())) <= 80
    (cost,) = answer("reproduce", spec, "--list", "--only-this-code", "--records", records)
    assert cost["done"] == 0
    answer("reproduce", spec, "--report", "--only-this-code", "--records", records, "-o", tmp_path / "out")
    assert "another" not in (tmp_path / "out" / "own.csv").read_text(encoding="utf-8")
    assert answer("reproduce", spec, "--only-this-code", "--records", records)["done"] == 5
    assert answer("reproduce", spec, "--only-this-code", "--records", records)["done"] == 0
