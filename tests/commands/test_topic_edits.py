"""Topics that a user merges, splits and names on the command line; the model keeps them."""

import shutil

import numpy as np
import pytest

import wideangle


@pytest.fixture(scope="module")
def found(models, tmp_path_factory):
    """A model whose documents are in 5 topics."""
    from wideangle.cli import main

    path = shutil.copy(models["replicated-softmax"], tmp_path_factory.mktemp("edits") / "m.wideangle")
    assert main(["topics", str(path), "-t", "5", "--rename", "5", "last", "--quiet", "--json"]) == 0
    return path


@pytest.fixture
def model(found, tmp_path):
    return shutil.copy(found, tmp_path / "m.wideangle")


def sizes(answered):
    return [topic["size"] for topic in answered["topics"]]


def test_merged_topics_are_kept(model, answer):
    before = sizes(answer("topics", model))
    told = answer("topics", model, "--merge", "2,4")
    expected = [before[0], before[1] + before[3], before[2], before[4]]
    assert sizes(told) == sizes(answer("topics", model)) == expected
    assert told["topics"][3]["name"] == "last"
    outline = answer("topics", model, "--tree")["outline"]
    assert sum(line.strip()[0].isdecimal() for line in outline) == 4


def test_numbers_are_those_that_were_shown(model, answer):
    before = answer("topics", model)["topics"]
    whole = wideangle.load(model).topics_
    told = answer("topics", model, "--merge", "1,3", "--split", 2, "--rename", 3, "joined", "--rename", 4, "fourth")
    after = wideangle.load(model).topics_
    assert told["topics"][0]["name"] == "joined"
    assert told["topics"][0]["size"] == before[0]["size"] + before[2]["size"]
    fourth = next(topic for topic in told["topics"] if topic["name"] == "fourth")
    assert fourth["size"] == before[3]["size"]
    parts = set(after.of_documents[whole.of_documents == 1].tolist())
    assert len(parts) == 2
    assert len(after) == 5


def test_reset_brings_back_what_was_found(model, answer, run):
    before = answer("topics", model)["topics"]
    answer("topics", model, "--merge", "1,2,3")
    answer("topics", model, "--split", 1)
    assert answer("topics", model, "--reset")["topics"] == before
    assert answer("topics", model)["topics"] == before
    code, _, err = run("topics", model, "--reset")
    assert code == 0
    assert "nothing was merged or split" in err


def test_search_page_and_assign_follow(model, answer, tmp_path, run):
    answer("topics", model, "--merge", "1,2", "--rename", 1, "both")
    loaded = wideangle.load(model)
    counts = loaded.documents_.words.counts(len(loaded.vocabulary_)).astype(np.float32)
    assert (loaded.assign(counts).topics == loaded.topics_.of_documents).mean() > 0.95
    assert run("explore", model, "-o", tmp_path / "page.html")[0] == 0
    page = (tmp_path / "page.html").read_text()
    assert '"both"' in page
    assert '"chosen":4' in page.replace(" ", "")


def test_update_keeps_what_was_made_by_hand(model, answer, tmp_path):
    before = answer("topics", model, "--merge", "1,2", "--rename", 1, "both")["topics"]
    (tmp_path / "new").mkdir()
    text = "wheat corn harvest field tractor grain soil farmer crop barley"
    (tmp_path / "new" / "fresh.txt").write_text(text)
    told = answer("update", model, tmp_path / "new", "--no-training")["topics"]
    assert [topic["name"] for topic in told] == [topic["name"] for topic in before]
    assert sum(topic["documents"] for topic in told) == sum(topic["size"] for topic in before) + 1
    assert len(answer("topics", model, "--reset")["topics"]) == 5


def test_topics_are_called_by_classes(model, answer):
    told = answer("topics", model, "--name-by-labels")["topics"]
    for topic in told:
        if topic["name"] != "last" and topic["classes"][0]["documents"] > topic["size"] / 2:
            assert topic["name"].split(" (")[0] == topic["classes"][0]["label"]
    assert told[4]["name"] == "last"  # A user's name stays.
    names = [topic["name"] for topic in answer("topics", model)["topics"]]
    assert names == [topic["name"] for topic in told]
    assert len(set(names)) == len(names)


def test_without_labels_there_are_no_names_of_classes(corpus, tmp_path, run):
    assert run("fit", corpus / "corpus.txt", "-k", 3, "--updates", 20, "--language", "en", "-o", tmp_path / "m")[0] == 0
    code, _, err = run("topics", tmp_path / "m", "--name-by-labels")
    assert code == 1
    assert "have no labels" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--merge", "2"), "at least two topics"),
        (("--merge", "2,2"), "at least two topics"),
        (("--merge", "2,9"), "--merge takes the number of a topic, 1 to 5; got '9'"),
        (("--split", "6"), "--split takes the number of a topic, 1 to 5; got '6'"),
        (("--merge", "1,2", "--merge", "2,3"), "topic 2 is changed twice"),
        (("--merge", "1,2", "--split", "1"), "topic 1 is changed twice"),
        (("--reset", "--split", "1"), "Reset them first"),
        (("--components", "--merge", "1,2"), "are about topics"),
    ],
)
def test_what_cannot_be_done_is_said(model, run, options, said):
    content = model.read_bytes()
    code, out, err = run("topics", model, *options)
    assert (code, out) == (2, "")
    assert said in err
    assert model.read_bytes() == content


def test_topics_are_named_by_numbers(model, run, capsys):
    with pytest.raises(SystemExit, match="2"):
        run("topics", model, "--merge", "a,b")
    assert "'a' is no whole number" in capsys.readouterr().err


def test_the_order_by_size_is_still_there(model, answer):
    answer("topics", model, "--split", 1)
    assert sizes(answer("topics", model, "--sort", "size")) == sorted(sizes(answer("topics", model)), reverse=True)
