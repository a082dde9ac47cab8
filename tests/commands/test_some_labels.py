"""Documents without a label beside labelled ones, in every command that uses labels."""

import base64
import csv
import json
import re

import numpy as np
import pytest
from small_corpus import documents

import wideangle
from wideangle.view import ModelView

QUICK = ("-k", 3, "--updates", 40)
WITHOUT = (0, 7, 20, 21, 59)  # rows that lose their label


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("some") / "some.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label"))
        writer.writerows((t, "" if i in WITHOUT else c) for i, (t, c) in enumerate(documents()))
    return path


@pytest.fixture(scope="module")
def model(table, tmp_path_factory):
    from wideangle.cli import main

    path = tmp_path_factory.mktemp("some-model") / "m.wideangle"
    assert main(["fit", str(table), *map(str, QUICK), "--language", "en", "--quiet", "-o", str(path)]) == 0
    return path


def test_the_model_keeps_them_without_a_class(table, model, run, answer, tmp_path):
    code, out, err = run("fit", table, *QUICK, "-o", tmp_path / "m")
    assert code == 0
    assert "5 of 60 rows have no label. They are kept" in " ".join(err.split())
    assert "3 classes" in out
    carried = wideangle.load(model).documents_
    assert np.flatnonzero(carried.labels == -1).tolist() == list(WITHOUT)
    found = answer("info", model)["documents"]
    assert (found["count"], len(found["classes"]), found["unlabelled"]) == (60, 3, 5)
    assert "3 classes: " in (shown := run("info", model)[1])
    assert "5 documents without" in shown
    told = answer("fit", table, *QUICK, "--drop-unlabelled", "-o", tmp_path / "m")
    assert (told["documents"], told["classes"]) == (55, 3)


@pytest.mark.parametrize("own", [True, False])
def test_evaluation_is_that_of_the_labelled_documents(own, table, model, answer, tmp_path):
    found = answer("evaluate", model, *(() if own else (table,)))
    assert (found["queries"], found["database"]) == (55, 55)
    assert "5 documents without a label left out" in found["protocol"]
    view = ModelView.of(wideangle.load(model))
    kept = view.model.documents_
    labelled = kept.labels >= 0
    vectors, labels = view.comparable(view.vectors(kept))[labelled], kept.labels[labelled]
    distances = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :10]
    expected = (labels[nearest] == labels[:, None]).mean()
    assert found["by_labels"]["precision"][0]["precision"] == pytest.approx(expected, abs=0.004)
    assert {row["label"] for row in found["by_labels"]["classes"]} == set(kept.label_names)


def test_held_out_documents_without_any_label(answer, tmp_path):
    lines = ["text,label,split"]
    for i, (text, label) in enumerate(documents()):
        held = i % 4 == 0
        lines.append(f"{text},{'' if held else label},{'test' if held else 'train'}")
    (tmp_path / "d.csv").write_text("\n".join(lines))
    answer("fit", tmp_path / "d.csv", *QUICK, "-o", tmp_path / "m")
    found = answer("evaluate", tmp_path / "m")
    assert (found["queries"], found["by_labels"]) == (0, None)


@pytest.mark.parametrize("name", ["distance", "mlp"])
def test_models_that_learn_from_labels_learn_from_those_there_are(name, table, answer, tmp_path):
    some = answer("fit", table, "--model", name, *QUICK, "-o", tmp_path / "some")
    assert (some["documents"], some["classes"]) == (60, 3)
    model = wideangle.load(tmp_path / "some")
    assert "" not in [str(label) for label in getattr(model, "classes_", ())]
    found = answer("evaluate", tmp_path / "some")
    assert found["queries"] == 55


@pytest.mark.slow
def test_tuning_and_chosen_settings(table, answer, tmp_path):
    options = ("-k", 2, "--diversity", 0, "--folds", 2, "--updates", 5)
    found = answer("tune", table, *options)
    assert found["rows"] == 55
    found = answer("tune", table, *options, "--measure", "agreement of halves")
    assert found["rows"] == 60
    told = answer("fit", table, *QUICK, "--for", "auto", "-o", tmp_path / "m")
    assert (told["documents"], told["granularities"] is not None) == (60, True)
    told = answer("fit", table, *QUICK, "--diversity", "auto", "-o", tmp_path / "m")
    assert (told["documents"], told["classes"]) == (60, 3)


def test_topics_count_the_classes_that_are_known(model, answer):
    found = answer("topics", model)
    shares = [(share["label"], share["documents"]) for topic in found["topics"] for share in topic["classes"]]
    assert {label for label, _ in shares} <= {label for _, label in documents()}
    assert sum(count for _, count in shares) == 55


def test_search_and_new_files_name_no_class(table, model, answer, tmp_path):
    import pyarrow.parquet as pq

    hits = answer("search", model, "wheat", "corn", "ship", "-n", 60)["hits"]
    assert {hit["name"]: hit["label"] for hit in hits}.get("row 1") is None
    answer("transform", model, table, "-o", tmp_path / "o.parquet")
    labels = pq.read_table(tmp_path / "o.parquet")["label"].to_pylist()
    assert [i for i, label in enumerate(labels) if label is None] == list(WITHOUT)
    answer("transform", model, table, "-o", tmp_path / "o.npz")
    assert (np.load(tmp_path / "o.npz")["labels"] == "").sum() == 5
    answer("transform", model, table, "-o", tmp_path / "o.csv")
    with (tmp_path / "o.csv").open(newline="") as file:
        assert [row["label"] for row in csv.DictReader(file)].count("") == 5


def test_the_page_shows_them_without_a_class(model, answer, tmp_path):
    answer("explore", model, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    content = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))
    assert sum(row["size"] for row in content["classes"]) == 55
    classes = np.frombuffer(base64.b64decode(content["documents"]["classes"]), "<i2")
    found = np.frombuffer(base64.b64decode(content["models"][0]["found"]), "u1")
    assert np.flatnonzero(classes == -1).tolist() == np.flatnonzero(found == 255).tolist() == list(WITHOUT)
    assert sum(row["size"] for row in content["change"]["classes"]) == 55
