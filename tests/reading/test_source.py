"""Documents from every kind of file, one at a time."""

import csv
import gzip
import json
import tracemalloc

import pytest

from wideangle.data import TextSource
from wideangle.exceptions import DataError

ROWS = [
    {"id": "1", "body": 'quotes " and, commas\nand lines', "category": "a"},
    {"id": "2", "body": "ünïcode ✓", "category": "b"},
]


def write(path, rows):
    if path.suffix == ".parquet":
        pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
        return path
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        if ".jsonl" in path.suffixes:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if ".tsv" in path.suffixes else ",")
            writer.writeheader()
            writer.writerows(rows)
    return path


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.jsonl", "d.csv.gz", "d.jsonl.gz", "d.parquet"])
def test_tables(name, tmp_path):
    source = TextSource(write(tmp_path / name, ROWS))
    documents = list(source)
    assert [(d.text, d.label) for d in documents] == [(row["body"], row["category"]) for row in ROWS]
    assert [d.name for d in documents] == ["1", "2"]
    assert list(source) == documents


def test_named_columns_and_the_longest_as_a_guess(tmp_path):
    path = write(tmp_path / "d.csv", [{"a": "x", "b": "longer text", "c": "y"}])
    assert next(iter(TextSource(path))).text == "longer text"
    assert next(iter(TextSource(path, text_column="a", label_column="c")))[:2] == ("x", "y")
    with pytest.raises(DataError, match="'z'.* 'a', 'b', 'c'"):
        list(TextSource(path, text_column="z"))


def test_folder_with_classes(tmp_path):
    for name, text in {"b/2.txt": "two", "a/1.txt": "one", "a/deep/3.txt": "three", "top.txt": "none"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert [(d.text, d.label) for d in TextSource(tmp_path)] == [
        ("one", "a"),
        ("three", "a"),
        ("two", "b"),
        ("none", None),
    ]


def test_lines_of_a_text_file(tmp_path):
    (tmp_path / "d.txt").write_text("\ufefffirst\n\n  \nsecond", encoding="utf-8")
    assert [(d.text, d.name) for d in TextSource(tmp_path / "d.txt")] == [("first", "line 1"), ("second", "line 4")]


def test_bytes_that_do_not_fit_are_counted(tmp_path):
    (tmp_path / "d.txt").write_bytes("caf\xe9\nfine\n".encode("latin-1"))
    with pytest.warns(UserWarning, match="1 of 2 documents"):
        texts = [d.text for d in TextSource(tmp_path / "d.txt", encoding="utf-8")]
    assert texts == ["caf\ufffd", "fine"]
    assert [d.text for d in TextSource(tmp_path / "d.txt", encoding="latin-1")] == ["café", "fine"]


def test_the_text_is_never_its_own_label(tmp_path):
    path = write(tmp_path / "d.csv", [{"topic": "wheat and corn", "n": 1}, {"topic": "ships at sea", "n": 2}])
    assert [(d.text, d.label) for d in TextSource(path, text_column="topic")] == [
        ("wheat and corn", None),
        ("ships at sea", None),
    ]
    both = write(tmp_path / "e.csv", [{"topic": "wheat and corn", "class": "a"}])
    assert next(iter(TextSource(both, text_column="topic"))).label == "a"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("d.jsonl", b'{"text": "a b", "id": 7}\n{"text": null, "id": 8}\n{"id": 9}\n'),
        ("d.csv", b"text,id\na b,7\n,8\n,9\n"),
        ("d.json", b'[{"text": "a b", "id": 7}, {"text": null, "id": 8}, {"id": 9}]'),
    ],
)
def test_a_missing_text_is_an_empty_document_in_every_format(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    assert [(d.text, d.name) for d in TextSource(tmp_path / name)] == [("a b", "7"), ("", "8"), ("", "9")]


def test_the_description_says_what_was_guessed(tmp_path):
    path = write(tmp_path / "d.csv", ROWS)
    assert TextSource(path).description == (
        "d.csv: separated by ',', text from column 'body', labels from column 'category', ids from column 'id'"
    )
    (tmp_path / "d.txt").write_text("one\ntwo\n")
    assert TextSource(tmp_path / "d.txt").description == "d.txt: documents, one per line"


def test_long_fields(tmp_path):
    path = write(tmp_path / "d.csv", [{"text": "word " * 100_000}])
    assert len(next(iter(TextSource(path))).text) == 500_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.xls", b"x", r"d.xls is of a kind that cannot be read.*\.csv"),
        ("d.txt", b"", "no document"),
        ("d.csv", b"text,label\n", "holds no rows"),
        ("d.csv", b"", "holds no rows"),
        ("d.jsonl", b'{"text": "a"}\n{broken\n', "line 2: no JSON"),
        ("d.jsonl", b"[1, 2]\n", "line 1: an object is wanted; got list"),
        ("d.jsonl", b'{"n": 3}\n', "no column of text"),
        ("d.jsonl", b'{"text": "a"}\n{"text": ["b", "c"]}\n', "row 2: 'text' is list, not text"),
    ],
)
def test_bad_files(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        list(TextSource(tmp_path / name))


def test_damaged_parquet(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    (tmp_path / "d.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(DataError, match="Parquet"):
        list(TextSource(tmp_path / "d.parquet"))


def test_nothing_there(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        list(TextSource(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"searched for \.txt"):
        list(TextSource(tmp_path))


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "d.jsonl"
    with path.open("w") as file:
        for i in range(20_000):
            file.write(json.dumps({"text": f"document {i} " * 50}) + "\n")
    tracemalloc.start()
    assert sum(1 for _ in TextSource(path)) == 20_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 10e6
    assert peak < 1e6
