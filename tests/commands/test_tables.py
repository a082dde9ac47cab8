"""Tables in every format: the same cells, harmless to spreadsheets and terminals, whole or not there."""

import csv
import json
import sys

import numpy as np
import openpyxl
import pyarrow.parquet as pq
import pytest

from wideangle._cells import harmless, visible
from wideangle.commands.files.tables import SINGLE, WRITERS, Column, Table, check_table, write_table

COLUMNS = [Column("name"), Column("count", int), Column("share", float, ".3f"), Column("c1", float, SINGLE)]
ROWS = [
    ("wheat", 3, 0.12345, float(np.float32(0.1))),
    ("=1+1", None, None, 0.0),
    ("نمی\u200cدانم 東京", -2, -0.5, float(np.float32(-1 / 3))),
    ('a "b", c\nd\x1b[31m', 0, 1.0, 1.0),
]


def table(rows=ROWS):
    return Table("topics", COLUMNS, iter(rows))


def read(path):
    """The names of the columns, and the cells as the format keeps them."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        return header, rows
    if path.suffix == ".xlsx":
        header, *rows = openpyxl.load_workbook(path).active.iter_rows(values_only=True)
        return list(header), rows
    if path.suffix == ".jsonl":
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return list(found[0]), [tuple(row.values()) for row in found]
    found = pq.read_table(path)
    return found.column_names, list(zip(*(column.to_pylist() for column in found.columns), strict=True))


@pytest.mark.parametrize("ending", WRITERS)
def test_cells_come_back(ending, tmp_path):
    path = tmp_path / f"t{ending}"
    assert write_table(path, table()) == 4
    names, rows = read(path)
    assert names == ["name", "count", "share", "c1"]
    formula = "=1+1" if ending in (".parquet", ".jsonl") else "'=1+1"
    assert [row[0] for row in rows] == ["wheat", formula, "نمی\u200cدانم 東京", 'a "b", c d [31m']
    if ending == ".csv":
        assert [row[1:3] for row in rows] == [["3", "0.123"], ["", ""], ["-2", "-0.500"], ["0", "1.000"]]
    else:
        assert [row[1] for row in rows] == [3, None, -2, 0]
        assert [row[2] for row in rows] == (
            [0.12345, None, -0.5, 1.0] if ending == ".parquet" else [0.123, None, -0.5, 1]
        )
    assert [np.float32(row[3]) for row in rows] == [np.float32(row[3]) for row in ROWS]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_no_cell_of_a_workbook_is_a_formula(tmp_path):
    write_table(tmp_path / "t.xlsx", table([(f"{sign}cmd|x", 1, 1.0, 1.0) for sign in "=+-@\t\r"]))
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    cells = [row[0] for row in sheet.iter_rows(min_row=2)]
    assert len(cells) == 6
    assert all(cell.data_type == "s" and cell.value.lstrip()[0] not in "=+-@" for cell in cells)


@pytest.mark.parametrize("ending", WRITERS)
def test_parts_of_a_table_are_not_left_behind(ending, tmp_path):
    def rows():
        yield ROWS[0]
        raise ValueError("the documents end here")

    path = tmp_path / f"t{ending}"
    write_table(path, table())
    before = path.read_bytes()
    with pytest.raises(ValueError, match="end here"):
        write_table(path, table(rows()))
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".jsonl"])
def test_nan_is_an_empty_cell(ending, tmp_path):
    write_table(tmp_path / f"t{ending}", table([("a", None, float("nan"), float("inf"))]))
    assert list(read(tmp_path / f"t{ending}")[1][0]) == ["a", *([""] * 3 if ending == ".csv" else [None] * 3)]


def test_a_column_that_is_empty_at_first_has_its_type(tmp_path, monkeypatch):
    monkeypatch.setattr("wideangle.commands.files.tables.BATCH", 2)
    write_table(tmp_path / "t.parquet", table([("a", None, None, 0.0)] * 3 + [("b", 1, 0.5, 1.0)]))
    assert pq.read_table(tmp_path / "t.parquet")["count"].to_pylist() == [None, None, None, 1]


@pytest.mark.parametrize(
    ("ending", "package", "extra"), [(".xlsx", "openpyxl", "xlsx"), (".parquet", "pyarrow", "parquet")]
)
def test_a_missing_package_is_named_before_the_work(ending, package, extra, monkeypatch, models, run, tmp_path):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{ending} needs {package}.*'wideangle\[{extra}\]'"):
        check_table(tmp_path / f"t{ending}", "topics", "the topics", (), force=False)
    code, out, err = run("topics", models["replicated-softmax"], "-o", tmp_path / f"t{ending}")
    assert (code, out) == (1, "")
    assert f"wideangle[{extra}]" in err


def test_a_sheet_has_so_many_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("wideangle.commands.files.tables.MOST_ROWS", 3)
    write_table(tmp_path / "t.xlsx", table(ROWS[:2]))
    with pytest.raises(ValueError, match=r"3 rows.*\.csv or \.parquet"):
        write_table(tmp_path / "u.xlsx", table(ROWS[:3]))
    assert not (tmp_path / "u.xlsx").exists()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=1", "'=1"),
        ("@x", "'@x"),
        ("- item", "'- item"),
        ("\t=1", "' =1"),
        ("\r\n+1+1", "'  +1+1"),
        ("＝1", "'＝1"),
        ("-5", "-5"),
        ("+3.5e-2", "+3.5e-2"),
        ("-5 apples", "'-5 apples"),
        ("a=b", "a=b"),
        ("", ""),
        ("\x9b31m", " 31m"),
        ("\u202egnp.exe", " gnp.exe"),
        ("\ud800", " "),
        ("a\u2028b\x00c\x7f", "a b c "),
    ],
)
def test_cells_are_harmless(text, shown):
    assert harmless(text) == shown


def test_joiners_of_words_stay():
    assert visible("क्\u200dष नमی\u200cدانم 👩\u200d👧") == "क्\u200dष नमی\u200cدانم 👩\u200d👧"


@pytest.mark.parametrize("ending", WRITERS)
def test_a_title_that_is_a_formula_is_not_run(ending, run, tmp_path):
    lines = [{"id": f"=cmd{n}\x1b", "text": f"wheat corn barley {word}"} for n, word in enumerate(("oat", "rye") * 6)]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert run("fit", tmp_path / "c.jsonl", "-k", 2, "--updates", 3, "-q", "-o", tmp_path / "m")[0] == 0
    path = tmp_path / f"v{ending}"
    assert run("transform", tmp_path / "m", tmp_path / "c.jsonl", "-o", path)[0] == 0
    formula = "=cmd0 " if ending in (".parquet", ".jsonl") else "'=cmd0 "
    assert read(path)[1][0][0] == formula
