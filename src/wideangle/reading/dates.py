"""When documents were written: dates in columns of tables and in the headers of mails, as seconds since 1970."""

import re
from collections.abc import Iterable
from datetime import date, datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Literal

__all__ = ["DATE_COLUMNS", "DateOrder", "date_of_mail", "order_of", "seconds_of"]

DateOrder = Literal["day first", "month first"]

DATE_COLUMNS = (
    *("date", "datetime", "timestamp", "time", "published", "published_at", "pubdate", "publication_date", "created"),
    *("created_at", "created_utc", "creation_date", "posted", "posted_at", "sent", "sent_at", "day", "month", "year"),
    *("updated", "updated_at", "datum", "fecha", "data", "jahr"),
)
# Numbers are dates only in columns of these names: seconds since 1970, or years.
UNIX_COLUMNS = ("timestamp", "created_utc", "unix", "unixtime", "unix_time", "epoch", "time", "created")
YEAR_COLUMNS = ("year", "jahr", "año", "année", "anno", "publication_year")
EARLIEST, LATEST = 10**8, 10**10  # seconds that a column of seconds may have: the years 1973 to 2286
FIRST_YEAR, LAST_YEAR = 1000, 2200

_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ]+(.*))?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4})(?:[T, ]+(.*))?")
_TIME = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)? *(?:([AaPp])\.?[Mm]\.?)? *(Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
)
_MAIL = re.compile(r"^Date:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_LONGEST = 60


def seconds_of(value: Any, order: DateOrder | None = None, column: str = "") -> int | None:
    """A date or time as seconds since 1970, in UTC where it names no other zone; None where it is none.

    Numbers are dates only if the column is called so: seconds, thousandths of them, or years.

    Examples
    --------
    >>> from wideangle.reading.dates import seconds_of
    >>> seconds_of("1970-01-02"), seconds_of("01.02.1970 00:01"), seconds_of("1/2/1970", "month first")
    (86400, 2678460, 86400)
    >>> seconds_of(1e9), seconds_of(1e9, column="timestamp"), seconds_of("soon")
    (None, 1000000000, None)
    """
    try:
        if isinstance(value, datetime):
            return _seconds(value)
        if isinstance(value, date):
            return _seconds(datetime(value.year, value.month, value.day))
        if isinstance(value, str) and len(value) <= _LONGEST:
            found = _of_text(value.strip(), order)
            return found if found is not None else _of_number(value, column)
        return _of_number(value, column)
    except (ValueError, OverflowError):  # the 31st of February
        return None


def _of_text(text: str, order: DateOrder | None) -> int | None:
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day, time = match.groups()
        return _made(year, month, day or "1", time)
    if match := _YEAR_LAST.fullmatch(text):
        first, sign, second, year, time = match.groups()
        month_first = order == "month first" if order is not None else sign == "/" and int(first) <= 12
        day, month = (second, first) if month_first else (first, second)
        return _made(year, month, day, time)
    if "," in text or "+" in text:  # "Mon, 1 Jan 2024 10:00:00 +0100", as in mails
        try:
            return _seconds(parsedate_to_datetime(text))
        except (TypeError, IndexError):
            return None
    return None


def _made(year: str, month: str, day: str, time: str | None) -> int | None:
    start = _seconds(datetime(int(year), int(month), int(day)))
    if not time:
        return start
    match = _TIME.fullmatch(time.strip())
    if match is None:
        return None
    hours, minutes, seconds, half, zone = match.groups()
    hour = int(hours) if half is None else int(hours) % 12 + 12 * (half in "Pp")
    away = 0
    if zone is not None and zone[0] in "+-":
        away = (60 * int(zone[1:3]) + int(zone[-2:])) * (60 if zone[0] == "+" else -60)
    return start + 3600 * hour + 60 * int(minutes) + int(seconds or 0) - away


def _of_number(value: Any, column: str) -> int | None:
    name = column.lower()
    if name not in UNIX_COLUMNS and name not in YEAR_COLUMNS:
        return None
    try:
        number = float(value)
    except TypeError:
        return None
    if name in YEAR_COLUMNS:
        return _seconds(datetime(int(number), 1, 1)) if FIRST_YEAR <= number <= LAST_YEAR else None
    number = number / 1000 if number >= 1000 * EARLIEST else number
    return int(number) if EARLIEST <= number <= LATEST else None


def _seconds(moment: datetime) -> int:
    return int((moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)).timestamp())


def order_of(values: Iterable[Any]) -> tuple[DateOrder | None, bool]:
    """In which order days and months stand where the year is the last, and whether the values leave it open.

    Examples
    --------
    >>> from wideangle.reading.dates import order_of
    >>> order_of(["01/02/2024", "01/31/2024"]), order_of(["01.02.2024"])
    (('month first', False), ('day first', False))
    >>> order_of(["01/02/2024"]), order_of(["2024-01-31"])
    (('month first', True), (None, False))
    """
    matches = [match for value in values if isinstance(value, str) and (match := _YEAR_LAST.fullmatch(value.strip()))]
    if not matches:
        return None, False
    if any(int(match[1]) > 12 for match in matches):
        return "day first", False
    if any(int(match[3]) > 12 for match in matches):
        return "month first", False
    slashes = any(match[2] == "/" for match in matches)
    return ("month first", True) if slashes else ("day first", False)


def date_of_mail(text: str) -> int | None:
    """When a mail was sent, by its header; None where it has no such line before the first blank one."""
    header = re.split(r"\r?\n[ \t]*\r?\n", text[:20_000], maxsplit=1)[0]
    match = _MAIL.search(header)
    if match is None:
        return None
    try:
        return _seconds(parsedate_to_datetime(match[1].strip()))
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
