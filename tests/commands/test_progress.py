"""Without a terminal a long fit says now and then how far it is; and times are those of the whole command."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_models import TRAINED

import wideangle
from wideangle import _progress
from wideangle._progress import ProgressLines, in_words
from wideangle.commands.shell.output import Output


class Clock:
    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def test_a_line_at_most_every_ten_seconds(monkeypatch, capsys):
    clock = Clock(monkeypatch)
    told = ProgressLines("Model", "update")
    for done in range(1, 101):
        clock.now += 1
        told(done * 100, 10_000, f"loss {done}")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Model: update 1,000 of 10,000, loss 10, about 90 s left"
    assert lines[-1] == "Model: update 9,000 of 10,000, loss 90, about 10 s left"
    assert len(lines) == 9


def test_nothing_of_what_is_over_soon(monkeypatch, capsys):
    clock = Clock(monkeypatch)
    told = ProgressLines("Model")
    for done in range(10):
        clock.now += 0.9
        told(done, 10, "")
    clock.now += 100
    told(10, 10, "")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("seconds", "words"), [(3.4, "3 s"), (99, "99 s"), (150, "2 min"), (9000, "2.5 h")])
def test_times_as_people_say_them(seconds, words):
    assert in_words(seconds) == words


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("model", TRAINED)
def test_a_fit_without_a_terminal(model, corpus, run, tmp_path, monkeypatch):
    monkeypatch.setattr(_progress, "EVERY", 0.0)
    options = ("--model", model, "-k", 3, "--updates", 200, "-o", tmp_path / "m")
    code, out, err = run("fit", corpus / "folder", *options)
    assert code == 0
    name = type(wideangle.load(tmp_path / "m")).__name__
    lines = [line for line in err.splitlines() if line.startswith(name)]
    assert lines
    for line in lines:
        assert re.fullmatch(rf"{name}: update \d+ of (60|[24]00), loss [\d.-]+, .*, about [\d.]+ (s|min) left", line), (
            line
        )
    assert name not in out
    assert run("fit", corpus / "folder", *options, "--quiet")[2] == ""


def test_cross_validation_without_a_terminal(corpus, run, monkeypatch):
    monkeypatch.setattr(_progress, "EVERY", 0.0)
    arguments = ("tune", corpus / "corpus.csv", "--diversity", "0,1", "-k", 2, "--updates", 5, "--folds", 2)
    assert re.search(r"^cross-validation: \d of 4.* left$", run(*arguments)[2], re.MULTILINE)


def test_seconds_are_those_of_the_command():
    output = Output("fit", began=time.perf_counter() - 5)
    assert 5 <= output.seconds() < 6


def test_the_time_of_a_fit_counts_from_where_the_command_began(corpus, answer, tmp_path, monkeypatch):
    real = time.perf_counter
    began = real()
    first = [began - 1000]
    monkeypatch.setattr(time, "perf_counter", lambda: first.pop() if first else real())
    found = answer("fit", corpus / "folder", "-k", 2, "--updates", 5, "-o", tmp_path / "m")
    assert 1000 < found["seconds"] < 1200


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system tells no start of a process")
def test_the_start_of_the_program_counts():
    code = "import time; time.sleep(0.5); from wideangle.cli import process_age; print(process_age())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert 0.5 <= float(done.stdout) < 30
