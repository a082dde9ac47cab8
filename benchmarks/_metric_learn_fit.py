"""Fit LMNN or ITML of wideangle or of metric-learn; keep A; print seconds, peak memory and versions as JSON.

It is started by `_metric_peer.py`, in an interpreter that has the package, and imports nothing else of this folder.
"""

import json
import resource
import sys
import time
from importlib import import_module
from importlib.metadata import version

import numpy as np


def main() -> None:
    package, method, seed, given, learned = sys.argv[1:]
    rows = np.load(given)
    X, y = rows["X"].astype(np.float64), rows["y"]
    if package == "metric-learn":
        kind = getattr(import_module("metric_learn"), {"LMNN": "LMNN", "ITML": "ITML_Supervised"}[method])
    else:
        kind = getattr(import_module("wideangle.baselines.metrics"), method)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # Linux counts in kilobytes.
    began = time.perf_counter()
    model = kind(random_state=int(seed)).fit(X, y)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    np.save(learned, model.components_)
    versions = {name: version(name) for name in (package, "scikit-learn", "numpy")}
    print(json.dumps({"seconds": seconds, "GB": peak, "GB before": before, "rows": len(y), "versions": versions}))


if __name__ == "__main__":
    main()
