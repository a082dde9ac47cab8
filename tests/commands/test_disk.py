"""What the disk refuses is told in a sentence with the file's name."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wideangle._files import replacing


def failing(number):
    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    return fail


CASES = [
    (errno.ENOSPC, "the disk is full"),
    (errno.EDQUOT, "your share of the disk is used up"),
    (errno.EROFS, "the file system is read-only"),
    (errno.EFBIG, "larger than is allowed"),
]


@pytest.mark.parametrize(("number", "message"), CASES)
@pytest.mark.parametrize("command", ["fit", "transform", "topics", "explore"])
def test_a_disk_that_takes_nothing_more(command, number, message, models, corpus, run, tmp_path, monkeypatch):
    more = {
        "fit": ("fit", corpus / "folder", "-k", 2, "--updates", 5, "--quiet", "-o", tmp_path / "out.wideangle"),
        "transform": ("transform", models["mlp"], corpus / "folder", "--quiet", "-o", tmp_path / "out.npz"),
        "topics": ("topics", models["mlp"], "-o", tmp_path / "out.csv"),
        "explore": ("explore", models["mlp"], "-o", tmp_path / "out.html"),
    }[command]
    monkeypatch.setattr(os, "fsync", failing(number))
    code, out, err = run(*more)
    assert (code, out) == (1, "")
    assert err == f"wideangle {command}: {more[-1]} cannot be written: {err.split('written: ')[1]}"
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_the_name_is_that_of_the_file_not_of_the_temporary_one(tmp_path):
    with pytest.raises(PermissionError) as caught, replacing(tmp_path / "file") as temporary:
        raise PermissionError(errno.EACCES, "no", str(temporary))
    assert caught.value.filename == str(tmp_path / "file")
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "file"):
        Path("/nothing/here").read_text()
    assert caught.value.filename == "/nothing/here"


@pytest.mark.slow
@pytest.mark.quick_cases(1)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("option", [(), ("--json",), ("--csv",)])
def test_what_is_printed_finds_no_room(option, models):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "wideangle", "topics", str(models["mlp"]), *option]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr == (
        "wideangle topics: what was found cannot be written: the disk is full. Free some space, or write elsewhere.\n"
    )


def test_a_model_is_read_from_a_file(run, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code, _, err = run("topics", tmp_path / "pipe")
    assert code == 1
    assert "is a pipe or a device, and a model is read from a file" in err
