"""Many files of one kind are one table: the rows of one file that holds them all."""

import csv
import gzip
import itertools
import json

import pytest
from small_corpus import documents

from wideangle._engines import LocalProcesses
from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, TextSource, read
from wideangle.reading.division import parts_of
from wideangle.reading.opened_documents import OpenedDocuments, Pieces
from wideangle.reading.opening import open_path, size_of, state_of
from wideangle.reading.to_disk import Counting, read_to_disk

ROWS = [{"text": text, "label": label, "id": f"d{number}"} for number, (text, label) in enumerate(documents())]
UNNAMED = [{"text": row["text"], "label": row["label"]} for row in ROWS]
CUTS = (0, 7, 8, 30, 60)


def jsonl(path, rows, **_):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def jsonl_gz(path, rows):
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


def csv_file(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def lines(path, rows):
    path.write_text("".join(row["text"] + "\n" for row in rows))


def parquet(path, rows):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=5)


WRITERS = {
    "jsonl": jsonl,
    "jsonl.gz": jsonl_gz,
    "json": jsonl,
    "csv": csv_file,
    "txt": lines,
    "parquet": parquet,
}


def written(folder, ending, rows, cuts=CUTS):
    """The rows in files of a folder, and in one file."""
    many = folder / "many"
    many.mkdir()
    for number, (start, end) in enumerate(itertools.pairwise(cuts)):
        WRITERS[ending](many / f"part-{number}.{ending}", rows[start:end])
    one = folder / f"one.{ending}"
    WRITERS[ending](one, rows)
    return many, one


def assert_same(some, others):
    assert (some.X[:] != others.X[:]).nnz == 0
    assert list(some.vocabulary) == list(others.vocabulary)
    assert list(some.names) == list(others.names)
    assert list(some.snippets) == list(others.snippets)
    assert (some.labels is None) == (others.labels is None)
    if some.labels is not None:
        assert some.classes.tolist() == others.classes.tolist()


@pytest.mark.parametrize("rows", [ROWS, UNNAMED], ids=["with ids", "without"])
@pytest.mark.parametrize("ending", WRITERS)
def test_many_files_are_one_concatenated_file(ending, rows, tmp_path):
    many, one = written(tmp_path, ending, rows)
    pattern = many / f"part-*.{ending}"
    expected = read(one)
    assert_same(read(pattern), expected)
    if ending != "txt":  # A folder of .txt files has one document per file.
        assert_same(read(many), expected)


@pytest.mark.parametrize("size", [300, 10**6])
@pytest.mark.parametrize("ending", WRITERS)
def test_parts_of_many_files_are_counted_as_one_file(ending, size, tmp_path):
    many, one = written(tmp_path, ending, UNNAMED)
    counting = Counting(LocalProcesses(1), size)
    found = read_to_disk(many / f"*.{ending}", tmp_path / "store", counting=counting)
    assert_same(found, read(one))
    parts = len(list((tmp_path / "store" / "parts").iterdir()))
    assert parts == 1 if size > 10**5 else parts >= 3


def test_row_groups_and_byte_ranges_are_parts(tmp_path):
    for ending in ("parquet", "jsonl"):
        (tmp_path / ending).mkdir()
        many, _ = written(tmp_path / ending, ending, UNNAMED)
        opened = open_path(many, ReadingOptions())
        source = OpenedDocuments(opened, opened.choose_columns(ReadingOptions()), ReadingOptions())
        parts = parts_of(source, 3000)
        assert all(isinstance(part, Pieces) for part in parts)
        assert any(part.pieces[0].span is not None for part in parts)  # A large file is divided,
        assert any(len(part.pieces) > 1 for part in parts)  # and small ones are read together.
        assert [d.text for part in parts for d in source.read(part)] == [row["text"] for row in UNNAMED]


def test_folders_of_a_partitioned_data_set_are_columns(tmp_path):
    pa, ds = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.dataset")
    table = pa.Table.from_pylist([row | {"year": 2020 + n % 3} for n, row in enumerate(UNNAMED)])
    ds.write_dataset(
        table, tmp_path / "d", format="parquet", partitioning=["label", "year"], partitioning_flavor="hive"
    )
    (tmp_path / "d" / "_SUCCESS").write_text("")
    (tmp_path / "d" / "label=bank" / "._hidden.parquet").write_text("x")
    rows = read(tmp_path / "d")
    again = ds.dataset(tmp_path / "d", format="parquet", partitioning="hive", exclude_invalid_files=True).to_table()
    found = sorted(zip(rows.snippets, rows.classes.tolist(), strict=True))
    assert found == sorted(zip(again["text"].to_pylist(), again["label"].to_pylist(), strict=True))
    assert "'year'" in rows.description
    stored = read_to_disk(tmp_path / "d", tmp_path / "store", counting=Counting(LocalProcesses(1), 500))
    assert_same(stored, rows)


def test_files_are_read_in_the_order_of_their_names(tmp_path):
    for name, text in (("b.jsonl", "second"), ("a/z.jsonl", "first"), ("c.jsonl", "third")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        jsonl(tmp_path / name, [{"text": f"{text} text of words"}])
    assert [document.text.split()[0] for document in TextSource(tmp_path)] == ["first", "second", "third"]


def test_txt_files_in_a_folder_stay_documents(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.txt").write_text("some words\nand more of them")
    jsonl(tmp_path / "beside.jsonl", UNNAMED)
    assert [(d.label, d.name) for d in TextSource(tmp_path)] == [("a", "a/one.txt")]


def test_kinds_are_not_mixed(tmp_path):
    jsonl(tmp_path / "a.jsonl", UNNAMED)
    csv_file(tmp_path / "b.csv", UNNAMED)
    with pytest.raises(DataError, match="1 file of jsonl, 1 file of csv"):
        read(tmp_path)
    assert len(read(tmp_path / "*.csv")) == 60
    assert len(read(tmp_path, ReadingOptions(exclude=("*.csv",)))) == 60


def test_other_files_are_left_out_and_told(tmp_path):
    many, one = written(tmp_path, "jsonl", UNNAMED)
    (many / "README.md").write_text("what this is")
    (many / "part-9.jsonl").write_text("")  # Writers leave such files.
    rows = read(many)
    assert_same(rows, read(one))
    assert "1 file of other kinds left out: README.md." in rows.notes
    assert size_of(many) == sum(file.stat().st_size for file in many.glob("*.jsonl"))


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("size", [200, 10**6])
def test_a_file_without_the_text_is_named(ending, size, tmp_path):
    many, _ = written(tmp_path, ending, UNNAMED)
    WRITERS[ending](many / f"part-9.{ending}", [{"body": row["text"], "label": row["label"]} for row in UNNAMED])
    options = ReadingOptions(text_column="text")
    message = rf"part-9\.{ending} has no column 'text', which .* have; it has 'body', 'label'\. .*--exclude part-9"
    with pytest.raises(DataError, match=message):
        read(many, options)
    with pytest.raises(DataError, match=message):
        read_to_disk(many, tmp_path / "s", options, counting=Counting(LocalProcesses(1), size))


def test_a_pattern_that_matches_nothing(tmp_path):
    with pytest.raises(DataError, match=r"no file .*\*\.jsonl"):
        read(tmp_path / "*.jsonl")
    (tmp_path / "a.jsonl").write_text("")
    with pytest.raises(DataError, match="holds anything"):
        read(tmp_path / "*.jsonl")


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path):
    jsonl(tmp_path / "a[1].jsonl", UNNAMED)
    jsonl(tmp_path / "a1.jsonl", UNNAMED[:3])
    assert len(read(tmp_path / "a[1].jsonl")) == 60


def test_the_state_changes_with_any_file(tmp_path):
    many, _ = written(tmp_path, "jsonl", UNNAMED)
    before = state_of(many, ReadingOptions())
    assert state_of(many, ReadingOptions()) == before
    (many / "notes.md").write_text("no part of the data set")
    assert state_of(many, ReadingOptions()) == before
    jsonl(many / "part-1.jsonl", UNNAMED[:2])
    assert state_of(many, ReadingOptions()) != before


def test_finished_parts_are_used_again_until_a_file_changes(tmp_path):
    many, _ = written(tmp_path, "jsonl", UNNAMED)
    said, store = [], tmp_path / "store"
    counting = Counting(LocalProcesses(1), 300)
    read_to_disk(many, store, counting=counting)
    (store / "parts" / "part-000001.npz").unlink()
    read_to_disk(many, store, counting=counting, say=said.append)
    assert len(said) == 1
    assert "of an earlier run" in said[0]
    jsonl(many / "part-0.jsonl", UNNAMED[:9])
    assert len(read_to_disk(many, store, counting=counting, say=said.append)) == 62
    assert len(said) == 1
