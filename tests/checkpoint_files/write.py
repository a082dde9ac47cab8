"""Writes a checkpoint of an interrupted fit of each kind of training, with the rows and the result of the whole fit.

Run it by `python tests/checkpoint_files/write.py`.
The files of a version are written once, before its release, and never again: test_old_checkpoints.py goes on from them.
"""

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np

import wideangle
from wideangle.models import (
    BernoulliRBM,
    DictionaryLearner,
    DistanceLearner,
    GaussianRBM,
    MLPClassifier,
    ReplicatedSoftmax,
)
from wideangle.models._training.checkpoint import Checkpoints, Training

SHORT = {"max_updates": 40, "random_state": 0, "device": "cpu"}
MODELS = {
    "ReplicatedSoftmax": ReplicatedSoftmax(3, **SHORT),
    "BernoulliRBM": BernoulliRBM(3, **SHORT),
    "GaussianRBM": GaussianRBM(3, persistent=True, optimizer="momentum", **SHORT),
    "DictionaryLearner": DictionaryLearner(3, **SHORT),
    "DistanceLearner": DistanceLearner(2, n_similar=50, n_dissimilar=50, validation_fraction=0.0, **SHORT),
    "MLPClassifier": MLPClassifier((5, 4), validation_fraction=0.2, **SHORT),
}
NEED_CLASSES = ("DistanceLearner", "MLPClassifier")


class ProgramEndsError(Exception):
    """Stands for what ends a program between two updates."""


def fitted(name, X, classes):
    """The model of this name, fitted."""
    return MODELS[name].fit(rows_for(name, X), classes if name in NEED_CLASSES else None)


def rows_for(name, X):
    """Rows as the model takes them: counts of words for the Replicated Softmax."""
    return np.round(6 * X) if name == "ReplicatedSoftmax" else X


def interrupted(name, X, classes, folder):
    """Begin a fit, and end it when the first checkpoint has been written."""
    offer = Training.offer

    def then_stop(self, make, records, final=False):
        offer(self, make, records, final)
        assert not final, f"the fit of {name} has ended before it was interrupted"
        raise ProgramEndsError

    with mock.patch.object(Training, "offer", then_stop), contextlib.suppress(ProgramEndsError), Checkpoints(folder, 0):
        fitted(name, X, classes)


if __name__ == "__main__":
    kept = Path(__file__).parent / wideangle.__version__
    if kept.exists():
        sys.exit(f"{kept} is there already, and the files of a version are written once.")
    kept.mkdir()
    rng = np.random.default_rng(0)
    X = rng.random((20, 6)).astype(np.float32)
    classes = np.array(["grain", "money"])[(X[:, 0] > 0.5).astype(int)]
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            interrupted(name, X, classes, Path(folder))
            shutil.copy(Path(folder) / "fit-0001.checkpoint", kept / f"{name}.checkpoint")
        model = fitted(name, X, classes)
        answers = {"transformed": model.transform(rows_for(name, X)), "updates": model.n_updates_}
        np.savez_compressed(kept / f"{name}.npz", X=X, classes=classes, **answers)
