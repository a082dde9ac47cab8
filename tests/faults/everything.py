"""Imports what the commands import, and starts no thread: children of faults are forked from a process with this."""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # A fork has one thread, whatever its parent had.

import importlib
import pkgutil

import wideangle.commands

for module in pkgutil.walk_packages(wideangle.commands.__path__, "wideangle.commands."):
    importlib.import_module(module.name)
for name in (
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
    "openpyxl",
    "pyarrow.parquet",
    "sklearn.cluster",
    "wideangle.report.explorer",
    "wideangle.experiments.runner",
    "wideangle.experiments.tasks.documents",
    "wideangle.models",
    "wideangle.tuning",
    "openTSNE",
    "rich.console",
    "rich.table",
    "faults.jobs",
):
    importlib.import_module(name)
