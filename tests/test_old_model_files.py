"""Model files of every format that there ever was are still read, and answer as they did."""

from pathlib import Path

import numpy as np
import pytest

import wideangle
from wideangle import persistence
from wideangle._upgrades import UPGRADES

FOLDER = Path(__file__).parent / "model_files"
# Those that were there when format 1 was in use: one that joins the catalogue later has no files of formats before it.
SINCE_FORMAT_1 = ("BernoulliRBM", "DistanceLearner", "MLPClassifier", "MLPRegressor", "ReplicatedSoftmax")
FILES = sorted(FOLDER.glob("format_*/*.wideangle"))


def test_every_format_and_every_estimator_is_there():
    expected = {f"format_{number}/{name}" for number in range(1, persistence.FORMAT) for name in SINCE_FORMAT_1}
    assert {f"{path.parent.name}/{path.stem}" for path in FILES} == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_answers_as_it_did(path):
    model = wideangle.load(path)
    assert type(model).__name__ == path.stem
    stored = np.load(path.with_suffix(".npz"))
    methods = [name for name in stored.files if name != "X"]
    assert methods
    for method in methods:
        found = getattr(model, method)(stored["X"])
        if stored[method].dtype.kind == "U":
            assert found.tolist() == stored[method].tolist()
        else:
            # Another version of torch or another processor adds up in another order.
            np.testing.assert_allclose(found, stored[method], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["DistanceLearner", "MLPClassifier", "MLPRegressor"])
def test_a_file_from_before_there_were_metrics_has_that_of_the_paper(name):
    assert wideangle.load(FOLDER / "format_1" / f"{name}.wideangle").metric == "identity"


@pytest.mark.parametrize("number", range(1, persistence.FORMAT))
def test_what_the_file_carries_is_as_it_was(number):
    model = wideangle.load(FOLDER / f"format_{number}" / "ReplicatedSoftmax.wideangle")
    assert model.vocabulary_ == ["wheat", "corn", "oil", "bank", "trade", "größe"]
    assert (model.reading_.kind, model.reading_.token_pattern, model.reading_.text_column) == (
        "counts",
        r"\b[a-z]{3,}\b",
        "body",
    )
    documents = model.documents_
    assert (len(documents), documents.names[19], documents.snippets[0]) == (20, "row 20", "text of document 0")
    assert list(documents.label_names) == ["grain", "money"]
    assert documents.is_train.sum() == 15
    assert model.n_updates_ == 40


def test_components_of_a_machine_trained_with_dropout_are_made_those_of_all_units():
    document = {
        "estimator": "ReplicatedSoftmax",
        "parameters": {"dropout": "auto", "n_components": 50},
        "state": {name: {"array": name} for name in ("components_", "intercept_hidden_", "intercept_visible_")},
    }
    arrays = {name: np.ones(3, dtype=np.float32) for name in document["state"]}
    new, scaled = UPGRADES[1](document, arrays)
    assert new["state"]["kept_share_"] == 0.5
    assert scaled["components_"].tolist() == scaled["intercept_hidden_"].tolist() == [0.5] * 3
    assert scaled["intercept_visible_"].tolist() == [1.0] * 3
    assert scaled["components_"].dtype == np.float32


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", ["BernoulliRBM", "ReplicatedSoftmax"])
def test_machines_of_old_files_keep_their_settings(number, name, tmp_path):
    path = FOLDER / f"format_{number}" / f"{name}.wideangle"
    model, stored = wideangle.load(path), np.load(path.with_suffix(".npz"))
    params = model.get_params()
    kept = {"metric": "identity", "init": "random", "representation": "probabilities", "max_updates": 40}
    rates = {"BernoulliRBM": {"learning_rate": 1e-3, "diversity": 0.1}}
    kept |= rates.get(name, {"learning_rate": 3e-3, "diversity": 0.5, "purpose": "balance", "weighting": "counts"})
    assert {key: params[key] for key in kept} == kept
    assert model.n_rows_ == 0
    assert model.mean_row_.dtype == np.float64
    if name == "ReplicatedSoftmax":
        assert model.mean_row_.sum() == pytest.approx(1)
        assert (model.weighting_, model.rarity_.tolist()) == ("counts", [1.0] * 6)
    else:
        np.testing.assert_allclose(model.mean_row_, stored["X"].mean(axis=0), rtol=1e-6)
    model.save(tmp_path / "again")
    assert (wideangle.load(tmp_path / "again").transform(stored["X"]) == model.transform(stored["X"])).all()


def test_the_guessed_average_of_an_old_file_gives_way_to_rows_that_were_seen():
    path = FOLDER / "format_2" / "ReplicatedSoftmax.wideangle"
    model, counts = wideangle.load(path), np.load(path.with_suffix(".npz"))["X"]
    model.partial_fit(counts)
    np.testing.assert_allclose(model.mean_row_, (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0), rtol=1e-6)
    assert model.n_rows_ == 20
