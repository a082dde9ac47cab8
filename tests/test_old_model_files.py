"""Model files of every format that there ever was are still read, and answer as they did.

Format 6 is that of 0.1.0, and format 7 that of 1.0.0.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from test_foreign_model_files import forge

import wideangle
from wideangle import persistence
from wideangle._model_files.upgrades import UPGRADES
from wideangle.evaluation import precision_at_k
from wideangle.searching import Searcher
from wideangle.view import ModelView

FOLDER = Path(__file__).parent / "model_files"
# Those that were there when format 1 was in use: one that joins the catalogue later has no files of formats before it.
SINCE_FORMAT_1 = ("BernoulliRBM", "DistanceLearner", "MLPClassifier", "MLPRegressor", "ReplicatedSoftmax")
SINCE_FORMAT_6 = (*SINCE_FORMAT_1, "DictionaryLearner", "GaussianRBM", "LMNN", "LSI", "VectorSpace")
FORMATS = range(1, persistence.FORMAT + 1)  # Files of the present format are there since its first release.
# What a purpose stood for in format 4: diversity, weighting and representation
OF_PURPOSES = {
    "balance": (0.3, "balanced", "centred probabilities"),
    "groups": (0.1, "balanced", "centred probabilities"),
    "details": (1.0, "tf-idf", "centred logits"),
}
FILES = sorted(FOLDER.glob("format_*/*.wideangle"))


def test_every_format_and_every_estimator_is_there():
    since = {number: SINCE_FORMAT_1 if number < 6 else SINCE_FORMAT_6 for number in FORMATS}
    expected = {f"format_{number}/{name}" for number, names in since.items() for name in names}
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


@pytest.mark.parametrize("number", FORMATS)
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
    assert model.n_updates_ == (40 if number < 5 else 20)  # Since format 5 few documents get fewer updates.


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
    kept |= rates.get(name, {"learning_rate": 3e-3, "diversity": 0.5, "granularity": None, "weighting": "counts"})
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


class TestFormat4:
    """Purposes chose how a Replicated Softmax was trained and represented; nothing was finished."""

    PATH = FOLDER / "format_4" / "ReplicatedSoftmax.wideangle"

    @pytest.mark.parametrize("purpose", OF_PURPOSES)
    def test_a_purpose_keeps_what_it_stood_for(self, purpose, tmp_path):
        def change(document, arrays):
            document["parameters"].update(purpose=purpose, diversity=None, weighting=None, representation=None)
            document["state"]["weighting_"] = OF_PURPOSES[purpose][1]

        model = wideangle.load(forge(self.PATH, tmp_path / "old", change))
        params = model.get_params()
        assert (params["diversity"], params["weighting"], params["representation"]) == OF_PURPOSES[purpose]
        assert params["granularity"] == (None if purpose == "balance" else purpose)
        assert "purpose" not in params
        assert not ModelView.of(model).is_finished
        X = np.load(self.PATH.with_suffix(".npz"))["X"]
        logits = model.hidden_logits(X).astype(np.float64)
        centre = model._centre(X).astype(np.float64)
        moved = logits - centre if purpose == "details" else expit(logits) - expit(centre)
        expected = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        np.testing.assert_allclose(model.transform(X), expected, atol=1e-4)
        assert not hasattr(model, "halves_")

    def test_what_a_user_had_set_is_kept(self, tmp_path):
        model = wideangle.load(self.PATH)
        assert (model.diversity, model.weighting, model.representation) == (0.5, "balanced", "centred probabilities")

        def change(document, arrays):
            document["parameters"].update(purpose="details", diversity=0.0, representation="logits")

        model = wideangle.load(forge(self.PATH, tmp_path / "old", change))
        assert (model.diversity, model.weighting, model.representation) == (0.0, "tf-idf", "logits")

    def test_saved_again_it_is_the_same(self, tmp_path):
        model, X = wideangle.load(self.PATH), np.load(self.PATH.with_suffix(".npz"))["X"]
        model.save(tmp_path / "again")
        again = wideangle.load(tmp_path / "again")
        assert persistence.file_facts(tmp_path / "again").format == persistence.FORMAT
        assert again.get_params() == model.get_params()
        assert np.array_equal(again.transform(X), model.transform(X))

    def test_it_can_be_finished_now(self):
        model, X = wideangle.load(self.PATH), np.load(self.PATH.with_suffix(".npz"))["X"]
        model.set_params(representation=None)
        with pytest.raises(ValueError, match=r"learn_distance\(X\)"):
            model.transform(X)
        found = model.learn_distance(X).transform(X)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize(
    ("purpose", "granularity", "now"),
    [("groups", None, "groups"), ("balance", None, None), ("details", 0.7, 0.7), ("details", "groups", "groups")],
)
def test_a_purpose_of_format_6_is_a_granularity(purpose, granularity, now, tmp_path):
    """It was the granularity where none was given."""
    path = FOLDER / "format_6" / "ReplicatedSoftmax.wideangle"

    def change(document, arrays):
        document["parameters"].update(purpose=purpose, granularity=granularity)

    model = wideangle.load(forge(path, tmp_path / "old", change))
    assert model.granularity == now
    X = np.load(path.with_suffix(".npz"))["X"]
    same = wideangle.load(path).set_params(granularity=purpose if granularity is None else granularity)
    assert np.array_equal(model.transform(X), same.transform(X))


@pytest.mark.parametrize("number", FORMATS)
def test_documents_of_old_files_are_searched_evaluated_and_grouped(number):
    """As they are: their vectors were finished when they were saved."""
    path = FOLDER / f"format_{number}" / "ReplicatedSoftmax.wideangle"
    model, X = wideangle.load(path), np.load(path.with_suffix(".npz"))["X"]
    view, documents = ModelView.of(model), model.documents_
    assert documents.finished
    assert view.vectors(documents) is documents.vectors
    assert precision_at_k(documents.vectors, documents.labels, documents.vectors, documents.labels, 3) > 0.5
    hits = Searcher(view, documents).search("wheat", 5).hits
    assert len(hits) == 5
    assert np.isfinite([hit.distance for hit in hits]).all()
    topics = model.topics(X, 3, vocabulary=model.vocabulary_) if documents.words is None else model.topics(n_topics=3)
    assert sum(topic.size for topic in topics) == 20
    assert topics.granularity == (None if number < 5 else 0.5)
    assert model.assign(X).topics.shape == (20,)
