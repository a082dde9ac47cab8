"""`wideangle search` as people and machines see it."""

import io
import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console
from small_corpus import documents

import wideangle
from wideangle.cli import main
from wideangle.commands.work.searching import search_documents, show

OLD = Path(__file__).parents[1] / "model_files" / "format_3" / "ReplicatedSoftmax.wideangle"
BOLD = "\x1b[1;4m"


def printed(path, query, terminal, **options):
    file = io.StringIO()
    found, reading = search_documents(path, query, **options)
    show(found, Console(file=file, force_terminal=terminal, width=100), reading)
    return file.getvalue()


def test_the_words_of_the_query_are_marked_in_a_terminal_alone(models):
    marked = printed(models["replicated-softmax"], "wheat corn", True, count=3)
    assert f"{BOLD}wheat\x1b[0m" in marked
    assert f"{BOLD}harvest" not in marked
    plain = printed(models["replicated-softmax"], "wheat corn", False, count=3)
    assert "wheat" in plain
    assert "\x1b" not in plain


def test_machines_get_the_words_that_each_document_has(models, answer):
    for hit in answer("search", models["replicated-softmax"], "wheat", "loan", "-n", 8)["hits"]:
        assert hit["matched"] == [word for word in ("wheat", "loan") if word in hit["snippet"].split()]


def test_by_words_finds_only_documents_that_have_one(models, answer):
    found = answer("search", models["mlp"], "mortgage", "--by", "words", "-n", 60)
    having = sum("mortgage" in text.split() for text, _ in documents())
    assert (len(found["hits"]), found["by"]) == (having, "words")
    assert all("mortgage" in hit["snippet"].split() for hit in found["hits"])


def test_the_text_is_shown_from_where_a_word_stands(tmp_path, run):
    lines = [{"text": f"{'harvest field corn tractor ' * 4}{word} grain soil"} for word in ("wheat", "barley") * 4]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert run("fit", tmp_path / "d.jsonl", "-k", 2, "--updates", 5, "--quiet", "-o", tmp_path / "m")[0] == 0
    out = run("search", tmp_path / "m", "barley", "-n", 1)[1]
    assert "…corn tractor barley grain soil" in out
    assert "harvest field corn" in run("search", tmp_path / "m", "field", "-n", 1)[1]


def test_a_file_from_before_words_were_kept_is_searched_by_closeness(run, tmp_path):
    path = tmp_path / "old.wideangle"
    shutil.copy(OLD, path)
    model = wideangle.load(path)
    word = model.vocabulary_[0]
    code, out, err = run("search", path, word, "-n", 2)
    assert code == 0, err
    assert "does not say which words its documents have, so that they are ranked by closeness alone" in err
    assert json.loads(run("search", path, word, "--json", "-q")[1])["by"] == "meaning"
    code, out, err = run("search", path, word, "--by", "words")
    assert (code, out) == (1, "")
    assert "Search --by meaning, or fit again" in err
    assert "ranked by closeness" not in run("search", path, word, "--by", "meaning")[2]


@pytest.mark.parametrize("query", ["", "...", "12"])
def test_a_query_without_words(query, models, run):
    code, out, err = run("search", models["mlp"], query)
    assert (code, out) == (1, "")
    assert "there is no word in" in err


@pytest.fixture(scope="module")
def titled(tmp_path_factory):
    """A model of documents with ids and titles."""
    root = tmp_path_factory.mktemp("titled")
    rows = [
        {"id": f"d{number}", "title": f"Story {number} of the {label}", "body": text, "label": label}
        for number, (text, label) in enumerate(documents())
    ]
    (root / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["fit", str(root / "d.jsonl"), "-k", "4", "--updates", "50", "-q", "-o", str(root / "m")]) == 0
    return root


def test_titles_and_ids_are_shown(titled, run, answer):
    hits = answer("search", titled / "m", "wheat", "-n", 3)["hits"]
    for hit in hits:
        assert hit["title"] == f"Story {hit['number']} of the {hit['label']}"
        assert hit["name"] == f"d{hit['number']}"
    out = run("search", titled / "m", "wheat", "-n", 3)[1]
    assert "title and text" in out
    assert f"{hits[0]['title']} – " in out


def test_a_title_is_marked_and_not_counted(titled, run, answer):
    marked = printed(titled / "m", "wheat", True, count=1)
    assert "Story" in marked
    assert "knows no word of 'story'" in run("search", titled / "m", "story")[2]
    assert answer("search", titled / "m", "wheat", "--in", titled / "d.jsonl", "-n", 1)["hits"][0]["title"]
    without = answer("search", titled / "m", "wheat", "--in", titled / "d.jsonl", "--title-column", "none")["hits"][0]
    assert without["snippet"].startswith(without["title"].removesuffix("…"))  # its first words, and no story


def test_a_title_is_said_in_the_description(titled, run):
    err = run("search", titled / "m", "wheat", "--in", titled / "d.jsonl")[2]
    assert "titles from column 'title'" in err
