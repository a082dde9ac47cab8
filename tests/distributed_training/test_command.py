"""`wideangle fit` in several processes: started by the command, or by others."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from real_processes import TESTS, run_together
from small_corpus import documents

import wideangle

FIT = ("-k", "3", "--updates", "40", "--json", "-q")


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"body": text, "category": label}) + "\n" for text, label in documents()))
    return path


def run(*arguments):
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    command = [sys.executable, "-m", "wideangle", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.slow
def test_each_way_writes_the_model_of_one_process(corpus, tmp_path):
    paths = [tmp_path / f"{name}.wideangle" for name in ("one", "started", "joined")]
    assert run("fit", corpus, *FIT, "-o", paths[0]).returncode == 0
    started = run("fit", corpus, *FIT, "-o", paths[1], "--processes", 2)
    assert started.returncode == 0, started.stderr
    assert json.loads(started.stdout)["updates"] == 40
    _, printed = run_together(2, "distributed_training.in_processes", "command", "fit", corpus, *FIT, "-o", paths[2])
    assert json.loads(printed[0])["updates"] == 40
    assert printed[1] == ""  # Only the first process prints and writes.
    one, *others = (wideangle.load(path) for path in paths)
    for other in others:
        np.testing.assert_allclose(other.components_, one.components_, rtol=2e-3, atol=2e-4)
        assert len(other.documents_) == len(one.documents_)


@pytest.mark.slow
def test_what_is_wrong_is_said_by_each_process(corpus, tmp_path):
    foreign = tmp_path / "foreign.wideangle"
    foreign.write_text("no model")
    command = ("distributed_training.in_processes", "command", "fit", corpus, *FIT)
    codes, printed = run_together(2, *command, "-o", foreign, fine=False)
    assert codes == [2, 1]
    assert all("foreign.wideangle" in text for text in printed)
    codes, printed = run_together(2, *command, "-o", tmp_path / "m", "--processes", "2", fine=False)
    assert codes == [2, 2]
    assert "Leave out --processes" in printed[0]


def test_a_model_without_updates_takes_no_processes(corpus, tmp_path):
    said = run("fit", corpus, "--model", "lsi", "-k", 3, "-o", tmp_path / "m", "--processes", 2)
    assert said.returncode == 2
    assert "lsi is not trained by updates that processes could share" in said.stderr
