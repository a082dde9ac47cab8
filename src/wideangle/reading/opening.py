"""What is at a path: a file, a folder of .txt files, or a data set of many files; here or at a URL."""

import os
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.exceptions import DataError
from wideangle.reading.catalogue import ARRAYS, FORMATS, Kind, check_options, growth_of, kind_by_name, told_kind
from wideangle.reading.columns import Columns, choose_columns
from wideangle.reading.data_sets import DataFile, chained, choose_data_files, open_data_file
from wideangle.reading.errors import in_plain_words
from wideangle.reading.exclusion import exclusion
from wideangle.reading.files import STANDARD_INPUT, InputFile
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import Found, PathLike, file_at, find, is_text_file, is_url, kind_of, name_of
from wideangle.reading.survey import survey_table
from wideangle.reading.table import Table

if TYPE_CHECKING:  # It imports NumPy, and arguments are checked before that.
    from wideangle.documents import Reading

__all__ = ["Opened", "check_path", "open_path", "size_of", "state_of"]

SEVERAL = 8  # The columns of so many files of a data set are known before its rows are read.


@dataclass(frozen=True, eq=False)
class Opened:
    """A path that was looked at: a folder of .txt files, a file, or many files that are read as one."""

    name: str
    """for messages"""
    folder: str | None = None
    file: InputFile | None = None
    kind: Kind | None = None
    """of the file, or of all files of a data set"""
    table: Table | None = None
    notes: tuple[str, ...] = ()
    files: tuple[DataFile, ...] = ()
    """those of a data set, in the order in which they are read"""

    @property
    def is_arrays(self) -> bool:
        return self.kind is ARRAYS

    def choose_columns(
        self, options: ReadingOptions, reading: "Reading | None" = None, most: int | None = None
    ) -> Columns | None:
        """The columns of a table; of a new one those of the training file, where it has them too.

        `most` rows are looked at, or all. None: there is no table.
        """
        if self.table is None:
            return None
        survey = survey_table(self.table, most)
        for name in ("text_column", "label_column", "id_column", "split_column", "title_column", "date_column"):
            before = None if reading is None else getattr(reading, name)
            if getattr(options, name) is None and before in survey.columns:
                options = replace(options, **{name: before})
        if reading is not None and options.date_order is None:
            options = replace(options, date_order=reading.date_order)
        return choose_columns(survey, options, self.name)


@dataclass(frozen=True)
class _Several:
    """The files of a folder or of a pattern that come into question."""

    found: list[Found]
    are_texts: bool
    """whether each file is a document, and not a part of a data set"""


def check_path(path: PathLike, options: ReadingOptions) -> None:
    """Raise `DataError` where nothing is at a path, it may not be read, or it is of no kind that can be read.

    Nothing is read of standard input, whose path is "-", nor of a pipe: what is read of them is gone.
    """
    several = _several(path, options)
    if several is not None and not several.are_texts:
        choose_data_files(several.found, str(path), options)
    elif several is None and os.fspath(path) != STANDARD_INPUT and (is_url(path) or Path(path).is_file()):
        told_kind(InputFile(path, any_size=options.any_size), options)


def open_path(path: PathLike, options: ReadingOptions) -> Opened:
    """Find out what is at a path, or on standard input where the path is "-"."""
    several = _several(path, options)
    if several is None:
        file = InputFile(path, any_size=options.any_size)
        kind, told = told_kind(file, options)
        table = None if kind.open is None else kind.open(file, options)
        return Opened(file.name, None, file, kind, table, told if table is None else (*told, *table.notes))
    if several.are_texts:
        return Opened(str(path), folder=os.fspath(path))
    chosen = choose_data_files(several.found, str(path), options)
    kind, files, name = chosen.kind, chosen.files, name_of(path)
    if kind.open is None:
        return Opened(name, None, None, kind, None, chosen.notes, files)
    first = [open_data_file(file, kind, options) for file in files[:SEVERAL]]
    table = chained(name, first, lambda: (open_data_file(file, kind, options) for file in files[SEVERAL:]), len(files))
    return Opened(name, None, None, kind, table, (*chosen.notes, *table.notes), files)


def size_of(path: PathLike, options: ReadingOptions | None = None) -> int:
    """About how many bytes of text there are in a file, or in the files of a folder or of a pattern."""
    several = _several(path, options or ReadingOptions())
    if several is None:
        return file_at(path).size * growth_of(name_of(path))
    return sum(file.size * growth_of(file.inside) for file in several.found if _is_read(file, several))


def state_of(path: PathLike, options: ReadingOptions) -> list[int | str]:
    """By what one sees that a source has changed: size and time of a file, or of all files that are read."""
    several = _several(path, options)
    if several is None:
        file = file_at(path)
        state = file.state  # before the size, because it asks a store anew
        return [file.size, state]
    read = [file for file in several.found if _is_read(file, several)]
    facts = "\n".join(f"{file.inside}\t{file.size}\t{file.state}" for file in read)
    return [len(read), blake2b(facts.encode(errors="replace"), digest_size=16).hexdigest()]


def _several(path: PathLike, options: ReadingOptions) -> _Several | None:
    """The files of a folder or pattern, without what is hidden or excluded; None: the path is a file.

    An error says what is wrong with the path or with the options.
    """
    if options.format is not None and options.format not in FORMATS:
        raise DataError(f"there is no format {options.format!r}; there are {', '.join(FORMATS)}.")
    if os.fspath(path) == STANDARD_INPUT:
        return None
    with in_plain_words(str(path)):
        kind = kind_of(path)
        if kind == "file":
            if not is_url(path) and Path(path).is_file():
                Path(path).open("rb").close()
            return None
        excluded = exclusion(options.exclude)
        found = [file for file in find(path) if not excluded(file.inside)]
    texts = [file for file in found if is_text_file(file.inside)]
    if kind == "folder" and (texts or not any(_is_data(file) for file in found)):
        check_options(options, ("encoding", "exclude"), str(path), "a folder of .txt files", "")
        return _Several(texts, are_texts=True)
    if kind == "pattern" and not found:
        raise DataError(f"no file matches {path}. Check the pattern, and put it into quotes.")
    data = [file for file in found if not _is_left_by_writers(file)]
    return _Several(data, are_texts=False)


def _is_data(file: Found) -> bool:
    """Whether a file of a folder may belong to a data set."""
    return not _is_left_by_writers(file) and kind_by_name(file.inside) not in (None, ARRAYS)


def _is_left_by_writers(file: Found) -> bool:
    """Whether it is hidden, or called as programs call what they write beside data: `_SUCCESS`, `_metadata`."""
    return any(part.startswith((".", "_")) for part in file.inside.split("/"))


def _is_read(file: Found, several: _Several) -> bool:
    return several.are_texts or _is_data(file) or not any(map(_is_data, several.found))
