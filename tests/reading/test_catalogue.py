"""Which kind a file is taken for, by its name and its content, and that no option is ignored."""

import gzip
import io
import sys

import numpy as np
import pytest

from wideangle.commands.arguments.parsed import READING
from wideangle.exceptions import DataError
from wideangle.reading import FORMATS, ReadingOptions, TextSource, read
from wideangle.reading.catalogue import FOR, KINDS, OF_FILES
from wideangle.reading.opening import open_path
from wideangle.reading.options import WORDS_OF_TEXTS, option_name
from wideangle.reading.vector_files import VECTOR_FILES

TEXTS = ["wheat and corn, late", "ships at sea", "a loan, a bank"]
QUOTED = [f'"{text}"' for text in TEXTS]


def workbook():
    book = pytest.importorskip("openpyxl").Workbook()
    for row in [("id", "remark"), *enumerate(TEXTS)]:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet():
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({"remark": TEXTS}), out)
    return out.getvalue()


def arrays():
    out = io.BytesIO()
    np.savez(out, X=np.eye(2))
    return out.getvalue()


def zst(content):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(content)


# No header here has a usual name, so that the content itself must tell a table.
CONTENTS = {
    "csv": lambda: "\n".join(["nr,remark", *(f"{i},{text}" for i, text in enumerate(QUOTED))]).encode(),
    "semicolons": lambda: "\n".join(["nr;remark", *(f"{i};{text}" for i, text in enumerate(TEXTS))]).encode(),
    "lines in fields": lambda: "\n".join(["nr,remark", *(f'{i},"{t}\n{t}"' for i, t in enumerate(TEXTS))]).encode(),
    "tsv": lambda: "\n".join(["nr\tremark", *(f"{i}\t{text}" for i, text in enumerate(TEXTS))]).encode(),
    "jsonl": lambda: "".join(f'{{"remark": "{text}"}}\n' for text in TEXTS).encode(),
    "json": lambda: ("[\n" + ",\n".join(f'{{"remark": "{text}"}}' for text in TEXTS) + "]").encode(),
    "columns": lambda: ('{"remark": [' + ", ".join(QUOTED) + "]}").encode(),
    "txt": lambda: "\n".join(TEXTS).encode(),
    "parquet": parquet,
    "xlsx": workbook,
    "npz": arrays,
}
IS = {"semicolons": "csv", "lines in fields": "csv", "tsv": "csv", "columns": "json"}
LONG = {"lines in fields": [f"{text}\n{text}" for text in TEXTS]}


def pipe(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zst], ids=["plain", "gz", "zst"])
@pytest.mark.parametrize("where", ["-", "noending", "d.dat", "d.csv", "d.parquet", "d.xls"])
@pytest.mark.parametrize("kind", CONTENTS)
def test_content_tells_the_kind(kind, where, compress, tmp_path, monkeypatch):
    content = compress(CONTENTS[kind]())
    if where == "-":
        pipe(monkeypatch, content)
    else:
        where = tmp_path / where
        where.write_bytes(content)
    if kind == "txt" and getattr(where, "suffix", "") in (".csv", ".parquet", ".xls"):
        return  # Lines of text may be anything, so that the ending is believed.
    opened = open_path(where, ReadingOptions())
    assert opened.kind.name == IS.get(kind, kind) or (opened.kind.name, kind) == ("csv", "tsv")
    if not opened.is_arrays:
        assert [document.text for document in TextSource(opened.file.path)] == LONG.get(kind, TEXTS)


@pytest.mark.parametrize(
    "text",
    [
        "Wheat rose.\nCorn fell.\nShips sailed.\n",
        "Wheat, corn\nships, ports\nloans, banks\n",  # prose with one comma per line
        "Hello, world\nGood, bad\n",
        "Text, body and mind are one for most of us\nSome other line\n",
        "a single line",
        "Wheat rose, and corn fell because of the late rain in spring\nships, ports and banks\n",
    ],
)
def test_prose_is_no_table(text, monkeypatch):
    pipe(monkeypatch, text.encode())
    assert [document.text for document in TextSource("-")] == text.splitlines()


def test_a_column_that_is_named_makes_a_table(tmp_path, monkeypatch):
    pipe(monkeypatch, b"remark\nwheat and corn\nships at sea\n")
    assert [document.text for document in TextSource("-", text_column="remark")] == ["wheat and corn", "ships at sea"]
    (tmp_path / "d.txt").write_bytes(CONTENTS["csv"]())
    assert [document.text for document in TextSource(tmp_path / "d.txt", text_column="remark")] == TEXTS
    rows = read(tmp_path / "d.txt")
    assert len(rows) == 4
    assert any("looks like a table" in note and "--format csv" in note for note in rows.notes)
    assert len(read(tmp_path / "d.txt", ReadingOptions(format="csv"))) == 3


VALUES = {"exclude": ("x",), "sheet": "1", "separator": ";", "encoding": "utf-8", "format": "csv"}


@pytest.mark.parametrize("kind", [*(kind.name for kind in KINDS), "folder"])
def test_no_option_about_files_is_ignored(kind, tmp_path, monkeypatch):
    """Each option applies to the kind, or an error names it and the kind."""
    path = tmp_path / f"d.{kind}"
    if kind == "folder":
        path.mkdir()
        (path / "a.txt").write_text("wheat and corn")
    else:
        path.write_bytes(CONTENTS[kind]())
    takes = ("encoding", "exclude") if kind == "folder" else next(k.takes for k in KINDS if k.name == kind)
    for option in OF_FILES:
        if option in takes or (option == "format" and kind != "folder"):
            continue
        with pytest.raises(DataError, match=f"^{option_name(option)} .* and .*d.{kind} is read as .* Leave out"):
            read(path, ReadingOptions(**{option: VALUES.get(option, "remark")}))
    for column in ("label_column", "split_column"):
        assert len(read(path, ReadingOptions(**{column: "none"})))  # It asks for nothing.
    assert set(FOR) == set(OF_FILES)


@pytest.mark.parametrize("name", ["n.csv", "n.npz"])
@pytest.mark.parametrize("option", WORDS_OF_TEXTS)
def test_no_option_about_words_is_ignored_by_numbers(option, name, tmp_path):
    (tmp_path / "n.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "n.npz").write_bytes(arrays())
    value = True if option.startswith(("strip", "keep")) else {"language": "de", "stop_words": "none"}.get(option, 3)
    with pytest.raises(DataError, match=f"^{option_name(option)} is about words of texts, and {name} is read as"):
        read(tmp_path / name, ReadingOptions(**{option: value}))


def test_messages_call_options_as_the_command_line_does():
    assert {option_name(field): field for field in READING.values()} == READING


@pytest.mark.parametrize("content", [b"%PDF-1.7 text", b"PK\x03\x04 zip", b"\xd0\xcf\x11\xe0", bytes(range(256)) * 9])
@pytest.mark.parametrize("name", ["file", "d.dat"])
def test_other_kinds_are_refused(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=f"{name} is of a kind that cannot be read"):
        read(tmp_path / name)


def test_help_names_every_ending(capsys):
    from wideangle.cli import main

    with pytest.raises(SystemExit):
        main(["fit", "--help"])
    shown = capsys.readouterr().out
    assert f"({', '.join(VECTOR_FILES)})" in " ".join(shown.split())
    assert not [ending for ending in FORMATS if f".{ending}" not in shown and ending != "ndjson"]
