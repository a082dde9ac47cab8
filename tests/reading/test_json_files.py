"""JSON in its usual shapes."""

import json

import pytest

from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, TextSource, read

TEXTS = ["wheat and corn", "ships at sea"]


def documents(path):
    return [(d.text, d.label) for d in TextSource(path)]


@pytest.mark.parametrize(
    "content",
    [
        [{"text": TEXTS[0], "label": "a"}, {"text": TEXTS[1], "label": "b"}],
        {"text": TEXTS, "label": ["a", "b"]},
        {"text": {"0": TEXTS[0], "1": TEXTS[1]}, "label": {"0": "a", "1": "b"}},
    ],
    ids=["objects", "columns", "pandas"],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_lists_and_columns(content, indent, tmp_path):
    (tmp_path / "d.json").write_text(json.dumps(content, indent=indent))
    assert documents(tmp_path / "d.json") == list(zip(TEXTS, "ab", strict=True))


def test_lines_under_the_name_of_json(tmp_path):
    (tmp_path / "d.json").write_text('{"text": "wheat"}\n{"text": "corn"}\n')
    assert documents(tmp_path / "d.json") == [("wheat", None), ("corn", None)]
    assert "one JSON object per line" in TextSource(tmp_path / "d.json").description


def test_the_keys_of_all_rows_are_the_columns(tmp_path):
    """The first rows lack the text; only ids were left to be taken for it."""
    lines = [{"id": f"doc number {i}"} for i in range(3)] + [{"id": f"doc {i}", "text": TEXTS[0]} for i in range(3)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [d.text for d in TextSource(tmp_path / "d.jsonl")] == [""] * 3 + [TEXTS[0]] * 3
    rows = read(tmp_path / "d.jsonl")
    assert rows.vocabulary == ["corn", "wheat"]
    assert "3 texts are empty" in rows.description


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{broken", "d.json: no JSON"),
        ("[1, 2]", "row 1: an object is wanted; got int"),
        ("3", "holds int. Wanted is a list of objects"),
        ('{"text": ["a"], "label": ["b", "c"]}', "different lengths: 'text' 1, 'label' 2"),
        ('{"text": "a"}', "'text' is str, not a column"),
        ("[" * 100_000, "nested too deeply|no JSON"),
    ],
)
def test_what_is_no_table(content, message, tmp_path):
    (tmp_path / "d.json").write_text(content)
    with pytest.raises(DataError, match=message):
        documents(tmp_path / "d.json")


NESTED = [
    {"meta": {"key": f"k{i}", "kind": "ab"[i % 2]}, "payload": {"head": f"note {i}", "by": {"saying": text}}, "n": i}
    for i, text in enumerate([*TEXTS, "a loan", "a bank"])
]
PATHS = {
    "text_column": "payload.by.saying",
    "label_column": "meta.kind",
    "id_column": "meta.key",
    "title_column": "payload.head",
}


@pytest.mark.parametrize("name", ["d.jsonl", "d.json", "inside.json", "d.parquet"])
def test_fields_of_nested_objects(name, tmp_path):
    path = tmp_path / name
    if path.suffix == ".parquet":
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(NESTED), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in NESTED))
    else:
        path.write_text(json.dumps({"count": 4, "rows": NESTED} if "inside" in name else NESTED))
    rows = read(path, ReadingOptions(**PATHS))
    assert rows.snippets == [*TEXTS, "a loan", "a bank"]
    assert (rows.names, rows.classes.tolist()) == (["k0", "k1", "k2", "k3"], ["a", "b", "a", "b"])
    assert rows.titles == ["note 0", "note 1", "note 2", "note 3"]
    with pytest.raises(DataError, match="'meta.key', 'meta.kind', 'payload.head',"):
        read(path, ReadingOptions(text_column="payload.saying"))
    with pytest.raises(DataError, match="'payload'.*'payload.by.saying', 'n'"):
        read(path, ReadingOptions(text_column="payload"))


def test_nested_names_are_guessed_by_their_last_part(tmp_path):
    rows = [{"payload": {"body": text, "label": "x"}, "n": i} for i, text in enumerate(TEXTS)]
    (tmp_path / "d.json").write_text(json.dumps(rows))
    assert (
        "text from column 'payload.body', labels from column 'payload.label'" in read(tmp_path / "d.json").description
    )


def test_a_similar_name_is_proposed(tmp_path):
    (tmp_path / "d.json").write_text(json.dumps(NESTED))
    with pytest.raises(DataError, match="mean 'payload.by.saying'"):
        read(tmp_path / "d.json", ReadingOptions(text_column="payload.by.sayin"))


def test_objects_nested_very_deeply(tmp_path):
    deep = '{"a":' * 900 + '"wheat corn"' + "}" * 900
    (tmp_path / "d.jsonl").write_text(f'{{"text": "wheat", "x": {deep}}}\n')
    assert read(tmp_path / "d.jsonl").snippets == ["wheat"]
