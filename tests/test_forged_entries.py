"""Every entry of a model file's document, replaced by values that do not belong there.

`load` refuses the file with an error that names it, or gives a model that can be used. No other error comes out, and
nothing takes for ever.
"""

import copy
import json
import traceback
from pathlib import Path

import pytest
import safetensors
import safetensors.numpy
from saved_models import answers, save_with_all, use_attached

import wideangle
from wideangle import exceptions
from wideangle._encoding import digest
from wideangle.catalogue.documents import DOCUMENTS
from wideangle.exceptions import ModelFileError

OURS = tuple(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception))
VALUES = ["text", 0, -1, 0.5, 10**30, None, [1], {"a": 1}, {"float": "nan"}]
MORE = ["", 3, 1e300, [], {}, True, {"float": "-inf"}, {"tuple": [1, "a"]}, {"record": "Halves", "fields": {}}]
MORE += [{"items": ["a"], "shape": [1], "dtype": "U1"}, {"items": ["a"], "shape": [1], "dtype": "U999999999"}]
MORE += [{"dict": [["a", 1]]}, {"dict": [1]}, {"array": "components_", "by_columns": False}, {"array": [], "scalar": 1}]
BASELINES = [entry.command for entry in DOCUMENTS]


def saved(name, path):
    """A file of a model with words, documents and topics, as far as it can have them; its document, arrays and rows."""
    X, y = save_with_all(name, path)
    with safetensors.safe_open(path, framework="numpy") as file:
        document = json.loads(file.metadata()["wideangle"])
        arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    document.pop("sha256")
    return document, arrays, X, y


def places(value, deep, place=()):
    """Where entries are: those of the document and of its parts; with `deep` also all that is within them."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inside = list(inside)
    for key, part in inside if isinstance(value, dict) else inside[:1] + inside[1:][-1:]:
        yield (*place, key)
        if deep or not place:
            yield from places(part, deep, (*place, key))


def replaced(document, place, value):
    forged = copy.deepcopy(document)
    within = forged
    for key in place[:-1]:
        within = within[key]
    within[place[-1]] = value
    return forged


def use(model, X, y):
    """Ask a model all that it can say."""
    answers(model, X, y)
    use_attached(model)


def is_ours(error):
    """Whether an error is one of ours, or a ValueError that our own code raised."""
    raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
    by_us = str(Path(wideangle.__file__).parent) in raised_in
    return isinstance(error, OURS) or (isinstance(error, ValueError) and by_us)


def outcomes(name, folder, deep, values):
    """For each forged file the place, the value, whether it was refused, and what is wrong with that."""
    document, arrays, X, y = saved(name, folder / "real")
    path = folder / "forged.wideangle"
    for place in places(document, deep):
        for value in values:
            forged = replaced(document, place, value)
            forged["sha256"] = digest(forged, arrays)
            path.write_bytes(safetensors.numpy.save(arrays, {"wideangle": json.dumps(forged)}))
            try:
                model = wideangle.load(path)
            except ModelFileError as error:
                named = str(error).startswith(f"{path} ") and "cannot rebuild" not in str(error)
                yield place, value, True, "" if named else str(error)
                continue
            except Exception as error:
                yield place, value, True, f"load raised {error!r}"
                continue
            try:
                use(model, X, y)
            except Exception as error:
                yield place, value, False, "" if is_ours(error) else f"use raised {error!r}"
            else:
                yield place, value, False, ""


def assert_refused_or_used(name, folder, deep, values):
    found = list(outcomes(name, folder, deep, values))
    assert not [each for each in found if each[3]]
    assert sum(refused for _, _, refused, _ in found) > len(found) // 2
    assert not all(refused for _, _, refused, _ in found)


@pytest.mark.parametrize("name", ["softmax", "classifier"])
def test_entries_of_our_models(name, tmp_path):
    assert_refused_or_used(name, tmp_path, False, VALUES[:1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["softmax", "rbm", "distance", "classifier", "regressor"])
def test_all_that_is_within_entries_of_our_models(name, tmp_path):
    assert_refused_or_used(name, tmp_path, True, VALUES + MORE)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*BASELINES, "euclid", "xing", "lmnn", "itml", "dml_eig", "seraph", "nca"])
def test_entries_of_baselines(name, tmp_path):
    assert_refused_or_used(name, tmp_path, False, VALUES)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("parameters",), "text", "its entry 'parameters' must be a mapping; got 'text'"),
        (("state",), [1], r"its entry 'state' must be a mapping; got \[1\]"),
        (("estimator",), ["BernoulliRBM"], r"its entry 'estimator' must be a string; got \['BernoulliRBM'\]"),
        (("attached", "documents_"), {"a": 1}, "attached.documents_ is {'a': 1}, which is no value of a model file"),
        (("attached", "documents_", "fields"), "text", "attached.documents_ is .*, which is no value of a model file"),
        (("attached", "documents_", "fields"), {}, "attached.documents_ is a Documents without 'vectors'"),
        (("state", "history_", "tuple"), 3, "state.history_ must be a list of values; got 3"),
        (("state", "components_"), {"array": "gone", "by_columns": False}, r"state.components_ cannot be .*'gone'"),
        (("state", "kept_share_"), 0, "kept_share_ must be above 0 and at most 1; got 0"),
        (("state", "kept_share_"), -0.5, "kept_share_ must be above 0 and at most 1; got -0.5"),
        (("state", "kept_share_"), 1.5, "kept_share_ must be above 0 and at most 1; got 1.5"),
        (("state", "kept_share_"), {"float": "nan"}, "kept_share_ must be above 0 and at most 1; got nan"),
        (("state", "kept_share_"), "half", "kept_share_ must be a number; got 'half'"),
        (("parameters", "random_state"), -1, "random_state must be None or a whole number from 0 to 4294967295"),
        (("parameters", "device"), "abacus", "the parameter device must be 'auto', 'cpu' or 'cuda'; got 'abacus'"),
        (("parameters", "max_updates"), 10**30, "the parameter max_updates is too large"),
        (("parameters", "document_length"), 0, "document_length must be a finite number of at least 1"),
        (("parameters", "document_length"), 1e300, "document_length must be a finite number of at least 1"),
        (
            ("state", "x_"),
            {"items": ["a"], "shape": [1], "dtype": "U999999999"},
            "state.x_ reserves 999999999 characters per string, and the longest has 1",
        ),
    ],
)
def test_the_error_names_the_entry(place, value, message, softmax, tmp_path):
    document, arrays = softmax
    forged = replaced(document, place, value)
    forged["sha256"] = digest(forged, arrays)
    path = tmp_path / "forged.wideangle"
    path.write_bytes(safetensors.numpy.save(arrays, {"wideangle": json.dumps(forged)}))
    with pytest.raises(ModelFileError, match=f"^{path} is whole, but holds no .*{message}"):
        wideangle.load(path)


@pytest.fixture(scope="module")
def softmax(tmp_path_factory):
    return saved("softmax", tmp_path_factory.mktemp("softmax") / "real")[:2]
