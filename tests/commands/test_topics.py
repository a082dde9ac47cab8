"""`wideangle topics`: groups of documents, their names, their tree; components where there are no groups."""

import shutil

import numpy as np
import pytest

import wideangle


@pytest.fixture
def model(models, tmp_path):
    """A copy that may be changed."""
    return shutil.copy(models["replicated-softmax"], tmp_path / "m.wideangle")


@pytest.mark.parametrize("name", ["replicated-softmax", "bernoulli-rbm", "distance", "mlp"])
def test_topics_are_groups_of_the_documents(name, models, answer):
    told = answer("topics", models[name], "-n", 5)
    topics = told["topics"]
    documents = wideangle.load(models[name]).documents_
    assert told["kind"] == "topics"
    assert told["documents"] == sum(topic["size"] for topic in topics) == len(documents)
    assert [topic["number"] for topic in topics] == list(range(1, len(topics) + 1))
    assert [topic["size"] for topic in topics] == sorted((topic["size"] for topic in topics), reverse=True)
    names = set(documents.names)
    for topic in topics:
        assert topic["name"]
        assert 1 <= len(topic["words"]) <= 5
        assert {example["name"] for example in topic["examples"]} <= names
        assert sum(part["documents"] for part in topic["classes"]) == topic["size"]  # there are three classes


def test_the_number_of_topics_can_be_chosen(model, answer):
    one = answer("topics", model, "-t", 1)
    assert [topic["size"] for topic in one["topics"]] == [one["documents"]]
    four = answer("topics", model, "--topics", 4)["topics"]
    assert len(four) == 4
    assert len(answer("topics", model)["topics"]) == len(wideangle.load(model).topics_)


def test_more_topics_than_documents_are_refused(model, run):
    code, _, err = run("topics", model, "-t", 1000)
    assert code == 1
    assert "got 1000" in err


def test_a_name_is_kept_in_the_file(model, answer, run):
    before = answer("topics", model, "-t", 3)["topics"]
    answer("topics", model, "-t", 3, "--rename", 2, "My subject", "--rename", 3, "other")
    again = answer("topics", model)["topics"]  # the number that was asked for last is kept too
    assert [topic["name"] for topic in again] == [before[0]["name"], "My subject", "other"]
    for wrong, known in (("0", "from 1 on"), ("4", "1 to 3"), ("first", "from 1 on")):
        code, _, err = run("topics", model, "--rename", wrong, "x")
        assert code == 2
        assert f"{known}; got '{wrong}'" in err


@pytest.mark.parametrize(("order", "key"), [("angle", "angle"), ("name", "name")])
def test_orders(order, key, model, answer):
    values = [topic[key] for topic in answer("topics", model, "-t", 4, "--sort", order)["topics"]]
    assert values == sorted(values)


def test_order_by_purity(model, answer):
    topics = answer("topics", model, "-t", 4, "--sort", "purity")["topics"]
    purity = [topic["classes"][0]["documents"] / topic["size"] for topic in topics]
    assert purity == sorted(purity, reverse=True)


def test_the_tree_begins_with_all_documents_and_ends_in_the_topics(model, run):
    code, out, _ = run("topics", model, "-t", 3, "--tree")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "all documents (60)"
    assert len(lines) == 5  # three topics and one merge between them and the root
    assert sum(line.strip()[:3] in ("1. ", "2. ", "3. ") for line in lines) == 3


def test_from_frequent_to_exclusive_words(model, answer):
    documents = wideangle.load(model)
    having = np.asarray(documents.documents_.words.matrix(len(documents.vocabulary_)).sum(axis=0)).ravel()
    share = dict(zip(documents.vocabulary_, having, strict=True))

    def mean(exclusive):
        topics = answer("topics", model, "-t", 4, "--exclusive", exclusive, "-n", 4)["topics"]
        return np.mean([share[word] for topic in topics for word in topic["words"]])

    assert mean(0) >= mean(1)


def test_a_model_without_documents_lists_components_and_says_so(corpus, run, answer, tmp_path):
    answer("fit", corpus / "corpus.csv", "-k", 3, "--updates", 10, "--no-documents", "-o", tmp_path / "m")
    told = answer("topics", tmp_path / "m")
    assert told["kind"] == "components"
    assert [topic["size"] for topic in told["topics"]] == [None] * 3
    _, _, err = run("topics", tmp_path / "m")
    assert "No documents" in err
    assert "These are the model's components." in err
    code, _, err = run("topics", tmp_path / "m", "-t", 3)
    assert code == 2
    assert "are about topics. No documents came" in err


def test_components_are_listed_where_they_are_asked_for(model, answer, run):
    told = answer("topics", model, "--components", "-n", 3)
    assert told["kind"] == "components"
    assert [topic["words"] for topic in told["topics"]] == wideangle.load(model).component_words(3)
    by_weight = answer("topics", model, "--by", "weight", "-n", 3)["topics"]
    assert [topic["words"] for topic in by_weight] == wideangle.load(model).component_words(3, by="weight")
    code, _, err = run("topics", model, "--components", "--tree")
    assert code == 2
    assert "Components are listed by --components" in err


@pytest.mark.parametrize("value", ["-1", "1.1", "nan", "many"])
def test_a_slider_beyond_its_ends_is_refused(value, model, run, capsys):
    with pytest.raises(SystemExit, match="2"):
        run("topics", model, f"--exclusive={value}")
    assert value in capsys.readouterr().err


def test_in_eighty_columns(model, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("topics", model, "-t", 4)
    assert max(map(len, out.splitlines())) <= 80
    assert "4 topics of 60 documents. -t shows another number of them." in out


def test_fit_says_how_many_topics_it_found(corpus, answer, tmp_path):
    fitted = answer("fit", corpus / "corpus.csv", "-k", 3, "--updates", 10, "-o", tmp_path / "m")
    assert fitted["topics"] == len(wideangle.load(tmp_path / "m").topics_) >= 1


class TestPage:
    """The options of `wideangle explore` that are about topics, maps and pictures."""

    def test_topics_layout_and_shape(self, models, answer, tmp_path):
        n = len(wideangle.load(models["replicated-softmax"]).documents_)
        np.save(tmp_path / "points.npy", np.random.default_rng(0).random((n, 2)))
        page = tmp_path / "p.html"
        answer("explore", models["replicated-softmax"], "-t", 2, "--layout", tmp_path / "points.npy", "-o", page)
        assert '"chosen":2' in page.read_text()
        assert '"layout":"as it was given"' in page.read_text()
        answer("explore", models["numbers"], "--shape", "2x3", "-o", page)
        assert '"height":2,"width":3' in page.read_text()

    def test_a_shape_is_two_numbers(self, models, run, capsys):
        with pytest.raises(SystemExit, match="2"):
            run("explore", models["replicated-softmax"], "--shape", "2")
        assert "no height and width, such as 28x28" in capsys.readouterr().err

    def test_what_does_not_fit_is_named(self, models, run, tmp_path):
        np.save(tmp_path / "points.npy", np.zeros((3, 2)))
        (tmp_path / "text.npy").write_text("no array")
        for options, message, expected in (
            (("--layout", tmp_path / "points.npy"), "3", 1),
            (("--layout", tmp_path / "text.npy"), "is no array of numpy.save", 1),
            (("--layout", tmp_path / "nothing.npy"), "does not exist", None),
            (("--shape", "2x2"), "2 × 2 has 4 pixels", 1),
        ):
            code, _, err = run("explore", models["replicated-softmax"], *options, "-o", tmp_path / "p.html")
            assert code == expected or (expected is None and code in (1, 2)), err
            assert message in err
            assert not (tmp_path / "p.html").exists()
