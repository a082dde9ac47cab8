"""Arrays that stay in their file."""

import sys
from pathlib import Path

import numpy as np
import pytest

from wideangle._mapped import is_mapped, let_go, map_array


def resident() -> int:
    """The memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_an_array_is_what_the_file_holds_from_a_byte_on(tmp_path):
    values = np.arange(24, dtype=np.float32)
    (tmp_path / "values").write_bytes(b"12345678" + values.tobytes())
    found = map_array(tmp_path / "values", np.float32, (6, 4), offset=8)
    np.testing.assert_array_equal(found, values.reshape(6, 4))
    assert not found.flags.writeable


def test_an_empty_array_needs_no_file():
    assert map_array("not there", np.int64, (0, 5)).shape == (0, 5)


def test_parts_of_a_mapped_array_are_mapped_and_copies_are_not(tmp_path):
    (tmp_path / "values").write_bytes(bytes(100))
    found = map_array(tmp_path / "values", np.uint8, (10, 10))
    assert is_mapped(found)
    assert is_mapped(found[3:, 2])
    assert not is_mapped(found + 1)
    assert not is_mapped([1, 2])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_what_was_read_is_given_back_and_read_again(tmp_path):
    size = 64_000_000
    (tmp_path / "values").write_bytes(b"\x01" * size)
    found = map_array(tmp_path / "values", np.uint8, (size,))
    before = resident()
    assert int(found.sum()) == size
    assert resident() - before > size // 2
    let_go(found[7:], np.ones(3), None)
    assert resident() - before < size // 4
    assert int(found.sum()) == size
