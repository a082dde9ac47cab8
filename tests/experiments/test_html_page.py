"""The report's page: what stands in its verdict box, the order of its chapters, and how it is searched."""

import re
from collections import Counter

import pytest
from _browser import chromium, lacking
from browsing import click, texts_of, type_query, until

from wideangle.experiments.chapters import chapters_of, kinds_of_rows
from wideangle.experiments.html_page import html_page
from wideangle.experiments.published import published_names
from wideangle.experiments.specs import find_specs, read_spec
from wideangle.experiments.tables_and_figures import Cell, Table, TopicWordTable
from wideangle.experiments.tally import beside_plain, beside_published, by_row

BETTER, SAME, CHOSEN = (Cell((2.0, 2.1), 1.0, beside_plain=word) for word in ("better", "same", "chosen"))
PLAIN = Cell((2.0, 2.1), 3.0)
TABLES = [
    Table("own", "A table of my own", ("a",), {"LSI": (Cell((1.0,)),)}),
    Table("clustering_tdt", "Clustering on TDT2", ("a", "b"), {"RBM": (PLAIN, PLAIN), "MAR-RBM": (BETTER, CHOSEN)}),
    Table("precision_tdt", "Precision on TDT2", ("a", "b"), {"RBM": (PLAIN, Cell((), 4.0)), "MAR-RBM": (SAME, BETTER)}),
    TopicWordTable("topics", "Words of topics", {"RBM": (("barrels", "crude"),)}),
]


def names(chapters):
    return {title: [each.name for each in some] for title, some in chapters.items()}


def test_tables_come_in_the_order_of_the_paper_and_those_of_users_last():
    assert names(chapters_of(TABLES)) == {
        "Documents: retrieval": ["precision_tdt"],
        "Documents: clustering": ["clustering_tdt"],
        "Documents: λ, topics and angles": ["topics"],
        "Others": ["own"],
    }


def test_every_spec_has_its_chapter_and_published_tables_keep_the_paper_s_order():
    specs = [read_spec(path) for path in find_specs().values()]
    chapters = names(chapters_of(specs))
    listed = [name for some in chapters.values() for name in some]
    assert "Others" not in chapters
    assert sorted(listed) == sorted(spec.name for spec in specs)
    by_name = {spec.name: spec.published for spec in specs}
    for family in ("distance", ""):
        shown = [by_name[name] for name in listed if by_name[name] and name.startswith("distance") == bool(family)]
        order = [name for name in published_names() if name in shown]
        assert list(dict.fromkeys(shown)) == order


def test_each_part_of_the_name_of_a_row_is_explained():
    specs = [read_spec(path) for path in find_specs().values()]
    rows = {name for spec in specs for name in spec.models if "," in name}
    assert {part.strip() for name in rows for part in name.split(",")[1:]} <= set(kinds_of_rows())


def test_cells_are_counted():
    assert beside_plain(TABLES[1]) == {"MAR-RBM": Counter(better=1, chosen=1)}
    assert by_row(TABLES[1:3]) == {"MAR-RBM": Counter(better=2, same=1, chosen=1)}
    assert beside_published(TABLES[1:3]) == {
        "better than published": 4, "worse than published": 3, "not run": 1
    }  # fmt: skip


def test_the_page_begins_with_what_holds():
    text = html_page("Report", TABLES, [])
    tiles = re.findall(r"<b>(\d+)</b> <span>(.*?)</span>", text)
    assert tiles == [
        ("2", "↑ holds"), ("1", "= no difference seen"), ("0", "↓ does not hold"), ("1", "○ λ = 0 chosen"),
        ("0", "– not compared"),
        ("4", "▲ better"), ("0", "● as published"), ("3", "▼ worse"), ("0", "? in doubt"), ("1", "– not run"),
    ]  # fmt: skip
    assert text.index("holds") < text.index("What the rows are") < text.index("Documents: retrieval</h2>")
    assert 'aria-label="holds: 1, λ = 0 chosen: 1"' in text


@pytest.fixture(scope="module")
def browser():
    reason = lacking()
    if reason is not None:
        pytest.skip(reason)
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser, tmp_path):
    path = tmp_path / "index.html"
    path.write_text(html_page("Report", TABLES, []), encoding="utf-8")
    browser.get("about:blank")
    browser.get(path.as_uri())
    yield browser
    assert not browser.get_log("browser")


def shown(page):
    return texts_of(page, ".item:not([hidden]) .title")


def test_a_search_leaves_the_tables_that_have_all_words(page):
    assert len(shown(page)) == 4
    type_query(page, "tdt2 clust")
    assert shown(page) == ["Clustering on TDT2"]
    assert texts_of(page, "#found") == ["1 of 4"]
    assert texts_of(page, ".chapter:not([hidden]) h2") == ["Documents: clustering"]
    type_query(page, "barrels")  # a word of a topic, in a table that is folded
    assert shown(page) == ["Words of topics"]
    page.execute_script("query.value = ''; query.dispatchEvent(new Event('input'))")
    assert len(shown(page)) == 4


def test_tables_are_folded_until_they_are_asked_for(page):
    opened = "return document.querySelectorAll('details.item[open]').length"
    assert page.execute_script(opened) == 0
    click(page, "#unfold")
    assert page.execute_script(opened) == 4
    click(page, "#unfold")
    assert page.execute_script(opened) == 0
    page.execute_script("location.hash = 'precision_tdt'")
    until(page, "return document.querySelector('#precision_tdt').closest('details').open")
    assert page.execute_script(opened) == 1


def test_the_page_fits_a_phone(page):
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    )
    click(page, "#unfold")
    assert page.execute_script("return document.documentElement.scrollWidth") == 360
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def luminance(colour):
    digits = colour * 2 if len(colour) == 3 else colour
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_letters_and_signs_stand_out_from_coloured_cells_in_both_themes():
    """By the contrast that WCAG asks of small text, 4.5."""
    themes = re.findall(r":root \{(.*?)\}", html_page("Report", TABLES, []), re.DOTALL)
    assert len(themes) == 2
    for theme in themes:
        colours = dict(re.findall(r"--([\w-]+): #(\w+)", theme))
        for kind in ("better", "same", "worse", "doubt"):
            for letters in ("ink", "quiet", kind):
                dark, light = sorted(luminance(colours[name]) for name in (letters, f"{kind}-cell"))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (kind, letters)
