"""Mistakes in arguments and files are told before anything heavy is imported, by every command."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import safetensors.numpy
from saved_models import small_machine

from wideangle.cli import COMMANDS

HEAVY = ("torch", "sklearn", "scipy", "pandas", "pyarrow", "safetensors")
# What is wrong, the arguments, the exit code, and what is said.
CASES = {
    "demo": [
        (["--updates", "0"], 2, "no whole number of at least 1"),
        (["-o", "table.csv"], 1, "table.csv is a file. Name a folder"),
    ],
    "fit": [
        (["nothing.csv"], 1, "nothing.csv does not exist"),
        (["nothing.csv", "-k", "none"], 2, "no whole number of at least 1"),
        (["table.docx"], 1, "table.docx is of a kind that cannot be read"),
        (["table.csv", "--format", "docx"], 2, "--format 'docx' cannot be read"),
        (["table.csv", "--surrogate", "sphere"], 2, "invalid choice: 'sphere'"),
        (["table.csv", "--language", "martian"], 2, "'martian'"),
        (["table.csv", "--stop-words", "nothing.txt"], 1, "there is no such file"),
        (["table.csv", "--model", "tf-idf", "-k", "3"], 2, "has one component per word"),
        (["table.csv", "--model", "lsi", "--diversity", "auto"], 2, "lsi has no diversity"),
        (["table.csv", "--finish", "none", "--for", "groups"], 2, "asks for no finish"),
        (["table.csv", "-o", "nowhere/model"], 1, "nowhere does not exist. Make it"),
        (["table.csv", "-o", "table.docx"], 2, "table.docx exists and is a text that wideangle fit did not write"),
        (["table.csv", "-o", "table.csv"], 2, "would replace table.csv, which is read"),
    ],
    "info": [
        (["nothing"], 1, "nothing does not exist"),
        ([], 2, "required: MODEL"),
        (["table.csv"], 1, "table.csv cannot be read as a model"),
        (["other.safetensors"], 1, "is a safetensors file, but no model of wideangle"),
        (["newer"], 1, "newer has format 99, and wideangle"),
        (["."], 1, ". is a folder, and a file is wanted"),
    ],
    "topics": [
        (["nothing"], 1, "nothing does not exist"),
        (["model", "--exclusive", "2"], 2, "no number from 0 to 1"),
        (["model", "-o", "topics.txt"], 2, "must end in .csv"),
        (["model", "--components", "--tree"], 2, "are about topics. Components are listed by"),
        (["model", "--rename", "one", "Corn"], 2, "takes the number of a topic, from 1 on; got 'one'"),
    ],
    "assign": [
        (["nothing", "table.csv", "--csv"], 1, "nothing does not exist"),
        (["model", "nothing.csv", "--csv"], 1, "nothing.csv does not exist"),
        (["model", "table.csv", "-o", "topics.txt"], 2, "must end in .csv"),
        (["model", "table.csv", "--csv", "--nearest", "-1"], 2, "no whole number of at least 0"),
    ],
    "update": [
        (["nothing", "table.csv"], 1, "nothing does not exist"),
        (["model", "nothing.csv"], 1, "nothing.csv does not exist"),
        (["model", "table.csv", "-o", "table.docx"], 2, "is a text that wideangle fit did not write"),
    ],
    "transform": [
        (["nothing", "table.csv", "--csv"], 1, "nothing does not exist"),
        (["model", "nothing.csv", "--csv"], 1, "nothing.csv does not exist"),
        (["model", "table.csv"], 2, "-o/--output --csv is required"),
        (["model", "table.csv", "-o", "vectors.txt"], 2, "must end in .npz, .csv, .xlsx, .parquet, .jsonl"),
        (["model", "table.csv", "-o", "nowhere/v.csv"], 1, "nowhere does not exist"),
    ],
    "search": [
        (["nothing", "wheat"], 1, "nothing does not exist"),
        (["model", "wheat", "--in", "nothing.csv"], 1, "nothing.csv does not exist"),
        (["model", "wheat", "-n", "0"], 2, "no whole number of at least 1"),
    ],
    "evaluate": [
        (["nothing"], 1, "nothing does not exist"),
        (["model", "nothing.csv"], 1, "nothing.csv does not exist"),
        (["model", "--perplexity"], 2, "name their PATH"),
    ],
    "tune": [
        (["nothing.csv"], 1, "nothing.csv does not exist"),
        (["table.csv", "--folds", "1"], 2, "--folds 1 leaves nothing to judge by"),
        (["table.csv", "--measure", "beauty"], 2, "--measure 'beauty' is no measure for this model. Take auto, 'P@10'"),
        (["table.csv", "--model", "tf-idf", "-k", "3,4"], 2, "has one component per word"),
        (["table.csv", "-o", "curve.pdf"], 2, "does not end in .png"),
    ],
    "explore": [
        (["nothing"], 1, "nothing does not exist"),
        (["nothing", "--serve"], 1, "nothing does not exist"),
        (["model", "--compare", "nothing"], 1, "nothing does not exist"),
        (["model", "--layout", "nothing.npy"], 1, "nothing.npy does not exist"),
        (["model", "--port", "70000", "--serve"], 2, "is no port"),
        (["model", "--port", "8000"], 2, "Add --serve"),
        (["model", "-o", "table.csv"], 2, "is a table with the columns 'text', 'label' that wideangle explore did not"),
        (["model", "--serve", "--port", "TAKEN"], 1, "cannot be used (Address already in use)"),
    ],
    "reproduce": [
        (["nothing"], 2, "there is no spec 'nothing'"),
        (["nothing.toml"], 1, "nothing.toml does not exist"),
        (["--jobs", "0"], 2, "no whole number of at least 1"),
        (["--report", "-o", "table.csv"], 1, "is a file. Name a folder"),
        (["--records", "table.csv"], 1, "is a file. Name a folder with --records"),
    ],
    "completion": [(["ksh"], 2, "invalid choice: 'ksh'"), ([], 2, "required: shell")],
}
# The program runs every case and says after each which heavy packages are there.
PROGRAM = """
import contextlib, io, json, socket, sys
from wideangle.cli import main

def outcome(arguments):
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = ended.code
    return code, said.getvalue(), [name for name in {heavy!r} if name in sys.modules]

with socket.create_server(("127.0.0.1", 0)) as taken:
    port = str(taken.getsockname()[1])
    cases = [[port if part == "TAKEN" else part for part in case] for case in {cases!r}]
    print(json.dumps([outcome(case) for case in cases]))
"""


def outcomes(cases, folder):
    program = PROGRAM.format(heavy=HEAVY, cases=cases)
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder, env=environment
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("early")
    (root / "table.csv").write_text("text,label\nwheat corn,a\nship port,b\n")
    (root / "table.docx").write_text("words")
    small_machine().save(root / "model")
    (root / "other.safetensors").write_bytes(safetensors.numpy.save({"a": np.ones(3)}))
    newer = safetensors.numpy.save({"a": np.ones(3)}, {"wideangle": '{"format": 99}'})
    (root / "newer").write_bytes(newer)
    return root


def test_every_command_is_here():
    assert CASES.keys() == COMMANDS.keys()
    for cases in CASES.values():
        assert {code for _, code, _ in cases} >= {2}


def test_what_is_wrong_is_told_before_anything_heavy_is_imported(folder):
    cases = [(command, *case) for command, several in CASES.items() for case in several]
    found = outcomes([[command, *arguments] for command, arguments, _, _ in cases], folder)
    for (command, arguments, code, message), (got, said, heavy) in zip(cases, found, strict=True):
        assert heavy == [], (command, arguments)
        assert (got, said.count("\n")) == (code, 1), (command, arguments, said)
        assert said.startswith(f"wideangle {command}: "), said
        assert message in said, (command, arguments, said)
    assert sorted(path.name for path in folder.iterdir()) == [
        "model",
        "newer",
        "other.safetensors",
        "table.csv",
        "table.docx",
    ]


def test_help_and_completion_import_nothing_heavy(folder):
    for code, said, heavy in outcomes([["--help"], ["completion", "bash"], ["fit", "--help"], []], folder):
        assert (code, heavy) == (0, [])
        assert "wideangle" in said
