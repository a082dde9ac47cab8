"""Forked, spawned and served processes fit and use models: none hangs, none crashes, and all find the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wideangle import cli

HERE = Path(__file__).parent
FORKS = ["fork_after_a_fit", "fork_from_a_thread", "fork_while_threads_fit"]
MORE_FORKS = [
    "plain_fork_that_ends_as_programs_do",
    "fork_of_a_fork",
    "fork_while_a_thread_tunes",
    "fork_while_a_thread_starts_processes",
]

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")


def run(*cases, patience=110):
    """Run functions of process_cases.py in a program of its own, with two threads of each library."""
    environment = os.environ | {
        "OMP_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
        "OMP_WAIT_POLICY": "PASSIVE",  # Else threads that wait for one another take long on a busy machine.
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent), *filter(None, sys.path)]),
    }
    code = "import process_cases; process_cases.main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *cases], env=environment, capture_output=True, text=True, timeout=patience
    )
    assert done.returncode == 0, done.stdout + done.stderr


@forks
def test_forked_children_neither_hang_nor_crash():
    run(*FORKS)


@forks
@pytest.mark.slow
def test_more_forked_children_neither_hang_nor_crash():
    run(*MORE_FORKS)


@forks
@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        "pool_that_forks",
        "pool_of_a_forkserver",
        "joblib_with_multiprocessing",
        "loader_whose_workers_use_a_model",
        "loader_whose_workers_fit",
        "fork_that_starts_processes",
    ],
)
def test_workers_that_are_forked(case):
    run(case, patience=600)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["pool_that_spawns", "joblib_with_loky", "executor_of_the_standard_library"])
def test_workers_that_are_started_anew(case):
    run(case, patience=600)


def test_threads_of_the_command_line_wait_passively(monkeypatch):
    """As long as the user has not said how they shall wait. Programs that call `main` keep their environment."""
    monkeypatch.setattr(sys, "argv", ["wideangle"])
    for said, expected in ((None, "PASSIVE"), ("ACTIVE", "ACTIVE")):
        monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
        if said is None:
            monkeypatch.delenv("OMP_WAIT_POLICY")
        assert cli.main([]) == 0
        assert os.environ.get("OMP_WAIT_POLICY") == said
        assert cli.main() == 0
        assert os.environ["OMP_WAIT_POLICY"] == expected
