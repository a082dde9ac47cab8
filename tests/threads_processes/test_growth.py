"""Many fits in one process: memory, threads, open files, temporary files and child processes do not grow."""

import ctypes
import gc
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import pytest
from _small_fits import answers, data_for, fitted

import wideangle
from wideangle.catalogue import SHIPPED, entry_of

HERE = Path(__file__).parent
FITS, WARM_UP, WINDOW = 200, 50, 20
MOST_PER_FIT = 20_000  # bytes; a kept copy of the 60 × 40 rows alone would be as many
MOST_OBJECTS = 200  # in all: less than one or two per fit

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has /proc")
each_entry = pytest.mark.parametrize("name", [entry.name for entry in SHIPPED])


def one_round(name, folder):
    """A fit, its answers, and the way to a file and back."""
    entry = entry_of(name)
    data = data_for(entry, 60, 40)
    model = fitted(entry, data)
    path = folder / "model.wideangle"
    model.save(path)
    answers(entry, wideangle.load(path), data[0])


def handles():
    """How many threads, open files and child processes this process has, and what is in its temporary folder."""
    here = Path("/proc/self")
    children = sum(len((task / "children").read_text().split()) for task in (here / "task").iterdir())
    found = {"threads": len(os.listdir(here / "task")), "files": len(os.listdir(here / "fd")), "children": children}
    return found | {"temporary": sorted(os.listdir(tempfile.gettempdir()))}  # torch makes one folder there


def resident():
    """The bytes of memory of this process, after all that is free was given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def many_fits(name):
    """It runs in a process of its own, whose temporary folder is its own too."""
    folder = Path(tempfile.mkdtemp())
    memory = []
    for number in range(FITS):
        one_round(name, folder)
        memory.append(resident())
        if number == WARM_UP:
            before, objects = handles(), len(gc.get_objects())
    assert handles() == before
    assert len(gc.get_objects()) - objects < MOST_OBJECTS
    # Medians, because single fits find the memory in more or fewer pieces.
    first, last = median(memory[WARM_UP : WARM_UP + WINDOW]), median(memory[-WINDOW:])
    grown = (last - first) / (FITS - WARM_UP - WINDOW)
    assert grown < MOST_PER_FIT, f"{grown:.0f} bytes per fit"


@linux
@pytest.mark.slow
@each_entry
def test_200_fits_do_not_grow(name, tmp_path):
    paths = [str(HERE), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, "-c", "import sys, test_growth; test_growth.many_fits(sys.argv[1])", name],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(tmp_path), "OMP_WAIT_POLICY": "PASSIVE"},
        capture_output=True,
        text=True,
        timeout=800,
    )
    assert done.returncode == 0, done.stderr


@linux
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ["BernoulliRBM", "DistanceLearner", "ReplicatedSoftmax"])
def test_a_few_fits_leave_nothing(name, tmp_path, monkeypatch):
    """Memory is left to the long test, which has a process of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    for _ in range(2):
        one_round(name, tmp_path)
    gc.collect()
    before, objects = handles(), len(gc.get_objects())
    for _ in range(4):
        one_round(name, tmp_path)
    gc.collect()
    assert handles() == before
    assert len(gc.get_objects()) - objects < 20
