"""Processes that `fit_in_processes` starts: models and errors come back, and a killed process is replaced."""

import os
import shutil
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from training_cases import BITS, COUNTS, LABELS, POINTS

from wideangle.baselines.documents import LSI
from wideangle.distributed import fit_in_processes
from wideangle.distributed.starting import threads_each
from wideangle.exceptions import DivergenceError
from wideangle.models import BernoulliRBM, MLPClassifier, MLPRegressor, ReplicatedSoftmax
from wideangle.models._training.checkpoint import Checkpoints

CLOSE = {"rtol": 2e-3, "atol": 2e-4}


def own_workers():
    """The processes that this one has started and that fit, by rank."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"wideangle.distributed.worker" in (folder / "cmdline").read_bytes():
                variables = dict(
                    entry.split(b"=", 1) for entry in (folder / "environ").read_bytes().split(b"\0") if b"=" in entry
                )
                found[int(variables[b"RANK"])] = int(folder.name)
        except (OSError, KeyError):  # It has ended meanwhile, or has just begun.
            continue
    return found


@pytest.mark.slow
def test_models_come_back_as_if_fitted_here():
    text = ReplicatedSoftmax(4, max_updates=40, random_state=0)
    assert fit_in_processes(text, COUNTS, processes=2) is text
    alone = ReplicatedSoftmax(4, max_updates=40, random_state=0).fit(COUNTS)
    np.testing.assert_allclose(text.transform(COUNTS), alone.transform(COUNTS), **CLOSE)
    names = np.array(["no", "yes"])[LABELS]
    network = MLPClassifier(8, max_updates=40, random_state=0)
    fit_in_processes(network, POINTS, names, processes=2)
    alone = MLPClassifier(8, max_updates=40, random_state=0).fit(POINTS, names)
    np.testing.assert_allclose(network.predict_proba(POINTS), alone.predict_proba(POINTS), **CLOSE)
    assert set(network.predict(POINTS)) <= {"no", "yes"}


@pytest.mark.slow
def test_errors_come_back_as_they_were():
    with pytest.raises(ValueError, match="learning_rate .* got -1"):
        fit_in_processes(BernoulliRBM(3, learning_rate=-1), BITS, processes=2)
    model = MLPRegressor(8, learning_rate=1e8, optimizer="sgd", random_state=0)
    with pytest.raises(DivergenceError, match="lower learning_rate"):
        fit_in_processes(model, POINTS, POINTS[:, 0], processes=2)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert "TORCHELASTIC_SIGNALS_TO_HANDLE" not in os.environ


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds processes in /proc")
def test_a_killed_process_is_replaced_and_the_fit_goes_on_from_the_last_checkpoint(tmp_path):
    """There is no seed, so that a fit that began anew would learn something else."""
    kept, copy, killed = tmp_path / "kept", tmp_path / "copy", []

    def kill():
        while not (kept / "fit-0001.checkpoint").exists():
            time.sleep(0.01)
        shutil.copytree(kept, copy)
        killed.append(own_workers()[1])
        os.kill(killed[0], signal.SIGKILL)

    watch = threading.Thread(target=kill, daemon=True)
    watch.start()
    model = MLPClassifier((20, 10), max_updates=4000, metric="covariance")
    fit_in_processes(model, POINTS, LABELS, processes=2, checkpoints=kept, every_seconds=0)
    watch.join(1)
    assert len(killed) == 1
    alone = MLPClassifier((20, 10), max_updates=4000, metric="covariance")
    with Checkpoints(copy, 1000):  # what was there when the process was killed
        alone.fit(POINTS, LABELS)
    assert [record.update for record in model.history_] == [record.update for record in alone.history_]
    for one, other in zip(model.coefs_, alone.coefs_, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)


def test_one_process_fits_here(tmp_path):
    model = fit_in_processes(BernoulliRBM(3, max_updates=20, random_state=0), BITS, processes=1, checkpoints=tmp_path)
    alone = BernoulliRBM(3, max_updates=20, random_state=0).fit(BITS)
    np.testing.assert_array_equal(model.components_, alone.components_)
    assert (tmp_path / "fit-0001.checkpoint").exists()


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: fit_in_processes(BernoulliRBM(3), BITS, processes=0), ValueError, "at least 1; got 0"),
        (lambda: fit_in_processes(LSI(3), COUNTS, processes=2), TypeError, "LSI is not trained by mini-batches"),
        (
            lambda: fit_in_processes(BernoulliRBM(3), BITS.tolist(), processes=2),
            TypeError,
            "X must be a NumPy array .* got list",
        ),
    ],
)
def test_what_cannot_be_done_is_said_before_processes_start(call, kind, said):
    with pytest.raises(kind, match=said):
        call()


def test_threads_are_shared_out(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert [threads_each(n) for n in (1, 2, 3, 20)] == [8, 4, 2, 1]
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert [threads_each(n) for n in (1, 2, 8)] == [2, 2, 1]
