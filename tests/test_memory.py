"""What a model of many documents costs in memory, in processes of their own."""

import sys

import pytest
from _large_models import enlarge, small_model
from large_models import measured, write_new_documents

MANY = 500_000
MORE = 190_000_000  # bytes that such a model may take besides what a small one takes; its file is twice as large


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    small = small_model(folder, updates=100)
    write_new_documents(small, folder / "new.jsonl")
    enlarge(small, folder / "large.wideangle", MANY)
    return small, folder / "large.wideangle"


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is given back where the system allows it")
@pytest.mark.parametrize("command", ["load", "info", "search", "assign"])
def test_memory_does_not_grow_with_the_file(files, command):
    small, large = files
    assert large.stat().st_size > 2 * MORE
    before, after = (measured(command, path, small.parent).bytes for path in files)
    assert after - before < MORE
