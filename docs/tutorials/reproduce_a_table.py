"""
Reproduce a table
=================

All tables of the paper are specs that ``wideangle reproduce`` runs. Here is a small one, from the spec to the table.
"""

# %%
# A spec
# ------
#
# A spec says what is measured, of which models, on which data. The specs of the paper's
# tables need its data sets, and some of them hours. ``--list`` names them, with the
# number of their fits and of the records that are there:

import json
import subprocess
import sys
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())


def wideangle(*arguments, lines=None):
    """Run a command in the folder, and show what it prints to stdout, or so many lines of that."""
    print("$ wideangle", *arguments)
    command = [sys.executable, "-m", "wideangle", *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    shown = [line.rstrip() for line in done.stdout.splitlines()]
    print("\n".join(shown if lines is None else [*shown[:lines], "…"]))


wideangle("reproduce", "--list", "--records", "records", lines=12)

# %%
# Ours is smaller: the paper's main claim in one column, on the docstrings, which need
# no download. The two models are rows of the paper's tables as this package has them.
# In "weak" training the weights decay much faster than they learn, so that the
# components of the plain model collapse into one.

(folder / "collapse.toml").write_text(
    """\
title = "Precision at 10 on the docstrings, where the plain model collapses (%)"
kind = "by size"
task = "documents"
data = ["docstrings"]
models = ["RBM, weak", "MAR-RBM, weak"]
measure = "precision"
sizes = [25]
seeds = 2
""",
    encoding="utf-8",
)

# %%
# Run it
# ------
#
# Two models with two seeds are four fits. A run that is stopped goes on where it was:
# each fit leaves one record. The same command once more finds nothing to do.

wideangle("reproduce", "collapse.toml", "--records", "records")
wideangle("reproduce", "collapse.toml", "--records", "records")

# %%
# Read a record
# -------------
#
# A record is one line of JSON: which fit it was, what was measured, and what is needed
# to judge it, such as the versions, the device and a hash of the code.

records = [
    json.loads(line)
    for line in (folder / "records" / "documents.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
first = records[0]
print("a record has:", ", ".join(first))
for name in ("data", "estimator", "settings", "seed"):
    print(f"{name}: {first[name]}")
print("\nλ, seed, P@10, rarer half of the classes, mean angle of the components:")
for record in records:
    found, diversity = record["measures"], record["settings"]["diversity"]
    numbers = f"{found['precision']:8.3f} {found['rarer half']:8.3f} {found['mean angle']:8.1f}°"
    print(f"{diversity:4} {record['seed']:3} {numbers}")

# %%
# The mean angle shows what happened: without the regulariser all components point the
# same way.
#
# Build the table
# ---------------
#
# Tables are built from the records alone, as Markdown, CSV, LaTeX and HTML.

wideangle(
    "reproduce", "collapse.toml", "--records", "records", "--report", "-o", "report"
)
print((folder / "report" / "collapse.md").read_text(encoding="utf-8"))

# %%
# How to read it: a cell is the mean over the seeds and its standard error. Bold is the
# best mean of a column. "Better" is said only where a test finds the difference larger
# than chance, after a correction for all comparisons of the table.
#
# What the table does not say
# ---------------------------
#
# This training was chosen because it collapses. A plain model that is trained well does
# not, and then the regulariser gains little or nothing: the report of the paper has
# rows of both kinds. One line of the picture is what the defaults give on the same
# documents, without the regulariser and with it.

import matplotlib.pyplot as plt

from wideangle.data import python_docs
from wideangle.evaluation import precision_at_k
from wideangle.models import ReplicatedSoftmax

corpus = python_docs()
train, test = corpus.train, corpus.test
points = {"weak training": [[r["measures"]["precision"] for r in records if (r["settings"]["diversity"] > 0) == on]
                            for on in (False, True)], "defaults": [[], []]}  # fmt: skip
for on in (0, 1):
    model = ReplicatedSoftmax(25, diversity=0.1 * on, random_state=0).fit(train.counts)
    rows = (
        model.transform(test.counts),
        test.labels,
        model.transform(train.counts),
        train.labels,
    )
    points["defaults"][on].append(precision_at_k(*rows, k=10))
    print(f"defaults, λ = {0.1 * on:g}: P@10 {points['defaults'][on][0]:.3f}")

figure, axes = plt.subplots(figsize=(6.4, 2.2))
for place, (plain, regularised) in enumerate(points.values()):
    axes.plot(
        plain,
        [place] * len(plain),
        "o",
        color="C2",
        label=None if place else "without the regulariser",
    )
    axes.plot(
        regularised,
        [place] * len(regularised),
        "D",
        color="C1",
        mfc="none",
        label=None if place else "with it",
    )
axes.set(
    yticks=[0, 1],
    yticklabels=points,
    ylim=(1.5, -0.5),
    xlim=(0, 1),
    xlabel="precision at 10, one point per seed",
)
axes.legend(loc="center", bbox_to_anchor=(0.3, 0.3))
plt.show()
