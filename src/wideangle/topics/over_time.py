"""How many documents of each topic were written when."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.documents import NO_DATE
from wideangle.exceptions import DataError

__all__ = ["PERIODS", "TopicsOverTime", "topics_over_time"]

PERIODS = ("decade", "year", "quarter", "month", "week", "day")
FEWEST, MOST = 6, 24  # So many periods are looked for where nobody names one.
LONGEST = 100_000  # More periods are a mistake.
EPOCH = 1970
MONDAY = 3  # 1 January 1970 was a Thursday.


@dataclass(frozen=True, eq=False)
class TopicsOverTime:
    """Documents by topic and period."""

    period: str
    starts: tuple[str, ...]
    """what each period is called, such as 2024-01 or 2024-W05; periods without documents are there too"""
    counts: NDArray[np.int64]
    """topics × periods"""
    undated: int
    """documents without a date"""


def topics_over_time(topics: Any, dates: Any, n_topics: int, period: str | None = None) -> TopicsOverTime:
    """Count the documents of each topic in each period.

    Parameters
    ----------
    topics : sequence of int
        The topic of each document; −1 for none.
    dates : sequence of int
        When each document was written, in seconds since 1970; `NO_DATE` for a document without a date.
    n_topics : int
    period : {"decade", "year", "quarter", "month", "week", "day"}, optional
        None takes one that gives 6 to 24 periods, or as near to that as can be.

    Examples
    --------
    >>> from wideangle.topics.over_time import topics_over_time
    >>> found = topics_over_time([0, 0, 1], [0, 86400 * 40, 86400 * 70], 2, "month")
    >>> found.starts, found.counts.tolist()
    (('1970-01', '1970-02', '1970-03'), [[1, 1, 0], [0, 0, 1]])
    """
    topics, dates = np.asarray(topics, dtype=np.intp), np.asarray(dates, dtype=np.int64)
    dated = dates != NO_DATE
    if not dated.any():
        raise DataError(
            "no document has a date. Fit the model to documents with dates (--date-column names the column)."
        )
    if period is not None and period not in PERIODS:
        raise ValueError(f"period must be one of {', '.join(PERIODS)}; got {period!r}.")
    moments = dates[dated].astype("datetime64[s]")
    chosen = _chosen(moments) if period is None else period
    numbers = _numbers(moments, chosen)
    first, last = int(numbers.min()), int(numbers.max())
    if last - first >= LONGEST:
        raise DataError(
            f"from the first to the last date there are {last - first + 1:,} periods. Take a longer period."
        )
    counts = np.zeros((n_topics, last - first + 1), dtype=np.int64)
    placed = topics[dated] >= 0
    np.add.at(counts, (topics[dated][placed], numbers[placed] - first), 1)
    names = tuple(_name(number, chosen) for number in range(first, last + 1))
    return TopicsOverTime(chosen, names, counts, int((~dated).sum()))


def _chosen(moments: NDArray[Any]) -> str:
    """The period whose number is within the limits or the least outside of them."""
    ends = np.array([moments.min(), moments.max()])

    def outside(period: str) -> float:
        n = int(np.ptp(_numbers(ends, period))) + 1
        return max(0.0, float(np.log(FEWEST / n)), float(np.log(n / MOST)))

    return min(PERIODS, key=outside)


def _numbers(moments: NDArray[Any], period: str) -> NDArray[np.int64]:
    """The number of the period of each moment, counted from the one of 1 January 1970."""
    if period in ("day", "week"):
        days = moments.astype("datetime64[D]").astype(np.int64)
        return days if period == "day" else (days + MONDAY) // 7
    months = moments.astype("datetime64[M]").astype(np.int64)
    if period in ("month", "quarter"):
        return months if period == "month" else months // 3
    years = months // 12
    return years if period == "year" else (years + EPOCH) // 10 - EPOCH // 10


def _name(number: int, period: str) -> str:
    if period in ("day", "week"):
        day: date = np.datetime64(number if period == "day" else 7 * number - MONDAY, "D").astype(object)
        if period == "day":
            return day.isoformat()
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02}"
    if period == "month":
        return f"{EPOCH + number // 12}-{number % 12 + 1:02}"
    if period == "quarter":
        return f"{EPOCH + number // 4}-Q{number % 4 + 1}"
    return str(EPOCH + number) if period == "year" else f"{EPOCH + 10 * number}s"
