"""`--for` and `--finish`: how finely documents are told apart, at the fit and after it."""

import shutil

import numpy as np
import pytest

import wideangle
from wideangle.evaluation import precision_per_query
from wideangle.searching import Searcher
from wideangle.view import ModelView

QUICK = ("-k", 4, "--updates", 60)
USES = {
    "transform": lambda corpus, out: (corpus / "corpus.csv", "-o", out),
    "search": lambda corpus, out: ("wheat",),
    "evaluate": lambda corpus, out: (),
    "topics": lambda corpus, out: (),
    "explore": lambda corpus, out: ("-o", out),
}


@pytest.fixture
def model(models, tmp_path):
    """A copy that may be changed."""
    return shutil.copy(models["replicated-softmax"], tmp_path / "m.wideangle")


@pytest.fixture(scope="session")
def plain_lsi(corpus, tmp_path_factory):
    """A baseline as it was published, without a finish."""
    from wideangle.cli import main

    path = tmp_path_factory.mktemp("lsi") / "lsi.wideangle"
    assert main(["fit", str(corpus / "folder"), "--model", "lsi", "-k", "4", "--quiet", "-o", str(path)]) == 0
    return path


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("asked", "number"), [("details", 0), ("balance", 0.5), ("groups", 1), ("0.3", 0.3)])
def test_a_fit_is_the_same_for_all_granularities(asked, number, corpus, answer, tmp_path):
    usual = answer("fit", corpus / "folder", *QUICK, "-o", tmp_path / "usual")
    told = answer("fit", corpus / "folder", *QUICK, "--for", asked, "-o", tmp_path / "m")
    assert (usual["granularity"], told["granularity"]) == (0.5, number)
    assert (told["finish"], told["halved_documents"]) == ("halves", 60)
    one, other = (wideangle.load(tmp_path / name) for name in ("usual", "m"))
    np.testing.assert_array_equal(one.components_, other.components_)
    found = answer("info", tmp_path / "m")
    assert [found[key] for key in ("granularity", "finish", "halved_documents")] == [number, "halves", 60]
    assert other.topics_.granularity == number


def test_what_fit_and_info_say(corpus, run, tmp_path, plain_lsi, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    cases = (
        ("folder", (), "balance (0.5): distance of the halves of 60 documents"),
        ("folder", ("--for", 0.3), "0.3: distance of the halves of 60 documents"),
        ("folder", ("--for", "groups", "--finish", "spectrum"), "groups (1): by the spectrum"),
        ("folder", ("--finish", "none"), "as the model says it"),
        ("folder", ("--model", "lsi", "-k", 4, "--for", "details"), "details (0): distance of the halves"),
    )
    for name, options, expected in cases:
        size = () if "--model" in options else QUICK
        code, out, err = run("fit", corpus / name, *size, *options, "-o", tmp_path / "m")
        assert code == 0, err
        assert ["for", *expected.split()] in [line.split()[: 1 + len(expected.split())] for line in out.splitlines()]
        assert expected in run("info", tmp_path / "m")[1]
    assert "as the model says it" in run("info", plain_lsi)[1]


def test_documents_of_one_word_are_compared_by_the_spectrum(answer, run, tmp_path):
    (tmp_path / "words.txt").write_text("wheat\ncorn\nbarley\n" * 20)
    told = answer("fit", tmp_path / "words.txt", "-k", 2, "--updates", 20, "-o", tmp_path / "m")
    assert (told["finish"], told["halved_documents"]) == ("spectrum", 0)
    said = run("info", tmp_path / "m")[1]
    assert "by the spectrum: too few documents have words for two halves" in " ".join(said.split())


def test_models_that_cannot_have_a_granularity(run, corpus, models, tmp_path):
    for name in ("bernoulli-rbm", "distance", "tf-idf"):
        for option, parameter in (("--for", "granularity"), ("--finish", "finish")):
            value = "groups" if option == "--for" else "halves"
            code, _, err = run("fit", corpus / "folder", "--model", name, option, value, "-o", tmp_path / "x", "-q")
            assert code == 2
            assert f"{name} has no {parameter}, because nothing finishes what it says. Leave out {option}." in err
    code, _, err = run("fit", corpus / "folder", "--for", "groups", "--finish", "none", "-o", tmp_path / "x", "-q")
    assert code == 2
    assert "Leave out one of them" in err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("command", USES)
def test_models_without_a_finish_say_what_to_do(command, run, corpus, models, plain_lsi, tmp_path):
    others = USES[command](corpus, tmp_path / ("o.npz" if command == "transform" else "o.html"))
    code, _, err = run(command, plain_lsi, *others, "--for", "groups", "-q")
    assert code == 1
    assert "fit it again by wideangle fit --model lsi --for groups" in err
    code, _, err = run(command, models["distance"], *others, "--for", "groups", "-q")
    assert code == 2
    assert "is a distance, which has no granularity. Leave out --for." in err


@pytest.mark.parametrize("value", ["fine", "1.5", "-0.1", "nan", ""])
@pytest.mark.parametrize("command", ["fit", "tune", *USES])
def test_a_wrong_granularity_is_refused_by_the_parser(command, value, run, capsys):
    with pytest.raises(SystemExit, match="2"):
        run(command, "m", *(("o",) if command in ("search", "transform") else ()), f"--for={value}")
    assert f"{value!r} is neither details, balance, groups nor a number from 0 (fine) to 1 (broad)" in " ".join(
        capsys.readouterr().err.split()
    )


def test_only_fit_can_choose(run, capsys):
    with pytest.raises(SystemExit, match="2"):
        run("evaluate", "m", "--for", "auto")
    assert "'auto' is neither details" in capsys.readouterr().err


def test_transform_at_a_granularity(model, corpus, answer, run, tmp_path):
    told = answer("transform", model, corpus / "corpus.npz", "--for", 0.9, "-o", tmp_path / "o.npz")
    assert told["granularity"] == 0.9
    loaded = wideangle.load(model)
    other = np.load(tmp_path / "o.npz")["X"]
    answer("transform", model, corpus / "corpus.npz", "-o", tmp_path / "o.npz")
    usual = np.load(tmp_path / "o.npz")["X"]
    assert not np.allclose(other, usual, atol=0.01)
    assert ModelView.of(loaded).granularity == 0.5  # The file stays as it is.
    out = run("transform", model, corpus / "corpus.npz", "--for", "groups", "-o", tmp_path / "o.npz")[1]
    assert "for groups →" in out


def test_search_at_a_granularity(model, answer):
    view = ModelView.of(wideangle.load(model))
    found = {}
    for asked in ("details", "groups"):
        told = answer("search", model, "wheat", "--by", "meaning", "--for", asked)
        view.model.set_params(granularity=asked)
        expected = Searcher(view, view.model.documents_).search("wheat", 10, by="meaning")
        assert [hit["name"] for hit in told["hits"]] == [hit.name for hit in expected.hits]
        found[asked] = [hit["score"] for hit in told["hits"]]
    assert not np.allclose(found["details"], found["groups"], atol=1e-4)


def test_evaluate_compares_granularities(model, answer, run):
    told = answer("evaluate", model, "--for", "groups")
    table = told["granularities"]
    assert (told["granularity"], told["asked_granularity"], table["own"]) == (1, True, 1)
    assert [row["granularity"] for row in table["trials"]] == [0, 0.25, 0.5, 0.75, 1]
    loaded = wideangle.load(model)
    documents = loaded.documents_
    for row in table["trials"]:
        vectors = ModelView.of(loaded).vectors(documents, row["granularity"])
        train, classes = documents.is_train, documents.classes
        each = precision_per_query(vectors[~train], classes[~train], vectors[train], classes[train], 10)
        assert row["score"] == pytest.approx(each.mean(), abs=1e-6)
    assert table["trials"][-1]["score"] == pytest.approx(told["by_labels"]["precision"][0]["precision"])
    usual = answer("evaluate", model)
    assert (usual["granularity"], usual["asked_granularity"], usual["granularities"]["own"]) == (0.5, False, 0.5)


def test_evaluate_says_what_another_granularity_is_worth(model, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run("evaluate", model)
    assert code == 0, err
    assert max(map(len, out.splitlines())) <= 80
    assert "Granularity of the same fit, chosen on these documents\n" in out
    assert "balance (0.5)" in out
    assert out.count("← the model's own") == 1
    said = " ".join(out.split())
    assert "No other granularity" in said or "Take --for" in said
    assert "← asked for" in run("evaluate", model, "--for", 0.6)[1]


def test_without_labels_granularities_cannot_be_compared(corpus, answer, tmp_path):
    answer("fit", corpus / "corpus.txt", *QUICK, "-o", tmp_path / "m")
    assert answer("evaluate", tmp_path / "m")["granularities"] is None


def test_topics_at_a_granularity_are_grouped_anew(model, answer, run):
    answer("topics", model, "-t", 3, "--rename", 1, "mine")
    code, out, err = run("topics", model, "-t", 3, "--for", "details")
    assert code == 0
    assert "grouped anew, for details (0). The 1 names that were given belong to the former topics." in err
    assert "mine" not in out
    told = answer("topics", model, "--for", "balance")  # as they are, so that the tree and its names stay
    assert told["granularity"] == 0.5
    assert told["topics"][0]["name"] == "mine"
    assert "grouped anew" not in run("topics", model, "--for", "balance")[2]
    assert wideangle.load(model).topics_.granularity == 0.5


def test_a_name_given_at_another_granularity_changes_the_file(model, answer, run):
    code, _, err = run("topics", model, "-t", 2, "--for", 0.1, "--rename", 2, "mine")
    assert code == 0
    assert "now has these topics, and tells documents apart so finely in all commands" in err
    loaded = wideangle.load(model)
    assert (loaded.granularity, loaded.topics_.granularity) == (0.1, 0.1)
    assert answer("topics", model)["topics"][1]["name"] == "mine"
    code, _, err = run("topics", model, "--components", "--for", 0.2)
    assert code == 2
    assert "--for are about topics" in err


def test_the_page_at_a_granularity(model, run, answer, plain_lsi, tmp_path):
    usual, details = tmp_path / "usual.html", tmp_path / "details.html"
    answer("explore", model, "-o", usual)
    code, _, err = run("explore", model, "--for", "details", "-o", details)
    assert code == 0, err
    assert "grouped anew, for details (0)" in err
    assert usual.read_bytes() != details.read_bytes()
    code, _, err = run("explore", model, "--compare", plain_lsi, "--for", "details", "-o", details)
    assert code == 0, err
    assert f"{plain_lsi} has no granularity and is shown as it is." in err


@pytest.mark.slow
def test_labels_choose_the_granularity_of_a_fit(corpus, answer, run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for options in (QUICK, ("--model", "lsi", "-k", 4)):
        told = answer("fit", corpus / "folder", *options, "--for", "auto", "-o", tmp_path / "m")
        table = told["granularities"]
        assert told["granularity"] == table["best"] == wideangle.load(tmp_path / "m").granularity
        assert [row["granularity"] for row in table["trials"]] == [0, 0.25, 0.5, 0.75, 1]
        assert told["finish"] == "halves"
    code, out, _ = run("fit", corpus / "folder", *QUICK, "--for", "auto", "-o", tmp_path / "m")
    assert code == 0
    assert "Granularity of the fit, chosen on its own documents" in out
    assert max(map(len, (line for line in out.splitlines() if str(tmp_path) not in line))) <= 80


def test_without_labels_nothing_can_choose(corpus, run, tmp_path):
    code, _, err = run("fit", corpus / "corpus.txt", *QUICK, "--for", "auto", "-o", tmp_path / "m", "-q")
    assert code == 1
    assert "--for auto chooses by labels of two classes at least" in err
    assert "--for details, balance, groups or a number" in err
    assert not (tmp_path / "m").exists()


def test_tuning_reports_the_best_granularity(corpus, answer, run):
    options = ("-k", 3, "--updates", 20, "--diversity", "0", "--folds", 2)
    told = answer("tune", corpus / "folder", *options)
    table = told["tuning"]["granularities"]
    assert [row["granularity"] for row in table["trials"]] == [0, 0.25, 0.5, 0.75, 1]
    assert told["tuning"]["best"]["granularity"] == table["best"]
    assert ("--for" in told["next"]) == (table["best"] != table["own"])
    out = run("tune", corpus / "folder", *options)[1]
    assert "Granularities of the same fits" in out
    lsi = answer("tune", corpus / "folder", "--model", "lsi", "-k", "2,3", "--finish", "spectrum", "--folds", 2)
    assert lsi["tuning"]["granularities"] is not None
    assert "--finish spectrum" in lsi["next"]
    for said in (("--for", "groups"), ("--measure", "half retrieval")):
        assert answer("tune", corpus / "folder", *options, *said)["tuning"]["granularities"] is None
