"""An interrupted fit goes on with the same bits; checkpoints of other fits are refused, damaged ones passed over."""

import shutil

import numpy as np
import pytest
from interrupted_fits import ProgramEndsError, assert_same_bits, fit_interrupted, fit_once, newest_update
from training_cases import BITS, CASES, fitted

from wideangle._locks import sole_writer
from wideangle.exceptions import CheckpointError, CheckpointWarning, FileInUseError
from wideangle.models import BernoulliRBM
from wideangle.models._training import checkpoint, checkpoint_files, code
from wideangle.models._training.checkpoint import Checkpoints


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


def test_a_fit_without_a_seed_goes_on_in_the_same_way_from_two_copies(tmp_path, monkeypatch):
    """The order of the rows comes from the seed that the file keeps, since the user gave none."""
    monkeypatch.setitem(CASES, "unseeded", lambda: (BernoulliRBM(4, max_updates=60, dropout=0.2), BITS, None))
    one, other = tmp_path / "one", tmp_path / "other"
    with pytest.raises(ProgramEndsError):
        fit_once("unseeded", one, monkeypatch, after=1)
    shutil.copytree(one, other)
    models = []
    for folder in (one, other):
        with Checkpoints(folder):
            models.append(fitted("unseeded"))
    assert_same_bits(*models)


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


def damaged_versions(content):
    """The same bytes cut short, changed in one bit, empty, and those of something else."""
    return content[:-10], content[:-1] + bytes([content[-1] ^ 1]), b"", b"no checkpoint at all"


def test_a_damaged_checkpoint_is_passed_over_for_the_one_before_and_told(tmp_path, monkeypatch):
    undisturbed = fitted("bits, several sweeps, dropout")
    folder, damaged = tmp_path / "whole", tmp_path / "damaged"
    with pytest.raises(ProgramEndsError):
        fit_once("bits, several sweeps, dropout", folder, monkeypatch, after=2)
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["fit-0001.checkpoint", "fit-0001.checkpoint.before"]
    before = newest_update(folder, "fit-0001.checkpoint.before")
    assert 0 < before < newest_update(folder, "fit-0001.checkpoint")
    for wrong in damaged_versions((folder / "fit-0001.checkpoint").read_bytes()):
        shutil.copytree(folder, damaged, dirs_exist_ok=True)
        (damaged / "fit-0001.checkpoint").write_bytes(wrong)
        with Checkpoints(damaged), pytest.warns(CheckpointWarning, match="checkpoint before it"):
            assert_same_bits(fitted("bits, several sweeps, dropout"), undisturbed)


def test_where_no_checkpoint_is_whole_the_fit_begins_anew_and_tells_it(tmp_path):
    model = BernoulliRBM(3, max_updates=20, random_state=0)
    components = model.fit(BITS, checkpoint=tmp_path).components_
    path = tmp_path / "fit-0001.checkpoint"
    for wrong in damaged_versions(path.read_bytes()):
        path.write_bytes(wrong)
        with pytest.warns(CheckpointWarning, match="begins anew"):
            np.testing.assert_array_equal(model.fit(BITS, checkpoint=tmp_path).components_, components)
        path.with_name(path.name + ".before").unlink()


def test_a_checkpoint_of_another_format_is_refused(tmp_path, monkeypatch):
    model = BernoulliRBM(3, max_updates=20, random_state=0)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint_files, "FORMAT", 99)
        model.fit(BITS, checkpoint=tmp_path)
    with pytest.raises(CheckpointError, match=r"format 99\b.*format 2\b"):
        model.fit(BITS, checkpoint=tmp_path)


def test_a_checkpoint_of_other_code_is_refused(tmp_path, monkeypatch):
    model = BernoulliRBM(3, max_updates=20, random_state=0).fit(BITS, checkpoint=tmp_path)
    others = code.code_of_fits() | {"wideangle": "0.0.1, code abc", "version of torch": "1.0"}
    monkeypatch.setattr(checkpoint, "code_of_fits", lambda: others)
    with pytest.raises(CheckpointError, match=r"torch was .* 1\.0; .* 0\.0\.1, code abc"):
        model.fit(BITS, checkpoint=tmp_path)


def test_the_code_of_fits_is_that_of_the_rooms_that_fits_enter(tmp_path, monkeypatch):
    def of(changed, text="1"):
        root = tmp_path / "wideangle"
        shutil.rmtree(root, ignore_errors=True)
        for name in ("models/a.py", "commands/b.py", changed):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text if name == changed else "0")
        monkeypatch.setattr(code, "ROOT", root)
        code.code_of_fits.cache_clear()
        return code.code_of_fits()["wideangle"]

    try:
        assert of("models/a.py") != of("models/a.py", "2")
        assert of("commands/b.py") == of("commands/b.py", "2")
        assert of("_version.py") == of("_version.py", "2")
    finally:
        monkeypatch.undo()
        code.code_of_fits.cache_clear()


def test_a_full_disk_costs_the_checkpoint_and_not_the_fit(tmp_path):
    resource = pytest.importorskip("resource", reason="Windows has no limits of processes")
    undisturbed = fitted("bits, several sweeps, dropout")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with Checkpoints(tmp_path, 0), pytest.warns(CheckpointWarning):
            assert_same_bits(fitted("bits, several sweeps, dropout"), undisturbed)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == []


def test_a_folder_that_another_process_uses_is_refused_until_it_is_free(tmp_path):
    model = BernoulliRBM(3, max_updates=20, random_state=0)
    with sole_writer(tmp_path), pytest.raises(FileInUseError, match="another folder"):
        model.fit(BITS, checkpoint=tmp_path)
    model.fit(BITS, checkpoint=tmp_path)


def test_a_warm_start_from_other_components_is_another_fit(tmp_path):
    model = BernoulliRBM(3, max_updates=20, random_state=0, warm_start=True).fit(BITS)
    first = model.fit(BITS, checkpoint=tmp_path / "second").components_
    with pytest.raises(CheckpointError, match="components"):
        model.fit(BITS, checkpoint=tmp_path / "second")
    assert not np.array_equal(model.fit(BITS, checkpoint=tmp_path / "third").components_, first)


def test_files_are_written_as_often_as_asked(tmp_path, monkeypatch):
    written = []
    replacing = checkpoint_files.replacing
    monkeypatch.setattr(checkpoint_files, "replacing", lambda path: written.append(path) or replacing(path))
    model = BernoulliRBM(3, max_updates=60, random_state=0)
    with Checkpoints(tmp_path / "seldom", 1000):
        model.fit(BITS)
    assert len(written) == 1  # that of the end
    with Checkpoints(tmp_path / "often", 0):
        model.fit(BITS)
    assert len(written) == 1 + len(model.history_) + 1
    model.fit(BITS)  # outside
    assert len(written) == 2 + len(model.history_)
    with pytest.raises(ValueError, match="every_seconds.*got -1"):
        Checkpoints(tmp_path, -1)
