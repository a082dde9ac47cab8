"""A fit that was interrupted goes on with the same bits; checkpoints of other fits, or damaged ones, are refused."""

import shutil

import numpy as np
import pytest
from training_cases import BITS, CASES, fitted, learned

from wideangle.exceptions import CheckpointError
from wideangle.models import BernoulliRBM
from wideangle.models._training import checkpoint
from wideangle.models._training.checkpoint import Checkpoints


class ProgramEndsError(Exception):
    """Stands for what ends a program between two updates."""


def fit_interrupted(name, folder, monkeypatch, after=1):
    """Fit as often as it takes, each time until so many checkpoints were written; how often it was interrupted."""
    offer = checkpoint.Training.offer
    times = 0
    while True:
        written = 0

        def then_stop(self, make, records, final=False):
            nonlocal written
            offer(self, make, records, final)
            written += 1
            if written == after and not final:
                raise ProgramEndsError

        with monkeypatch.context() as patch:
            patch.setattr(checkpoint.Training, "offer", then_stop)
            try:
                with Checkpoints(folder, 0):
                    return fitted(name), times
            except ProgramEndsError:
                times += 1


def assert_same_bits(model, other):
    one, two = learned(model), learned(other)
    assert set(one) == set(two)
    for key, values in one.items():
        np.testing.assert_array_equal(values, two[key], err_msg=key)
    assert model.stopped_ == other.stopped_


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("name", CASES)
def test_interrupted_after_each_record_the_fit_has_the_same_bits(name, tmp_path, monkeypatch):
    undisturbed = fitted(name)
    model, times = fit_interrupted(name, tmp_path, monkeypatch)
    assert times >= 2
    assert_same_bits(model, undisturbed)
    with Checkpoints(tmp_path):  # The fit has ended, and is not done again.
        assert_same_bits(fitted(name), undisturbed)


def test_a_fit_without_a_seed_goes_on_with_the_seed_it_began_with(tmp_path, monkeypatch):
    monkeypatch.setitem(CASES, "unseeded", lambda: (BernoulliRBM(4, max_updates=60, dropout=0.2), BITS, None))
    model, times = fit_interrupted("unseeded", tmp_path, monkeypatch)
    assert times == 3
    with Checkpoints(tmp_path):
        assert_same_bits(fitted("unseeded"), model)
    assert not np.array_equal(fitted("unseeded").components_, model.components_)


def test_each_fit_of_a_block_has_its_own_file(tmp_path):
    models = [BernoulliRBM(K, max_updates=20, random_state=0) for K in (2, 3)]
    for _ in range(2):
        with Checkpoints(tmp_path):
            shapes = [model.fit(BITS).components_.shape[0] for model in models]
        assert shapes == [2, 3]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fit-0001.checkpoint", "fit-0002.checkpoint"]


@pytest.mark.parametrize(
    ("parameters", "X", "said"),
    [
        ({"learning_rate": 0.01}, BITS, "learning_rate was 0.005, and is 0.01"),
        ({}, BITS[:-1], r"shape of X was \(150, 25\), and is \(149, 25\)"),
        ({}, 1 - BITS, "content of X was"),
    ],
)
def test_a_checkpoint_of_another_fit_is_refused_with_what_differs(tmp_path, parameters, X, said):
    def model(**others):
        return BernoulliRBM(3, max_updates=20, random_state=0).set_params(**others)

    with Checkpoints(tmp_path):
        model().fit(BITS)
    with Checkpoints(tmp_path), pytest.raises(CheckpointError, match=said):
        model(**parameters).fit(X)
    with Checkpoints(tmp_path):  # These may differ.
        model(verbose=False, device="cpu").fit(BITS)


def test_a_damaged_checkpoint_is_refused(tmp_path):
    model = BernoulliRBM(3, max_updates=20, random_state=0)
    whole, damaged = tmp_path / "whole", tmp_path / "damaged"
    with Checkpoints(whole):
        model.fit(BITS)
    content = (whole / "fit-0001.checkpoint").read_bytes()
    for wrong in (content[:-10], content[:-1] + bytes([content[-1] ^ 1]), b"", b"no checkpoint at all"):
        shutil.copytree(whole, damaged, dirs_exist_ok=True)
        (damaged / "fit-0001.checkpoint").write_bytes(wrong)
        with Checkpoints(damaged), pytest.raises(CheckpointError, match="Delete it to begin anew"):
            model.fit(BITS)


def test_files_are_written_as_often_as_asked(tmp_path, monkeypatch):
    written = []
    replacing = checkpoint.replacing
    monkeypatch.setattr(checkpoint, "replacing", lambda path: written.append(path) or replacing(path))
    model = BernoulliRBM(3, max_updates=60, random_state=0)
    with Checkpoints(tmp_path / "seldom", 1000):
        model.fit(BITS)
    assert len(written) == 1  # that of the end
    with Checkpoints(tmp_path / "often", 0):
        model.fit(BITS)
    assert len(written) == 1 + len(model.history_) + 1
    model.fit(BITS)  # outside
    assert len(written) == 2 + len(model.history_)
    with pytest.raises(ValueError, match="every_seconds must be at least 0; got -1"):
        Checkpoints(tmp_path, -1)
