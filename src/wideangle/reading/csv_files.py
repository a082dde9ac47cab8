"""Tables of text with a separator between the fields: CSV by any usual separator."""

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from wideangle.exceptions import DataError
from wideangle.reading.columns import KNOWN_NAMES, LONG_NAME
from wideangle.reading.content import Content
from wideangle.reading.encodings import said_encoding
from wideangle.reading.errors import in_plain_words
from wideangle.reading.files import InputFile
from wideangle.reading.options import COLUMNS, ReadingOptions, given
from wideangle.reading.survey import to_number
from wideangle.reading.table import Row, Table

__all__ = ["checked_names", "has_named_columns", "looks_like_table", "open_csv", "sniff_separator"]

SEPARATORS = (",", ";", "\t", "|")  # the first of equally good ones is taken
NO_SEPARATOR = "\x1f"  # a sign that no text has: every line is one field, quotes still count
LOOK = 200  # rows by which the separator is recognised
HEAD = 1 << 20  # characters from which those rows are taken
EXCEL = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # a first line by which Excel is told the separator
REGULAR = 0.9  # share of rows with as many fields as the header, from which text is taken for a table
WIDE = 50  # names, from which a line that goes on after what is looked at is a header
SAID = {"\t": "a tab", " ": "a space"}
# The largest field csv takes; documents are longer than its default of 128 KB.
csv.field_size_limit(2**31 - 1)
ZERO_BYTE = "\ufdd0"  # Unicode keeps this sign for uses like that in _records.


def open_csv(file: InputFile, options: ReadingOptions) -> Table:
    """The separator is the one given, the one that a first line `sep=;` names, or sniffed."""
    encoding = file.encoding(options.encoding)
    with in_plain_words(file.name), file.open_text(encoding) as stream:
        head = stream.read(HEAD)
    by_excel = EXCEL.match(head)
    separator = options.separator or (by_excel.group(1) if by_excel else sniff_separator(head))
    skipped = by_excel.end() if by_excel else 0

    def rows() -> Iterator[Row]:
        with in_plain_words(file.name), file.open_text(encoding) as stream:
            stream.read(skipped)
            yield from _rows(stream, separator, file.name)

    with in_plain_words(file.name), file.open_text(encoding) as stream:
        stream.read(skipped)
        columns = checked_names(next(_records(stream, separator), []), file.name)
    said = "one column" if len(columns) == 1 else f"separated by {SAID.get(separator, repr(separator))}"
    return Table(file.name, rows, columns, tuple(filter(None, (said, said_encoding(encoding)))), encoding)


def sniff_separator(head: str) -> str:
    r"""The separator by which the first rows have the most regular fields; quoted fields may hold it, and line ends.

    A text that has commas is no reason to split at them: the header decides first, and it has to have two fields.

    Examples
    --------
    >>> from wideangle.reading.csv_files import sniff_separator
    >>> sniff_separator('text;stars\nfine, cheap, fast;5\n"slow; late",1')
    ';'
    """
    best, best_score = NO_SEPARATOR, (0.0, 0)
    for separator in SEPARATORS:
        rows = [row for row in islice(_records(io.StringIO(head, newline=""), separator), LOOK + 1) if row]
        if len(head) == HEAD and len(rows) > 1:
            rows = rows[:-1]  # the last may be cut
        if not rows or len(rows[0]) < 2:
            continue
        width, body = len(rows[0]), rows[1:]
        regular = sum(len(row) == width for row in body) / len(body) if body else 1.0
        if (regular, width) > best_score:
            best, best_score = separator, (regular, width)
    return best


def looks_like_table(content: Content) -> bool:
    """Whether a text without a name is clearly a table: regular rows under a header of names.

    A separator that is given and there, a column that is given and there, or a usual name of a column decide it for
    regular rows. Other headers are names if they are short, and at least two rows must have as many fields as they.
    Prose that happens to have equally many commas per line has spaces after them.
    """
    separator = content.options.separator
    if separator is not None:
        return separator in content.first_line
    if has_named_columns(content):
        return True
    header, body, separator = _first_rows(content)
    if len(header) < 2 or sum(len(row) == len(header) for row in body) < REGULAR * len(body):
        return False
    names = [name.strip().lower() for name in header]
    if not all(len(name.split()) < LONG_NAME for name in names):
        return False
    if KNOWN_NAMES & set(names):
        return True
    if all(to_number(cell) is not None for row in (header, *body) for cell in row):
        return True  # No text has only numbers. That the first row was taken for names is said.
    named = len(set(names)) == len(names) and all(name and to_number(name) is None for name in names)
    ends = any(name.endswith((".", "!", "?", "。", "！", "？")) for name in names)
    spaced = sum(cell.startswith(" ") for row in body for cell in row[1:])
    is_prose = separator == "," and 2 * spaced > sum(len(row) - 1 for row in body)
    is_wide = content.is_cut and len(header) >= WIDE
    return named and not ends and not is_prose and (is_wide or len(body) >= (1 if content.is_cut else 2))


def has_named_columns(content: Content) -> bool:
    """Whether the header has a column that an option names."""
    wanted = {getattr(content.options, name) for name in given(content.options, COLUMNS)}
    return bool(wanted & {name.strip() for name in _first_rows(content)[0]}) if wanted else False


def _first_rows(content: Content) -> tuple[list[str], list[list[str]], str]:
    """The header, the rows that follow it, as far as they are looked at, and the separator."""
    by_excel = EXCEL.match(content.text)
    text = content.text[by_excel.end() :] if by_excel else content.text
    separator = content.options.separator or (by_excel.group(1) if by_excel else sniff_separator(text))
    rows = [row for row in islice(_records(io.StringIO(text, newline=""), separator), LOOK + 1) if row]
    if content.is_cut and 1 < len(rows) <= LOOK:
        rows.pop()  # It may be cut.
    return (rows[0], rows[1:], separator) if rows else ([], [], separator)


def _records(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """The fields of each record. Python 3.10 takes no zero bytes, so that another sign stands for them there."""
    if sys.version_info >= (3, 11):
        return csv.reader(lines, delimiter=separator)
    records = csv.reader((line.replace("\0", ZERO_BYTE) for line in lines), delimiter=separator)
    return ([field.replace(ZERO_BYTE, "\0") for field in record] for record in records)


def _rows(stream: Iterator[str], separator: str, name: str) -> Iterator[Row]:
    records = _records(stream, separator)
    columns = checked_names(next(records, []), name)
    number = 0
    for fields in records:
        if not fields:
            continue  # an empty line
        number += 1
        if len(fields) > len(columns) and any(fields[len(columns) :]):
            raise DataError(
                f"{name}, row {number} has {len(fields)} fields, but the header {len(columns)}. Put fields that hold "
                "the separator into quotes, or name the right separator."
            )
        yield dict(zip(columns, fields, strict=False))


def checked_names(fields: list[str], name: str) -> tuple[str, ...]:
    """The first name may be empty, as pandas writes an index; other empty ones get their number."""
    names = [field.strip() for field in fields]
    names = [field or (f"column {number}" if number > 1 else "") for number, field in enumerate(names, 1)]
    twice = [field for field, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(f"{name} has several columns called {twice[0]!r}. Give each a name of its own.")
    return tuple(names)
