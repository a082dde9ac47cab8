"""`wideangle tune` and `reproduce` that are killed before, in and after the first record lose nothing and go on."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from fake_fits import changed, write_small_corpus, write_spec

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")]

SPEC = changed(kind='"by data"', models='["weights", "plain"]', sizes=None, tuned_at=None, seeds="1", folds="1")
UNCOUNTED = ("seconds", "all seconds", "GB", "GPU GB", "made on", "made with")  # what differs from run to run


def start(arguments, folder, environment):
    command = [sys.executable, "-m", "wideangle", *map(str, arguments)]
    return subprocess.Popen(command, cwd=folder, env=os.environ | environment, stdout=subprocess.PIPE, text=True)


def lines_of(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_after(process, path, n_lines):
    """Kill a process as soon as a file has so many lines; with 0 lines while Python is still starting."""
    began = time.monotonic()
    while process.poll() is None and (lines_of(path) < n_lines or (not n_lines and time.monotonic() - began < 0.3)):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def finished(arguments, folder, environment):
    out, _ = start(arguments, folder, environment).communicate()
    return json.loads(out)


def test_tune_goes_on_after_each_kill_and_finds_the_same(corpus, tmp_path):
    updates = ["-k", "2,3", "--updates", "60", "--diversity", "0,0.3", "--json"]
    arguments = ["tune", corpus / "corpus.csv", *updates]
    one = {"OMP_NUM_THREADS": "1", "LOKY_MAX_CPU_COUNT": "1"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    whole = finished(arguments, elsewhere, one)
    journal = tmp_path / "corpus.tuning.jsonl"
    kill_after(start(arguments, tmp_path, one), journal, 0)
    assert lines_of(journal) == 0
    kill_after(start(arguments, tmp_path, one), journal, 3)  # what it is about, and two fits
    known = lines_of(journal)
    assert known >= 3
    journal.write_bytes(journal.read_bytes()[:-5])  # as a kill in the middle of writing leaves it
    kill_after(start(arguments, tmp_path, one), journal, known + 1)
    assert finished(arguments, tmp_path, one)["tuning"] == whole["tuning"]
    assert not journal.exists()


def test_reproduce_goes_on_after_each_kill_and_has_each_record_once(tmp_path):
    spec = write_spec(tmp_path / "specs", SPEC, name="own")
    corpus = write_small_corpus(tmp_path / "small.npz")
    one = {"WIDEANGLE_DOCSTRINGS": str(corpus), "WIDEANGLE_DATA": str(tmp_path), "OMP_NUM_THREADS": "1"}

    def asked(folder):
        return ["reproduce", spec, "--records", folder, "--json"]

    whole, records = tmp_path / "whole", tmp_path / "records"
    finished(asked(whole), tmp_path, one)
    path = records / "documents.jsonl"
    kill_after(start(asked(records), tmp_path, one), path, 0)
    kill_after(start(asked(records), tmp_path, one), path, 1)
    path.write_bytes(path.read_bytes()[:-7])
    kill_after(start(asked(records), tmp_path, one), path, 2)
    assert finished(asked(records), tmp_path, one)["left"] == 0

    def of(folder):
        found = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
        for record in found:
            record["measures"].pop("seconds")
        return sorted(json.dumps({k: v for k, v in each.items() if k not in UNCOUNTED}) for each in found)

    assert of(records) == of(whole)
