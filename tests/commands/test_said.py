"""What a newcomer would not see in a result is said: guesses, words left out, numbers that flatter."""

import json
import shlex

import numpy as np
import pytest
from small_corpus import documents

from wideangle.commands import demo
from wideangle.commands.work.demo import demonstration
from wideangle.data import python_docs

QUICK = ("-k", 3, "--updates", 20)


def test_what_a_table_was_taken_for_is_said(run, corpus, tmp_path):
    _, _, err = run("fit", corpus / "corpus.jsonl", *QUICK, "-o", tmp_path / "m")
    taken = "corpus.jsonl: 60 rows, one JSON object per line, text from column 'body', labels from column 'category'."
    unknown = "Note: The language of the documents was not recognised, so that no stop words are left out. "
    unknown += "--language names it; --language none says that there is none.\n"
    assert err.startswith(f"Note: {taken} Name other columns with --text-column, --label-column.\n{unknown}")
    named = ("--text-column", "body", "--label-column", "category", "--language", "none")
    first, *others = run("fit", corpus / "corpus.jsonl", *named, *QUICK, "-o", tmp_path / "m")[2].splitlines()
    assert first == f"Note: {taken}"
    assert all("60 documents are few" in line for line in others)
    _, _, err = run("transform", tmp_path / "m", corpus / "corpus.csv", "-o", tmp_path / "o.npz")
    assert "corpus.csv: 60 rows, separated by ',', text from column 'text', labels from column 'label', ids" in err


def test_stop_words_of_a_query_are_named(run, answer, models):
    path = models["replicated-softmax"]
    found = answer("search", path, "interest", "wheat")
    assert (found["known"], found["unknown"], found["left_out"]) == (["wheat"], [], ["interest"])
    _, out, err = run("search", path, "interest", "wheat")
    assert "left out as stop words: interest" in err
    assert "documents for: wheat" in out
    code, _, err = run("search", path, "interest")
    assert code == 1
    assert "Left out as stop words: interest; fit with --stop-words none" in err


def test_documents_of_the_model_given_again_do_not_find_themselves(answer, corpus, models):
    path = models["replicated-softmax"]
    own, again = answer("evaluate", path), answer("evaluate", path, corpus / "folder")
    assert "its held-out documents query" in again["protocol"]
    assert (again["queries"], again["database"]) == (own["queries"], own["database"])
    assert again["by_labels"]["precision"] == own["by_labels"]["precision"]
    assert again["by_labels"]["knn_accuracy"] == own["by_labels"]["knn_accuracy"]


def test_queries_that_are_searched_themselves_are_pointed_out(run, tmp_path):
    rows = [json.dumps({"text": text, "label": label}) for text, label in documents()]
    chosen = np.random.default_rng(0).permutation(len(rows)).tolist()
    for name, part in (("all", chosen), ("some", chosen[:20])):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows[i] for i in part))
    model = tmp_path / "m"
    assert run("fit", tmp_path / "all.jsonl", *QUICK, "-q", "-o", model)[0] == 0
    _, _, err = run("evaluate", model, tmp_path / "some.jsonl")
    assert "20 of 20 queries have the same representation as a searched document" in err
    assert "the same representation" not in run("evaluate", model)[2]


@pytest.mark.slow
def test_the_language_is_said_unless_it_is_english(run, tmp_path):
    path = tmp_path / "texts.txt"
    said = "Note: The documents are in German: 263 stop words are left out. --language names another language, and "
    german = "Die Häuser in der Straße sind alt, und im Garten steht ein Baum.\n"
    path.write_text(german * 3, encoding="utf-8")
    assert said in run("fit", path, *QUICK, "-o", tmp_path / "m")[2]
    for named in (("--language", "de"), ("--language", "none"), ("--stop-words", "none")):
        assert "stop words" not in run("fit", path, *QUICK, *named, "-o", tmp_path / "m")[2]
    path.write_text("The houses in this street are old, and there is a tree in the garden.\n" * 3)
    assert "stop words" not in run("fit", path, *QUICK, "-o", tmp_path / "m")[2]
    code, _, err = run("fit", path, "--language", "klingon", "-o", tmp_path / "m")
    assert code == 2
    assert "'klingon'" in err


def test_texts_without_words_are_told_what_a_word_is(run, tmp_path):
    (tmp_path / "texts.txt").write_text("42 😀\n1 2 3\n", encoding="utf-8")
    code, _, err = run("fit", tmp_path / "texts.txt", *QUICK, "-o", tmp_path / "m")
    assert code == 1
    assert r"A word has three letters or more; for shorter words pass --token-pattern '\b\w+\b'." in err


def test_the_command_after_tuning_fits_what_was_tuned(run, answer, corpus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my corpus.csv").write_text((corpus / "corpus.csv").read_text())
    said = ("--text-column", "text", "--updates", "20", "--words", "30", "--seed", "5", "--surrogate", "volume")
    said += ("--for", "details", "--weighting", "log", "--metric", "scales", "--init", "random")
    found = answer("tune", "my corpus.csv", "-k", "2", "--diversity", "0", "--folds", "2", *said)
    program, *command = shlex.split(found["next"])
    assert program == "wideangle"
    fitted = answer(*command)
    settings = fitted["settings"]
    assert (fitted["n_components"], fitted["features"], fitted["updates"]) == (2, 30, 20)
    assert (settings["random_state"], settings["surrogate"], settings["diversity"]) == (5, "volume", 0)
    assert (settings["granularity"], settings["weighting"]) == ("details", "log")
    assert (settings["metric"], settings["init"]) == ("scales", "random")


def test_a_demo_of_one_topic_and_one_seed(run, tmp_path, monkeypatch):
    """On a tenth of the docstrings; the slow tests run it on all of them."""
    some = python_docs()
    monkeypatch.setattr(demonstration, "python_docs", lambda: some.subset(np.arange(0, len(some), 10)))
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run("demo", "-k", 1, "--updates", 3, "--seeds", 1, "-o", tmp_path)
    assert code == 0, err
    assert "nan" not in out
    assert "One seed\n" in out
    assert max(len(line) for line in out.splitlines() if str(tmp_path) not in line) <= 80
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(demo.FILES)
