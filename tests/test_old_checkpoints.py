"""Checkpoints that version 0.1.0 wrote are still read; but a fit goes on only with the code that began it."""

import importlib.util
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import wideangle
from wideangle.exceptions import CheckpointError
from wideangle.models._training import checkpoint

FOLDER = Path(__file__).parent / "checkpoint_files"
CHECKPOINTS = FOLDER / "0.1.0"

_spec = importlib.util.spec_from_file_location("write_checkpoints", FOLDER / "write.py")
writing = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(writing)


@pytest.fixture(params=sorted(writing.MODELS))
def case(request, tmp_path):
    """The name of a model, rows, classes and what the whole fit gave, and a folder with the checkpoint."""
    shutil.copy(CHECKPOINTS / f"{request.param}.checkpoint", tmp_path / "fit-0001.checkpoint")
    with np.load(CHECKPOINTS / f"{request.param}.npz") as stored:
        return request.param, dict(stored), tmp_path


def test_their_states_are_read(case, monkeypatch):
    name, stored, folder = case
    began = []
    monkeypatch.setattr(checkpoint.Training, "_check_same", lambda training: began.append(training._document))
    with checkpoint.Checkpoints(folder):
        model = writing.fitted(name, stored["X"], stored["classes"])
    assert began[0]["state"]
    assert model.n_updates_ == stored["updates"] > 0
    # Another version of torch or another processor adds up in another order.
    found = model.transform(writing.rows_for(name, stored["X"]))
    np.testing.assert_allclose(found, stored["transformed"], rtol=1e-3, atol=1e-4)


def test_a_fit_of_other_code_says_which_version_goes_on(case):
    name, stored, folder = case
    with pytest.raises(CheckpointError) as raised, checkpoint.Checkpoints(folder):
        writing.fitted(name, stored["X"], stored["classes"])
    assert re.search(
        rf"wideangle was 0\.1\.0, code \w+, and is {re.escape(wideangle.__version__)}, code \w+", str(raised.value)
    )
    assert (folder / "fit-0001.checkpoint").read_bytes() == (CHECKPOINTS / f"{name}.checkpoint").read_bytes()
