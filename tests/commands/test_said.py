"""What a newcomer would not see in a result is said: guesses, words left out, numbers that flatter."""

import json
import shlex

import numpy as np
from small_corpus import documents

from wideangle.commands import _demonstration
from wideangle.data import python_docs

QUICK = ("-k", 3, "--updates", 20)


def test_what_a_table_was_taken_for_is_said(run, corpus, tmp_path):
    _, _, err = run("fit", corpus / "corpus.jsonl", *QUICK, "-o", tmp_path / "m")
    taken = "corpus.jsonl: 60 rows, one JSON object per line, text from column 'body', labels from column 'category'."
    assert f"Note: {taken} Name other columns with --text-column, --label-column.\n" == err
    named = ("--text-column", "body", "--label-column", "category")
    assert run("fit", corpus / "corpus.jsonl", *named, *QUICK, "-o", tmp_path / "m")[2] == f"Note: {taken}\n"
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


def test_words_of_other_alphabets_are_passed_over_with_a_note(run, tmp_path):
    path = tmp_path / "german.txt"
    note = "50% of the words have letters beyond a–z and are passed over. For other alphabets pass --token-pattern"
    none = ("--stop-words", "none", "-o", tmp_path / "m")
    path.write_text("Häuser Straße Garten Felder\n" * 3, encoding="utf-8")
    assert note in run("fit", path, *QUICK, *none)[2]
    assert run("fit", path, *QUICK, *none, "--token-pattern", r"\b\w{3,}\b")[2] == (
        "Note: german.txt: 3 documents, one per line.\n"
    )
    path.write_text("война мир\nмир поле\n", encoding="utf-8")
    code, _, err = run("fit", path, *QUICK, *none)
    assert code == 1
    assert "no document has a word left" in err
    assert r"pass --token-pattern '\b\w{3,}\b'" in err


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
    assert (settings["purpose"], settings["weighting"]) == ("details", "log")
    assert (settings["metric"], settings["init"]) == ("scales", "random")


def test_a_demo_of_one_topic_and_one_seed(run, tmp_path, monkeypatch):
    """On a tenth of the docstrings; the slow tests run it on all of them."""
    some = python_docs()
    monkeypatch.setattr(_demonstration, "python_docs", lambda: some.subset(np.arange(0, len(some), 10)))
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run("demo", "-k", 1, "--updates", 3, "--seeds", 1, "-o", tmp_path)
    assert code == 0, err
    assert "nan" not in out
    assert "One seed\n" in out
    assert max(len(line) for line in out.splitlines() if str(tmp_path) not in line) <= 80
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(_demonstration.FILES)
