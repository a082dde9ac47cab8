"""Tables with every kind of cell, for the tests of all formats."""

from wideangle.experiments.tables_and_figures import Cell, Table, TopicWordTable

HOSTILE = "a|b <script>alert(\"1\")</script> & 50% of x_1 \\cmd{y} #1 $z$ ~^ *bold* `code` [link](u) 'q', \x1b\n- λ"
HOSTILE_LINE = HOSTILE.replace("\x1b\n", "")

TABLE = Table(
    name="precision",
    title="Precision at 100",
    columns=("TDT2", "20 Newsgroups", "Reuters"),
    rows={
        "MAR-RBM": (Cell((91.0, 91.2, 91.4), 75.9), Cell((60.0, 62.0), 61.5), Cell((80.0,), 84.0)),
        "RBM": (Cell((47.1, 47.3), None), Cell((61.0, 61.0), 60.0, "few words"), Cell((), 55.0, "too slow")),
        "LSI": (Cell((), 33.3), Cell((), 31.1), Cell((), 29.0, "from the text")),
        "New": (Cell((), None, "no data"), Cell((-0.5, 0.5), None), Cell()),
    },
    corner="model",
    remarks=("Means over seeds.", "1. is no list, # no heading."),
)

WORDS = TopicWordTable(
    "topics",
    "Topics of two models",
    {
        "RBM": tuple(tuple(f"a{topic}{place}" for place in range(10)) for topic in range(5)),
        "MAR-RBM": tuple(tuple(f"b{topic}{place}" for place in range(10)) for topic in range(5)),
    },
)


def hostile_table():
    cell = Cell((1.0, 2.0), 1.0, HOSTILE)
    return Table("t", HOSTILE, (HOSTILE, "b"), {HOSTILE: (cell, cell)}, corner=HOSTILE, remarks=(HOSTILE,))


def hostile_words():
    return TopicWordTable("t", HOSTILE, {HOSTILE: ((HOSTILE, "b"), ("c", HOSTILE))})
