"""Small files that become very large are refused, and read where that is asked for."""

import gzip
import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read
from wideangle.reading.decompression import open_compressed

LINES = b"wheat and corn\n" * 200_000  # 3 MB, some 300 times as much as compressed


def zst(content):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(content)


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr("wideangle.reading.decompression.MOST_BYTES", 1 << 20)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("name", "compress"), [("d.txt.gz", gzip.compress), ("d.txt.zst", zst), ("d", gzip.compress)])
def test_a_file_that_grows_too_much(name, compress, small_limit, tmp_path):
    (tmp_path / name).write_bytes(compress(LINES))
    with pytest.raises(DataError, match=f"^{name} has [0-9,]+ bytes and becomes more than .*--any-size reads it"):
        read(tmp_path / name)
    assert len(read(tmp_path / name, ReadingOptions(any_size=True))) == 200_000


def test_large_or_well_compressed_alone_is_no_reason(small_limit, tmp_path):
    noise = np.random.default_rng(0).integers(97, 122, 3 << 20, dtype=np.uint8).tobytes()
    for name, content in (("large.gz", noise), ("dense.gz", LINES[: 1 << 19])):
        (tmp_path / name).write_bytes(gzip.compress(content))
        file = tmp_path / name
        with open_compressed(file.open("rb"), ".gz", name, compressed_size=file.stat().st_size) as stream:
            assert stream.read() == content


def test_archives(small_limit, tmp_path):
    np.savez_compressed(tmp_path / "d.npz", X=np.zeros((1000, 1000)))
    with pytest.raises(DataError, match=r"d.npz has .* becomes more than"):
        read(tmp_path / "d.npz")
    assert read(tmp_path / "d.npz", ReadingOptions(any_size=True)).X.shape == (1000, 1000)
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["text", "label"])
    out = io.BytesIO()
    book.save(out)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/filler.xml", bytes(30 << 20))
    (tmp_path / "d.xlsx").write_bytes(out.getvalue())
    with pytest.raises(DataError, match="d.xlsx .*becomes more"):
        read(tmp_path / "d.xlsx")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_memory_does_not_grow_with_what_a_file_becomes(compression, tmp_path):
    compress = gzip.compress if compression == ".gz" else zst
    path = tmp_path / f"d{compression}"
    path.write_bytes(compress(bytes(200 << 20)))
    tracemalloc.start()
    with open_compressed(path.open("rb"), compression, "d") as stream:
        size = sum(len(piece) for piece in iter(lambda: stream.read(1 << 16), b""))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size == 200 << 20
    assert peak < 100 << 20
