"""--dask: the commands answer as they do here, where workers read, count and ask the model."""

import csv
import json
import logging

import numpy as np
import pytest

import wideangle
from wideangle import _parallel
from wideangle.commands.work.shared import answering

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'wideangle[dask]'")


@pytest.fixture(scope="module")
def address():
    """The address of a cluster of two worker processes."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of few documents, so that there are several."""
    monkeypatch.setattr(answering, "divide_new", divided_finely)


def divided_finely(path, reading, options):
    from wideangle.reading.new_parts import divide_new

    return divide_new(path, reading, options, 1000)


@pytest.fixture(scope="module")
def many(corpus, tmp_path_factory):
    """The corpus as files of JSON lines, without names."""
    folder = tmp_path_factory.mktemp("many")
    lines = (corpus / "corpus.jsonl").read_text().splitlines(keepends=True)
    for number in range(5):
        (folder / f"part-{number}.jsonl").write_text("".join(lines[12 * number : 12 * number + 12]))
    return folder


def table(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def assert_alike(some, others):
    """Equal words, and numbers that agree: a sum depends on the shape of a batch."""
    assert len(some) == len(others)
    for row, other in zip(some, others, strict=True):
        for cell, expected in zip(row, other, strict=True):
            try:
                assert float(cell) == pytest.approx(float(expected), abs=2e-3)
            except ValueError:
                assert cell == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["folder", "corpus.csv", "corpus.jsonl", "corpus.parquet", "corpus.txt", "many"])
def test_transform(name, address, small_parts, models, corpus, many, run, tmp_path):
    data = many if name == "many" else corpus / name
    for ending in ("csv", "npz"):
        here, there = tmp_path / f"here.{ending}", tmp_path / f"there.{ending}"
        assert run("transform", models["replicated-softmax"], data, "-o", here)[0] == 0
        code, _, err = run("transform", models["replicated-softmax"], data, "--dask", address, "-o", there)
        assert code == 0, err
        if ending == "csv":
            assert_alike(table(there), table(here))
    with np.load(here) as expected, np.load(there) as found:
        assert set(found) == set(expected)
        assert found["names"].tolist() == expected["names"].tolist()
        assert np.allclose(found["X"], expected["X"], atol=1e-4)
        assert "labels" not in expected or found["labels"].tolist() == expected["labels"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--for", "details"), ("-t", "2", "--nearest", "1")])
@pytest.mark.parametrize("name", ["folder", "many"])
def test_assign(name, more, address, small_parts, models, corpus, many, run, tmp_path):
    data = many if name == "many" else corpus / name
    assert run("assign", models["replicated-softmax"], data, *more, "-o", tmp_path / "here.csv")[0] == 0
    code, _, err = run(
        "assign", models["replicated-softmax"], data, *more, "--dask", address, "-o", tmp_path / "there.csv"
    )
    assert code == 0, err
    assert_alike(table(tmp_path / "there.csv"), table(tmp_path / "here.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["folder", "many"])
def test_evaluate(name, address, small_parts, models, corpus, many, answer):
    data = many if name == "many" else corpus / name
    here = answer("evaluate", models["replicated-softmax"], data)
    there = answer("evaluate", models["replicated-softmax"], data, "--dask", address)
    assert there["protocol"] == here["protocol"]
    assert there["by_labels"]["accuracy"] == pytest.approx(here["by_labels"]["accuracy"], abs=1e-3)
    assert there["diversity"]["coherence"] == pytest.approx(here["diversity"]["coherence"], abs=1e-6)
    for some, others in zip(there["by_labels"]["precision"], here["by_labels"]["precision"], strict=True):
        assert some["precision"] == pytest.approx(others["precision"], abs=1e-3)


@pytest.mark.slow
def test_fit(address, many, answer, tmp_path):
    """The same words are counted, so that the same model is fitted as where files are read in a stream here."""
    more = ("-k", 3, "--updates", 20, "--language", "en", "--seed", 1)
    fitted = answer("fit", many, *more, "--dask", address, "-o", tmp_path / "there.wideangle")
    here = answer("fit", many, *more, "-o", tmp_path / "here.wideangle")
    assert (fitted["documents"], fitted["features"], fitted["classes"]) == (60, here["features"], 3)
    assert not (tmp_path / "there.wideangle.parts").exists()
    found, expected = (wideangle.load(tmp_path / f"{name}.wideangle") for name in ("there", "here"))
    assert list(found.vocabulary_) == list(expected.vocabulary_)
    assert vars(found.reading_) == vars(expected.reading_)
    assert list(found.documents_.names) == list(expected.documents_.names)


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_local_processes_give_the_same(processes, small_parts, models, many, run, tmp_path, monkeypatch):
    """Many documents are read by the processors of this computer."""
    assert run("transform", models["replicated-softmax"], many, "-o", tmp_path / "here.csv")[0] == 0
    monkeypatch.setattr(answering, "LARGE", 100)
    monkeypatch.setattr(answering, "n_cores", lambda: 2)
    monkeypatch.setattr(_parallel, "n_cores", lambda: processes)
    code, _, err = run("transform", models["replicated-softmax"], many, "-o", tmp_path / "there.csv")
    assert code == 0, err
    assert "read in parts by" in err
    assert_alike(table(tmp_path / "there.csv"), table(tmp_path / "here.csv"))


def test_what_a_cluster_cannot_read(models, corpus, run, tmp_path):
    where = ("--dask", "tcp://127.0.0.1:9", "-o", tmp_path / "x.csv")
    code, _, err = run("transform", models["numbers"], corpus / "numbers.csv", *where)
    assert code == 1
    assert "--dask is for texts" in err
    code, _, err = run("transform", models["replicated-softmax"], "-", *where)
    assert code == 1
    assert "standard input is none" in err
    code, _, err = run("evaluate", models["replicated-softmax"], "--dask", "tcp://127.0.0.1:9")
    assert code == 2
    assert "name their PATH" in err
    code, _, err = run("fit", corpus / "numbers.csv", "--model", "distance", *where[:2], "-o", tmp_path / "m.wideangle")
    assert code == 2
    assert "--dask " in err
    assert "distance is fitted on" in err


def test_a_url_on_the_command_line(models, corpus, run, tmp_path, monkeypatch):
    """Two slashes stay two, the file is found, and the model is named after it."""
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.chdir(tmp_path)
    store = fsspec.filesystem("memory")
    store.pipe_file("/urls/corpus.jsonl", (corpus / "corpus.jsonl").read_bytes())
    try:
        code, _, err = run("fit", "memory://urls/corpus.jsonl", "-k", 2, "--updates", 5, "--quiet")
        assert code == 0, err
        assert (tmp_path / "corpus.wideangle").exists()
        for name, data in (("a", "memory://urls/corpus.jsonl"), ("b", corpus / "corpus.jsonl")):
            assert (
                run("transform", models["replicated-softmax"], data, "--quiet", "-o", tmp_path / f"{name}.csv")[0] == 0
            )
        assert table(tmp_path / "a.csv") == table(tmp_path / "b.csv")
        code, _, err = run("fit", "memory://urls/nothing.jsonl")
        assert code == 1
        assert "memory://urls/nothing.jsonl does not exist" in err
        code, _, err = run("fit", "memory://urls/*.jsonl", "-k", 2, "--updates", 5, "--quiet", "--json")
        assert json.loads(_)["path"] == "urls.wideangle"
    finally:
        store.rm("/urls", recursive=True)
