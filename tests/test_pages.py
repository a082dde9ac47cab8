"""Pages show the tables of the report as it is now."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
MAKE = runpy.run_path(str(DOCS / "make_tables.py"))
REPORT = sorted(path.stem for path in (DOCS / "reproduction").glob("precision_*.md"))


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_the_tables_of_a_page_are_those_of_the_report(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert MAKE["refreshed"](text) == text


def test_old_tables_are_replaced_and_other_lines_left():
    name = REPORT[0]
    table = MAKE["grid"](name)
    mark = f"<!-- figures, cell by cell: docs/reproduction/{name}.md -->\n"
    old = table.replace("1", "7").replace(table.partition("\n")[0].replace("1", "7"), table.partition("\n")[0])
    assert old != table
    assert MAKE["refreshed"](f"before\n\n{mark}{old}\nafter\n") == f"before\n\n{mark}{table}\nafter\n"


def test_a_table_with_another_head_is_left_alone():
    text = (
        f"<!-- figures, cell by cell: docs/reproduction/{REPORT[0]}.md -->\n| cut | by hand |\n|---|---|\n| 1 | 2 |\n"
    )
    assert MAKE["refreshed"](text) == text
