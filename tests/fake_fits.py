"""Specs, records and fits that are made up, for the tests of the experiments. Processes of clusters import them."""

import os
import time
from dataclasses import asdict

from wideangle.data import synthetic_corpus
from wideangle.experiments.jobs import Job
from wideangle.experiments.specs import read_spec

SECONDS = 0.05  # of a fit that is to be interrupted

SPEC = """\
title = "Made up"
kind = "by size"
task = "documents"
data = ["docstrings"]
models = ["plain", "ours"]
measure = "precision"
sizes = [2, 4, 8]
tuned_at = [2, 8]
seeds = 2
folds = 2
"""
MODELS = """\
["plain"]
estimator = "ReplicatedSoftmax"
published = "RBM"
settings = { diversity = 0.0, max_updates = 5 }
sizes = [2, 4, 8]

["ours"]
estimator = "ReplicatedSoftmax"
published = "MAR-RBM"
settings = { max_updates = 5 }
tried = { diversity = [0.1, 1.0] }
sizes = [2, 4, 8]
tuned_at = [2, 8]

["weights"]
estimator = "TfIdf"
"""


def write_spec(folder, text=SPEC, models=MODELS, name="made_up"):
    """The path of a spec with a models.toml beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "models.toml").write_text(models, encoding="utf-8")
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def made_spec(folder, text=SPEC, models=MODELS, name="made_up"):
    return read_spec(write_spec(folder, text, models, name))


def changed(**values):
    """SPEC with other values, as TOML writes them; None takes a line out."""
    lines = [line for line in SPEC.splitlines() if line.split(" = ")[0] not in values]
    return "\n".join([*lines, *(f"{key} = {value}" for key, value in values.items() if value is not None)]) + "\n"


def record_of(job, seconds=1.0, details=None, **measures):
    """What a fit would have left."""
    return asdict(job) | {
        "measures": measures,
        "details": details or {},
        "seconds": seconds,
        "checksum": None,
        "all seconds": seconds,
        "made with": {"wideangle": "0"},
    }


def by_key(*records):
    return {Job.of(record).key: record for record in records}


def write_small_corpus(path):
    """Documents of four topics with labels and a split."""
    synthetic_corpus(80, 4, 40, length=30, words_per_topic=8).corpus.save(path)
    return path


def quick_fit(job, threads=None):
    """A fit that takes no time: the more components, and the more diverse, the better."""
    return record_of(job, precision=_precision(job))


def slow_fit(job, threads=None, *, pids):
    """A fit that leaves a file with the number of its process in a folder, and waits."""
    (pids / f"{os.getpid()}").touch()
    time.sleep(SECONDS)
    return quick_fit(job)


def failing_fit(job, threads=None, *, calls):
    """A fit that fails with 4 components, and writes down in a file that it was run."""
    with calls.open("a") as file:
        file.write(job.key + "\n")
    if job.settings["n_components"] == 4:
        return {**asdict(job), "failed": "ValueError: four"}
    return quick_fit(job)


def _precision(job):
    return min(1.0, 0.1 * job.settings.get("n_components", 1) + 0.01 * job.settings.get("diversity", 0.0))


def deadly_fit(job, threads=None):
    """A fit that ends its process with 4 components."""
    if job.settings["n_components"] == 4:
        os._exit(1)
    return quick_fit(job)
