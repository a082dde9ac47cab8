"""JSON: one object per line, a list of objects, or an object of columns."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

from wideangle.exceptions import DataError
from wideangle.reading.content import Content
from wideangle.reading.encodings import said_encoding
from wideangle.reading.errors import in_plain_words
from wideangle.reading.files import InputFile, has_plain_line_ends
from wideangle.reading.options import ReadingOptions
from wideangle.reading.table import Row, Span, Table, flattened

__all__ = ["is_json", "is_json_lines", "open_json", "open_json_lines"]

WANTED = "Wanted is a list of objects, an object of columns, or one object per line."


def is_json_lines(content: Content) -> bool:
    """Whether the first line is an object for itself, or begins one that is longer than what was looked at."""
    if not content.text.startswith("{"):
        return False
    if content.is_cut and "\n" not in content.text:
        return True  # A row of a long text. `open_json` could read it only as a whole.
    return _is_object(content.first_line)


def is_json(content: Content) -> bool:
    """Whether it begins as a list of objects does, or is an object over several lines or of columns."""
    text = content.text
    if text.startswith("["):
        return text[1:].lstrip()[:1] in ("{", "]")
    if not text.startswith("{") or is_json_lines(content):
        return text.startswith("{") and _is_of_columns(content)
    return text[1:].lstrip()[:1] in ('"', "}")


def _is_of_columns(content: Content) -> bool:
    """Whether a single object on one line holds columns rather than a row."""
    if content.is_cut or len(content.text.strip().splitlines()) > 1:
        return False
    held = json.loads(content.text)
    return bool(held) and all(isinstance(values, list | dict) for values in held.values())


def open_json_lines(file: InputFile, options: ReadingOptions) -> Table:
    """One object per line; empty lines are passed over."""
    encoding = file.encoding(options.encoding)
    said = _said("one JSON object per line", encoding)

    def rows() -> Iterator[Row]:
        with in_plain_words(file.name), file.open_text(encoding) as stream:
            yield from _rows(stream, file.name)

    def rows_of(span: Span) -> Iterator[Row]:
        with in_plain_words(file.name), file.open_lines(span, encoding) as stream:
            yield from _rows(stream, file.name, f" after byte {span.start:,}" if span.start else "")

    if not (file.can_be_divided and has_plain_line_ends(encoding)):
        return Table(file.name, rows, None, said, encoding)
    return Table(file.name, rows, None, said, encoding, spans=file.line_spans, rows_of=rows_of)


def _rows(stream: TextIO, name: str, after: str = "") -> Iterator[Row]:
    """The object of each line that is not blank. `after` says in messages from where lines are counted."""
    for number, line in enumerate(stream, 1):
        if line.strip():
            yield flattened(_object(line, f"{name}, line {number}{after}"))


def open_json(file: InputFile, options: ReadingOptions) -> Table:
    """The whole file is parsed at once; where it holds one object per line, as many files do, it is read as such."""
    encoding = file.encoding(options.encoding)
    with in_plain_words(file.name), file.open_text(encoding) as stream:
        text = stream.read()
    try:
        content = json.loads(text)
    except ValueError as error:  # JSONDecodeError, or a number of thousands of digits
        if _is_object(text.lstrip().split("\n", 1)[0]):
            return open_json_lines(file, options)
        raise DataError(f"{file.name}: no JSON ({error}). {WANTED}") from error
    except RecursionError as error:
        raise DataError(f"{file.name} is nested too deeply to be a table. {WANTED}") from error
    if isinstance(content, list):
        return _of_objects(file.name, content, "a JSON list of objects", encoding)
    listed = _list_inside(content)
    if listed is not None:
        return _of_objects(file.name, content[listed], f"the JSON list of objects {listed!r}", encoding)
    columns = _columns(content, file.name)
    return Table(
        file.name,
        lambda: (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)),
        tuple(columns),
        _said("a JSON object of columns", encoding),
        encoding,
    )


def _of_objects(name: str, objects: list[Any], what: str, encoding: str) -> Table:
    for number, row in enumerate(objects, 1):
        if not isinstance(row, dict):
            raise DataError(f"{name}, row {number}: an object is wanted; got {_what(row)}.")
    return Table(name, lambda: map(flattened, objects), None, _said(what, encoding), encoding)


def _list_inside(content: Any) -> str | None:
    """The name under which an object has its only list of objects, as answers of services have beside a count."""
    if not isinstance(content, dict):
        return None
    lists = [
        name
        for name, values in content.items()
        if isinstance(values, list) and values and all(isinstance(value, dict) for value in values)
    ]
    return lists[0] if len(lists) == 1 else None


def _columns(content: Any, name: str) -> dict[str, list[Any]]:
    """Lists by column, or, as pandas writes them, objects from the number of a row to its value."""
    if not isinstance(content, dict) or not content:
        raise DataError(f"{name} holds {_what(content)}. {WANTED}")
    columns = {}
    for column, values in content.items():
        if not isinstance(values, list | dict):
            raise DataError(f"{name}: {column!r} is {_what(values)}, not a column. {WANTED}")
        columns[column] = list(values.values()) if isinstance(values, dict) else values
    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{column!r} {length}" for column, length in list(lengths.items())[:5])
        raise DataError(f"{name}: the columns have different lengths: {shown}. Each row needs a value, or null.")
    return columns


def _object(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:  # JSONDecodeError, or a number of thousands of digits
        raise DataError(f"{where}: no JSON ({error}). One object per line is wanted.") from error
    if not isinstance(row, dict):
        raise DataError(f"{where}: an object is wanted; got {_what(row)}.")
    return row


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _what(value: Any) -> str:
    return type(value).__name__


def _said(what: str, encoding: str) -> tuple[str, ...]:
    return tuple(filter(None, (what, said_encoding(encoding))))
