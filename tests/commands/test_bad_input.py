"""Whatever is wrong: one line with a remedy, the right exit code, and no traceback but with --debug."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.catalogue import entries
from wideangle.cli import main

QUICK = ("-k", 3, "--updates", 20, "--quiet")


def refused(run, *arguments, code=1):
    got, out, err = run(*arguments)
    assert got == code, (got, out, err)
    assert out == ""
    lines = err.strip().splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith(f"wideangle {arguments[0]}: ")
    return lines[0]


def write(path, content):
    path.write_text(content)
    return path


def fit_refused(run, tmp_path, path, *options):
    return refused(run, "fit", path, *QUICK, "-o", tmp_path / "out.wideangle", *options)


def test_a_path_that_is_not_there(run, tmp_path):
    assert "nothing.csv does not exist" in fit_refused(run, tmp_path, tmp_path / "nothing.csv")


def test_an_empty_folder(run, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "holds no document; a folder is searched for .txt" in fit_refused(run, tmp_path, tmp_path / "empty")


def test_files_without_content(run, tmp_path):
    assert "holds no rows" in fit_refused(run, tmp_path, write(tmp_path / "a.csv", "text,label\n"))
    assert "holds no" in fit_refused(run, tmp_path, write(tmp_path / "a.txt", "\n"))
    assert "--token-pattern" in fit_refused(run, tmp_path, write(tmp_path / "b.txt", "1 2 3\n"))


def test_a_file_of_an_unknown_kind(run, tmp_path):
    assert "Give a folder" in fit_refused(run, tmp_path, write(tmp_path / "a.docx", "words"))


@pytest.mark.parametrize("name", ["a.npz", "a.parquet", "a.jsonl"])
def test_damaged_files(name, run, tmp_path):
    assert name in fit_refused(run, tmp_path, write(tmp_path / name, "{this is nothing"))


def test_an_npz_of_something_else_or_of_objects(run, tmp_path):
    np.savez(tmp_path / "a.npz", weights=np.ones(3))
    assert "holds weights. Wanted are an array X" in fit_refused(run, tmp_path, tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", X=np.ones((3, 2)), y=np.array([1, "a", None], dtype=object))
    assert "not objects" in fit_refused(run, tmp_path, tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", X=np.ones((3, 2)), y=np.arange(2))
    assert "3 rows of X but 2 labels" in fit_refused(run, tmp_path, tmp_path / "c.npz")
    np.savez(tmp_path / "d.npz", X=np.full((3, 2), np.nan))
    assert "NaN" in fit_refused(run, tmp_path, tmp_path / "d.npz")


def test_unknown_columns(run, corpus, tmp_path):
    said = fit_refused(run, tmp_path, corpus / "corpus.csv", "--text-column", "words")
    assert "no column 'words'. It has 'id', 'text', 'label'" in said
    assert "no column 'group'" in fit_refused(run, tmp_path, corpus / "corpus.csv", "--label-column", "group")


def test_numbers_that_are_none(run, tmp_path):
    rows = "".join(f"{i},{i / 9},a\n" for i in range(120)) + "x,1,b\n"
    path = write(tmp_path / "a.csv", "u,v,label\n" + rows)
    said = fit_refused(run, tmp_path, path, "--model", "distance")
    assert "row 121: 'u' is 'x', not a number. Fill or drop it." in said


@pytest.mark.parametrize("model", [entry.command for entry in entries() if entry.target == "classes"])
def test_labels_are_needed(model, run, corpus, tmp_path):
    said = fit_refused(run, tmp_path, corpus / "corpus.txt", "--model", model)
    assert f"{model} learns from labels" in said
    assert "--label-column" in said
    some = write(tmp_path / "some.jsonl", '{"text": "wheat corn", "label": "a"}\n{"text": "corn barley"}\n')
    assert "at least 2 classes" in fit_refused(run, tmp_path, some, "--model", model)
    one = write(tmp_path / "one.jsonl", '{"text": "wheat corn", "label": "a"}\n{"text": "corn", "label": "a"}\n')
    assert "at least 2 classes" in fit_refused(run, tmp_path, one, "--model", model)


def test_rows_of_the_wrong_kind_for_a_model(run, corpus, tmp_path):
    assert "are no word counts" in fit_refused(run, tmp_path, corpus / "numbers.csv")
    sp.save_npz(tmp_path / "x.npz", sp.csr_matrix(np.array([[0.5, 3.0], [1.0, 0.0]])))
    assert "0 to 1" in fit_refused(run, tmp_path, tmp_path / "x.npz", "--model", "bernoulli-rbm")


def test_where_it_cannot_be_written(run, corpus, tmp_path):
    there = refused(run, "fit", corpus / "corpus.txt", *QUICK, "-o", tmp_path / "no" / "m")
    assert "does not exist. Make it" in there
    assert "is a folder" in refused(run, "fit", corpus / "corpus.txt", *QUICK, "-o", tmp_path, code=2)


def test_too_many_components_for_the_volume(run, corpus, tmp_path):
    said = fit_refused(run, tmp_path, corpus / "numbers.csv", "--model", "distance", "--surrogate", "volume", "-k", 9)
    assert "needs -k ≤ 6" in said


def test_a_split_twice(run, corpus, tmp_path):
    assert "--hold-out" in fit_refused(run, tmp_path, corpus / "corpus.npz", "--hold-out", "0.2")


def test_a_device_that_is_not_there(run, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert "no CUDA device" in fit_refused(run, tmp_path, corpus / "corpus.txt", "--device", "cuda")


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit"],
        ["fit", "x", "-k", "0"],
        ["fit", "x", "-k", "many"],
        ["fit", "x", "--diversity", "-1"],
        ["fit", "x", "--diversity", "much"],
        ["fit", "x", "--for", "fun"],
        ["fit", "x", "--weighting", "none"],
        ["tune", "x", "--metric", "mahalanobis"],
        ["fit", "x", "--init", "zeros"],
        ["fit", "x", "--hold-out", "1"],
        ["fit", "x", "--seed", "-1"],
        ["fit", "x", "--device", "tpu"],
        ["fit", "x", "--model", "word2vec"],
        ["fit", "x", "--token-pattern", "(["],
        ["fit", "x", "--encoding", "martian"],
        ["fit", "x", "--separator", "ab"],
        ["fit", "x", "--ngrams", "0"],
        ["fit", "x", "--min-df", "-1"],
        ["fit", "x", "--max-df", "1.5"],
        ["search", "m"],
        ["transform", "m", "x"],
        ["tune", "x", "-k", "3,none"],
        ["completion", "ksh"],
    ],
)
def test_wrong_arguments_exit_two(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"wideangle {arguments[0]}: ")
    assert said.endswith(f" See wideangle {arguments[0]} --help.\n")
    assert said.count("\n") == 1


def test_arguments_that_do_not_fit_together_exit_two(run, models, corpus, tmp_path):
    said = refused(run, "transform", models["mlp"], corpus / "folder", "-o", tmp_path / "out.txt", code=2)
    assert "must end in .npz, .csv, .xlsx, .parquet, .jsonl" in said
    assert "name their PATH" in refused(run, "evaluate", models["mlp"], "--perplexity", code=2)


@pytest.mark.parametrize("command", ["topics", "evaluate", "explore", "search", "transform"])
def test_model_files_that_are_none(command, run, models, corpus, tmp_path):
    more = {"search": ("wheat",), "transform": (corpus / "folder", "-o", tmp_path / "o.npz")}.get(command, ())
    assert "does not exist" in refused(run, command, tmp_path / "nothing", *more)
    assert "cannot be read as a model" in refused(run, command, write(tmp_path / "text", "hello"), *more)
    damaged = tmp_path / "damaged"
    content = bytearray(models["distance"].read_bytes())
    content[-5] ^= 1
    damaged.write_bytes(content)
    assert "is damaged" in refused(run, command, damaged, *more)
    assert "is a folder" in refused(run, command, corpus, *more)


def test_a_regressor_is_for_python(run, tmp_path):
    from wideangle import MLPRegressor

    MLPRegressor(2, max_updates=2).fit(np.eye(4), np.arange(4.0)).save(tmp_path / "m")
    assert "Use it from Python" in refused(run, "topics", tmp_path / "m")


def test_new_documents_of_another_kind(run, models, corpus, tmp_path):
    out = ("-o", tmp_path / "o.npz")
    said = refused(run, "transform", models["numbers"], corpus / "folder", *out)
    assert "holds text, but" in said
    assert "shares no column" in refused(run, "transform", models["mlp"], corpus / "numbers.csv", *out)
    assert "has 6 columns, but the model 35" in refused(run, "transform", models["mlp"], corpus / "arrays.npz", *out)
    fewer = write(tmp_path / "fewer.csv", "x0,x1\n1,2\n")
    assert "'x2', 'x3'" in refused(run, "transform", models["numbers"], fewer, *out)


def test_queries_that_mean_nothing(run, models):
    assert "knows no word of 'wheet'. Did you mean wheat" in refused(run, "search", models["mlp"], "wheet")
    assert "wideangle topics" in refused(run, "search", models["mlp"], "zzzz")
    assert "fitted on numbers" in refused(run, "search", models["numbers"], "wheat")


def test_perplexity_of_what_counts_no_words(run, models, corpus):
    said = refused(run, "evaluate", models["mlp"], corpus / "folder", "--perplexity")
    assert "needs a model of word counts that has one" in said


def test_a_traceback_only_with_debug(run, tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        main(["fit", str(tmp_path / "nothing"), "--debug"])
    refused(run, "fit", tmp_path / "nothing", "--json")


def test_a_mistake_of_the_program_is_one_line_too(run, models, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("wideangle.commands.work.topics.topic_list.load_model", broken)
    said = refused(run, "topics", models["mlp"])
    assert said == "wideangle topics: ZeroDivisionError: by nothing Run again with --debug to see where."


def test_interrupted(run, models, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("wideangle.commands.work.topics.topic_list.load_model", interrupted)
    assert "interrupted" in refused(run, "topics", models["mlp"], code=130)


def test_one_document_a_line_that_is_no_json_object(run, tmp_path):
    path = write(tmp_path / "a.jsonl", json.dumps([1, 2]))
    assert "line 1: an object is wanted" in fit_refused(run, tmp_path, path)


def test_measures_that_cannot_be_taken(run, corpus):
    tune = ("tune", corpus / "corpus.txt", "-k", 3, "--updates", 20, "--quiet")
    said = refused(run, *tune, "--measure", "P@10", code=2)
    assert "'P@10' needs labels, and there are none. Take auto, 'agreement of halves'" in said
    assert "'angle' is no measure for this model" in refused(run, *tune, "--measure", "angle", code=2)


@pytest.mark.parametrize("option", [("--init", "svd", "init"), ("--weighting", "counts", "weighting")])
@pytest.mark.parametrize("command", ["fit", "tune"])
def test_options_of_other_models(command, option, run, corpus, tmp_path):
    asked = (command, corpus / "folder", "--model", "mlp", *option[:2], "-o", tmp_path / "m.png", "--quiet")
    assert refused(run, *asked, code=2).endswith(f": mlp has no {option[2]}. Leave out {option[0]}.")


def test_a_curve_that_is_no_picture(run, corpus, tmp_path, monkeypatch):
    tune = ("tune", corpus / "corpus.csv", "-k", 3, "--updates", 20)
    assert ".png" in refused(run, *tune, "-o", tmp_path / "curve.txt", code=2)
    monkeypatch.setattr("wideangle.commands.tune.find_spec", lambda name: None)
    assert "pip install 'wideangle[plot]'" in refused(run, *tune, "-o", tmp_path / "curve.png")


@pytest.mark.parametrize("auto", [True, False])
def test_a_likelihood_that_cannot_be_estimated(auto, run, corpus, tmp_path, monkeypatch):
    # No sum is short enough to be exact and no estimate good enough: what a large machine brings about, this one does.
    monkeypatch.setattr("wideangle.models._boltzmann.likelihood.MOST_TERMS", 0)
    monkeypatch.setattr("wideangle.models._boltzmann.likelihood.ACCURACY", -1.0)
    monkeypatch.setattr("wideangle.models._boltzmann.likelihood.TEMPERATURE_GROWTH", 10**6)  # one run shows it
    texts = corpus / "corpus.txt"
    if auto:
        options = ("fit", texts, "--model", "bernoulli-rbm", "-o", tmp_path / "m", "--diversity", "auto")
        remedy = "Name labels with --label-column, take fewer components"
    else:
        options = ("tune", texts, "--measure", "log-likelihood per word", "--diversity", "0,1")
        remedy = "Leave out --measure, take fewer components"
    said = refused(run, *options, "-k", "13", "--updates", "5", "--quiet")
    assert "cannot be estimated for a model of this size" in said
    assert remedy in said
    assert "wideangle fit --diversity 0.1" in said


def test_more_components_than_fit_into_memory(run, corpus, tmp_path):
    said = fit_refused(run, tmp_path, corpus / "folder", "-k", 10**13)
    assert "Take fewer --words" in said


def test_the_folder_of_the_demo_is_checked_before_the_work(run, tmp_path, monkeypatch):
    monkeypatch.setattr("wideangle.commands.work.demo.demonstration.python_docs", lambda: pytest.fail("the work began"))
    path = write(tmp_path / "file", "")
    assert f"{path} is a file" in refused(run, "demo", "-o", path)
    assert f"{path} is a file" in refused(run, "demo", "-o", path / "inside" / "it")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert "may not be written to" in refused(run, "demo", "-o", tmp_path / "new" / "folder")
    assert not (tmp_path / "new").exists()
