"""Dates of documents, in columns and in mails."""

from datetime import date, datetime, timedelta, timezone

import numpy as np
import pytest

from wideangle.documents import NO_DATE
from wideangle.reading import ReadingOptions, read, read_new
from wideangle.reading.dates import date_of_mail, order_of, seconds_of


def utc(*parts):
    return int(datetime(*parts, tzinfo=timezone.utc).timestamp())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-01-31", utc(2024, 1, 31)),
        ("2024-01-31 12:00", utc(2024, 1, 31, 12)),
        ("2024-01-31T12:00:05Z", utc(2024, 1, 31, 12, 0, 5)),
        ("2024-01-31T12:00:05.123+02:00", utc(2024, 1, 31, 10, 0, 5)),
        ("2024-01-31 12:00:05 -0130", utc(2024, 1, 31, 13, 30, 5)),
        ("2024/1/3", utc(2024, 1, 3)),
        ("2024-02", utc(2024, 2, 1)),
        ("31.01.2024", utc(2024, 1, 31)),
        ("1.2.2024 08:15", utc(2024, 2, 1, 8, 15)),
        ("31/01/2024", utc(2024, 1, 31)),
        ("01/31/2024 3:05 PM", utc(2024, 1, 31, 15, 5)),
        ("12/01/2024 12:00 am", utc(2024, 12, 1)),
        ("Wed, 31 Jan 2024 12:00:00 +0100", utc(2024, 1, 31, 11)),
        (datetime(2024, 1, 31, 12), utc(2024, 1, 31, 12)),
        (datetime(2024, 1, 31, 12, tzinfo=timezone(timedelta(hours=1))), utc(2024, 1, 31, 11)),
        (date(1899, 12, 31), utc(1899, 12, 31)),
        ("31.02.2024", None),
        ("2024-13-01", None),
        ("2024-01-31 noon", None),
        ("yesterday", None),
        ("", None),
        (None, None),
        (1_700_000_000, None),
        ("2024", None),
        (float("nan"), None),
    ],
)
def test_dates_become_seconds(value, expected):
    order = order_of([value])[0]
    assert seconds_of(value, order) == expected


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("timestamp", "1700000000", 1_700_000_000),
        ("created_utc", 1_700_000_000.0, 1_700_000_000),
        ("Timestamp", "1700000000123", 1_700_000_000),
        ("timestamp", "12", None),
        ("timestamp", float("inf"), None),
        ("year", "1999", utc(1999, 1, 1)),
        ("year", 12, None),
        ("score", 1_700_000_000, None),
    ],
)
def test_numbers_are_dates_by_the_name_of_their_column_only(column, value, expected):
    assert seconds_of(value, None, column) == expected


def written(path, header, *rows):
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


TEXTS = ["late broken delivery", "quick delivery", "broken screen again", "lovely quick screen"]


@pytest.mark.parametrize(
    ("column", "values", "first"),
    [
        ("created_at", ["2024-01-31", "2024-02-01", "2024-02-01", ""], utc(2024, 1, 31)),
        ("when", ["31.01.2024", "1.2.2024", "2.2.2024", "3.2.2024"], utc(2024, 1, 31)),
        ("date", ["02/01/2024", "31/01/2024", "03/01/2024", "04/01/2024"], utc(2024, 1, 2)),
        ("timestamp", ["1700000000", "1700000100", "1700000200", "1700000300"], 1_700_000_000),
    ],
)
def test_a_column_of_dates_is_found_and_said(tmp_path, column, values, first):
    rows = [f"{text},{value}" for text, value in zip(TEXTS, values, strict=True)]
    found = read(written(tmp_path / "r.csv", f"text,{column}", *rows))
    assert found.dates[0] == first
    assert f"dates from column {column!r}" in found.description
    assert found.reading.date_column == column
    assert (found.dates == NO_DATE).sum() == values.count("")
    assert any("1 of 4 rows have no date" in note for note in found.notes) == ("" in values)


def test_dates_that_can_be_read_in_two_ways_are_said(tmp_path):
    file = written(tmp_path / "r.csv", "text,date", "late delivery,01/02/2024", "quick delivery,03/04/2024")
    found = read(file)
    assert found.dates.tolist() == [utc(2024, 1, 2), utc(2024, 3, 4)]
    assert any("read month first" in note for note in found.notes)
    days = read(written(tmp_path / "d.csv", "text,date", "late delivery,31/01/2024", "quick delivery,03/04/2024"))
    assert not any("two ways" in note for note in days.notes)
    # New documents are read as the first ones were.
    again = read_new(file, days.reading, days.vocabulary)
    assert again.dates.tolist() == [utc(2024, 2, 1), utc(2024, 4, 3)]


def test_columns_can_be_named_or_refused(tmp_path):
    file = written(tmp_path / "r.csv", "text,sent,seen", "late delivery,2024-01-01,2024-01-02")
    assert read(file).dates.tolist() == [utc(2024, 1, 1)]
    assert read(file, ReadingOptions(date_column="seen")).dates.tolist() == [utc(2024, 1, 2)]
    assert read(file, ReadingOptions(date_column="none")).dates is None
    with pytest.raises(ValueError, match="has no column 'day'"):
        read(file, ReadingOptions(date_column="day"))


def test_two_columns_of_dates_without_a_usual_name_are_not_guessed(tmp_path):
    file = written(tmp_path / "r.csv", "text,begins,ends", "late delivery,2024-01-01,2024-01-02")
    assert read(file).dates is None


def test_prices_are_no_dates(tmp_path):
    file = written(tmp_path / "r.csv", "text,time,price", "late delivery,12.5,3.10", "quick delivery,3,4")
    assert read(file).dates is None


def test_dates_of_parquet_files(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    moments = [datetime(2024, 1, 31, 12), None]
    pq.write_table(pa.table({"text": TEXTS[:2], "published": moments}), tmp_path / "r.parquet")
    assert read(tmp_path / "r.parquet").dates.tolist() == [utc(2024, 1, 31, 12), NO_DATE]


MAIL = "From: ann@example.org\nDate: Wed, 31 Jan 2024 12:00:00 +0100\nSubject: bread\n\nWhich bread is the best?\n"


def test_dates_of_mails(tmp_path):
    assert date_of_mail(MAIL) == utc(2024, 1, 31, 11)
    assert date_of_mail("Subject: x\n\nDate: Wed, 31 Jan 2024 12:00:00 +0100\n") is None
    assert date_of_mail("Date: soon\n\nx") is None
    (tmp_path / "mails").mkdir()
    for name in "ab":
        (tmp_path / "mails" / f"{name}.txt").write_text(MAIL)
    found = read(tmp_path / "mails", ReadingOptions(strip_mail=True))
    assert np.array_equal(found.dates, [utc(2024, 1, 31, 11)] * 2)
    assert read(tmp_path / "mails").dates is None
