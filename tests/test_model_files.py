"""Model files are whole or not there; damaged, foreign and newer ones are refused."""

import json
import os
import pickle
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from saved_models import MODELS, assert_same, data, small_machine
from sklearn.base import clone

import wideangle
from wideangle import persistence
from wideangle._encoding import digest
from wideangle.exceptions import ModelFileError

NEWER = persistence.FORMAT + 1


@pytest.fixture(scope="module")
def machine():
    return small_machine()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.wideangle"


class TestWriting:
    def test_a_failed_write_leaves_the_old_file_alone(self, machine, path, monkeypatch):
        machine.save(path)
        before = path.read_bytes()
        for broken in ("replace", "fsync"):
            with monkeypatch.context() as patch:
                patch.setattr(os, broken, lambda *_: (_ for _ in ()).throw(OSError("disk full")))
                with pytest.raises(OSError, match="disk full"):
                    machine.save(path, vocabulary=["a"] * 7)
            assert path.read_bytes() == before
            assert list(path.parent.iterdir()) == [path]

    def test_complete_before_it_has_its_name(self, machine, path, monkeypatch):
        seen = []
        real = os.replace

        def replace(source, target):
            assert Path(source).parent == path.parent
            seen.append(wideangle.load(source).components_.tobytes())
            real(source, target)

        monkeypatch.setattr(os, "replace", replace)
        machine.save(path)
        assert seen == [machine.components_.tobytes()]

    def test_through_a_link_and_a_plain_string(self, machine, path, tmp_path):
        link = tmp_path / "latest"
        path.write_bytes(b"")
        link.symlink_to(path)
        machine.save(str(link))
        assert link.is_symlink()
        assert_same(wideangle.load(str(path)).components_, machine.components_)

    def test_an_ordinary_file_for_others_to_read(self, machine, path):
        machine.save(path)
        plain = path.with_name("plain")
        plain.write_bytes(b"")
        assert path.stat().st_mode == plain.stat().st_mode
        arrays = safetensors.numpy.load_file(path)
        assert_same(arrays["components_"], machine.components_)

    def test_a_network_names_its_layers(self, path):
        estimator, target, dtype = MODELS["classifier"]
        model = clone(estimator).fit(*data(target, dtype))
        model.save(path)
        arrays = safetensors.numpy.load_file(path)
        for i, (weights, biases) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
            assert np.array_equal(arrays[f"module_.weights.{i}"], weights.T)
            assert np.array_equal(arrays[f"module_.biases.{i}"], biases)

    def test_folders_that_are_not_there(self, machine, path):
        with pytest.raises(FileNotFoundError):
            machine.save(path / "deeper")
        with pytest.raises(FileNotFoundError):
            wideangle.load(path)
        with pytest.raises(IsADirectoryError):
            wideangle.load(path.parent)


def load_or_refuse(content, model, path):
    """Whether these bytes are refused; if not, the model must be the same."""
    path.write_bytes(content)
    try:
        again = wideangle.load(path)
    except ModelFileError as error:
        return str(error).startswith(str(path))
    assert_same(again.get_params(), model.get_params())
    assert_same(dict(sorted(vars(again).items())), dict(sorted(vars(model).items())))
    return False


class TestDamage:
    def test_cut_off_anywhere(self, machine, path):
        machine.save(path)
        content = path.read_bytes()
        for end in range(len(content)):
            assert load_or_refuse(content[:end], machine, path)

    def test_a_byte_changed_anywhere(self, machine, path):
        machine.save(path)
        content = path.read_bytes()
        rng = np.random.default_rng(0)
        loaded = 0
        for place in range(len(content)):
            # a flipped bit, and any other byte
            for change in (1 << rng.integers(8), rng.integers(1, 256)):
                damaged = bytearray(content)
                damaged[place] ^= int(change)
                loaded += not load_or_refuse(bytes(damaged), machine, path)
        assert loaded < 0.02 * len(content)  # blanks about the header, where it says nothing

    @pytest.mark.quick_cases(6)
    @pytest.mark.parametrize("name", MODELS)
    def test_some_bytes_changed_in_every_model(self, name, path):
        estimator, target, dtype = MODELS[name]
        model = clone(estimator).fit(*data(target, dtype))
        model.save(path)
        content = path.read_bytes()
        rng = np.random.default_rng(0)
        for place in rng.integers(len(content), size=60):
            damaged = bytearray(content)
            damaged[place] ^= int(rng.integers(1, 256))
            assert load_or_refuse(bytes(damaged), model, path)
            assert load_or_refuse(content[:place], model, path)

    def test_numbers_changed(self, machine, path):
        """safetensors alone would take every one of these."""
        machine.save(path)
        content = bytearray(path.read_bytes())
        for back in range(1, 4 * machine.components_.size):
            content[-back] ^= 1
            assert load_or_refuse(bytes(content), machine, path)
            content[-back] ^= 1

    def test_longer(self, machine, path):
        machine.save(path)
        content = path.read_bytes()
        for more in (b"\0", b"}" * 100, content):
            assert load_or_refuse(content + more, machine, path)

    def test_other_files(self, machine, path):
        foreign = safetensors.numpy.save({"components_": machine.components_})
        others = [pickle.dumps(machine), b"", b"\0" * 100, b"PK\3\4" + b"x" * 500, b"{}", foreign]
        others.append(safetensors.numpy.save({"a": np.ones(3)}, {"wideangle": "no JSON"}))
        others.append(safetensors.numpy.save({"a": np.ones(3)}, {"wideangle": "[" * 100_000}))
        others.append(safetensors.numpy.save({"a": np.ones(3)}, {"wideangle": '"text"'}))
        others.append(safetensors.numpy.save({"a": np.ones(3)}, {"wideangle": "{}"}))
        for content in others:
            assert load_or_refuse(content, machine, path)
        path.write_bytes(foreign)
        with pytest.raises(ModelFileError, match=r"model\.save\(\)|model of wideangle"):
            wideangle.load(path)

    def test_a_pickle_is_not_run(self, path, tmp_path):
        class Bomb:
            def __reduce__(self):
                return os.mkdir, (str(tmp_path / "ran"),)

        path.write_bytes(pickle.dumps(Bomb()))
        with pytest.raises(ModelFileError):
            wideangle.load(path)
        assert not (tmp_path / "ran").exists()


def rewrite(path, change, rehash=True):
    """The file with another document, as some other version might have written it."""
    with safetensors.safe_open(path, framework="numpy") as file:
        document = json.loads(file.metadata()["wideangle"])
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    change(document)
    document.pop("sha256")
    document["sha256"] = digest(document, arrays) if rehash else "0" * 64
    path.write_bytes(safetensors.numpy.save(arrays, {"wideangle": json.dumps(document)}))


class TestOtherVersions:
    def test_rewritten_unchanged(self, machine, path):
        machine.save(path)
        rewrite(path, lambda document: None)
        assert_same(wideangle.load(path).components_, machine.components_)
        rewrite(path, lambda document: None, rehash=False)
        with pytest.raises(ModelFileError, match="SHA-256"):
            wideangle.load(path)

    def test_a_parameter_it_did_not_have_takes_its_default(self, machine, path):
        machine.save(path)
        rewrite(path, lambda document: document["parameters"].pop("patience"))
        assert wideangle.load(path).patience == 10

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda d: d.update(format=NEWER), f"format {NEWER}.*upgrade wideangle"),
            (lambda d: d.update(format=NEWER, versions=None, state=None), f"format {NEWER}.*upgrade wideangle"),
            (lambda d: d.update(estimator="Transformer"), "'Transformer'.*BernoulliRBM.*upgrade"),
            (lambda d: d.update(estimator="ObliqueAdam"), "'ObliqueAdam'"),
            (lambda d: d.update(estimator="__loader__"), "'__loader__'"),
            (lambda d: d["parameters"].update(depth=3, width=4), "does not know.*depth, width.*saved by \\d"),
            (lambda d: d["state"].pop("components_"), "holds no BernoulliRBM.*components_ must be an array.*got None"),
            (lambda d: d["state"].update(components_={"array": "elsewhere", "by_columns": False}), "elsewhere"),
            (
                lambda d: d["state"].update(history_={"record": "Popen", "fields": {"args": "ls"}}),
                "'Popen', but may hold only Record",
            ),
            (lambda d: d["state"]["history_"]["tuple"][0]["fields"].update(more=1), "more"),
            (lambda d: d["state"].update(x_={"items": [1], "shape": [1], "dtype": "V8"}), "V8"),
            (lambda d: d.pop("state"), "state"),
            (lambda d: d.update(versions=None, state=[]), "its entry 'versions' must be a mapping; got None"),
        ],
    )
    def test_what_this_version_cannot_read(self, machine, path, change, message):
        machine.save(path)
        rewrite(path, change)
        with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))} .*{message}"):
            wideangle.load(path)


def test_the_document_says_what_it_is(machine, path):
    machine.save(path)
    with safetensors.safe_open(path, framework="numpy") as file:
        document = json.loads(file.metadata()["wideangle"])
    assert document["versions"]["wideangle"] == wideangle.__version__
    assert set(document["versions"]) == {"wideangle", "torch", "numpy", "scikit-learn"}
    assert (document["estimator"], document["parameters"]["n_components"], document["format"]) == (
        "BernoulliRBM",
        2,
        persistence.FORMAT,
    )


def test_the_file_can_be_moved_and_read_only(machine, path, tmp_path):
    machine.save(path)
    moved = tmp_path / "elsewhere"
    shutil.move(path, moved)
    moved.chmod(0o444)
    again = wideangle.load(moved)
    again.components_ += 1  # its own memory, not the file's
    assert_same(wideangle.load(moved).components_, machine.components_)
