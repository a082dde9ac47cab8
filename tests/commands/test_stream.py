"""`wideangle fit --stream`: the same model from a file that is read part by part."""

import json

import numpy as np
import pytest

import wideangle
from wideangle import _parallel
from wideangle.commands.work.fit import on_disk
from wideangle.reading import to_disk

QUICK = ("-k", 4, "--updates", 60, "--seed", 3)


@pytest.fixture
def in_this_process(monkeypatch):
    """Parts are counted here: processes take longer to start than these tests last."""
    monkeypatch.setattr(_parallel, "n_cores", lambda: 1)


def without_time(told):
    """What was told, without what differs from run to run."""
    return {key: value for key, value in told.items() if key not in ("path", "seconds", "settings", "stages")}


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    "more", [(), ("--hold-out", 0.2), ("--keep-duplicates", "--for", "auto"), ("--diversity", "auto")]
)
@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.csv", "folder"])
def test_the_model_is_the_same(name, more, corpus, answer, tmp_path, monkeypatch):
    monkeypatch.setattr(to_disk, "PART", 2000)
    if name != "corpus.jsonl":  # Real processes count one of the three, and this one the others.
        monkeypatch.setattr(_parallel, "n_cores", lambda: 1)
    at_once = answer("fit", corpus / name, *QUICK, *more, "-o", tmp_path / "m")
    in_parts = answer("fit", corpus / name, *QUICK, *more, "-o", tmp_path / "s", "--stream")
    assert without_time(in_parts) == without_time(at_once)
    one, other = wideangle.load(tmp_path / "m"), wideangle.load(tmp_path / "s")
    np.testing.assert_array_equal(one.components_, other.components_)
    np.testing.assert_array_equal(one.documents_.vectors, other.documents_.vectors)
    for field in ("names", "snippets"):
        assert list(getattr(one.documents_, field)) == list(getattr(other.documents_, field))
    for field in ("columns", "times", "ends"):
        np.testing.assert_array_equal(getattr(one.documents_.words, field), getattr(other.documents_.words, field))
    np.testing.assert_array_equal(one.topics_.leaves, other.topics_.leaves)
    assert [topic.name for topic in one.topics_] == [topic.name for topic in other.topics_]
    assert vars(one.reading_) == vars(other.reading_)
    assert not list(tmp_path.glob("*.parts"))


def test_large_files_are_read_so_by_themselves(corpus, run, tmp_path, monkeypatch, in_this_process):
    monkeypatch.setattr(on_disk, "LARGE", 1000)
    code, _, said = run("fit", corpus / "corpus.jsonl", *QUICK, "-o", tmp_path / "m")
    assert code == 0
    assert "is read in a stream" in said
    assert len(wideangle.load(tmp_path / "m").documents_) == 60
    code, _, said = run("fit", corpus / "corpus.npz", *QUICK, "-o", tmp_path / "n")
    assert code == 0
    assert "stream" not in said


def test_settings_are_chosen_on_a_sample(corpus, run, tmp_path, monkeypatch, in_this_process):
    monkeypatch.setattr(on_disk, "TUNED_ON", 45)
    code, _, said = run("fit", corpus / "corpus.jsonl", *QUICK, "--for", "auto", "--stream", "-o", tmp_path / "m")
    assert code == 0
    assert "settings are chosen on 45 of 60 documents." in said


@pytest.mark.parametrize(
    ("name", "more", "why"),
    [
        ("corpus.npz", (), "holds numbers"),
        ("corpus.jsonl", ("--model", "lsi"), "lsi is fitted on"),
        ("-", (), "standard input is read at once"),
    ],
)
def test_where_it_cannot_be(name, more, why, corpus, run, tmp_path):
    path = name if name == "-" else corpus / name
    code, _, said = run("fit", path, *more, "--stream", "-o", tmp_path / "m")
    assert code == 2
    assert f"--stream reads texts part by part, and {why if name != 'corpus.npz' else ''}" in said
    assert why in said


def test_after_an_error_the_parts_are_kept_and_used_again(corpus, run, tmp_path, monkeypatch, in_this_process):
    monkeypatch.setattr(to_disk, "PART", 2000)
    to = tmp_path / "m"

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("wideangle.persistence.save", full)
        code, _, said = run("fit", corpus / "corpus.jsonl", *QUICK, "--stream", "-o", to)
    assert code == 1
    assert "the disk is full" in said
    assert not to.exists()
    assert (tmp_path / "m.parts" / "parts").is_dir()
    code, _, said = run("fit", corpus / "corpus.jsonl", *QUICK, "--stream", "-o", to)
    assert code == 0
    assert "of an earlier run" in said
    assert not (tmp_path / "m.parts").exists()


def test_rows_without_names_are_called_by_their_row(answer, tmp_path, monkeypatch, in_this_process):
    monkeypatch.setattr(to_disk, "PART", 300)
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps({"text": f"wheat corn grain number{n}"}) + "\n" for n in range(40)))
    answer("fit", path, *QUICK, "--stream", "-o", tmp_path / "m")
    assert list(wideangle.load(tmp_path / "m").documents_.names) == [f"row {n}" for n in range(1, 41)]
