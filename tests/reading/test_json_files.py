"""JSON in its usual shapes."""

import json

import pytest

from wideangle.exceptions import DataError
from wideangle.reading import TextSource, read

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
