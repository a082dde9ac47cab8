"""The published numbers are the paper's, cell by cell."""

import math
import os
import re
from pathlib import Path

import pytest

from wideangle.exceptions import DataError
from wideangle.experiments.published import published, published_names

FROM_TEXT = "network"  # told in a paragraph of the paper, not in a table
TOPICS = "topics"
TABLES = [name for name in published_names() if name not in (FROM_TEXT, TOPICS)]
# The one table whose rows have names of our own.
ROW_NAMES = {
    "Num. of Docs": "documents",
    "RBM Precision (%)": "RBM",
    "MAR-RBM Precision (%)": "MAR-RBM",
    "Improvement": "improvement",
}
COMPARED_DOCUMENTS = ["BOW", "LDA", "DPP-LDA", "PYTM", "LIDA", "DocNADE", "PV", "RBM", "MAR-RBM"]
COMPARED_METRICS = ["EUC", "DML", "LMNN", "ITML", "DML-eig", "Seraph", "MAR-DML"]


@pytest.fixture(scope="module")
def paper():
    """The paper's source, in the folder `paper` beside the one of the data sets."""
    folder = os.environ.get("WIDEANGLE_DATA")
    source = Path(folder or "").parent / "paper" / "mutual-angular-regularization.tex"
    if not folder or not source.is_file():
        pytest.skip("the paper's source is not beside the folder in WIDEANGLE_DATA")
    return source.read_text(encoding="utf-8")


def plain(tex):
    """TeX without its commands."""
    tex = re.sub(r"\\(citep|label)\{[^}]*\}", "", tex)
    tex = re.sub(r"\\parbox\{[^}]*\}\{([^}]*)\}", r"\1", tex)
    tex = re.sub(r"\\(textbf|tb)\{([^}]*)\}", r"\2", tex)
    tex = tex.replace(r"\hline", "").replace("$", "").replace(r"\lambda", "λ").replace("\\\\", " ")
    return " ".join(re.sub(r"\\([%#])", r"\1", tex).split())


def lines_of(tabular):
    """The cells of each line; a \\parbox may have line ends of its own, so it is made plain first."""
    tabular = re.sub(r"\\parbox\{[^}]*\}\{[^}]*\}", lambda found: plain(found.group()).replace("%", r"\%"), tabular)
    lines = [[plain(cell) for cell in re.split(r"(?<!\\)&", line)] for line in tabular.split("\\\\")]
    return [cells for cells in lines if any(cells)]


def tables_of(tex):
    """From caption and label to the lines of the table, the headings first."""
    found = {}
    for body in re.findall(r"\\begin\{table\*?\}(.*?)\\end\{table\*?\}", tex, re.DOTALL):
        (tabular,) = re.findall(r"\\begin\{tabular\}\{[^}]*\}(.*?)\\end\{tabular\}", body, re.DOTALL)
        (caption,) = re.findall(r"\\caption\{(.*?)\} *(?=\\label|\n)", body)
        key = plain(caption), re.findall(r"\\label\{([^}]*)\}", body)[0]
        assert key not in found
        found[key] = lines_of(tabular)
    return found


def number(cell):
    """31% is 31, and 11.3K is 11300."""
    digits, thousands = re.fullmatch(r"([\d.]+)(?:%|(K))?", cell).groups()
    # by decimal places, so that 11.3K is 11300 and not next to it
    return float(f"{digits}e3") if thousands else float(digits)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_the_papers(paper, name):
    table = published(name)
    headings, *lines = tables_of(paper)[table.caption, table.label]
    assert list(table.columns) == headings[1:]
    expected = {ROW_NAMES.get(first, first): tuple(map(number, rest)) for first, *rest in lines}
    assert list(table.rows) == list(expected)
    for row, values in expected.items():
        assert table.rows[row] == values, row


def test_the_topics_are_the_papers(paper):
    table = published(TOPICS)
    model, words = None, {}
    for cells in tables_of(paper)[table.caption, table.label]:
        if len(cells) == 1:
            model = re.fullmatch(r"\\multicolumn\{5\}\{c\}\{(.*)\}", cells[0]).group(1)
            words[model] = []
        elif cells[0].startswith("Topic"):
            assert list(table.columns) == cells
        else:
            words[model].append(cells)
    assert dict(table.rows) == {model: tuple(zip(*lines, strict=True)) for model, lines in words.items()}


def test_no_table_is_forgotten(paper):
    assert len(tables_of(paper)) == len(re.findall(r"\\begin\{tabular\}", paper))  # none is outside of a table
    ours = [(published(name).caption, published(name).label) for name in (*TABLES, TOPICS)]
    assert sorted(ours) == sorted(tables_of(paper))


def test_the_network_is_the_papers(paper):
    table = published(FROM_TEXT)
    text = " ".join(paper.split())
    (figure,) = re.findall(r"\\caption\{([^}]*)\} \\label\{" + table.label, text)
    assert table.caption == plain(figure)
    (units,) = re.findall(r"The number of hidden units varies in \$\\\{([\d,]*)\\\}\$", text)
    assert list(table.columns) == units.split(",")
    (best,) = re.findall(r"with (\d+) hidden units, the best accuracy is achieved when \$\\lambda=([\d.]+)\$", text)
    (gain,) = re.findall(
        r"with (\d+) hidden units, the mutual angular regularizer improves the accuracy "
        r"from \$\\sim\$([\d.]+) \(without regularization\) to ([\d.]+\d)",
        text,
    )
    told = {
        ("best λ", best[0]): float(best[1]),
        ("accuracy without regularisation", gain[0]): float(gain[1]),
        ("accuracy with regularisation", gain[0]): float(gain[2]),
    }
    assert told == {
        (row, column): table.value(row, column)
        for row in table.rows
        for column in table.columns
        if table.value(row, column) is not None
    }


@pytest.mark.parametrize("name", published_names())
def test_each_row_has_one_entry_per_column(name):
    table = published(name)
    assert table.name == name
    assert table.label
    assert table.caption
    assert table.rows
    assert len(set(table.columns)) == len(table.columns)
    for row, entries in table.rows.items():
        assert len(entries) == len(table.columns), row


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_numbers_only(name):
    table = published(name)
    for row in table.rows:
        for column in table.columns:
            value = table.value(row, column)
            assert isinstance(value, float)
            assert math.isfinite(value)
            assert table.words(row, column) == ()


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("precision_compared", COMPARED_DOCUMENTS),
        ("clustering_compared", COMPARED_DOCUMENTS),
        *((f"distance_{measure}_compared", COMPARED_METRICS) for measure in ("ap", "clustering", "nmi", "3nn")),
    ],
)
def test_compared_models_have_the_papers_names(name, rows):
    assert list(published(name).rows) == rows


def test_a_value_is_found_by_row_and_column():
    table = published("precision_by_class_reuters")
    assert table.value("improvement", "6") == 421
    assert table.value("documents", "9") == 110


def test_ten_words_per_topic():
    table = published(TOPICS)
    for row in ("RBM", "MAR-RBM"):
        for column in table.columns:
            assert len(set(table.words(row, column))) == 10
            assert table.value(row, column) is None
    assert table.words("MAR-RBM", "Topic 5")[:2] == ("students", "japanese")


def test_what_the_paper_does_not_tell_is_none():
    assert published("network").value("best λ", "50") is None
    assert published("precision_tdt").value("BOW", "50") is None
    assert published("precision_tdt").value("RBM", "51") is None
    assert published("topics").words("LDA", "Topic 1") == ()


def test_a_table_cannot_be_written_into():
    with pytest.raises(TypeError):
        published("precision_tdt").rows["RBM"] = ()


def test_an_unknown_name_is_answered_with_close_ones():
    with pytest.raises(DataError, match="Did you mean 'precision_tdt'"):
        published("precision_tdd")


def test_a_name_unlike_all_is_answered_with_all():
    with pytest.raises(DataError, match="statistics_documents, .*network"):
        published("?")
