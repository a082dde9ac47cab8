"""`wideangle info`: what a model file tells."""

import json
from pathlib import Path

import pytest

import wideangle
from wideangle._alphabets import WORDS
from wideangle.persistence import FORMAT

OLD = sorted((Path(__file__).parents[1] / "model_files").glob("format_*/*.wideangle"))


def test_what_a_file_of_fit_tells(models, answer):
    found = answer("info", models["distance"])
    model = wideangle.load(models["distance"])
    assert (found["model"], found["estimator"], found["n_components"]) == ("distance", "DistanceLearner", 6)
    assert (found["diversity"], found["surrogate"], found["gamma"]) == (model.diversity, "angle", 1.0)
    assert found["training"]["updates"] == model.n_updates_
    assert found["training"]["stopped"] == model.stopped_
    assert found["training"]["seconds"] == pytest.approx(model.history_[-1].seconds)
    assert found["columns"]["kind"] == "tf-idf"
    assert found["columns"]["count"] == model.n_features_in_
    assert found["columns"]["token_pattern"] == WORDS
    assert (found["columns"]["language"], found["columns"]["stop_words"]) == ("en", "auto")
    classes = list(model.documents_.label_names)
    assert found["documents"] == {"count": 60, "held_out": 15, "classes": classes, "unlabelled": 0}
    assert found["file"]["bytes"] == models["distance"].stat().st_size
    assert found["file"]["format"] == FORMAT
    assert found["file"]["versions"]["wideangle"] == wideangle.__version__
    assert found["angles"] == answer("topics", models["distance"])["angles"]
    assert found["parameters"]["random_state"] == 3


def test_columns_of_a_table(corpus, run, answer, tmp_path):
    options = ("-k", 2, "--updates", 5, "--stop-words", "none", "--quiet", "-o", tmp_path / "m")
    assert run("fit", corpus / "corpus.jsonl", *options)[0] == 0
    columns = answer("info", tmp_path / "m")["columns"]
    assert (columns["text_column"], columns["label_column"], columns["stop_words"]) == ("body", "category", "none")
    code, out, _ = run("info", tmp_path / "m")
    assert code == 0
    for line in ("text column    body", "label column   category", "stop words     none"):
        assert line in out


def test_the_language_is_named(models, run):
    _, out, _ = run("info", models["distance"])
    for line in ("words         of any alphabet", "language      English", "stop words    of the language"):
        assert line in out


@pytest.mark.parametrize("path", OLD, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_estimator_in_eighty_columns(path, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run("info", path)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert path.stem in out
    assert path.parent.name.replace("_", " ") in " ".join(out.split())
    code, out, _ = run("info", path, "--json")
    assert json.loads(out)["estimator"] == path.stem


def test_a_model_that_learned_by_parts(run, tmp_path):
    from saved_models import MODELS, data

    estimator, target, dtype = MODELS["rbm"]
    estimator.partial_fit(*data(target, dtype)).save(tmp_path / "m")
    code, out, _ = run("info", tmp_path / "m")
    assert code == 0
    assert "finished: " in out
    assert "none in the file" in out
