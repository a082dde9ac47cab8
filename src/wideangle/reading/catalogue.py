"""The kinds of input. A new kind of table is one file that tells and opens it, and one entry in `KINDS`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wideangle.exceptions import DataError
from wideangle.reading.content import ZIP, Content
from wideangle.reading.csv_files import has_named_columns, looks_like_table, open_csv
from wideangle.reading.decompression import COMPRESSIONS
from wideangle.reading.excel_files import open_excel
from wideangle.reading.files import InputFile
from wideangle.reading.json_files import is_json, is_json_lines, open_json, open_json_lines
from wideangle.reading.options import COLUMNS, ReadingOptions, given, option_name
from wideangle.reading.parquet_files import open_parquet
from wideangle.reading.table import Table

__all__ = [
    "ARRAYS",
    "BY_ENDING",
    "FORMATS",
    "KINDS",
    "NPY",
    "USUAL_ENDINGS",
    "Kind",
    "check_options",
    "growth_of",
    "kind_by_name",
    "told_kind",
]


@dataclass(frozen=True)
class Kind:
    """A kind of file: what it is called, by what it is told, and which options say something about it."""

    name: str
    said: str
    """what a file of this kind is, for people"""
    takes: tuple[str, ...]
    """the options about files that apply to it"""
    endings: tuple[str, ...]
    magic: tuple[bytes, ...] = ()
    """what such a file begins with"""
    is_one: Callable[[Content], bool] | None = None
    """whether a content is of this kind, where the first bytes do not tell it"""
    open: Callable[[InputFile, ReadingOptions], Table] | None = None
    """None: it is no table"""
    also_reads: tuple[str, ...] = ()
    """the names of kinds for which an ending of this kind is not wrong"""
    growth: int = 1
    """so many times as large are such files in memory, roughly"""

    def holds(self, content: Content) -> bool:
        """Whether a content is clearly of this kind."""
        if self.magic and not content.head.startswith(self.magic):
            return False
        return bool(self.magic) if self.is_one is None else self.is_one(content)


NPY = b"\x93NUMPY"  # what an array that is saved alone begins with
SEPARATED = (*COLUMNS, "separator", "encoding")
OBJECTS = (*COLUMNS, "encoding")
# A content is compared with them from the last to the first, because a line of text may be anything.
KINDS = (
    Kind(
        *("txt", "plain text, one document per line", ("encoding",)),
        endings=(".txt",),
        also_reads=("csv",),
    ),
    Kind(
        *("csv", "a table with a separator between its fields", SEPARATED),
        endings=(".csv",),
        is_one=looks_like_table,
        open=open_csv,
    ),
    Kind(
        *("tsv", "a table with tabs between its fields", SEPARATED),
        endings=(".tsv",),
        open=open_csv,
        also_reads=("csv",),
    ),
    Kind(
        *("jsonl", "JSON, one object per line", OBJECTS),
        endings=(".jsonl", ".ndjson"),
        is_one=is_json_lines,
        open=open_json_lines,
    ),
    Kind(
        *("json", "a JSON list of objects", OBJECTS),
        endings=(".json",),
        is_one=is_json,
        open=open_json,
        also_reads=("jsonl",),
    ),
    Kind(
        *("parquet", "a Parquet table", COLUMNS),
        endings=(".parquet",),
        magic=(b"PAR1",),
        open=open_parquet,
        growth=2,
    ),
    Kind(
        *("xlsx", "a workbook of Excel", (*COLUMNS, "sheet")),
        endings=(".xlsx",),
        magic=(ZIP,),
        is_one=lambda content: content.has_member("xl/"),
        open=open_excel,
    ),
    Kind(
        *("npz", "arrays of NumPy", ()),
        endings=(".npz", ".npy"),
        magic=(ZIP, NPY),
        is_one=lambda content: content.head.startswith(NPY) or content.has_member(".npy"),
    ),
)
BY_ENDING = {ending: kind for kind in KINDS for ending in kind.endings}
LINES, ARRAYS = BY_ENDING[".txt"], BY_ENDING[".npz"]
FORMATS = tuple(ending.lstrip(".") for ending in BY_ENDING)
USUAL_ENDINGS = tuple(kind.endings[0] for kind in KINDS)
GROWTH_OF_COMPRESSED = 4
# Kinds that are told only to be refused: by what they begin with, and by endings under which text is no documents.
REFUSED = (b"%PDF", b"{\\rtf", b"\xd0\xcf\x11\xe0", ZIP, b"<!DOCTYPE", b"<!doctype", b"<html", b"<?xml")
REFUSED_ENDINGS = frozenset(
    {
        *(".xls", ".doc", ".docx", ".odt", ".ods", ".pdf", ".rtf", ".html", ".htm", ".xml", ".zip", ".tar", ".7z"),
        *(".bz2", ".xz", ".pkl", ".db", ".sqlite", ".py", ".ipynb", ".wideangle"),
    }
)
OF_FILES = (*COLUMNS, "separator", "encoding", "sheet", "exclude", "format")
FOR = {
    **dict.fromkeys(COLUMNS, "names a column of a table"),
    "separator": "is what stands between the fields of a CSV table",
    "encoding": "is that of a text file",
    "sheet": "chooses a sheet of a workbook (.xlsx)",
    "exclude": "leaves out files of a folder",
    "format": "names the kind of a file",
}


def kind_by_name(name: str) -> Kind | None:
    """The kind that the ending of a name says, before that of a compression; None: it says none."""
    parts = name.lower().split(".")[1:]
    if parts and f".{parts[-1]}" in COMPRESSIONS:
        parts.pop()
    return BY_ENDING.get(f".{parts[-1]}") if parts else None


def growth_of(name: str) -> int:
    """How many times as large a file of this name is in memory, roughly."""
    ending = Path(name).suffix.lower()
    if ending in COMPRESSIONS:
        return GROWTH_OF_COMPRESSED
    return BY_ENDING[ending].growth if ending in BY_ENDING else 1


def told_kind(file: InputFile, options: ReadingOptions) -> tuple[Kind, tuple[str, ...]]:
    """The kind of a file, and what to tell about it. An error says where an option says nothing about such a file."""
    kind, told = _kind_of(Content(file, options))
    named = f"; or say what it is by --format {', '.join(FORMATS)}" if options.format is None else ""
    check_options(options, (*kind.takes, "format"), file.name, kind.said, named)
    return kind, told


def _kind_of(content: Content) -> tuple[Kind, tuple[str, ...]]:
    """The kind that was named, else that of the ending where the content may be of it, else that of the content.

    With it comes what to tell about it.
    """
    file, options = content.file, content.options
    if options.format is not None:
        return BY_ENDING[f".{options.format}"], ()
    by_name = BY_ENDING.get(file.suffix)
    found = next((kind for kind in reversed(KINDS) if kind.holds(content)), None)
    if by_name is None:
        refused = content.head.startswith(REFUSED) or file.suffix in REFUSED_ENDINGS
        if found is None and (refused or (content.head and not content.text)):
            raise DataError(
                f"{file.name} is of a kind that cannot be read. Give a folder of .txt files, or a file "
                f"({', '.join(BY_ENDING)}), also compressed ({', '.join(COMPRESSIONS)}); or name its format."
            )
        return found or LINES, ()
    if found is None or found.name in (by_name.name, *by_name.also_reads):
        if found is not None and by_name is LINES:
            # Lines of text may have equally many commas. Whoever names a column of them means a table.
            if has_named_columns(content):
                return found, ()
            return by_name, (
                f"{file.name} looks like a table, and is read as one document per line because its name ends in "
                ".txt. --format csv reads it as a table.",
            )
        return by_name, ()
    return found, ()


def check_options(options: ReadingOptions, takes: tuple[str, ...], name: str, what: str, named: str) -> None:
    """Raise an error for an option that says nothing about such an input, because nobody would see it ignored."""
    idle = [option for option in given(options, OF_FILES) if option not in takes]
    if idle:
        option = option_name(idle[0])
        raise DataError(f"{option} {FOR[idle[0]]}, and {name} is read as {what}. Leave out {option}{named}.")
