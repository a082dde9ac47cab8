"""Fits that are interrupted after a checkpoint, as if the program ended there."""

import numpy as np
from training_cases import fitted, learned

from wideangle._encoding import Decoder
from wideangle.models._training import checkpoint, checkpoint_files
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.models._training.history import Record


class ProgramEndsError(Exception):
    """Stands for what ends a program between two updates."""


def fit_interrupted(name, folder, monkeypatch, after=1):
    """Fit as often as it takes, each time until so many checkpoints were written; how often it was interrupted."""
    times = 0
    while True:
        try:
            return fit_once(name, folder, monkeypatch, after), times
        except ProgramEndsError:
            times += 1


def fit_once(name, folder, monkeypatch, after):
    """Fit until so many checkpoints were written, and be interrupted then."""
    offer, written = checkpoint.Training.offer, 0

    def then_stop(self, make, records, final=False):
        nonlocal written
        offer(self, make, records, final)
        written += 1
        if written == after and not final:
            raise ProgramEndsError

    with monkeypatch.context() as patch, Checkpoints(folder, 0):
        patch.setattr(checkpoint.Training, "offer", then_stop)
        return fitted(name)


def newest_update(folder, name):
    """The number of updates that a file was written after."""
    content = checkpoint_files.parse(folder / name, (folder / name).read_bytes())
    state = Decoder(content.arrays, (Record,)).decode(content.document["state"], "state")
    return state["trainer"]["updates"]


def assert_same_bits(model, other):
    one, two = learned(model), learned(other)
    assert set(one) == set(two)
    for key, values in one.items():
        np.testing.assert_array_equal(values, two[key], err_msg=key)
    assert model.stopped_ == other.stopped_
