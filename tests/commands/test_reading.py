"""The options of reading on the command line: what is asked for reaches every command that reads."""

import csv
import gzip
import io
import sys

import numpy as np
import pytest
from page_texts import strings_of
from small_corpus import documents

import wideangle
from wideangle.view import ModelView

QUICK = ("-k", 3, "--updates", 20)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The corpus as a table with ids, markup and a split, separated by semicolons, in UTF-16."""
    path = tmp_path_factory.mktemp("table") / "reviews.csv"
    with path.open("w", newline="", encoding="utf-16") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(("url", "comment", "kind", "id", "split"))
        for i, (text, label) in enumerate(documents()):
            marked = f"<p>{text}</p><script>tracker()</script>"
            writer.writerow(
                (f"https://example.org/{i}", marked, label, f"doc-{i:02}", "test" if i % 4 == 0 else "train")
            )
    return path


@pytest.fixture(scope="module")
def model(table, tmp_path_factory):
    from wideangle.cli import main

    path = tmp_path_factory.mktemp("table-model") / "m.wideangle"
    options = ["--label-column", "kind", "--strip-html", "--ngrams", "2", "--quiet", "-o", str(path)]
    assert main(["fit", str(table), "-k", "6", "--updates", "300", *options]) == 0
    return path


def pipe(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_fit_reads_the_rows_marked_train_and_evaluate_asks_with_the_others(table, model, run, answer, tmp_path):
    told = answer("fit", table, "--label-column", "kind", *QUICK, "-o", tmp_path / "m")
    assert (told["documents"], told["held_out"], told["classes"]) == (45, 15, 3)
    _, _, err = run("fit", table, *QUICK, "-o", tmp_path / "m")
    assert "reviews.csv: 60 rows, separated by ';', encoded in utf-16, text from column 'comment'" in err
    assert "split by column 'split' (45 to fit on, 15 held out); not used: 'url', 'kind'." in err
    for found in (answer("evaluate", model), answer("evaluate", model, table)):
        assert (found["queries"], found["database"]) == (15, 45)
    told = answer("fit", table, "--split-column", "none", *QUICK, "-o", tmp_path / "m")
    assert (told["documents"], told["held_out"]) == (60, 0)


def test_ids_travel_to_every_output(table, model, answer, tmp_path):
    import pyarrow.parquet as pq

    hits = answer("search", model, "wheat", "corn")["hits"]
    assert all(hit["name"].startswith("doc-") for hit in hits)
    elsewhere = answer("search", model, "wheat", "--in", table, "-n", 3)["hits"]
    assert all(hit["name"].startswith("doc-") for hit in elsewhere)
    names = [f"doc-{i:02}" for i in range(60)]
    answer("transform", model, table, "-o", tmp_path / "o.npz")
    assert np.load(tmp_path / "o.npz")["names"].tolist() == names
    answer("transform", model, table, "-o", tmp_path / "o.parquet")
    assert pq.read_table(tmp_path / "o.parquet")["id"].to_pylist() == names
    answer("explore", model, "-o", tmp_path / "page.html")
    assert [name for name, _, _ in strings_of((tmp_path / "page.html").read_text())] == names
    answer("transform", model, table, "--id-column", "url", "-o", tmp_path / "o.npz")
    assert np.load(tmp_path / "o.npz")["names"][0] == "https://example.org/0"


def test_markup_and_pairs_are_read_alike_in_new_documents_and_queries(table, model, answer, tmp_path):
    fitted = wideangle.load(model)
    assert not {"tracker", "script"} & set(fitted.vocabulary_)
    assert any(" " in word for word in fitted.vocabulary_)
    answer("transform", model, table, "-o", tmp_path / "o.npz")
    kept = ModelView.of(fitted).vectors(fitted.documents_)
    np.testing.assert_allclose(np.load(tmp_path / "o.npz")["X"], kept, rtol=1e-5, atol=1e-6)
    pair = next(word for word in fitted.vocabulary_ if " " in word)
    found = answer("search", model, f"<script>{pair}</script><b>{pair}</b>")
    assert set(found["known"]) == {pair, *pair.split()}


def test_info_tells_how_the_documents_were_read(model, run, answer):
    columns = answer("info", model)["columns"]
    assert (columns["ngrams"], columns["strip_html"], columns["stop_words"]) == (2, True, "auto")
    assert (columns["id_column"], columns["split_column"], columns["label_column"]) == ("id", "split", "kind")
    out = run("info", model)[1]
    for line in ("id column      id", "split column   split", "up to 2 words count as one", "only its text is read"):
        assert line in out


def test_document_frequencies_and_stop_words(table, answer, tmp_path):
    texts = [set(text.split()) for text, _ in documents()]
    often = {word for word in set().union(*texts) if 8 <= sum(word in text for text in texts) <= 30}
    options = ("--strip-html", "--stop-words", "none", "--min-df", 8, "--max-df", "0.5")
    answer("fit", table, *options, *QUICK, "-o", tmp_path / "m")
    assert set(wideangle.load(tmp_path / "m").vocabulary_) == often
    (tmp_path / "stop.txt").write_text("wheat ship")
    answer("fit", table, "--strip-html", "--stop-words", tmp_path / "stop.txt", *QUICK, "-o", tmp_path / "m")
    found = answer("search", tmp_path / "m", "wheat", "corn", "interest")
    assert (found["known"], found["left_out"], found["unknown"]) == (["corn"], ["wheat"], ["interest"])


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_standard_input(compress, corpus, answer, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pipe(monkeypatch, compress((corpus / "corpus.csv").read_bytes()))
    told = answer("fit", "-", *QUICK)
    assert (told["path"], told["documents"], told["classes"]) == ("model.wideangle", 60, 3)
    pipe(monkeypatch, compress((corpus / "corpus.jsonl").read_bytes()))
    code, _, err = run("transform", "model.wideangle", "-", "-o", "o.npz")
    assert code == 0, err
    assert "standard input: 60 rows" in err
    fitted = wideangle.load("model.wideangle")
    kept = ModelView.of(fitted).vectors(fitted.documents_)
    np.testing.assert_allclose(np.load("o.npz")["X"], kept, rtol=1e-5, atol=1e-6)


def test_a_separator_and_a_format_that_are_named(run, tmp_path):
    (tmp_path / "odd.dat").write_text("text:label\n" + "wheat, corn:a\nship, port:b\n" * 5)
    options = ("--format", "csv", "--separator", ":", *QUICK, "-o", tmp_path / "m")
    code, _, err = run("fit", tmp_path / "odd.dat", *options)
    assert code == 0, err
    assert "odd.dat: 10 rows, separated by ':', text from column 'text', labels from column 'label'" in err
    code, _, err = run("fit", tmp_path / "odd.dat", "--format", "doc")
    assert code == 2
    assert "--format 'doc' cannot be read. Take txt, csv" in err


def test_tuning_says_the_reading_too(table, answer):
    options = ("--strip-html", "--ngrams", 2, "--min-df", 2, "--max-df", "0.9", "--label-column", "kind")
    found = answer("tune", table, "-k", 2, "--diversity", 0, "--folds", 2, "--updates", 5, *options)
    assert found["rows"] == 45
    assert found["next"].endswith("--label-column kind --ngrams 2 --min-df 2 --max-df 0.9 --strip-html")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("d.csv.gz", b"no gzip", "d.csv.gz is cut short"),
        ("d.json", b"[{", "d.json: no JSON"),
        ("d.npz", b"no arrays", "d.npz cannot be read as .npz: it is damaged or something else."),
        ("d.xlsx", b"no workbook", "d.xlsx cannot be read as .xlsx"),
        ("d.parquet", b"no parquet", "d.parquet cannot be read as Parquet"),
        ("d.csv", b"text,label\nwheat,a\n" + b"corn,barley,b\n" + b"wheat,a\n" * 9, "d.csv, row 2 has 3 fields"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_with_the_name(name, content, said, run, tmp_path):
    (tmp_path / name).write_bytes(content)
    code, out, err = run("fit", tmp_path / name, *QUICK, "-o", tmp_path / "m")
    assert (code, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1
    assert "pickle" not in err
