"""Fit LMNN or ITML of wideangle or of metric-learn; keep A; print seconds, peak memory and versions as JSON.

It is started by `_metric_peer.py`, in an interpreter that has the package, and imports nothing else of this folder.
"""

import json
import sys
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np


def peak_gigabytes() -> float:
    """The most memory that this program has had. `getrusage` would begin with that of the process which started it."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 2**20


def main() -> None:
    package, method, seed, given, learned = sys.argv[1:]
    rows = np.load(given)
    X, y = rows["X"].astype(np.float64), rows["y"]
    if package == "metric-learn":
        kind = getattr(import_module("metric_learn"), {"LMNN": "LMNN", "ITML": "ITML_Supervised"}[method])
    else:
        kind = getattr(import_module("wideangle.baselines.metrics"), method)
    before = peak_gigabytes()
    began = time.perf_counter()
    model = kind(random_state=int(seed)).fit(X, y)
    seconds = time.perf_counter() - began
    peak = peak_gigabytes()
    np.save(learned, model.components_)
    versions = {name: version(name) for name in (package, "scikit-learn", "numpy")}
    print(json.dumps({"seconds": seconds, "GB": peak, "GB before": before, "rows": len(y), "versions": versions}))


if __name__ == "__main__":
    main()
