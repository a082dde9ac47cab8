"""`wideangle topics --rename` by several processes at once: no name is lost."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import wideangle
from wideangle import _files, _locks
from wideangle._locks import exclusively
from wideangle.commands.work.topics import topic_list
from wideangle.commands.work.topics.topic_edits import TopicEdits
from wideangle.commands.work.topics.topic_list import TopicOptions, list_topics


@pytest.fixture
def model(models, tmp_path):
    """A copy that may be changed."""
    return Path(shutil.copy(models["replicated-softmax"], tmp_path / "m.wideangle"))


def run_together(*commands):
    """Processes that run at the same time; each must end well."""
    processes = [subprocess.Popen([sys.executable, *map(str, command)], stderr=subprocess.PIPE) for command in commands]
    said = [process.communicate(timeout=240)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), said


@pytest.mark.slow
def test_processes_that_rename_at_once_lose_no_name(model):
    numbers = range(1, 6)
    asked = ("-m", "wideangle", "topics", model, "-t", 6, "--quiet", "-o", "-", "--rename")
    run_together(*((*asked, number, f"name {number}") for number in numbers))
    names = [topic.name for topic in wideangle.load(model).topics_]
    assert names[:5] == [f"name {number}" for number in numbers]
    assert [file.name for file in model.parent.iterdir()] == [model.name]  # No lock is left behind.


COUNT_UP = """
import pathlib, sys, time
from wideangle import _files, _locks
path, begin = pathlib.Path(sys.argv[1]), float(sys.argv[3])
_locks.CAN_LOCK = sys.argv[2] == "True"
time.sleep(max(0.0, begin - time.time()))
for _ in range(10):
    with _locks.exclusively(path) as is_unchanged:
        number = int(path.read_text())
        time.sleep(0.002)
        assert is_unchanged()
        with _files.replacing(path) as temporary:
            temporary.write_text(str(number + 1))
"""


@pytest.mark.parametrize("locks", [True, False], ids=["locks of the system", "a file beside it"])
def test_changes_of_a_file_come_one_after_the_other(locks, tmp_path):
    path = tmp_path / "number"
    path.write_text("0")
    run_together(*[("-c", COUNT_UP, path, locks, time.time() + 0.5)] * 4)
    assert path.read_text() == "40"
    assert os.listdir(tmp_path) == ["number"]


def test_a_lock_that_was_left_behind_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(_locks, "CAN_LOCK", False)
    monkeypatch.setattr(_locks, "PATIENCE", 0.0)
    (tmp_path / "number").touch()
    (tmp_path / "number.lock").touch()
    said = "another process is changing the file. Delete this lock.*number.lock"
    with pytest.raises(OSError, match=said), exclusively(tmp_path / "number"):
        pass


def test_a_model_that_is_replaced_meanwhile_is_left_alone(model, run, monkeypatch):
    other = model.read_bytes()
    grouped = topic_list.topics_of_documents

    def slow(*arguments, **options):
        with _files.replacing(model) as temporary:
            temporary.write_bytes(other)
        return grouped(*arguments, **options)

    monkeypatch.setattr(topic_list, "topics_of_documents", slow)
    code, _, err = run("topics", model, "--rename", "1", "mine")
    assert code == 1
    assert "Run this again." in err
    assert model.read_bytes() == other


def test_a_pipe_is_refused_and_not_waited_for(run, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code, _, err = run("topics", tmp_path / "pipe", "--rename", "1", "mine")
    assert code == 2
    assert "is a pipe, which a file would replace" in err


def test_a_link_is_locked_as_its_file(model):
    link = model.with_name("link")
    link.symlink_to(model)
    list_topics(link, TopicOptions(edits=TopicEdits(renamed=(("1", "mine"),))))
    assert link.is_symlink()
    assert wideangle.load(model).topics_[0].name == "mine"
