"""JSON: one object per line, a list of objects, or an object of columns."""

import json
from collections.abc import Iterator
from typing import Any

from wideangle.exceptions import DataError
from wideangle.reading.encodings import said_encoding
from wideangle.reading.errors import in_plain_words
from wideangle.reading.files import InputFile
from wideangle.reading.options import ReadingOptions
from wideangle.reading.table import Row, Table

__all__ = ["open_json", "open_json_lines"]

WANTED = "Wanted is a list of objects, an object of columns, or one object per line."


def open_json_lines(file: InputFile, options: ReadingOptions) -> Table:
    """One object per line; empty lines are passed over."""
    encoding = file.encoding(options.encoding)

    def rows() -> Iterator[Row]:
        with in_plain_words(file.name), file.open_text(encoding) as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield _object(line, f"{file.name}, line {number}")

    return Table(file.name, rows, None, _said("one JSON object per line", encoding), encoding)


def open_json(file: InputFile, options: ReadingOptions) -> Table:
    """The whole file is parsed at once; where it holds one object per line, as many files do, it is read as such."""
    encoding = file.encoding(options.encoding)
    with in_plain_words(file.name), file.open_text(encoding) as stream:
        text = stream.read()
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        if _is_object(text.lstrip().split("\n", 1)[0]):
            return open_json_lines(file, options)
        raise DataError(f"{file.name}: no JSON ({error}). {WANTED}") from error
    except RecursionError as error:
        raise DataError(f"{file.name} is nested too deeply to be a table. {WANTED}") from error
    if isinstance(content, list):
        for number, row in enumerate(content, 1):
            if not isinstance(row, dict):
                raise DataError(f"{file.name}, row {number}: an object is wanted; got {_what(row)}.")
        return Table(file.name, lambda: iter(content), None, _said("a JSON list of objects", encoding), encoding)
    columns = _columns(content, file.name)
    return Table(
        file.name,
        lambda: (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)),
        tuple(columns),
        _said("a JSON object of columns", encoding),
        encoding,
    )


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
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: no JSON ({error}). One object per line is wanted.") from error
    if not isinstance(row, dict):
        raise DataError(f"{where}: an object is wanted; got {_what(row)}.")
    return row


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _what(value: Any) -> str:
    return type(value).__name__


def _said(what: str, encoding: str) -> tuple[str, ...]:
    return tuple(filter(None, (what, said_encoding(encoding))))
