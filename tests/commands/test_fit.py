"""`wideangle fit`: every form of input to a model file, and what it says when it cannot."""

import json
from itertools import product

import numpy as np
import pytest
from small_models import OWN_COMMANDS, sized

import wideangle
from wideangle.catalogue import entry_of
from wideangle.catalogue.documents import DOCUMENTS
from wideangle.commands.arguments import options, types
from wideangle.encoders.catalogue import KINDS
from wideangle.finishing import FINISHES, GRANULARITIES
from wideangle.functional.regularizers import REGULARIZERS
from wideangle.models._boltzmann.start import STARTS
from wideangle.recent_rows import METRICS
from wideangle.word_counts import WEIGHTINGS

TEXTS = ["folder", "corpus.csv", "corpus.tsv", "corpus.jsonl", "corpus.parquet", "corpus.npz"]
QUICK = ("-k", 4, "--updates", 60)


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize(
    ("model", "name"),
    [*product(OWN_COMMANDS, TEXTS), *((entry.command, TEXTS[i % len(TEXTS)]) for i, entry in enumerate(DOCUMENTS))],
)
def test_reads_every_form_of_text(model, name, corpus, answer, tmp_path):
    told = answer("fit", corpus / name, *sized(model, 4, 60), "-o", tmp_path / "m.wideangle")
    K = 35 if entry_of(model).size is None else 4
    assert told["features"] == 35
    assert told["n_components"] == K
    assert told["classes"] == 3
    assert told["documents"] + told["held_out"] == 60
    fitted = wideangle.load(tmp_path / "m.wideangle")
    assert told["updates"] == getattr(fitted, "n_updates_", None)
    if told["updates"] is not None and not fitted.stopped_.startswith("validated"):  # as a distance may be at its start
        assert told["updates"] == (min(60, told["documents"]) if model == "replicated-softmax" else 60)
    assert sorted(fitted.vocabulary_)[:2] == ["anchor", "barley"]
    assert len(fitted.documents_) == 60
    assert list(fitted.documents_.label_names) == ["bank", "farm", "sea"]
    kinds = {entry.command: "counts" for entry in DOCUMENTS} | dict.fromkeys(OWN_COMMANDS, "tf-idf")
    kinds |= {"replicated-softmax": "counts", "bernoulli-rbm": "presence"}
    assert fitted.reading_.kind == kinds[model] == told["reading"]
    assert fitted.documents_.vectors.shape == (60, K)


def test_a_number_of_components_is_refused_where_each_word_is_one(corpus, run, tmp_path):
    code, _, said = run("fit", corpus / "folder", "--model", "tf-idf", "-k", 4, "-o", tmp_path / "m")
    assert code == 2
    assert "Leave out -k." in said


def test_a_split_in_the_file_is_kept(corpus, answer, tmp_path):
    told = answer("fit", corpus / "corpus.npz", *QUICK, "-o", tmp_path / "m")
    assert (told["documents"], told["held_out"]) == (45, 15)
    assert wideangle.load(tmp_path / "m").documents_.is_train.sum() == 45


@pytest.mark.parametrize("model", [name for name in OWN_COMMANDS if entry_of(name).takes != "counts"])
@pytest.mark.parametrize("name", ["numbers.csv", "numbers.parquet", "arrays.npz"])
def test_tables_of_numbers(name, model, corpus, answer, tmp_path):
    told = answer("fit", corpus / name, *sized(model, 4, 60), "-o", tmp_path / "m")
    assert (told["reading"], told["features"], told["documents"]) == ("numbers", 6, 60)
    if name != "arrays.npz":
        assert wideangle.load(tmp_path / "m").vocabulary_ == [f"x{i}" for i in range(6)]


def test_a_sparse_matrix_of_scipy_counts_words(corpus, answer, tmp_path):
    told = answer("fit", corpus / "matrix.npz", *QUICK, "-o", tmp_path / "m")
    assert (told["reading"], told["features"], told["classes"]) == ("counts", 35, None)


def test_a_sparse_matrix_can_be_meant_otherwise_and_that_is_said(corpus, run, tmp_path):
    options = ("--model", "bernoulli-rbm", *QUICK, "-o", tmp_path / "m")
    assert "count words, here by presence" in run("fit", corpus / "matrix.npz", *options)[2]
    assert "count words" not in run("fit", corpus / "corpus.npz", *options)[2]


def test_the_same_seed_gives_the_same_model(corpus, answer, tmp_path):
    for name in ("a", "b"):
        answer("fit", corpus / "folder", *QUICK, "-o", tmp_path / name)
    answer("fit", corpus / "folder", *QUICK, "--seed", 1, "-o", tmp_path / "c")
    a, b, c = (wideangle.load(tmp_path / name).components_ for name in "abc")
    np.testing.assert_array_equal(a, b)
    assert np.abs(a - c).max() > 1e-4


def test_options_reach_the_model(corpus, answer, tmp_path):
    options = ("--diversity", 0.7, "--surrogate", "volume", "--words", 12, "--stop-words", "none", "--seed", 5)
    told = answer("fit", corpus / "folder", *QUICK, *options, "-o", tmp_path / "m")
    assert (told["diversity"], told["features"]) == (0.7, 12)
    settings = told["settings"]
    assert (settings["surrogate"], settings["random_state"], settings["max_updates"]) == ("volume", 5, 60)
    assert (settings["verbose"], settings["device"]) == (False, "auto")


@pytest.mark.slow
def test_the_default_weight_suits_the_regulariser(corpus, answer, tmp_path):
    told = [
        answer("fit", corpus / "folder", *QUICK, "--surrogate", surrogate, "-o", tmp_path / "m")["diversity"]
        for surrogate in ("angle", "volume")
    ]
    assert told == pytest.approx([0.1, 0.001])


def test_stop_words_from_a_file_and_another_pattern(corpus, answer, tmp_path):
    (tmp_path / "stop.txt").write_text("wheat\nCorn ship")
    options = ("--stop-words", tmp_path / "stop.txt", "--token-pattern", r"\b[a-z]{4}\b")
    answer("fit", corpus / "folder", *QUICK, *options, "-o", tmp_path / "m")
    model = wideangle.load(tmp_path / "m")
    assert {len(word) for word in model.vocabulary_} == {4}
    assert not {"corn", "ship"} & set(model.vocabulary_)
    assert model.reading_.token_pattern == r"\b[a-z]{4}\b"


def test_without_documents_none_are_kept(corpus, answer, tmp_path):
    answer("fit", corpus / "folder", *QUICK, "--no-documents", "-o", tmp_path / "m")
    model = wideangle.load(tmp_path / "m")
    assert not hasattr(model, "documents_")
    assert b"tractor" in (tmp_path / "m").read_bytes()  # the vocabulary is


def test_the_file_is_named_after_the_data(corpus, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("fit", corpus / "corpus.csv", *QUICK)
    assert code == 0
    assert "corpus.wideangle" in out
    assert (tmp_path / "corpus.wideangle").is_file()


def test_the_guessed_column_is_said_and_can_be_named(corpus, run, tmp_path):
    _, _, err = run("fit", corpus / "corpus.jsonl", *QUICK, "-o", tmp_path / "m")
    assert "text from column 'body'" in err
    assert "--text-column, --label-column." in err
    _, _, err = run("fit", corpus / "corpus.jsonl", "--text-column", "body", *QUICK, "-o", tmp_path / "m")
    assert "with --label-column." in err
    _, _, err = run("fit", corpus / "corpus.jsonl", *QUICK, "--quiet", "-o", tmp_path / "m")
    assert err == ""


def test_documents_without_a_known_word_and_without_labels_are_kept_with_a_note(run, tmp_path):
    rows = [{"text": "wheat corn"}, {"text": "12 34"}, {"text": "corn barley wheat", "label": "x"}]
    (tmp_path / "few.jsonl").write_text("\n".join(map(json.dumps, rows)))
    code, _, err = run("fit", tmp_path / "few.jsonl", *QUICK, "-o", tmp_path / "m")
    assert code == 0
    assert "1 of 3 documents has no word" in err
    assert "2 of 3 rows have no label" in err
    assert len(wideangle.load(tmp_path / "m").documents_) == 3


@pytest.mark.parametrize(("model", "is_noted"), [("distance", True), ("gaussian-rbm", False)])
def test_columns_of_different_units_are_noted_unless_the_model_measures_each_by_its_own(model, is_noted, run, tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3)) * [1, 1e6, 1]
    rows = [{"a": x[0], "b": x[1], "c": x[2], "label": "xy"[int(x[0] > 0)]} for x in X]
    (tmp_path / "units.jsonl").write_text("\n".join(map(json.dumps, rows)))
    code, _, err = run(
        "fit", tmp_path / "units.jsonl", "--model", model, "-k", 2, "--updates", 20, "-o", tmp_path / "m"
    )
    assert code == 0
    assert ("standardise them" in err) == is_noted


@pytest.mark.parametrize("model", ["replicated-softmax", "distance", "mlp"])
def test_auto_chooses_the_weight_by_a_search(model, corpus, answer, tmp_path):
    options = ("--model", model, "--diversity", "auto", "-k", 3, "--updates", 30)
    told = answer("fit", corpus / "folder", *options, "-o", tmp_path / "m")
    tuning = told["tuning"]
    assert told["diversity"] == tuning["best"]["diversity"]
    assert tuning["best"] in tuning["trials"]
    assert tuning["reason"]
    assert len(tuning["trials"]) > 2
    assert tuning["updates"] <= 60
    settings = wideangle.load(tmp_path / "m").get_params()
    assert {name: settings[name] for name in tuning["best"]["settings"]} == tuning["best"]["settings"]


@pytest.mark.slow
def test_auto_chooses_with_labels_what_is_left_open(corpus, answer, tmp_path):
    options = ("--diversity", "auto", "-k", 3, "--updates", 30, "-o", tmp_path / "m")
    told = answer("fit", corpus / "folder", *options)
    assert set(told["tuning"]["best"]["settings"]) == {"diversity", "weighting", "granularity"}
    assert told["weighting"] == told["tuning"]["best"]["settings"]["weighting"]
    assert told["granularity"] == told["tuning"]["best"]["settings"]["granularity"]
    told = answer("fit", corpus / "folder", *options, "--weighting", "log", "--for", 0.3)
    assert set(told["tuning"]["best"]["settings"]) == {"diversity"}
    assert (told["weighting"], told["granularity"]) == ("log", 0.3)
    told = answer("fit", corpus / "corpus.txt", *options, "--for", "details")
    assert set(told["tuning"]["best"]["settings"]) == {"diversity"}
    assert (told["granularity"], told["weighting"], told["finish"]) == (0, "tf-idf", "halves")


@pytest.mark.parametrize("name", ["corpus.txt", "folder"])
def test_auto_says_what_it_chose(name, corpus, run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    options = ("--diversity", "auto", "-k", 3, "--updates", 30, "-o", tmp_path / "m")
    code, out, err = run("fit", corpus / name, *options)
    assert code == 0, err
    table = out[: out.index("model ")]
    assert max(map(len, table.splitlines())) <= 80
    assert table.count("← best") == 1
    assert "…" not in table
    assert "Search by " in table
    assert "λ = 0" in table
    assert ("granularity" in table) == (name == "folder")


@pytest.mark.slow
def test_what_training_depends_on(corpus, answer, run, tmp_path):
    options = ("--weighting", "log", "--diversity", 0.2, "--metric", "scales", "--init", "random", "--finish", "none")
    told = answer("fit", corpus / "folder", *QUICK, *options, "-o", tmp_path / "m")
    assert (told["diversity"], told["weighting"]) == (0.2, "log")
    assert (told["granularity"], told["finish"], told["halved_documents"]) == (None, None, None)
    assert (told["settings"]["metric"], told["settings"]["init"]) == ("scales", "random")
    out = run("fit", corpus / "folder", *QUICK, *options, "-o", tmp_path / "m")[1]
    assert "4 components, λ = 0.2, weighting log" in out
    assert "as the model says it" in out


def test_options_have_the_values_of_the_parameters():
    assert tuple(GRANULARITIES) == types.GRANULARITIES
    assert tuple(FINISHES) == options.FINISHES
    assert options.WEIGHTINGS == WEIGHTINGS
    assert options.METRICS == METRICS
    assert [name.partition(":")[0] for name in options.ENCODERS] == list(KINDS)
    assert options.STARTS == STARTS
    assert tuple(REGULARIZERS) == options.SURROGATES


def test_an_old_file_is_replaced_only_by_a_complete_one(corpus, run, tmp_path):
    (tmp_path / "m").write_text("old")
    code, _, _ = run("fit", corpus / "corpus.txt", "--model", "mlp", *QUICK, "--force", "-o", tmp_path / "m")
    assert code == 1
    assert (tmp_path / "m").read_text() == "old"
    assert run("fit", corpus / "corpus.txt", *QUICK, "--force", "-o", tmp_path / "m")[0] == 0
    assert wideangle.load(tmp_path / "m").n_updates_ == 60
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_columns_of_different_units_are_pointed_out(run, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "x.npz", X=rng.random((40, 3)) * [1, 1, 1e4], y=np.arange(40) % 2)
    _, _, err = run("fit", tmp_path / "x.npz", "--model", "distance", *QUICK, "-o", tmp_path / "m")
    assert "standardise" in err


def test_the_one_column_of_names_beside_numbers_is_the_label(corpus, run, tmp_path):
    table = (corpus / "numbers.csv").read_text().replace(",label\n", ",species\n")
    (tmp_path / "flowers.csv").write_text(table)
    code, _, err = run("fit", tmp_path / "flowers.csv", "--model", "mlp", *QUICK, "-o", tmp_path / "m")
    assert code == 0, err
    assert "labels from column 'species'" in err
    assert wideangle.load(tmp_path / "m").classes_.tolist() == ["bank", "farm", "sea"]
    # New rows need the features alone, whatever else is beside them.
    lines = table.splitlines()[:3]
    (tmp_path / "new.csv").write_text("\n".join(f"{line},note {i}" for i, line in enumerate(lines)))
    code, _, err = run("transform", tmp_path / "m", tmp_path / "new.csv", "-o", tmp_path / "o.npz")
    assert code == 0, err


def test_other_encodings_and_compressed_files(run, tmp_path):
    import gzip

    text = "text,label\nblé maïs récolte blé,a\nprêt crédit marché,b\n"
    with gzip.open(tmp_path / "c.csv.gz", "wb") as file:
        file.write(text.encode("latin-1"))
    options = ("--encoding", "latin-1", "--token-pattern", r"(?u)\b\w\w+\b", "--stop-words", "none")
    code, _, err = run("fit", tmp_path / "c.csv.gz", *options, *QUICK, "-o", tmp_path / "m")
    assert code == 0, err
    assert "maïs" in wideangle.load(tmp_path / "m").vocabulary_
