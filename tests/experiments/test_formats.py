"""Each format is read back by a reader that knows nothing of the writer, and compared with the table."""

import base64
import csv
import io
import math
import re
import shutil
import statistics
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from shown_cases import HOSTILE, HOSTILE_LINE, TABLE, WORDS, hostile_table, hostile_words

from wideangle.experiments.formats import FORMATS, topics_side_by_side
from wideangle.experiments.html_page import html_page
from wideangle.experiments.in_words import row_verdict
from wideangle.experiments.tables_and_figures import Cell, Figure, Panel, Table, TopicWordTable, against_published

NUMBER = r"[−+]?\d+\.\d+"
BREAKS = re.compile(r"(?<!\\)\|")


def as_float(text):
    return float(text.replace("−", "-"))


def markdown_grids(text):
    """Every table of a Markdown text as rows of cells."""
    for block in text.split("\n\n"):
        if block.startswith("|"):
            rows = [[cell.strip() for cell in BREAKS.split(line)[1:-1]] for line in block.splitlines()]
            assert set("".join(rows[1])) <= set("-:")
            yield [rows[0], *rows[2:]]


def unescaped_markdown(text):
    return re.sub(r"\\(.)", r"\1", text).replace("&amp;", "&")


class Tables(HTMLParser):
    """Rows of cells, their attributes, and all tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.attributes, self.tags, self.open, self.captions = [], [], [], [], []
        self.text = text
        self.feed(text)
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "br", "input"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
            self.attributes.append([])
        if tag in ("td", "th"):
            self.rows[-1].append([])
            self.attributes[-1].append(dict(attrs))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1].append(data)
        if "caption" in self.open:
            self.captions.append(data)


def latex_rows(text):
    """Cells of the lines of the tabular, with the columns it declares."""
    columns = re.search(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", text)[1]
    inside = text.split(columns, 1)[1].split("\\end{tabular}")[0]
    lines = [line for line in inside.splitlines() if line.endswith("\\\\")]
    return columns, [re.split(r"(?<!\\)&", line.removesuffix("\\\\")) for line in lines]


def check_latex(text):
    """Environments and braces close, no sign is left unescaped, and rows have as many cells as columns."""
    open_environments = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            open_environments.append(name)
        else:
            assert open_environments.pop() == name
    assert not open_environments
    depth = 0
    for sign in re.sub(r"\\[{}]", "", text):
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"(?<!\\)[%#~]", text)
    outside_maths = "".join(re.split(r"(?<!\\)\$", text)[::2])
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    assert not re.search(r"(?<!\\)[_^]", outside_maths)
    assert not re.search(r"[^\x00-\x7f]", text)
    columns, rows = latex_rows(text)
    for cells in rows:
        if "\\multicolumn" not in cells[0]:
            assert len(cells) == len(columns)


def test_the_same_formats_for_both_kinds_of_table():
    assert set(FORMATS) == {"md", "csv", "tex", "html"}


def test_csv_holds_the_numbers_unrounded():
    lines = list(csv.DictReader(io.StringIO(FORMATS["csv"](TABLE), newline="")))
    assert len(lines) == len(TABLE.rows) * len(TABLE.columns)
    for line in lines:
        cell = TABLE.rows[line["row"]][TABLE.columns.index(line["column"])]
        assert line["table"] == "precision"
        assert int(line["seeds"]) == len(cell.values)
        assert line["note"] == cell.note
        assert line["verdict"] == against_published(cell)
        expected = {
            "mean": sum(cell.values) / len(cell.values) if cell.values else None,
            "deviation": statistics.stdev(cell.values) if len(cell.values) > 1 else None,
            "published": cell.published,
        }
        expected["difference"] = (
            expected["mean"] - cell.published if cell.values and cell.published is not None else None
        )
        for name, value in expected.items():
            assert line[name] == "" if value is None else float(line[name]) == pytest.approx(value, abs=1e-12)


def test_csv_keeps_any_text():
    line = next(csv.DictReader(io.StringIO(FORMATS["csv"](hostile_table()), newline="")))
    # Signs that speak to a terminal, and ends of lines, become spaces.
    assert line["row"] == line["column"] == line["note"] == HOSTILE.replace("\x1b\n", "  ")


def test_markdown_cells():
    (grid,) = markdown_grids(FORMATS["md"](TABLE))
    assert grid[0] == ["model", *TABLE.columns]
    assert {row[0]: row[1:] for row in grid[1:]} == {
        "MAR-RBM": [
            "**91.2** ± 0.2 (published 75.9, +15.3)",
            "**61.0** ± 1.4 (published 61.5, −0.5)",
            "**80.0** (published 84.0, −4.0)",
        ],
        "RBM": [
            "47.2 ± 0.1",
            "**61.0** ± 0.0 (published 60.0, +1.0; few words)",
            "– (published 55.0; too slow)",
        ],
        "LSI": ["published 33.3", "published 31.1", "published 29.0 (from the text)"],
        "New": ["– (no data)", "0.0 ± 0.7", "–"],
    }


def test_markdown_verdicts_and_remarks():
    below = FORMATS["md"](TABLE).rsplit("|", 1)[1]
    assert below.split("\n\n")[1:3] == ["Means over seeds.", "1\\. is no list, # no heading."]
    assert [line for line in below.splitlines() if line.startswith("- ")] == [
        "- MAR-RBM: better than published in 1 of 3 cells, as published in 1, one seed in 1",
        "- RBM: better than published in 1 of 2 cells, not run in 1",
        "- LSI: published numbers only, not run",
    ]  # Of the last row there is no published number.


def test_better_in_all_cells():
    cells = tuple(Cell((80.0 + seed, 81.0 + seed), 70.0) for seed in range(5))
    assert row_verdict(cells) == "better than published in 5 of 5 cells"
    assert row_verdict(cells, smaller_is_better=True) == "worse than published in 5 of 5 cells"


def test_a_mean_that_is_no_number_is_neither_better_nor_best():
    cells = Cell((math.nan, 1.0), 70.0)
    table = Table("t", "t", ("c",), {"broken": (cells,), "sound": (Cell((1.0,), 70.0),)})
    assert row_verdict((cells,)) == "not a number in 1 of 1 cell"
    (grid,) = markdown_grids(FORMATS["md"](table))
    assert [row[1].startswith("**") for row in grid[1:]] == [False, True]


@pytest.mark.parametrize("smaller", [False, True])
@pytest.mark.parametrize(
    ("name", "bold"),
    [("md", r"\*\*([\d.]+)\*\*"), ("tex", r"\\textbf\{([\d.]+)\}"), ("html", r"<strong>([\d.]+)</strong>")],
)
def test_the_best_of_each_column_is_marked(name, bold, smaller):
    means = {"a": (1.0, 9.0), "b": (2.0, 8.0), "c": (3.0, 7.0)}
    rows = {row: tuple(Cell((value,)) for value in values) for row, values in means.items()}
    text = FORMATS[name](Table("t", "t", ("x", "y"), rows, smaller_is_better=smaller))
    choose = min if smaller else max
    assert sorted(re.findall(bold, text)) == sorted(
        f"{choose(column):.1f}" for column in zip(*means.values(), strict=True)
    )


@pytest.mark.parametrize("digits", [0, 3])
def test_digits(digits):
    table = Table("t", "t", ("c",), {"r": (Cell((0.1234, 0.1236), 0.4),)}, digits=digits)
    (grid,) = markdown_grids(FORMATS["md"](table))
    assert re.findall(r"\d+(?:\.\d+)?", grid[1][1]) == [
        f"{value:.{digits}f}" for value in (0.1235, statistics.stdev((0.1234, 0.1236)), 0.4, 0.2765)
    ]


def test_markdown_escapes():
    text = FORMATS["md"](hostile_table())
    (grid,) = markdown_grids(text)
    assert all(len(row) == 3 for row in grid)
    assert unescaped_markdown(grid[1][0]) == unescaped_markdown(grid[0][1]) == HOSTILE_LINE
    assert not re.search(r"(?<!\\)[<>`\[\]$~]", text)
    assert re.findall(r"(?<!\\)\*+", text) == ["**"] * 4  # the two best means


def test_html_cells():
    page = Tables(FORMATS["html"](TABLE))
    assert page.captions == ["Precision at 100"]
    head, *rows = page.rows
    assert ["".join(cell) for cell in head] == ["model", *TABLE.columns]
    assert [attributes.get("scope") for attributes in page.attributes[0]] == ["col"] * 4
    assert ["".join(row[0]) for row in rows] == list(TABLE.rows)
    for row, attributes, cells in zip(rows, page.attributes[1:], TABLE.rows.values(), strict=True):
        assert attributes[0]["scope"] == "row"
        for shown, attribute, cell in zip(row[1:], attributes[1:], cells, strict=True):
            wanted = [
                value for value in (cell.mean, cell.deviation, cell.published, cell.difference) if value is not None
            ]
            found = [as_float(text) for text in re.findall(NUMBER, " ".join(shown))]
            assert found == pytest.approx(wanted, abs=0.0501)
            assert attribute.get("title", "").startswith(against_published(cell))
            assert cell.note in " ".join(shown)


def test_html_cells_have_a_colour_and_a_sign():
    """Readers who see no colours have the sign; those who see no signs hear the words."""
    cells = (
        Cell((91.0, 91.2), 75.9, beside_plain="better"),
        Cell((60.0, 62.0), 61.5, beside_plain="same"),
        Cell((50.0, 50.1), 84.0, beside_plain="worse"),
        Cell((50.0, 50.1), beside_plain="apart"),
        Cell((), 84.0),
    )
    table = Table("t", "t", tuple("abcde"), {"MAR-RBM": cells}, beside_plain={"MAR-RBM": "better at a."})
    page = Tables(FORMATS["html"](replace(table, remarks=("MAR-RBM against RBM: better at a.", "Mind the gap."))))
    assert [cell.get("class") for cell in page.attributes[1][1:]] == ["better", "same", "worse", None, None]
    signs = ["".join(re.findall("[▲●▼↑=↓]", "".join(shown))) for shown in page.rows[1][1:]]
    assert signs == ["↑▲", "=●", "↓▼", "", ""]
    labels = [attributes["aria-label"] for tag, attributes in page.tags if tag == "span"]
    assert labels[:2] == ["better than λ = 0", "better than published"]
    # What the signs say is not said again below the table.
    assert "Mind the gap." in page.text
    assert "MAR-RBM against" not in page.text


def test_html_escapes():
    for text in (FORMATS["html"](hostile_table()), FORMATS["html"](hostile_words())):
        page = Tables(text)
        assert "script" not in {tag for tag, _ in page.tags}
        assert page.captions == [HOSTILE_LINE]
        assert any(HOSTILE_LINE in cell for row in page.rows for cell in row)


def test_page(tmp_path):
    picture = tmp_path / "curves.svg"
    picture.write_text("<svg/>")
    figure = Figure("curves", "Curves & <b>", (Panel("TDT2", (), "K", "precision"),), ("Bars are deviations.",))
    text = html_page("All of <it>", [TABLE, WORDS], [(figure, picture)])
    page = Tables(text.removeprefix("<!DOCTYPE html>"))
    assert page.captions == [WORDS.title, TABLE.title]  # The paper has the one; the other is a user's.
    assert "color-scheme: light dark" in text
    assert {"link", "iframe"}.isdisjoint(tag for tag, _ in page.tags)
    assert [attributes for tag, attributes in page.tags if tag == "script"] == [{}]  # its own, of no other file
    (image,) = [attributes for tag, attributes in page.tags if tag == "img"]
    kind, data = image["src"].split(";base64,")
    assert kind == "data:image/svg+xml"
    assert base64.b64decode(data) == b"<svg/>"
    assert image["alt"] == "Curves & <b>: TDT2"
    assert not re.search(r"https?:|url\(|@import", text)
    with pytest.raises(ValueError, match="curves.txt is no picture"):
        html_page("t", [], [(figure, tmp_path / "curves.txt")])


def test_latex_cells():
    text = FORMATS["tex"](TABLE)
    check_latex(text)
    columns, rows = latex_rows(text)
    assert columns == "lrrr"
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["model", "TDT2", "20 Newsgroups", "Reuters"],
        ["MAR-RBM", r"\textbf{91.2} $\pm$ 0.2", r"\textbf{61.0} $\pm$ 1.4", r"\textbf{80.0}"],
        ["", r"{\scriptsize (75.9, +15.3)}", r"{\scriptsize (61.5, $-$0.5)}", r"{\scriptsize (84.0, $-$4.0)}"],
        ["RBM", r"47.2 $\pm$ 0.1", r"\textbf{61.0} $\pm$ 0.0$^{a}$", "--$^{b}$"],
        ["", "", r"{\scriptsize (60.0, +1.0)}", r"{\scriptsize (55.0)}"],
        ["LSI", r"{\scriptsize (33.3)}", r"{\scriptsize (31.1)}", r"{\scriptsize (29.0)}$^{c}$"],
        ["New", "--$^{d}$", r"0.0 $\pm$ 0.7", "--"],
    ]
    for note in ("few words", "too slow", "from the text", "no data"):
        assert note in text.split("\\end{tabular}")[1]


def test_latex_escapes():
    text = FORMATS["tex"](hostile_table())
    check_latex(text)
    check_latex(FORMATS["tex"](hostile_words()))
    assert r"50\% of x\_1 \textbackslash{}cmd\{y\} \#1 \$z\$" in text
    assert r"$\lambda$" in text
    assert "-{}-" in FORMATS["tex"](Table("t", "a--b", ("c",), {}))


def test_a_line_of_latex_does_not_start_with_an_argument_of_the_last():
    rows = {name: (Cell((1.0,)),) for name in ("a", "[2pt]", "*")}
    for cells in latex_rows(FORMATS["tex"](Table("t", "t", ("c",), rows)))[1]:
        assert not cells[0].lstrip().startswith(("[", "*"))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles(tmp_path):
    parts = [write(table) for write, table in ((FORMATS["tex"], TABLE), (FORMATS["tex"], hostile_table()))]
    parts += [FORMATS["tex"](words) for words in (WORDS, hostile_words())]
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "all.tex").write_text(head + "\n".join(parts) + "\\end{document}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("name", FORMATS)
def test_a_row_of_wrong_length(name):
    table = Table("precision", "t", ("a", "b"), {"RBM": (Cell((1.0,)),)})
    with pytest.raises(ValueError, match="'RBM' .*'precision' .*1 .* 2"):
        FORMATS[name](table)


@pytest.mark.parametrize("name", FORMATS)
def test_a_table_without_rows(name):
    assert "a" in FORMATS[name](Table("t", "t", ("a",), {})) or name == "csv"


def by_rank(grid):
    return tuple(zip(*grid, strict=True))


def test_words_in_markdown():
    grids = list(markdown_grids(topics_side_by_side(WORDS, "md")))
    assert grids[0][0] == [f"Topic {topic}" for topic in range(1, 6)]
    assert [by_rank(grid[1:]) for grid in grids] == list(WORDS.blocks.values())
    (grid,) = markdown_grids(FORMATS["md"](hostile_words()))
    assert unescaped_markdown(grid[1][0]) == HOSTILE_LINE


def test_words_in_csv():
    found = {}
    for line in csv.DictReader(io.StringIO(topics_side_by_side(WORDS, "csv"))):
        found.setdefault((line["model"], int(line["topic"])), []).append((int(line["place"]), line["word"]))
    assert found == {
        (model, place): list(enumerate(words, 1))
        for model, topics in WORDS.blocks.items()
        for place, words in enumerate(topics, 1)
    }


def test_words_in_html():
    page = Tables(topics_side_by_side(WORDS, "html"))
    rows = [["".join(cell) for cell in row] for row in page.rows]
    assert [row for row in rows if len(row) == 1] == [["RBM"], ["MAR-RBM"]]
    assert [by_rank(rows[start : start + 10]) for start in (2, 13)] == list(WORDS.blocks.values())


def test_words_in_latex():
    text = topics_side_by_side(WORDS, "tex")
    check_latex(text)
    rows = [[cell.strip() for cell in row] for row in latex_rows(text)[1]]
    assert [by_rank(rows[start : start + 10]) for start in (2, 14)] == list(WORDS.blocks.values())


@pytest.mark.parametrize("name", FORMATS)
def test_topics_of_unequal_length(name):
    text = topics_side_by_side(
        TopicWordTable("t", "t", {"A": (("one", "two"), ("three",)), "B": (("four",),), "C": ()}), name
    )
    assert all(word in text for word in ("one", "two", "three", "four"))
    if name == "tex":
        check_latex(text)
    if name == "html":
        page = Tables(text)
        widths = [sum(int(cell.get("colspan", 1)) for cell in row) for row in page.attributes]
        assert set(widths) == {2}


def test_a_format_that_is_not_there():
    with pytest.raises(ValueError, match="'docx'.* md, csv, tex, html"):
        topics_side_by_side(WORDS, "docx")
