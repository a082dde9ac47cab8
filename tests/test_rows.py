"""Rows that are made when they are asked for are those of the whole matrix, and take little memory."""

import sys
from pathlib import Path

import numpy as np
import pytest

from wideangle import _blocks, _rows
from wideangle._blocks import all_equal, is_finite, parts
from wideangle._mapped import map_array
from wideangle._rare_groups import first_of_each
from wideangle._rows import MadeRows, made_rows, on_disk, row_blocks, some_rows

SOURCE = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
WHOLE = 2 * SOURCE[:, :2]


def twice(rows):
    return 2 * rows[:, :2]


@pytest.fixture(params=[1, 7, 2**24])
def made(request, monkeypatch):
    monkeypatch.setattr(_blocks, "BLOCK", 8 * request.param)
    monkeypatch.setattr(_rows, "IN_MEMORY", 0)
    monkeypatch.setattr(_rows, "GATHERED", 3)
    return made_rows(SOURCE, twice)


@pytest.mark.parametrize(
    "wanted",
    [slice(None), slice(3, 9), slice(0, 50, 7), np.array([4, 4, 49, 0]), SOURCE[:, 0] > 0, np.zeros(0, dtype=int)],
    ids=["all", "some", "every seventh", "numbers", "mask", "none"],
)
def test_they_are_the_rows_of_the_whole_matrix(made, wanted):
    assert isinstance(made, MadeRows)
    assert (made.shape, made.dtype, len(made)) == ((50, 2), np.float32, 50)
    np.testing.assert_array_equal(made[wanted], WHOLE[wanted])
    np.testing.assert_array_equal(np.asarray(made), WHOLE)
    np.testing.assert_array_equal(np.concatenate(list(row_blocks(made))), WHOLE)
    np.testing.assert_array_equal(np.asarray(on_disk(made)), WHOLE)


def test_some_of_some_and_what_is_made_of_them(made):
    mask = np.arange(50) % 3 > 0
    some = some_rows(some_rows(made, mask), np.array([5, 0, 11]))
    np.testing.assert_array_equal(some[:], WHOLE[mask][[5, 0, 11]])
    np.testing.assert_array_equal(made_rows(some, np.square)[1:], WHOLE[mask][[0, 11]] ** 2)


def test_a_small_matrix_is_made_whole():
    assert isinstance(made_rows(SOURCE, twice), np.ndarray)
    assert made_rows(SOURCE) is SOURCE
    assert on_disk(SOURCE) is SOURCE


@pytest.mark.parametrize("each", [1, 4, 50, 51, None])
def test_parts_cover_all_rows_once(each):
    assert [row for part in parts(50, SOURCE, each=each) for row in range(50)[part]] == list(range(50))


def test_what_is_looked_at_in_parts(monkeypatch):
    monkeypatch.setattr(_blocks, "BLOCK", 30)
    broken, other = SOURCE.copy(), SOURCE.copy()
    broken[49, 2], other[49, 2] = np.nan, 0
    assert (is_finite(SOURCE), is_finite(broken), is_finite(np.arange(3))) == (True, False, True)
    assert (all_equal(SOURCE, SOURCE.copy()), all_equal(SOURCE, other), all_equal(SOURCE, SOURCE[1:])) == (
        True,
        False,
        False,
    )


def test_the_first_of_each_group():
    groups = np.random.default_rng(1).integers(4, size=40)
    seen = [int((groups[:row] == groups[row]).sum()) for row in range(40)]
    np.testing.assert_array_equal(first_of_each(groups, 3), np.array(seen) < 3)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.parametrize("how", ["blocks", "numbers"])
def test_rows_of_a_file_take_little_memory(tmp_path, how):
    rows = 500_000
    np.ones((rows, 50), np.float32).tofile(tmp_path / "rows")  # 100 MB
    made = MadeRows(map_array(tmp_path / "rows", np.float32, (rows, 50)))

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    before, most = resident(), 0
    numbers = np.random.default_rng(0).integers(rows, size=20_000)
    for block in row_blocks(made) if how == "blocks" else (made[part] for part in np.split(numbers, 4)):
        assert float(block.min()) == 1
        most = max(most, resident() - before)
    assert most < 50_000_000
