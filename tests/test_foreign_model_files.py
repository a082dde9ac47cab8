"""Files with a right checksum and wrong content: `load` says what is wrong, and nothing of it reaches the work."""

import json
import re
import time

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from saved_models import MODELS, data
from sklearn.base import clone

import wideangle
from wideangle import persistence
from wideangle._encoding import digest
from wideangle.cli import main
from wideangle.documents import Documents, Reading
from wideangle.exceptions import ModelFileError

WORDS = ["one", "two", "three", "four", "five", "six", "seven"]
KINDS = {"rbm": "rbm", "softmax": "softmax", "distance": "distance", "network": "classifier", "regressor": "regressor"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model file of each kind, all but the regressor with documents, a reading and words."""
    root = tmp_path_factory.mktemp("files")
    paths = {}
    for kind, name in KINDS.items():
        estimator, target, dtype = MODELS[name]
        X, y = data(target, dtype)
        model = clone(estimator).fit(X, y)
        carried = {}
        if hasattr(model, "transform"):
            documents = Documents.of(model.transform(X), labels=[0] * len(X), label_names=["only"], counts=X)
            reading = Reading("tf-idf", r"\b[a-z]{3,}\b", rarity=np.ones(7))
            carried = {"documents": documents, "reading": reading, "vocabulary": WORDS}
        paths[kind] = root / f"{kind}.wideangle"
        model.save(paths[kind], **carried)
    return paths


def forge(source, target, change):
    """A file with other content and a right checksum."""
    with safetensors.safe_open(source, framework="numpy") as file:
        document = json.loads(file.metadata()["wideangle"])
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    change(document, arrays)
    document.pop("sha256")
    document["sha256"] = digest(document, arrays)
    target.write_bytes(safetensors.numpy.save(arrays, {"wideangle": json.dumps(document)}))
    return target


def put(name, array):
    return lambda document, arrays: arrays.update({name: np.asarray(array)})


def spoil(name, place, value):
    return lambda document, arrays: arrays[name].__setitem__(place, value)


def parameter(name, value):
    return lambda document, arrays: document["parameters"].update({name: value})


def state(name, value):
    return lambda document, arrays: document["state"].update({name: value})


def reading(name, value):
    return lambda document, arrays: document["attached"]["reading_"]["fields"].update({name: value})


def halves(name, value):
    return lambda document, arrays: document["state"]["halves_"]["fields"].update({name: value})


def documents(name, value):
    return lambda document, arrays: document["attached"]["documents_"]["fields"].update({name: value})


PACKED = "attached.documents_.names"
WRONG = [
    # names
    ("rbm", state("transform", 1), "'transform' cannot be what a BernoulliRBM learned"),
    ("rbm", state("fit", "x"), "'fit' cannot be"),
    ("rbm", state("n_components", 9), "'n_components' cannot be"),
    ("rbm", state("_trainer", 1), "'_trainer' cannot be"),
    ("rbm", state("__class__", 1), "'__class__' cannot be"),
    ("rbm", state("_metadata_request", 1), "'_metadata_request' cannot be"),
    ("network", state("coefs_", []), "'coefs_' cannot be"),
    ("network", state("module_", 1), "'module_' cannot be"),
    ("rbm", state("module_.weights", []), "'module_.weights' cannot be"),
    # shapes
    ("rbm", put("components_", np.ones((4, 6))), r"components_ has shape \(4, 6\), and must have \(4, 7\)"),
    ("rbm", put("components_", np.ones(7)), r"components_ has shape \(7,\)"),
    ("rbm", put("components_", np.ones((0, 7))), r"components_ has shape \(0, 7\)"),
    ("rbm", put("intercept_hidden_", np.ones(3)), r"intercept_hidden_ has shape \(3,\), and must have \(4,\)"),
    ("softmax", put("intercept_visible_", np.ones(8, np.float32)), r"intercept_visible_ has shape \(8,\)"),
    ("softmax", put("presence_", np.ones(6)), r"presence_ has shape \(6,\)"),
    ("distance", state("n_features_in_", 8), r"components_ has shape \(3, 7\), and must have \(3, 8\)"),
    ("distance", state("n_features_in_", -1), "n_features_in_ .*got -1"),
    ("distance", state("n_features_in_", "7"), "n_features_in_ must be a whole number"),
    ("network", put("module_.weights.1", np.ones((5, 9))), r"weights 1 have shape \(5, 9\), and must have \(5, 8\)"),
    ("network", put("module_.biases.0", np.ones(3)), r"weights 0 have shape \(8, 7\), and must have \(3, 7\)"),
    ("network", put("module_.biases.1", np.ones((5, 1))), "biases 1 must have 1 dimensions"),
    ("network", state("module_.weights", []), "at least two layers"),
    ("network", state("module_.activation", 3), "module_.activation must be a string"),
    ("network", lambda document, arrays: document["state"].pop("module_.activation"), "module_.activation is missing"),
    ("regressor", lambda document, arrays: document["state"].pop("_one_dimensional"), "_one_dimensional is missing"),
    ("network", state("classes_", {"items": ["a", "b"], "shape": [2], "dtype": "U1"}), "3 outputs for 2 classes"),
    ("regressor", put("_scale", np.zeros(1)), "_scale must be above 0"),
    ("regressor", put("_mean", np.zeros(4)), "_mean must be 1 numbers"),
    # types and values of arrays
    (
        "rbm",
        put("components_", np.ones((4, 7), int)),
        "components_ must be an array of float32 or float64; got .*int64",
    ),
    ("rbm", put("components_", np.ones((4, 7), np.float32)), "must be of one type"),
    ("network", put("module_.biases.0", np.ones(8, np.float32)), "must be of one type"),
    ("rbm", spoil("components_", (1, 2), np.nan), "components_ holds NaN"),
    ("softmax", spoil("intercept_visible_", 0, np.inf), "intercept_visible_ holds"),
    ("softmax", spoil("presence_", 0, 1.5), "presence_ holds shares"),
    ("rbm", put("mean_row_", np.ones(6)), r"mean_row_ has shape \(6,\), and must have \(7,\)"),
    ("softmax", spoil("mean_row_", 0, -0.1), "mean_row_ holds shares"),
    ("softmax", put("rarity_", np.ones(8)), r"rarity_ has shape \(8,\)"),
    ("softmax", spoil("rarity_", 0, 0.0), "rarity_ holds weights, and they must be of float64 and above 0"),
    ("softmax", spoil("rarity_", 0, np.inf), "rarity_ holds"),
    ("softmax", put("rarity_", np.ones(7, np.float32)), "rarity_ holds weights, and they must be of float64"),
    ("network", spoil("module_.weights.1", (0, 0), np.nan), "weights 1 holds NaN"),
    ("regressor", spoil("_mean", 0, np.nan), "_mean holds NaN"),
    # numbers that are finite, and give infinities in whatever is computed with them
    ("rbm", spoil("components_", (1, 2), 1e200), "components_ holds numbers above 1e"),
    ("softmax", spoil("components_", (1, 2), 1e20), "components_ holds numbers above 2e"),
    ("network", spoil("module_.weights.1", (0, 0), -1e200), "weights 1 holds numbers above"),
    ("rbm", spoil("attached.documents_.vectors", (0, 0), 1e30), "the vectors of its documents holds numbers above"),
    ("softmax", spoil("rarity_", 0, 5e-324), "rarity_ holds weights, and they must be from 1e-12 to 1e"),
    ("softmax", spoil("rarity_", 0, 1e300), "rarity_ holds numbers above|rarity_ holds weights"),
    ("rbm", put("attached.reading_.rarity", np.full(7, 1e300)), "the rarity of words must be from 1e-12 to 1e"),
    ("softmax", state("kept_share_", 1e-300), "kept_share_ must be above 0 and at most 1"),
    ("distance", state("threshold_", 10**400), "threshold_ is too large"),
    # parameters and simple values
    ("rbm", parameter("n_components", "many"), "parameter n_components must be a whole number; got 'many'"),
    ("rbm", parameter("diversity", [1]), r"parameter diversity must be a number; got \[1\]"),
    ("rbm", parameter("diversity", -1.0), "diversity must be a finite number of at least 0"),
    ("rbm", parameter("surrogate", "sphere"), "surrogate .*got 'sphere'"),
    ("rbm", parameter("random_state", "dice"), "random_state must be None or a whole number"),
    ("rbm", parameter("verbose", "yes"), "verbose must be True or False"),
    ("network", parameter("hidden_layer_sizes", "x"), "hidden_layer_sizes must be a whole number"),
    ("rbm", state("n_updates_", "ten"), "n_updates_ must be a whole number"),
    ("rbm", state("n_rows_", "ten"), "n_rows_ must be a whole number"),
    ("rbm", state("n_rows_", -1), "n_rows_ must be at least 0; got -1"),
    ("rbm", state("n_rows_", None), "n_rows_ must be a whole number; got None"),
    ("rbm", lambda document, arrays: document["state"].pop("n_rows_"), "n_rows_ is missing"),
    ("softmax", lambda document, arrays: document["state"].pop("weighting_"), "weighting_ is missing"),
    ("softmax", lambda document, arrays: document["state"].pop("rarity_"), "rarity_ must be an array"),
    ("softmax", state("weighting_", "heavy"), "weighting_ must be .*'tf-idf'.*; got 'heavy'"),
    ("softmax", state("weighting_", 3), "weighting_ must be a string; got 3"),
    (
        "softmax",
        put("halves_.noise", np.ones((3, 5, 5), np.float32)),
        r"noise of its halves has shape \(3, 5, 5\), and",
    ),
    (
        "softmax",
        put("halves_.middle", np.ones((2, 4), np.float32)),
        r"middle of its halves has shape \(2, 4\), and must",
    ),
    ("softmax", put("halves_.shrinkage", np.zeros(2)), r"of its halves has shape .*, and must have"),
    ("softmax", put("halves_.spread", np.ones((3, 4, 4))), "spread of its Halves is .*, and must be"),
    ("softmax", spoil("halves_.signal", (0, 1, 1), np.nan), "signal of its halves holds NaN"),
    ("softmax", spoil("halves_.noise", (1, 0, 0), -5.0), "noise of its halves is no covariance"),
    ("softmax", spoil("halves_.spread", (2, 0, 1), 3.0), "spread of its halves is no covariance"),
    ("softmax", spoil("halves_.shrinkage", 1, 2.0), "shrinkage that is no share; got .*2"),
    ("softmax", halves("documents", -1), "its halves are of -1 documents"),
    ("softmax", halves("documents", "many"), "documents of its Halves is 'many', and must be a whole number"),
    ("softmax", state("halves_", 3), "halves_ must be .*; got 3"),
    ("softmax", parameter("finish", "thirds"), "parameter finish must be .*; got 'thirds'"),
    ("softmax", parameter("granularity", "fine"), "parameter granularity must be .*; got 'fine'"),
    ("softmax", parameter("granularity", 1.5), "granularity must be .* from 0 .* to 1 .*; got 1.5"),
    ("rbm", documents("finished", False), "its documents are not finished, and nothing finishes what a BernoulliRBM"),
    ("distance", documents("finished", False), "its documents are not finished, and nothing finishes"),
    ("softmax", documents("finished", "no"), "finished of its Documents is 'no'"),
    ("softmax", parameter("representation", "pictures"), "parameter representation must be .*; got 'pictures'"),
    ("rbm", parameter("metric", "round"), "parameter metric must be .*; got 'round'"),
    ("rbm", state("stopped_", 3), "stopped_ must be a string"),
    ("rbm", state("history_", 3), "history_ must be"),
    (
        "rbm",
        lambda document, arrays: document["state"]["history_"]["tuple"][0]["fields"].update(loss="low"),
        "loss of its Record is 'low', and must be a number",
    ),
    # words, documents, reading
    ("rbm", lambda document, arrays: document.update(vocabulary=["a"]), "vocabulary has 1 words, but the model has 7"),
    ("rbm", lambda document, arrays: document.update(vocabulary=[1] * 7), "the vocabulary must be strings"),
    ("rbm", lambda document, arrays: document.update(vocabulary="abcdefg"), "the vocabulary must be strings"),
    ("rbm", put("attached.documents_.vectors", np.ones((60, 9), np.float32)), r"vectors of shape \(60, 9\)"),
    (
        "rbm",
        put("attached.documents_.vectors", np.ones((60, 4))),
        "vectors of its Documents is .*must be an array of fl",
    ),
    ("rbm", spoil("attached.documents_.vectors", (0, 0), np.nan), "the vectors of its documents holds NaN"),
    ("rbm", put("attached.documents_.labels", np.full(60, 7)), "labels must be numbers from 0 to 0"),
    ("rbm", put("attached.documents_.labels", np.zeros((60, 1), int)), "labels of its documents must have one dim"),
    ("rbm", spoil(f"{PACKED}.ends", 5, 3), "names of its documents end in the wrong order"),
    ("rbm", spoil(f"{PACKED}.ends", -1, 10_000), "names of its documents do not end where their content ends"),
    ("rbm", spoil(f"{PACKED}.content", 3, 255), "names of its documents are not UTF-8"),
    ("rbm", spoil("attached.documents_.words.columns", 3, 7), "words of its documents must be columns from 0 to 6"),
    ("rbm", spoil("attached.documents_.words.columns", 1, 0), "words of its documents must be in rising order"),
    ("rbm", spoil("attached.documents_.words.ends", -1, 3), "words of its documents do not end where their content"),
    ("rbm", put("attached.reading_.rarity", np.ones(6)), r"the rarity of words has shape \(6,\)"),
    ("rbm", reading("rarity", None), "the rarity of the words is missing"),
    ("rbm", reading("kind", "smell"), "kind of its Reading is 'smell', and must be 'counts' or"),
    ("rbm", reading("text_column", 3), "text_column of its Reading is 3"),
    ("rbm", reading("ngrams", 0), "at least 1 word in a row must count as one; got 0"),
    ("rbm", reading("stop_words", {"tuple": ["the", 3]}), "its stop words must be strings"),
    ("rbm", reading("token_pattern", "("), "no regular expression"),
    ("rbm", reading("token_pattern", "(x+x+)+y"), "could take for ever"),
    (
        "rbm",
        lambda document, arrays: document["attached"].update(reading_=5),
        "reading_ must be Reading or None; got 5",
    ),
]


@pytest.mark.parametrize(("kind", "change", "message"), WRONG)
def test_wrong_content_is_named(kind, change, message, files, tmp_path):
    path = forge(files[kind], tmp_path / "forged.wideangle", change)
    with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))} .*{message}"):
        wideangle.load(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_written_anew_without_a_change_is_taken(kind, files, tmp_path):
    assert wideangle.load(forge(files[kind], tmp_path / "same.wideangle", lambda document, arrays: None)) is not None


def test_text_cut_within_a_character(tmp_path):
    estimator, target, dtype = MODELS["rbm"]
    X, _ = data(target, dtype)
    model = clone(estimator).fit(X)
    model.save(tmp_path / "m", documents=Documents.of(model.transform(X), names=["ö"] * 60))
    path = forge(tmp_path / "m", tmp_path / "forged", spoil(f"{PACKED}.ends", 0, 1))
    with pytest.raises(ModelFileError, match="names .*within a character"):
        wideangle.load(path)


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    estimator, target, dtype = MODELS["rbm"]
    model = clone(estimator).fit(*data(target, dtype))
    model.components_[0, 0] = np.nan
    with pytest.raises(ModelFileError, match="components_ holds NaN"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def relabel(path, change):
    """The same bytes and the same checksum under another header of the arrays."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    packed = json.dumps(header).encode()
    packed += b" " * (-len(packed) % 8)
    return len(packed).to_bytes(8, "little") + packed + content[8 + length :]


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["note_"].update(shape=[3, 2]),
        lambda header: header["note_"].update(shape=[6]),
        lambda header: header["note_"].update(dtype="I32"),
        lambda header: header["note_"].update(dtype="U32"),
        lambda header: header.update(other_=header.pop("note_")),
    ],
    ids=["shape", "dimensions", "type", "unsigned", "name"],
)
def test_the_checksum_covers_type_shape_and_name(change, tmp_path):
    """The array is nobody's but the user's: no other check looks at it."""
    estimator, target, dtype = MODELS["rbm"]
    model = clone(estimator).fit(*data(target, dtype))
    model.note_ = np.arange(6, dtype=np.float32).reshape(2, 3)
    path = tmp_path / "m"
    model.save(path)
    path.write_bytes(relabel(path, lambda header: None))
    assert wideangle.load(path).note_.shape == (2, 3)
    path.write_bytes(relabel(path, change))
    with pytest.raises(ModelFileError, match="SHA-256"):
        wideangle.load(path)


@pytest.mark.parametrize("command", [("transform", "-o", "out.npz"), ("search",)], ids=lambda command: command[0])
def test_a_pattern_from_a_file_cannot_hang_a_command(command, files, tmp_path, monkeypatch, capsys):
    path = forge(files["softmax"], tmp_path / "forged.wideangle", reading("token_pattern", "((x+x+)+y)"))
    (tmp_path / "new.txt").write_text("x" * 40 + "\n")
    monkeypatch.chdir(tmp_path)
    began = time.monotonic()
    assert main([command[0], str(path), "new.txt" if command[0] == "transform" else "x" * 40, *command[1:]]) == 1
    assert time.monotonic() - began < 30  # on this text `re` would take days
    said = capsys.readouterr().err
    assert "forged.wideangle" in said
    assert "could take for ever" in said


class TestFormats:
    def test_an_old_document_is_brought_up_to_date(self, files, monkeypatch):
        seen = []

        def to_next(document, arrays):
            seen.append(document["format"])
            state = {**document["state"], "n_updates_": 77}
            return {**document, "format": document["format"] + 1, "state": state}, arrays

        now = persistence.FORMAT
        monkeypatch.setattr(persistence, "FORMAT", now + 2)
        monkeypatch.setattr(persistence, "UPGRADES", {now: to_next, now + 1: to_next})
        assert wideangle.load(files["rbm"]).n_updates_ == 77
        assert seen == [now, now + 1]

    def test_every_older_format_can_be_brought_up_to_date(self):
        assert set(persistence.UPGRADES) == set(range(1, persistence.FORMAT))

    @pytest.mark.parametrize(
        ("number", "message"),
        [
            (persistence.FORMAT + 1, f"reads up to {persistence.FORMAT}: upgrade"),
            (0, "never was"),
            ("1", "never was"),
        ],
    )
    def test_formats_that_are_not_known(self, number, message, files, tmp_path):
        path = forge(files["rbm"], tmp_path / "m", lambda document, arrays: document.update(format=number))
        with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))} has format {number!r}.*{message}"):
            wideangle.load(path)
