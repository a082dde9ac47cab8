"""Distances of the baselines, as `fit` and `tune` take them; test_use.py has the other commands."""

import numpy as np
import pytest
from small_models import sized

import wideangle
from wideangle.catalogue import entry_of
from wideangle.catalogue.metrics import METRICS


@pytest.mark.parametrize("model", [entry.command for entry in METRICS])
def test_fitted_and_searched(model, corpus, answer, tmp_path):
    path = tmp_path / "m.wideangle"
    told = answer("fit", corpus / "folder", *sized(model, 5, 10), "--hold-out", 0.25, "--seed", 1, "-o", path)
    fitted = wideangle.load(path)
    assert type(fitted) is entry_of(model).load()
    assert fitted.n_principal == 5
    assert (told["features"], told["classes"]) == (35, 3)
    assert 1 <= told["n_components"] == len(fitted.components_) <= 5
    assert told["updates"] == getattr(fitted, "n_updates_", None)
    assert told["reading"] == "tf-idf"
    assert fitted.documents_.vectors.shape == (60, len(fitted.components_))
    assert answer("info", path)["n_components"] == len(fitted.components_)
    hits = answer("search", path, "ship", "cargo", "-n", 5, "--by", "meaning")["hits"]
    assert [hit["label"] for hit in hits] == ["sea"] * 5


def test_the_default_size_suits_few_rows(answer, tmp_path):
    """There are no more principal components than rows or columns."""
    rng = np.random.default_rng(0)
    X, y = rng.random((12, 20)), np.arange(12) % 2
    np.savez(tmp_path / "x.npz", X=X, y=y)
    answer("fit", tmp_path / "x.npz", "--model", "euclidean", "-o", tmp_path / "m")
    assert wideangle.load(tmp_path / "m").n_principal == 12


def test_what_a_baseline_has_not_is_refused(run, corpus, tmp_path):
    fit = ("fit", corpus / "folder", "-o", tmp_path / "m", "--model")
    for options, message in (
        (("euclidean", "--updates", 5), "euclidean has no max_updates. Leave out --updates."),
        (("lmnn", "--diversity", 0.1), "lmnn has no diversity. Leave out --diversity."),
        (("itml", "-k", 99), "n_principal=99 is more than there can be"),
    ):
        code, _, err = run(*fit, *options)
        assert code in (1, 2)
        assert message in err


def test_the_number_of_principal_components_is_tuned(corpus, answer):
    told = answer("tune", corpus / "folder", "--model", "itml", "-k", "2,4", "--updates", 5, "--folds", 2)
    assert [trial["n_components"] for trial in told["tuning"]["trials"]] == [2, 4]
