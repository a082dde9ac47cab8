"""Input at URLs: what is read is what a file of this computer holds, and only the bytes that are needed travel."""

import gzip
import json
import sys

import pytest
from small_corpus import documents

from wideangle._engines import LocalProcesses
from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, TextSource, files, read
from wideangle.reading.files import InputFile
from wideangle.reading.opening import check_path, open_path, size_of, state_of
from wideangle.reading.places import RemoteFile
from wideangle.reading.to_disk import Counting, read_to_disk

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'wideangle[remote]'")
ROWS = [{"text": text, "label": label} for text, label in documents()]
CONTENT = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


@pytest.fixture
def memory():
    """The file system of memory:// URLs, which is empty before and after a test."""
    store = fsspec.filesystem("memory")
    store.store.clear()
    store.pseudo_dirs[:] = [""]
    yield store
    store.store.clear()
    store.pseudo_dirs[:] = [""]


def parquet(path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=7)


def put(memory, path, url):
    memory.pipe_file(url, path.read_bytes())


def assert_same(some, others):
    assert (some.X[:] != others.X[:]).nnz == 0
    assert list(some.names) == list(others.names)
    assert some.classes.tolist() == others.classes.tolist()
    assert list(some.snippets) == list(others.snippets)


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet", "csv"])
def test_a_url_is_read_as_the_file(ending, memory, tmp_path):
    path = tmp_path / f"d.{ending}"
    if ending == "parquet":
        parquet(path)
    elif ending == "csv":
        path.write_text("text,label\n" + "".join(f"{row['text']},{row['label']}\n" for row in ROWS))
    else:
        path.write_bytes(gzip.compress(CONTENT) if ending.endswith("gz") else CONTENT)
    put(memory, path, f"/data/d.{ending}")
    url = f"memory://data/d.{ending}"
    check_path(url, ReadingOptions())
    assert_same(read(url), read(path))
    assert read(url).description == read(path).description
    assert size_of(url) == size_of(path)
    stored = read_to_disk(url, tmp_path / "store", counting=Counting(LocalProcesses(1), 900))
    assert_same(stored, read(path))


def test_folders_and_patterns_of_urls(memory, tmp_path):
    cut = CONTENT.index(b"\n", len(CONTENT) // 2) + 1
    for name, content in (("a", CONTENT[:cut]), ("b", CONTENT[cut:])):
        memory.pipe_file(f"/many/label={name}/part.jsonl", content)
    (tmp_path / "one.jsonl").write_bytes(CONTENT)
    expected = read(tmp_path / "one.jsonl", ReadingOptions(label_column="none"))
    for url in ("memory://many", "memory://many/*/*.jsonl"):
        rows = read(url, ReadingOptions(label_column="none"))
        assert (rows.X != expected.X).nnz == 0
        assert rows.names == expected.names
    stored = read_to_disk("memory://many/**/*.jsonl", tmp_path / "s", counting=Counting(LocalProcesses(1), 900))
    assert (stored.X[:] != expected.X).nnz == 0
    assert set(stored.classes.tolist()) == {"a", "b"}  # what the folders say


def test_a_folder_of_texts_at_a_url(memory):
    memory.pipe_file("/texts/farm/1.txt", b"wheat and corn")
    memory.pipe_file("/texts/sea/2.txt", b"ships and harbours")
    found = [(d.text, d.label, d.name) for d in TextSource("memory://texts")]
    assert found == [("wheat and corn", "farm", "farm/1.txt"), ("ships and harbours", "sea", "sea/2.txt")]


def test_parts_of_lines_fetch_their_bytes_alone(memory, monkeypatch):
    memory.pipe_file("/d.jsonl", CONTENT)
    file = InputFile("memory://d.jsonl")
    spans = file.line_spans(1000)
    assert [span.start for span in spans[1:]] == [span.end for span in spans[:-1]]
    fetched = []
    plain = type(memory).cat_file

    def watched(self, path, start=None, end=None, **more):
        content = plain(self, path, start=start, end=end, **more)
        fetched.append(len(content))
        return content

    monkeypatch.setattr(type(memory), "cat_file", watched)
    monkeypatch.setattr(type(memory), "open", lambda *_, **__: pytest.fail("the whole file was opened"))
    with file.open_lines(spans[2], "utf-8") as stream:
        assert stream.read().encode() == CONTENT[spans[2].start : spans[2].end]
    assert fetched == [spans[2].end - spans[2].start]
    monkeypatch.setattr(files, "LINE_END_IN", 50)
    fetched.clear()
    assert file.line_spans(1000) == spans
    assert max(fetched) <= 50


def test_the_encoding_of_a_url_is_told_by_its_beginning(memory, monkeypatch):
    memory.pipe_file("/d.txt", "ein Käse\n".encode("cp1252") * 20 + b"x\n" * 1000)
    monkeypatch.setattr(files, "TOLD_BY", 100)
    assert InputFile("memory://d.txt").encoding(None) == "cp1252"


def test_a_url_that_changes_while_it_is_read(memory, tmp_path):
    memory.pipe_file("/d.jsonl", CONTENT)
    before = state_of("memory://d.jsonl", ReadingOptions())

    def change(done, total, note):
        if done == 1:
            memory.pipe_file("/d.jsonl", CONTENT)

    counting = Counting(LocalProcesses(1), 900)
    with pytest.raises(DataError, match="Run the same again"):
        read_to_disk("memory://d.jsonl", tmp_path / "s", counting=counting, told=change)
    assert state_of("memory://d.jsonl", ReadingOptions()) != before
    assert len(read_to_disk("memory://d.jsonl", tmp_path / "s", counting=counting)) == 60


def test_a_url_that_becomes_shorter(memory):
    memory.pipe_file("/d.jsonl", CONTENT)
    file = InputFile("memory://d.jsonl")
    last = file.line_spans(1000)[-1]
    memory.pipe_file("/d.jsonl", CONTENT[: last.start + 5])
    with pytest.raises(DataError, match="shorter while it was read"):
        file.open_lines(last, "utf-8")


def test_what_is_not_there(memory):
    with pytest.raises(DataError, match=r"memory://nothing\.jsonl"):
        open_path("memory://nothing.jsonl", ReadingOptions())
    with pytest.raises(DataError, match=r"memory://no/\*\.jsonl"):
        open_path("memory://no/*.jsonl", ReadingOptions())
    with pytest.raises(DataError, match="nosuch://.*fsspec"):
        open_path("nosuch://x/y", ReadingOptions())


def test_the_package_of_a_protocol_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(ImportError, match="gs://b/x .*pip install gcsfs"):
        open_path("gs://b/x", ReadingOptions())
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=r"fsspec.*'wideangle\[remote\]'"):
        open_path("gs://b/x", ReadingOptions())


def test_errors_of_a_store_are_told_with_the_address(memory, monkeypatch):
    memory.pipe_file("/d.jsonl", CONTENT)

    def refuse(*_, **__):
        raise RuntimeError("no credentials")

    monkeypatch.setattr(type(memory), "info", refuse)
    with pytest.raises(DataError, match=r"no credentials\. Check"):
        RemoteFile("memory://d.jsonl").info()
