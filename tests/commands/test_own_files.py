"""Nothing is replaced that this program did not write, without --force: one rule for every command and format."""

import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from wideangle.cli import build_parser
from wideangle.commands.files.own_files import COLUMNS, described, is_own
from wideangle.commands.files.tables import SINGLE, Column, Table, write_table

TABLES = {".csv", ".xlsx", ".parquet", ".jsonl"}


@pytest.fixture
def model(models):
    return models["replicated-softmax"]


def foreign(path):
    """A file of that ending which a user made in the usual way."""
    frame = pd.DataFrame({"topic": ["mine"], "name": [1.5]})
    writers = {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".xlsx": lambda: frame.to_excel(path, index=False),
        ".parquet": lambda: frame.to_parquet(path),
        ".jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        ".npz": lambda: np.savez(path, X=np.ones((2, 2)), names=np.array(["a", "b"])),
        ".html": lambda: path.write_text("<!doctype html><title>mine</title>"),
    }
    writers[path.suffix]()


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        *(("topics", ending) for ending in sorted(TABLES)),
        *(("assign", ending) for ending in sorted(TABLES)),
        *(("transform", ending) for ending in sorted(TABLES | {".npz"})),
        ("explore", ".html"),
    ],
)
def test_own_files_are_replaced_and_others_by_force_alone(command, ending, model, corpus, run, tmp_path):
    path = tmp_path / f"out{ending}"
    asked = (
        command,
        model,
        *([corpus / "corpus.csv"] if command in ("transform", "assign") else []),
        "-o",
        path,
        "--quiet",
    )
    foreign(path)
    before = path.read_bytes()
    code, out, err = run(*asked)
    assert (code, out) == (2, "")
    assert f"{path} exists and is {described(path)} that wideangle {command} did not write" in err
    assert "--force" in err
    assert path.read_bytes() == before
    assert run(*asked, "--force")[0] == 0
    ours = path.read_bytes()
    assert ours != before
    assert run(*asked)[0] == 0  # What the program wrote itself it replaces.


def test_every_command_that_writes_files_has_force():
    (commands,) = (action for action in build_parser()._actions if action.dest == "command")
    for name, parser in commands.choices.items():
        options = parser._option_string_actions
        assert ("--force" in options) == ("-o" in options), name


def test_a_curve_and_a_demonstration_replace_their_own_alone(corpus, run, tmp_path, monkeypatch):
    path = tmp_path / "curve.png"
    tune = ("tune", corpus / "corpus.csv", "-k", 2, "--updates", 3, "--folds", 2, "--diversity", "0", "-o", path, "-q")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(30))
    assert "is a picture that wideangle tune did not write" in run(*tune)[2]
    assert run(*tune, "--force")[0] == 0
    assert run(*tune)[0] == 0
    monkeypatch.setattr("wideangle.commands.work.demo.demonstration.python_docs", lambda: pytest.fail("the work began"))
    (tmp_path / "explorer.html").write_text("<html>my page")
    code, _, err = run("demo", "-o", tmp_path)
    assert code == 2
    assert "explorer.html exists and is a page that wideangle explore did not write" in err


def test_one_kind_does_not_replace_another(model, corpus, run, tmp_path):
    for name in ("a.csv", "a.xlsx", "a.parquet"):
        assert run("topics", model, "-o", tmp_path / name)[0] == 0
        code, _, err = run("transform", model, corpus / "corpus.csv", "-o", tmp_path / name)
        assert code == 2, name
        assert "that wideangle transform did not write" in err


def test_a_workbook_that_was_saved_again_belongs_to_who_saved_it(tmp_path):
    import openpyxl

    path = tmp_path / "t.xlsx"
    write_table(path, Table("topics", [Column(name) for name in COLUMNS["topics"]], []))
    assert is_own(path, "topics")
    book = openpyxl.load_workbook(path)
    book.properties.lastModifiedBy = "Ada"
    book.active["B2"] = "my remark"
    book.save(path)
    assert not is_own(path, "topics")


@pytest.mark.parametrize(
    "text",
    [
        "id,c1,c2\n1,0.25,0.1\n2,0.3,0.4\n",  # numbers that somebody rounded
        "id,c1,c2\n1,3,4\n",  # whole numbers
        "id,c1,c3\n1,0.100000001,0.200000003\n",
        "id,label,c1\n",
        "id,c1\n1,0.1000000",  # a line that is cut
        "topic,name,size\n1,x,3\n",
        "\ufeffid;c1\n",
        '"id","c1\n',
        "id\x00,c1\n",
        "{}\n",
        "[1, 2]\n",
        '{"id": "a", "c1": 0.1}\n',
    ],
)
def test_tables_like_ours_are_not_ours(text, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(text)
    assert not any(is_own(path, kind) for kind in ("topics", "documents", "vectors", "page", "curve", "model"))


@pytest.mark.parametrize("ending", sorted(TABLES))
def test_vectors_are_known_by_their_digits_or_their_mark(ending, tmp_path):
    path = tmp_path / f"v{ending}"
    rows = [("=x", 0.1234567, 0.0), ("y, z", -1e-7, 2.5)]
    columns = [Column("id"), *(Column(f"c{k}", float, SINGLE) for k in (1, 2))]
    cells = [(name, *np.float32(numbers).tolist()) for name, *numbers in rows]
    assert write_table(path, Table("vectors", columns, cells)) == 2
    assert is_own(path, "vectors")
    assert not is_own(path, "topics")


def test_a_page_is_told_from_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "x").write_bytes(b"PAR1" + bytes(40))
    assert not is_own(tmp_path / "x", "page")
    assert described(tmp_path / "x") == "a Parquet table"


def test_damaged_archives_are_not_ours(tmp_path):
    for name in ("a.xlsx", "a.npz"):
        (tmp_path / name).write_bytes(b"PK\x03\x04" + bytes(40))
        assert not is_own(tmp_path / name, "topics")
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + bytes(40))
    assert not is_own(tmp_path / "a.parquet", "topics")
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("x", "y")
    assert not is_own(tmp_path / "b.npz", "vectors")
