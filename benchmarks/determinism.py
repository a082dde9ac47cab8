"""Does the same seed give the same bits, whatever the threads, the BLAS and the CPU? If not, how far apart are results?

    python benchmarks/determinism.py            all estimators of the catalogue, each setting in a process of its own
    python benchmarks/determinism.py --quick    a few estimators and settings
    python benchmarks/determinism.py --single   the same of rows in single precision, where an estimator computes in it
    python benchmarks/determinism.py --precision    single against double precision, where an estimator has both

Each estimator is fitted to 600 made documents of 400 words. The first table says how far all that was learned is
from the first setting, the second how far the representations are: the largest difference, as a share of the largest
value of an array; "=" are the same bits. The third has the share of documents with the same five neighbours, and
of those with the same topic. A setting that this computer cannot take is left out.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _small_fits import Arrays, answers, data_for, fitted, learned

from wideangle.catalogue import SHIPPED, Entry, entry_of

DOCUMENTS, WORDS = 600, 400
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Threads that wait passively leave the processors to those that compute, which changes no bit and saves much time.
ONE = {**dict.fromkeys(THREADS, "1"), "PYTHONHASHSEED": "0", "OMP_WAIT_POLICY": "PASSIVE"}
SETTINGS: dict[str, dict[str, str]] = {
    "one thread": {},
    "again": {"PYTHONHASHSEED": "1"},
    "2 threads": dict.fromkeys(THREADS, "2"),
    "4 threads": dict.fromkeys(THREADS, "4"),
    "BLAS 4": {"OPENBLAS_NUM_THREADS": "4"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "plain": {"ATEN_CPU_CAPABILITY": "default"},
    "AVX2": {"ATEN_CPU_CAPABILITY": "avx2"},
}
QUICK = ("one thread", "2 threads", "plain")
FEW = ("ReplicatedSoftmax", "DistanceLearner", "LSI")


def answers_in_process(
    names: Sequence[str], setting: dict[str, str], folder: Path, dtype: str = "float64"
) -> dict[str, Arrays]:
    """What the estimators answer in a new process with this environment."""
    script = "import sys, determinism; determinism.write_answers(*sys.argv[1:3], sys.argv[3:])"
    path = folder / "answers.npz"
    here = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = os.environ | ONE | setting | {"PYTHONPATH": here}
    subprocess.run([sys.executable, "-c", script, str(path), dtype, *names], env=environment, check=True)
    found: dict[str, Arrays] = {name: {} for name in names}
    with np.load(path) as arrays:
        for key in arrays.files:
            name, _, what = key.partition(": ")
            found[name][what] = arrays[key]
    return found


def write_answers(path: str, dtype: str, names: Sequence[str]) -> None:
    """Fit each estimator and write what it answers. It runs in the new process."""
    entries = [entry_of(name) for name in names]
    found = {entry.name: answers_of(entry, dtype) for entry in entries}
    arrays = {f"{name}: {what}": array for name, each in found.items() for what, array in each.items()}
    np.savez(path, **arrays)  # type: ignore[arg-type]


def answers_of(entry: Entry, dtype: Any = np.float64) -> Arrays:
    """Fit an estimator to the made documents, and ask it."""
    X, y = data_for(entry, DOCUMENTS, WORDS, dtype)
    return answers(entry, fitted(entry, (X, y)), X)


def difference(one: Arrays, other: Arrays, beginning: str) -> float:
    """The largest difference of arrays whose names begin so, as a share of the largest value of each; 0: same bits."""
    found = 0.0
    for name in one:
        if not name.startswith(beginning):
            continue
        if one[name].shape != other[name].shape:
            return float("inf")
        if one[name].tobytes() != other[name].tobytes():
            apart = np.abs(one[name].astype(np.float64) - other[name]).max()
            found = max(found, float(apart / np.abs(one[name]).max()), sys.float_info.min)
    return found


def same_share(one: Arrays, other: Arrays, name: str) -> float | None:
    """The share of rows that are the same, whatever their order is; None where there is no such array."""
    if name not in one:
        return None
    a, b = (np.sort(each[name].reshape(len(each[name]), -1), axis=1) for each in (one, other))
    return float((a == b).all(axis=1).mean())


def same_groups(one: Arrays, other: Arrays) -> float | None:
    """The share of documents in the same topic, whatever the topics are numbered; None where there are no topics."""
    from wideangle.evaluation import clustering_accuracy

    return clustering_accuracy(one["topics"], other["topics"]) if "topics" in one else None


def _cell(value: float | None) -> str:
    return "-" if value is None else "=" if value == 0 else f"{value:.0e}"


def _share(*values: float | None) -> str:
    return " ".join("-" if value is None else "all" if value == 1 else f"{value:.1%}" for value in values)


def print_tables(found: dict[str, dict[str, Arrays]]) -> None:
    """Three tables, a line per estimator and a column per setting."""
    first, *others = found
    titles = {
        "learned": "what was learned",
        "represented": "representations",
        "same": "documents with the same neighbours, and with the same topic",
    }
    for what, title in titles.items():
        print(f"\n{title}\n{'':22}" + "".join(f"{other:>14}" for other in others))
        for name, one in found[first].items():
            cells = []
            for other in others:
                two = found[other][name]
                if what == "same":
                    cells.append(_share(same_share(one, two, "neighbours"), same_groups(one, two)))
                else:
                    cells.append(_cell(difference(one, two, what)))
            print(f"{name:22}" + "".join(f"{cell:>14}" for cell in cells))


def print_precision(names: Sequence[str]) -> None:
    """How far a fit in single precision is from one in double precision, where the rows decide which it is."""
    print(f"{'':22}{'learned':>14}{'represented':>14}{'neighbours':>14}{'topics':>14}")
    for entry in map(entry_of, names):
        if not has_both_precisions(entry):
            continue
        one, two = (answers_of(entry, dtype) for dtype in (np.float64, np.float32))
        same = [_share(same_share(one, two, "neighbours")), _share(same_groups(one, two))]
        apart = [_cell(difference(one, two, what)) for what in ("learned", "represented")]
        print(f"{entry.name:22}" + "".join(f"{cell:>14}" for cell in [*apart, *same]))


def has_both_precisions(entry: Entry) -> bool:
    """Whether an estimator computes in the precision of its rows."""
    X, y = data_for(entry, 60, 40, np.float32)
    return any(array.dtype == np.float32 for array in learned(fitted(entry, (X, y))).values())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few estimators and settings")
    parser.add_argument("--single", action="store_true", help="rows in single precision")
    parser.add_argument("--precision", action="store_true", help="single against double precision")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these estimators")
    asked = parser.parse_args()
    names = asked.only or (FEW if asked.quick else [entry.name for entry in SHIPPED])
    if asked.precision:
        print_precision(names)
        return
    if asked.single:
        names = [name for name in names if has_both_precisions(entry_of(name))]
    dtype, found = "float32" if asked.single else "float64", {}
    with tempfile.TemporaryDirectory() as folder:
        for title in QUICK if asked.quick else SETTINGS:
            found[title] = answers_in_process(names, SETTINGS[title], Path(folder), dtype)
    print_tables(found)


if __name__ == "__main__":
    main()
