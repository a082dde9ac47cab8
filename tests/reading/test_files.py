"""Compressed files, standard input, and what the disk refuses."""

import gzip
import io
import os
import sys

import numpy as np
import pytest

from wideangle.exceptions import DataError
from wideangle.reading import TextSource, read
from wideangle.reading.zstandard_files import open_zstandard

CSV = b"id,text,label\nr1,wheat and corn,a\nr2,ships at sea,b\n"
TEXTS = ["wheat and corn", "ships at sea"]


def zst(content):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(content)


def pipe(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def parquet():
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({"id": ["r1", "r2"], "text": TEXTS, "label": ["a", "b"]}), out)
    return out.getvalue()


def npz():
    out = io.BytesIO()
    np.savez(out, X=np.eye(2), y=np.array(["a", "b"]))
    return out.getvalue()


JSONL = b'{"id": "r1", "text": "wheat and corn"}\n{"id": "r2", "text": "ships at sea"}\n'
CONTENTS = {
    "csv": lambda: CSV,
    "jsonl": lambda: JSONL,
    "json": lambda: b"[" + JSONL.replace(b"}\n{", b"},\n{") + b"]",
    "txt": lambda: b"wheat and corn\nships at sea\n",
    "parquet": parquet,
}


@pytest.mark.parametrize("compress", [gzip.compress, zst], ids=["gz", "zst"])
@pytest.mark.parametrize("kind", CONTENTS)
def test_every_kind_compressed(kind, compress, tmp_path, request):
    path = tmp_path / f"d.{kind}.{'gz' if compress is gzip.compress else 'zst'}"
    path.write_bytes(compress(CONTENTS[kind]()))
    assert [d.text for d in TextSource(path)] == TEXTS


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("compress", [bytes, gzip.compress, zst], ids=["plain", "gz", "zst"])
@pytest.mark.parametrize("kind", CONTENTS)
def test_standard_input_is_told_by_its_content(kind, compress, monkeypatch):
    pipe(monkeypatch, compress(CONTENTS[kind]()))
    source = TextSource("-")
    assert [d.text for d in source] == TEXTS
    assert [d.text for d in source] == TEXTS  # it was copied
    assert source.description.startswith("standard input: ")


def test_arrays_and_a_named_format_on_standard_input(monkeypatch):
    pipe(monkeypatch, gzip.compress(npz()))
    rows = read("-")
    assert (rows.X.shape, rows.label_names) == ((2, 2), ["a", "b"])
    pipe(monkeypatch, b"words,group\nwheat and corn,a\n")
    assert [d.text for d in TextSource("-")] == ["words,group", "wheat and corn,a"]
    pipe(monkeypatch, b"words,group\nwheat and corn,a\n")
    assert [d.text for d in TextSource("-", format="csv")] == ["wheat and corn"]
    with pytest.raises(DataError, match="'doc'.* txt, csv"):
        list(TextSource("-", format="doc"))


def test_empty_standard_input(monkeypatch):
    pipe(monkeypatch, b"")
    with pytest.raises(DataError, match="standard input is empty"):
        list(TextSource("-"))


@pytest.mark.parametrize("kind", [*CONTENTS, "npz"])
@pytest.mark.parametrize("compress", [gzip.compress, zst], ids=["gz", "zst"])
def test_files_cut_short(kind, compress, tmp_path):
    path = tmp_path / f"d.{kind}.{'gz' if compress is gzip.compress else 'zst'}"
    content = compress({**CONTENTS, "npz": npz}[kind]())
    path.write_bytes(content[:-6])
    with pytest.raises(DataError, match=f"d.{kind}.* is cut short"):
        read(path)
    path.write_bytes(b"plain text")
    with pytest.raises(DataError, match=f"d.{kind}.* is cut short"):
        read(path)


def test_several_frames_of_zstandard(tmp_path):
    (tmp_path / "d.zst").write_bytes(zst(b"first ") + zst(b"second"))
    with (tmp_path / "d.zst").open("rb") as file, open_zstandard(file) as stream:
        assert stream.read() == b"first second"


def test_zstandard_that_is_not_installed(tmp_path, monkeypatch):
    if sys.version_info >= (3, 14):
        pytest.skip("Python has it")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (tmp_path / "d.csv.zst").write_bytes(b"")
    with pytest.raises(ImportError, match=r"'wideangle\[zstd\]'"):
        read(tmp_path / "d.csv.zst")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    (tmp_path / "d.csv").write_bytes(CSV)
    (tmp_path / "d.csv").chmod(0)
    with pytest.raises(DataError, match="d.csv may not be read"):
        read(tmp_path / "d.csv")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "Permission denied"), "d.csv may not be read"),
        (IsADirectoryError(21, "Is a directory"), "d.csv is a folder"),
        (OSError(5, "Input/output error"), "d.csv cannot be read: Input/output error"),
    ],
)
def test_what_the_system_refuses_is_one_sentence(error, message, tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_bytes(CSV)

    def refuse(self):
        raise error

    monkeypatch.setattr("wideangle.reading.files.InputFile.open", refuse)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "d.csv")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"just words", b"\x93NUMPY\x01\x00"])
def test_arrays_that_are_none(content, tmp_path):
    (tmp_path / "d.npz").write_bytes(content)
    with pytest.raises(DataError, match="^d.npz") as raised:
        read(tmp_path / "d.npz")
    assert "pickle" not in str(raised.value)


def test_a_bare_array(tmp_path):
    with (tmp_path / "d.npz").open("wb") as file:
        np.save(file, np.eye(2))
    rows = read(tmp_path / "d.npz")  # It is told by its content.
    np.testing.assert_array_equal(rows.X.toarray() if hasattr(rows.X, "toarray") else rows.X, np.eye(2))


def test_zero_bytes_in_a_table(tmp_path):
    (tmp_path / "d.csv").write_bytes(b"text,label\nwheat\x00corn,a\n")
    assert [d.text for d in TextSource(tmp_path / "d.csv")] == ["wheat\x00corn"]
