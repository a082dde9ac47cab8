"""Workbooks of Excel."""

import datetime

import pytest

from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, TextSource, read


@pytest.fixture
def workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ("id", "when", "comment", "stars"),
        ("r1", datetime.date(2020, 1, 2), "late and broken", 1),
        ("r2", datetime.date(2020, 1, 3), None, 5),
        (None, None, None, None),
        ("r3", datetime.date(2020, 1, 4), "quick delivery", 5),
        ("r4", datetime.date(2020, 1, 5), "quick and whole", 5),
    ):
        sheet.append(row)
    book.create_sheet("more")
    book.save(tmp_path / "d.xlsx")
    return tmp_path / "d.xlsx"


def test_the_sheet_that_is_a_table(workbook):
    source = TextSource(workbook)
    assert [(d.name, d.text, d.label) for d in source] == [
        ("r1", "late and broken", "1"),
        ("r2", "", "5"),
        ("r3", "quick delivery", "5"),
        ("r4", "quick and whole", "5"),
    ]
    assert "sheet 'Sheet', number 1 of 2" in source.description


def test_it_is_read_compressed_too(workbook, tmp_path):
    import gzip

    (tmp_path / "e.xlsx.gz").write_bytes(gzip.compress(workbook.read_bytes()))
    assert read(tmp_path / "e.xlsx.gz").names == ["r1", "r2", "r3", "r4"]


def test_damaged(workbook):
    workbook.write_bytes(workbook.read_bytes()[:300])
    with pytest.raises(DataError, match="d.xlsx cannot be read as .xlsx"):
        list(TextSource(workbook))


def test_without_the_package(workbook, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"'wideangle\[xlsx\]'"):
        list(TextSource(workbook))


def book_of(path, **sheets):
    book = pytest.importorskip("openpyxl").Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


COVER = [("Tickets of the year",), (None, "made by Ann"), ("confidential",)]
DATA = [("nr", "Beschreibung"), (1, "late and broken"), (2, "quick delivery")]
OLD = [("nr", "text"), (9, "an old ticket")]


@pytest.mark.parametrize(
    ("sheet", "texts"),
    [
        (None, ["late and broken", "quick delivery"]),
        ("Data", ["late and broken", "quick delivery"]),
        ("3", ["late and broken", "quick delivery"]),
        ("4", ["an old ticket"]),
        ("Old", ["an old ticket"]),
    ],
)
def test_the_sheet_of_several(sheet, texts, tmp_path):
    path = book_of(tmp_path / "d.xlsx", Cover=COVER, Empty=[], Data=DATA, Old=OLD)
    options = ReadingOptions(sheet=sheet)
    assert read(path, options).snippets == texts
    said = [note for note in read(path, options).notes if "--sheet" in note]
    if sheet is None:
        assert said == ["the sheet 'Data' of d.xlsx is read; --sheet names another: 'Cover', 'Empty', 'Old'."]
    else:
        assert not said


def test_a_sheet_that_is_not_there(tmp_path):
    path = book_of(tmp_path / "d.xlsx", Cover=COVER, Data=DATA)
    for wrong in ("data", "0", "3"):
        with pytest.raises(DataError, match=f"d.xlsx has no sheet '{wrong}'. It has 'Cover', 'Data'"):
            read(path, ReadingOptions(sheet=wrong))


def test_a_name_that_is_a_number_comes_before_the_number(tmp_path):
    path = book_of(tmp_path / "d.xlsx", **{"2": DATA, "1": OLD})
    assert read(path, ReadingOptions(sheet="1")).snippets == ["an old ticket"]


def test_a_single_column_is_read_where_no_sheet_is_a_table(tmp_path):
    path = book_of(tmp_path / "d.xlsx", Empty=[], Words=[("text",), ("wheat and corn",)])
    assert read(path).snippets == ["wheat and corn"]
