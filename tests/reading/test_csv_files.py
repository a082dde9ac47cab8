"""Separators, headers and fields of CSV files."""

import csv

import pytest

from wideangle.exceptions import DataError
from wideangle.reading import TextSource
from wideangle.reading.csv_files import sniff_separator

ROWS = [
    ("id", "text", "label"),
    ("a1", "late, slow, and dear; never again | no", "bad"),
    ("a2", 'she said "fine"\nand left, smiling', "good"),
    ("a3", "tabs\there, commas, there", "good"),
    ("a4", "plain", "bad"),
]


def write(path, separator, rows=ROWS, encoding="utf-8"):
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["d.csv", "d.tsv"])
def test_the_separator_is_found(name, separator, tmp_path):
    source = TextSource(write(tmp_path / name, separator))
    assert [(d.name, d.text, d.label) for d in source] == ROWS[1:]
    assert f"separated by {'a tab' if separator == chr(9) else repr(separator)}" in source.description


@pytest.mark.parametrize(
    ("head", "separator"),
    [
        ("text;label\nmany, commas, in, it;a\nfew, here;b\n", ";"),
        ("text|label\na;b, c|x\n", "|"),
        ("a,b\n1;5,2;5\n", ","),
        ("id\ttext\n1\tone, two, three\n", "\t"),
        ('text,label\n"a; b\nc; d",x\n"e; f",y\n', ","),
    ],
)
def test_text_full_of_other_separators(head, separator):
    assert sniff_separator(head) == separator


def test_one_column_keeps_its_commas(tmp_path):
    (tmp_path / "d.csv").write_text('text\nfine, cheap\n"quoted, too"\n')
    source = TextSource(tmp_path / "d.csv")
    assert [d.text for d in source] == ["fine, cheap", "quoted, too"]
    assert "one column" in source.description


def test_a_separator_that_is_named(tmp_path):
    (tmp_path / "d.csv").write_text("text:label\nwheat and corn:a\n")
    assert next(iter(TextSource(tmp_path / "d.csv", separator=":")))[:2] == ("wheat and corn", "a")


def test_the_first_line_of_excel(tmp_path):
    (tmp_path / "d.csv").write_text("sep=;\ntext;label\nwheat, corn;a\n")
    assert [(d.text, d.label) for d in TextSource(tmp_path / "d.csv")] == [("wheat, corn", "a")]


def test_a_row_of_too_many_fields_is_named(tmp_path):
    (tmp_path / "d.csv").write_text("text,label\nwheat,a\ncorn, and more,b\n" + "wheat,a\n" * 20)
    with pytest.raises(DataError, match="row 2 has 3 fields"):
        list(TextSource(tmp_path / "d.csv"))
    (tmp_path / "d.csv").write_text("text,label\nwheat corn,a,\nbarley oats,b,,\n")  # empty ones do no harm
    assert len(list(TextSource(tmp_path / "d.csv"))) == 2


def test_columns_of_the_same_name_are_refused(tmp_path):
    (tmp_path / "d.csv").write_text("text,text\nwheat,corn\n")
    with pytest.raises(DataError, match="several columns called 'text'"):
        list(TextSource(tmp_path / "d.csv"))


def test_the_index_that_pandas_writes_is_an_id(tmp_path):
    pd = pytest.importorskip("pandas")
    pd.DataFrame({"text": ["wheat corn", "ship port"]}, index=["x", "y"]).to_csv(tmp_path / "d.csv")
    assert [d.name for d in TextSource(tmp_path / "d.csv")] == ["x", "y"]
