"""Checkpoints that somebody changed and signed anew: refused in words, before a kernel is given what they hold."""

import json

import numpy as np
import pytest
import safetensors.numpy
import torch
from training_cases import fitted

from wideangle._encoding import compact_json, digest
from wideangle.exceptions import CheckpointError, CheckpointWarning
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.models._training.checkpoint_files import KEY
from wideangle.recent_rows import RecentRows


def _forge(path, change):
    """Change the document and the arrays of a checkpoint, and give it a right SHA-256."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    document = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][KEY])
    arrays = {name: np.array(array) for name, array in safetensors.numpy.load(content).items()}
    del document["sha256"]
    change(document, arrays)
    document["sha256"] = digest(document, arrays)
    path.write_bytes(safetensors.numpy.save(arrays, {KEY: compact_json(document)}))


def _entry(node, name):
    """The pair of a name in a mapping of the document."""
    return next(pair for pair in node["dict"] if pair[0] == name)


def _of_trainer(document, name):
    return _entry(_entry(document["state"], "trainer")[1], name)


def _array(document, arrays, name):
    """The name of the first array in a part of the trainer's state."""
    held = json.dumps(_of_trainer(document, name)[1])
    return next(key for key in sorted(arrays) if json.dumps(key) in held)


def _short_moments(document, arrays):
    place = ".".join(_array(document, arrays, "optimizer").split(".")[:5])  # of all that the optimiser keeps
    for name in [key for key in arrays if key.startswith(place)]:
        if arrays[name].ndim:
            arrays[name] = arrays[name][:1].copy()


def _not_finite(document, arrays):
    arrays[_array(document, arrays, "parameters")].flat[0] = np.nan


def _negative_updates(document, arrays):
    _of_trainer(document, "updates")[1] = -3


def _too_many_updates(document, arrays):
    _of_trainer(document, "updates")[1] = 10**9


def _records_that_are_none(document, arrays):
    _entry(_of_trainer(document, "history")[1], "records")[1] = ["a"]


def _reason_that_is_none(document, arrays):
    _entry(document["state"], "stopped")[1] = [1]


SPARSE, CHAINS = "sparse counts", "bits, persistent chains"


def _few_chains(document, arrays):
    name = _array(document, arrays, "chains")
    arrays[name] = arrays[name][:2].copy()


@pytest.mark.parametrize(
    ("case", "change", "said"),
    [
        (SPARSE, _short_moments, "must have"),
        (SPARSE, _not_finite, "holds NaN"),
        (SPARSE, _negative_updates, "the number of updates must be a whole number"),
        (SPARSE, _too_many_updates, "it is of update 1000000000"),
        (SPARSE, _records_that_are_none, "a record of the history is none"),
        (SPARSE, _reason_that_is_none, "must be a text"),
        ("classes, two layers", _short_moments, "must have"),
        (CHAINS, _few_chains, "there are 2 chains"),
    ],
)
def test_a_state_that_is_none_of_this_fit_is_refused(case, change, said, tmp_path):
    with Checkpoints(tmp_path, 1000):
        fitted(case)
    (path,) = tmp_path.glob("*.checkpoint")
    _forge(path, change)
    with Checkpoints(tmp_path, 1000), pytest.raises(CheckpointError, match=said):
        fitted(case)


@pytest.mark.parametrize("part", ["description", "seeds", "state"])
def test_a_file_without_one_of_its_parts_is_passed_over(part, tmp_path):
    with Checkpoints(tmp_path, 1000):
        fitted(SPARSE)
    (path,) = tmp_path.glob("*.checkpoint")
    _forge(path, lambda document, arrays: document.pop(part))
    with Checkpoints(tmp_path, 1000), pytest.warns(CheckpointWarning, match="is damaged or cut short"):
        fitted(SPARSE)


def _of_rows(*arrays, shape):
    return [[*map(np.array, arrays), list(shape)]]


@pytest.mark.parametrize(
    "progress",
    [
        _of_rows([1.0, 2.0], [0, 2**30], [0, 1, 2], shape=(2, 3)),
        _of_rows([1.0, 2.0], [0, 1], [0, 1, 2], shape=(2, 4)),
        [np.ones((2, 4))],
        [np.ones(3)],
        [np.ones((2, 3)), *_of_rows([1.0], [0], [0, 1], shape=(1, 3))],
    ],
    ids=["beyond the columns", "more columns, sparse", "more columns", "no rows", "two kinds"],
)
def test_rows_that_were_not_seen_are_refused(progress):
    with pytest.raises(ValueError, match="rows|columns|indices"):
        RecentRows("covariance").resume(progress, torch.zeros(2, 3))
