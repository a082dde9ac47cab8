"""Tables of very many columns."""

from wideangle.reading import read
from wideangle.reading.columns import choose_columns
from wideangle.reading.numbers import read_numbers
from wideangle.reading.opening import Opened
from wideangle.reading.options import ReadingOptions
from wideangle.reading.survey import survey_table
from wideangle.reading.table import Table


class Name(str):
    """A name that counts how often one is compared with another."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)


def comparisons(n_columns):
    names = tuple(Name(f"x{number}") for number in range(n_columns))
    rows = [{name: number for number, name in enumerate(names)} for _ in range(3)]
    table = Table("d.csv", lambda: iter(rows), names)
    Name.compared = 0
    columns = choose_columns(survey_table(table), ReadingOptions(), "d.csv")
    found = read_numbers(Opened("d.csv", table=table), columns, tuple(map(Name, columns.features)), ReadingOptions())
    assert found.X.shape == (3, n_columns)
    assert not columns.unused
    return Name.compared


def test_work_grows_with_the_number_of_columns_and_not_with_its_square():
    assert comparisons(800) < 3 * max(comparisons(400), 400)


def test_a_header_longer_than_what_is_looked_at(tmp_path):
    names = [f"a long name of a column {number:06}" for number in range(40_000)]
    (tmp_path / "d.csv").write_text(f"{','.join(names)}\n{','.join('1' for _ in names)}\n")
    rows = read(tmp_path / "d.csv")
    assert rows.vocabulary == names
