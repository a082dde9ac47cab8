"""`wideangle assign`: a row per document with its topic, how sure it is, the second topic, and like documents."""

import csv
import io
import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import wideangle
from wideangle.commands.files.own_files import COLUMNS
from wideangle.commands.work import assigning
from wideangle.evaluation import nearest_rows
from wideangle.reading import read_new, read_new_parts
from wideangle.view import ModelView

HEADS = [*COLUMNS["documents"], "nearest1", "nearest2", "nearest3"]


@pytest.fixture
def model(models):
    return models["replicated-softmax"]


def table(text):
    return pd.read_csv(io.StringIO(text))


def test_each_row_is_what_the_model_says(model, corpus, run):
    code, out, err = run("assign", model, corpus / "corpus.csv", "--csv", "-q")
    assert (code, err) == (0, "")
    found, fitted = table(out), wideangle.load(model)
    assert list(found) == HEADS
    rows = read_new(corpus / "corpus.csv", fitted.reading_, fitted.vocabulary_)
    expected = fitted.assign(rows.X)
    assert found["document"].astype(str).tolist() == rows.names
    assert found["topic"].tolist() == (expected.topics + 1).tolist()
    assert found["second"].tolist() == (expected.second + 1).tolist()
    np.testing.assert_allclose(found["sure"], expected.sure, atol=5e-4)
    np.testing.assert_allclose(found["second_share"], expected.second_share, atol=5e-4)
    names = [topic.name for topic in fitted.topics_]
    assert found["topic_name"].tolist() == [names[topic] for topic in expected.topics]
    assert found["second_name"].tolist() == [names[topic] for topic in expected.second]
    view = ModelView.of(fitted)
    near = nearest_rows(view.represent(rows.X), view.vectors(fitted.documents_), 3).rows
    assert found["nearest1"].tolist() == [fitted.documents_.names[row] for row in near[:, 0]]
    assert found["nearest3"].tolist() == [fitted.documents_.names[row] for row in near[:, 2]]


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".parquet", ".jsonl"])
def test_every_format_has_the_same_and_the_summary_adds_up(ending, model, corpus, answer, run, tmp_path):
    told = answer("assign", model, corpus / "folder", "-o", tmp_path / f"t{ending}", "--nearest", 1)
    readers = {
        ".csv": pd.read_csv,
        ".xlsx": pd.read_excel,
        ".parquet": pd.read_parquet,
        ".jsonl": lambda path: pd.read_json(path, lines=True),
    }
    found = readers[ending](tmp_path / f"t{ending}")
    assert list(found) == HEADS[:-2]
    assert len(found) == told["documents"] == sum(topic["documents"] for topic in told["topics"]) == 60
    counts = found["topic"].value_counts().to_dict()
    assert {topic["number"]: topic["documents"] for topic in told["topics"] if topic["documents"]} == counts
    assert found["sure"].mean() == pytest.approx(told["sure"], abs=1e-3)


def test_a_document_is_not_its_own_neighbour(model, corpus, run):
    _, out, _ = run("assign", model, corpus / "folder", "--csv", "-q")
    found = table(out)
    assert (found["document"] != found["nearest1"]).all()
    assert set(found["document"]) == set(wideangle.load(model).documents_.names)


def test_documents_without_known_words_have_no_topic(model, run, tmp_path):
    (tmp_path / "d.csv").write_text('id,title,text\na,"=Wheat",wheat corn\nb,Nichts,"über alles 東京"\nc,,\n')
    code, out, _ = run("assign", model, tmp_path / "d.csv", "--text-column", "text", "--csv", "-q")
    assert code == 0
    _, first, *rest = csv.reader(io.StringIO(out))
    assert first[:2] == ["a", "'=Wheat"]
    assert rest == [["b", "Nichts", *[""] * 9], ["c", *[""] * 10]]
    code, out, _ = run("assign", model, tmp_path / "d.csv", "--text-column", "text", "-o", tmp_path / "t.csv", "-q")
    assert out.splitlines()[-1] == f"3 documents; 2 without a word that the model knows → {tmp_path / 't.csv'}"


def test_other_numbers_and_granularities(model, corpus, answer, tmp_path):
    few = answer("assign", model, corpus / "corpus.csv", "-t", 2, "-o", tmp_path / "a.csv")
    assert len(few["topics"]) == 2
    broad = answer("assign", model, corpus / "corpus.csv", "--for", "groups", "-t", 3, "-o", tmp_path / "b.csv")
    assert broad["granularity"] == 1.0
    assert len(broad["topics"]) == 3
    one = answer("assign", model, corpus / "corpus.csv", "-t", 1, "-o", tmp_path / "c.csv")
    assert one["sure"] == pytest.approx(1.0)
    assert pd.read_csv(tmp_path / "c.csv")["second"].isna().all()


def test_parts_give_the_same_as_the_whole(model, corpus, run, monkeypatch):
    asked = ("assign", model, corpus / "corpus.csv", "--csv")
    _, whole, said = run(*asked)
    assert "Note: corpus.csv: 60 rows" in said
    monkeypatch.setattr(assigning, "PART", 7)
    _, parts, said = run(*asked)
    assert parts == whole
    assert "Note: rows 1 to 7: corpus.csv: 7 rows" in said
    assert said.count("corpus.csv") == 1


def test_no_more_than_a_part_and_the_next_are_read_ahead(corpus, model):
    fitted = wideangle.load(model)
    parts = read_new_parts(corpus / "corpus.csv", fitted.reading_, fitted.vocabulary_, size=25)
    assert [len(rows) for rows in parts] == [25, 25, 10]


def test_from_standard_input(model, run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"wheat corn harvest\n")))
    code, out, err = run("assign", model, "-", "--format", "txt", "--csv", "-q")
    assert code == 0, err
    assert out.splitlines()[1].startswith("line 1,")


def test_in_eighty_columns_and_short(model, corpus, run, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(assigning, "SHOWN", 2)
    _, out, _ = run("assign", model, corpus / "corpus.csv", "-t", 6, "-o", "t.csv", "-q")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["#", "documents", "sure", "topic"]
    shown = sum(int(line.split()[1]) for line in lines[2:4])
    assert lines[4].startswith("4 other topics have ")
    assert shown + int(lines[4].split()[4]) == 60
    assert lines[-1] == "60 documents → t.csv"


def test_a_model_of_before_says_what_sure_is(model, corpus, run, answer, tmp_path):
    fitted = wideangle.load(model)
    fitted.topics_ = replace(fitted.topics_, sureness=None)
    fitted.save(tmp_path / "old.wideangle")
    code, out, err = run("assign", tmp_path / "old.wideangle", corpus / "corpus.csv", "--csv")
    assert code == 0
    assert "`sure` is 1 − (distance to the topic) / (distance to the next one). Fit again" in err
    assert table(out)["second_share"].isna().all()
    assert table(out)["second"].notna().all()
    told = answer("assign", tmp_path / "old.wideangle", corpus / "corpus.csv", "-o", tmp_path / "t.csv")
    assert not told["calibrated"]


def test_a_model_without_topics_is_refused(models, corpus, run, tmp_path):
    code, _, err = run("assign", models["numbers"], corpus / "numbers.csv", "-o", tmp_path / "t.csv", "-q")
    assert code == 1
    assert "has no topics" in err
    assert not (tmp_path / "t.csv").exists()


def test_a_model_without_documents_names_no_neighbours(model, corpus, run, tmp_path):
    fitted = wideangle.load(model)
    topics = fitted.topics_
    del fitted.documents_
    fitted.topics_ = topics
    fitted.save(tmp_path / "m.wideangle")
    code, out, err = run("assign", tmp_path / "m.wideangle", corpus / "corpus.csv", "--csv", "-q")
    assert code == 0, err
    assert list(table(out)) == HEADS[:-3]


def test_lines_of_json_are_plain(model, corpus, run, tmp_path):
    assert run("assign", model, corpus / "corpus.csv", "-o", tmp_path / "t.jsonl", "-q")[0] == 0
    first = json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])
    assert list(first) == HEADS
    assert isinstance(first["topic"], int)
    assert 0 <= first["second_share"] <= first["sure"] <= 1
