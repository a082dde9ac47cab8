"""Topics over time."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from wideangle.commands.topics import PERIODS as OFFERED
from wideangle.documents import NO_DATE
from wideangle.exceptions import DataError
from wideangle.topics.over_time import PERIODS, topics_over_time

START = datetime(2019, 12, 30, tzinfo=timezone.utc)


def moments(days, n=500, seed=0):
    rng = np.random.default_rng(seed)
    return [START + timedelta(days=float(day)) for day in np.sort(rng.uniform(0, days, n))]


NAMES = {
    "decade": lambda m: f"{m.year // 10 * 10}s",
    "year": lambda m: str(m.year),
    "quarter": lambda m: f"{m.year}-Q{(m.month + 2) // 3}",
    "month": lambda m: m.strftime("%Y-%m"),
    "week": lambda m: "{}-W{:02}".format(*m.isocalendar()[:2]),
    "day": lambda m: m.strftime("%Y-%m-%d"),
}


@pytest.mark.parametrize("period", PERIODS)
def test_documents_are_counted_in_their_periods(period):
    when = moments(900)
    topics = np.random.default_rng(1).integers(-1, 3, len(when))
    found = topics_over_time(topics, [int(m.timestamp()) for m in when], 3, period)
    for topic in range(3):
        for start, count in zip(found.starts, found.counts[topic], strict=True):
            assert count == sum(NAMES[period](m) == start and t == topic for m, t in zip(when, topics, strict=True))
    assert found.counts.sum() == (topics >= 0).sum()
    assert list(found.starts) == sorted(set(found.starts))


@pytest.mark.parametrize("days", [7, 20, 60, 150, 400, 900, 3000, 8000, 50_000])
def test_a_period_that_fits_is_found(days):
    when = [int(m.timestamp()) for m in moments(days)]
    found = topics_over_time(np.zeros(len(when)), when, 1)
    assert 5 <= len(found.starts) <= 26


def test_dates_before_1970():
    found = topics_over_time([0, 0], [-1, -86400 * 40], 1, "month")
    assert found.starts == ("1969-11", "1969-12")
    assert found.counts.tolist() == [[1, 1]]


def test_documents_without_a_date_are_left_out():
    found = topics_over_time([0, 1, 1], [0, NO_DATE, 0], 2, "day")
    assert (found.counts.tolist(), found.undated) == ([[1], [1]], 1)
    with pytest.raises(DataError, match="no document has a date"):
        topics_over_time([0], [NO_DATE], 1)


def test_too_many_periods_are_refused():
    with pytest.raises(DataError, match="Take a longer period"):
        topics_over_time([0, 0], [0, 10**11], 1, "day")
    with pytest.raises(ValueError, match="period must be one of"):
        topics_over_time([0], [0], 1, "hour")


def test_the_command_offers_all_periods():
    assert ("auto", *PERIODS) == OFFERED
