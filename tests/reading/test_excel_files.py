"""Workbooks of Excel."""

import datetime

import pytest

from wideangle.exceptions import DataError
from wideangle.reading import TextSource, read


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


def test_the_first_sheet(workbook):
    source = TextSource(workbook)
    assert [(d.name, d.text, d.label) for d in source] == [
        ("r1", "late and broken", "1"),
        ("r2", "", "5"),
        ("r3", "quick delivery", "5"),
        ("r4", "quick and whole", "5"),
    ]
    assert "sheet 'Sheet', the first of 2" in source.description


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
    with pytest.raises(ImportError, match="pip install 'wideangle\\[xlsx\\]'"):
        list(TextSource(workbook))
