"""Arrays in a file: the same bytes as safetensors writes, and large arrays that stay there."""

import numpy as np
import pytest
import safetensors.numpy

from wideangle import _blocks
from wideangle._mapped import is_mapped, map_array
from wideangle._model_files import array_file
from wideangle._model_files.array_file import TYPES, header_of, read_arrays, write_arrays
from wideangle._model_files.header import Header, _parts

METADATA = {"about": 'quotes ", \\ and \\u00e9', "empty": ""}


def some_arrays():
    random = np.random.default_rng(0)
    arrays = {f"{name} {n}": random.random((n, 3)).round().astype(name) for name in TYPES for n in (0, 2, 301)}
    return arrays | {"attached.scalar": np.float32(2.5)[None][0:1].reshape(()), "ünïcode": np.arange(7)}


def written(path, arrays, metadata=METADATA):
    write_arrays(path, arrays, header_of(arrays, metadata))
    return path


@pytest.mark.parametrize("block", [16, 1000, 2**24])
def test_the_bytes_are_those_of_safetensors(tmp_path, monkeypatch, block):
    monkeypatch.setattr(_blocks, "BLOCK", block)
    arrays, metadata = some_arrays(), {"about": METADATA["about"]}  # safetensors does not sort several entries
    found = written(tmp_path / "file", arrays, metadata).read_bytes()
    assert found == safetensors.numpy.save(arrays, metadata)


def test_arrays_in_files_are_written_as_they_are(tmp_path):
    values = np.arange(3000, dtype=np.int32)
    (tmp_path / "values").write_bytes(values.tobytes())
    mapped = map_array(tmp_path / "values", np.int32, (1000, 3))
    one, other = (written(tmp_path / str(n), {"a": a}) for n, a in enumerate([mapped, np.array(mapped)]))
    assert one.read_bytes() == other.read_bytes()


def test_large_arrays_of_one_kind_stay_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(array_file, "MAPPED_FROM", 400)
    arrays = {name: np.arange(n, dtype=np.float64) for name, n in (("attached.a", 50), ("attached.b", 49), ("c", 60))}
    path = written(tmp_path / "file", arrays)
    found = read_arrays(path, Header({}, *_parts(path)[1:]), "attached.")
    assert [name for name, array in found.items() if is_mapped(array)] == ["attached.a"]
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
    assert not found["attached.a"].flags.writeable
    path.unlink()  # as `wideangle topics --rename` replaces the file that it read
    np.testing.assert_array_equal(found["attached.a"], arrays["attached.a"])


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_mapped_as_it_was(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(array_file, "MAPPED_FROM", 1)
    arrays = some_arrays()
    path = written(tmp_path / "file", arrays)
    found = read_arrays(path, Header({}, *_parts(path)[1:]), kind)
    np.testing.assert_array_equal(found[f"{kind} 301"], arrays[f"{kind} 301"])
    assert is_mapped(found[f"{kind} 301"])
    assert found[f"{kind} 301"].dtype == kind
