"""Examples, benchmarks and figures run as they are."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(script, *arguments):
    command = [sys.executable, str(ROOT / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_sparse_coding_gains_from_some_diversity():
    rows = [line.replace("°", "").split() for line in run("examples/sparse_coding.py").splitlines()[2:]]
    plain, *regularised = [[float(x) for x in row] for row in rows]
    assert max(accuracy for *_, accuracy in regularised) > plain[3]
    assert min(error for *_, error, _ in regularised) < plain[2]
    assert all(angle > plain[1] + 5 for _, angle, *_ in regularised)


def test_every_example_has_a_test_here():
    names = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert names == {"sparse_coding"}


@pytest.mark.parametrize("benchmark", sorted(p.name for p in (ROOT / "benchmarks").glob("[!_]*.py")))
def test_benchmark_runs(benchmark):
    assert run(f"benchmarks/{benchmark}", "--quick")
