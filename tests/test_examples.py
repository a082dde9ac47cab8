"""Examples, benchmarks and figures run as they are."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = sorted(path.name for path in (ROOT / "benchmarks").glob("[!_]*.py"))
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))
SCRIPTS = [f"benchmarks/{name}" for name in BENCHMARKS] + [f"examples/{name}" for name in EXAMPLES]


def run(script, *arguments):
    command = [sys.executable, str(ROOT / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_sparse_coding_gains_from_some_diversity():
    rows = [line.replace("°", "").split() for line in run("examples/sparse_coding.py").splitlines()[2:]]
    plain, *regularised = [[float(x) for x in row] for row in rows]
    assert max(accuracy for *_, accuracy in regularised) > plain[3]
    assert min(error for *_, error, _ in regularised) < plain[2]
    assert all(angle > plain[1] + 5 for _, angle, *_ in regularised)


def numbers(line):
    return [float(cell) for cell in line.replace("°", "").split()]


@pytest.mark.slow
def test_lightning_trains_with_the_callback():
    pytest.importorskip("lightning", reason="Lightning is not installed: pip install 'wideangle[lightning]'")
    plain, regularised = map(numbers, run("examples/lightning_callback.py").splitlines()[2:])
    assert regularised[1] > plain[1] + 0.05
    assert min(plain[2], regularised[2]) > 0.9


@pytest.mark.slow
def test_spark_asks_a_saved_model():
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    what, agreed = run("examples/spark.py").splitlines()[-2:]
    assert what.startswith("90 documents, ")
    assert agreed.startswith("90 of 90 are as sure")


def test_every_example_has_a_test_here():
    assert EXAMPLES == [
        "lightning_callback.py",
        "spark.py",
        "sparse_coding.py",
    ]


@pytest.mark.parametrize(
    "script", [f"benchmarks/{name}" for name in BENCHMARKS] + [f"examples/{name}" for name in EXAMPLES]
)
def test_everything_a_script_imports_is_there(script):
    """The quick part of running them, which is left to `make test-slow`."""
    if script == "examples/lightning_callback.py":
        pytest.importorskip("lightning", reason="Lightning is not installed: pip install 'wideangle[lightning]'")
    if script == "examples/spark.py":
        pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
    assert callable(runpy.run_path(str(ROOT / script), run_name="imported")["main"])


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_benchmark_runs(benchmark):
    assert run(f"benchmarks/{benchmark}", "--quick")
