"""LMNN and ITML beside those of metric-learn, which an interpreter of its own has. `metric_baselines.py --peer`."""

import json
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from _distance_parts import parts_of, scores
from _records import Record

SCRIPT = Path(__file__).parent / "_metric_learn_fit.py"
PACKAGES = ("wideangle", "metric-learn")
SETS = ("wine, standardised", "digits, standardised", "6activities")
LONGEST = 600  # seconds that one fit may take


def peer_jobs() -> list[Record]:
    """Both packages with their defaults; on 6-Activities with 50 principal components, and with all features."""
    jobs = []
    for name, n_principal, model, package in product(SETS, (None, 50), ("ITML", "LMNN"), PACKAGES):
        if n_principal is None or name == "6activities":
            job = {"data": name, "model": model, "stage": "peer", "seed": 0, "package": package}
            jobs.append(job | {"n_principal": n_principal})
    return sorted(jobs, key=lambda job: (SETS.index(job["data"]), job["n_principal"] or 10_000))


def run_peer(peer: str, job: Record) -> Record:
    """Fit one method in a process of its own, metric-learn's by the interpreter `peer`, and measure what it learned."""
    python = peer if job["package"] == "metric-learn" else sys.executable
    name, seed = job["data"], job["seed"]
    X_train, y_train, X_test, y_test, _ = parts_of(name, seed)
    if job["n_principal"] is not None:
        centre = X_train.mean(axis=0)
        directions = np.linalg.svd(X_train - centre, full_matrices=False)[2][: job["n_principal"]]
        X_train, X_test = ((rows - centre) @ directions.T for rows in (X_train, X_test))
    with tempfile.TemporaryDirectory() as folder:
        given, learned = Path(folder) / "rows.npz", Path(folder) / "learned.npy"
        np.savez(given, X=X_train, y=y_train)
        command = [python, str(SCRIPT), job["package"], job["model"], str(seed), str(given), str(learned)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            return job | {"failed": f"not done after {LONGEST} s"}
        if done.returncode:
            return job | {"failed": done.stderr.strip().splitlines()[-1]}
        results: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        A = np.load(learned)
    return job | results | scores(name, seed, X_train @ A.T, y_train, X_test @ A.T, y_test)


def print_peer(records: list[Record]) -> None:
    """One line per run, if there are any."""
    if not records:
        return
    print(f"{'data':>21} {'PCA':>4} {'method':>6} {'package':>12} {'3-NN':>6} {'AP':>6} {'seconds':>8} {'GB':>6}")
    for r in records:
        start = f"{r['data']:>21} {r['n_principal'] or 'all':>4} {r['model']:>6} {r['package']:>12}"
        if "failed" in r:
            print(start, r["failed"])
        else:
            print(start, f"{r['3-NN']:6.3f} {r['AP']:6.3f} {r['seconds']:8.1f} {r['GB']:6.2f}")
