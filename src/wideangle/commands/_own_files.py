"""Which files this program wrote, and what other files are. Nothing else is replaced without --force.

A model says so in its format, a page in its meta tag, a picture, a workbook, a Parquet table and an archive of arrays
in their metadata. Plain tables have no place for that: they are known by the columns that only these commands write.
"""

import csv
import io
import json
import re
import struct
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

Kind = Literal["model", "page", "curve", "topics", "topics over time", "documents", "vectors"]
"""what a file holds: a model, a page, a curve, or one of the tables, named after what a row is"""

WRITER = {
    "model": "wideangle fit",
    "page": "wideangle explore",
    "curve": "wideangle tune",
    "topics": "wideangle topics",
    "topics over time": "wideangle topics --over-time",
    "documents": "wideangle assign",
    "vectors": "wideangle transform",
}
MARK = "wideangle"
# The first columns of each table. Another program has no reason to name its columns just so.
COLUMNS = {
    "topics": ("topic", "name", "size", "class", "purity", "nearest", "angle", "near_duplicate"),
    "topics over time": ("topic", "name", "documents"),
    "documents": ("document", "title", "topic", "topic_name", "sure", "second", "second_name", "second_share"),
}
HEAD = 2**20  # So many bytes are read to know a file.
LOOKED_AT = 20  # So many lines of vectors are looked at.


def mark_of(kind: Kind) -> str:
    """What the metadata of a file of ours says."""
    return f"{MARK} {kind}"


def is_own(path: Path, kind: Kind) -> bool:
    """Whether this program wrote the file, and wrote this kind of content to it."""
    if kind == "model":
        from wideangle._model_files.header import is_model_file

        return is_model_file(path)
    head = _head(path)
    if kind == "page":
        return _is_own_page(head)
    if kind == "curve":
        return head.startswith(b"\x89PNG") and _is_own_picture(path, kind)
    if head.startswith(b"PK\x03\x04"):
        return _is_own_archive(path, kind)
    if head.startswith(b"PAR1"):
        return _is_own_parquet(path, kind)
    return _is_own_text(head, kind)


def described(path: Path) -> str:
    """What a file is, in a few words for people."""
    from wideangle._model_files.header import is_model_file

    head = _head(path)
    begins = {
        b"\x89PNG": "a picture",
        b"PAR1": "a Parquet table",
        b"PK\x03\x04": "a workbook" if path.suffix.lower() == ".xlsx" else "an archive",
    }
    for beginning, what in begins.items():
        if head.startswith(beginning):
            return what
    if head.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "a page"
    if is_model_file(path):
        return "a model file"
    if (names := _columns(head)) is not None and len(names) > 1:
        shown = ", ".join(map(repr, names[:4])) + (", …" if len(names) > 4 else "")
        return f"a table with the columns {shown}"
    return "a file" if b"\0" in head else "a text"


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _is_own_page(head: bytes) -> bool:
    return re.search(rf'<meta name="generator" content="{MARK}\b'.encode(), head[:4096]) is not None


def _is_own_text(head: bytes, kind: Kind) -> bool:
    names = _columns(head)
    if names is None:
        return False
    if kind == "vectors":
        return _are_names_of_vectors(names) and _are_our_numbers(_records(head))
    return tuple(names[: len(COLUMNS[kind])]) == COLUMNS[kind]


def _columns(head: bytes) -> list[str] | None:
    """The names of the columns of CSV, or of the first line of JSON; None of a file that is no such table."""
    try:
        first = head.split(b"\n", 1)[0].decode("utf-8-sig").strip()
        if first.startswith("{"):
            found = json.loads(first)
            return list(found) if isinstance(found, dict) else None
        return next(csv.reader([first], strict=True), None)
    except (ValueError, csv.Error):  # also what is not UTF-8
        return None


def _records(head: bytes) -> Iterator[list[str]]:
    """The lines of vectors, CSV or JSON, after the first column; the last one may be cut and is left out."""
    lines = head.decode("utf-8", errors="replace").rsplit("\n", 1)[0].split("\n")
    if lines[0].lstrip().startswith("{"):
        for line in lines:
            yield [str(value) for value in json.loads(line).values()][1:]
        return
    yield from (record[1:] for record in csv.reader(io.StringIO("\n".join(lines[1:]))))


def _are_names_of_vectors(names: Sequence[str]) -> bool:
    rest = list(names[2 if names[1:2] == ["label"] else 1 :])
    return names[:1] in (["id"], ["name"]) and rest == [f"c{k}" for k in range(1, len(rest) + 1)] and bool(rest)


def _are_our_numbers(records: Iterator[list[str]]) -> bool:
    """Whether numbers are printed as float32 with all digits, which nobody does who rounds."""
    import numpy as np

    fractions = 0
    try:
        for _, record in zip(range(LOOKED_AT), records, strict=False):
            for text in record:
                if re.fullmatch(r"-?\d+(\.\d+)?(e[-+]\d+)?", text):
                    if float(f"{np.float32(text):.9g}") != float(text):
                        return False
                    fractions += "." in text
    except (ValueError, csv.Error):
        return False
    return fractions > 0


def _is_own_archive(path: Path, kind: Kind) -> bool:
    """An .npz whose comment says so, or a workbook that nobody has saved again since."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.comment:
                return archive.comment == mark_of(kind).encode()
            core = archive.read("docProps/core.xml").decode()
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, OSError):
        return False
    marks = re.findall(r"<(?:dc:creator|cp:lastModifiedBy)>([^<]*)<", core)
    return marks == [mark_of(kind)] * 2


def _is_own_parquet(path: Path, kind: Kind) -> bool:
    from wideangle._optional import optional_import

    pq = optional_import("pyarrow.parquet", extra="parquet", purpose="writing Parquet")
    try:
        found = pq.read_schema(path).metadata or {}
    except Exception:  # pyarrow raises many kinds for a damaged file
        return False
    return bool(found.get(MARK.encode()) == kind.encode())


def _is_own_picture(path: Path, kind: Kind) -> bool:
    """Whether a text of the PNG names this program as its software."""
    with path.open("rb") as file:
        file.seek(8)
        while len(start := file.read(8)) == 8:
            length, name = struct.unpack(">I4s", start)
            if name == b"tEXt" and length < 1000:
                return file.read(length) == f"Software\0{mark_of(kind)}".encode()
            file.seek(length + 4, 1)
    return False
