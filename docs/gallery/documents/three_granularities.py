"""
One fit, three granularities
============================

Whether two documents are alike depends on how finely you look. That is a choice after the fit.
"""

# %%
# The docstrings have two kinds of labels: fine ones, the subpackages, and broad ones,
# the packages.

import numpy as np

from wideangle.data import python_docs
from wideangle.evaluation import precision_at_k
from wideangle.models import ReplicatedSoftmax

corpus = python_docs()
fine = corpus.label_names[corpus.labels]
broad = np.array([name.split(".")[0] for name in fine])
print(f"{len(set(fine))} subpackages, {len(set(broad))} packages")

# %%
# The model is fitted once. For each granularity, held-out documents ask for the nearest
# training documents, and we count how many of these have the same label: of the 10
# nearest for fine labels, of the 100 nearest for broad ones.

model = ReplicatedSoftmax(50, random_state=0).fit(corpus.train.counts)

granularities = np.linspace(0, 1, 5)
kinds = {"fine": (fine, 10), "broad": (broad, 100)}
precision = {"fine": [], "broad": []}
for granularity in granularities:
    model.set_params(granularity=float(granularity))
    train, test = (
        model.transform(corpus.train.counts),
        model.transform(corpus.test.counts),
    )
    for name, (labels, k) in kinds.items():
        asking, searched = labels[~corpus.is_train], labels[corpus.is_train]
        precision[name].append(precision_at_k(test, asking, train, searched, k=k))
    print(
        f"granularity {granularity:4}   fine {precision['fine'][-1]:.3f}   broad {precision['broad'][-1]:.3f}"
    )

# %%
# Details (0) serve the fine labels, groups (1) the broad ones. The default is the
# balance between them (0.5).

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
for axes, colour, (name, (labels, k)) in zip(
    (left, right), ("C0", "C1"), kinds.items(), strict=True
):
    axes.plot(granularities, precision[name], "o-", color=colour)
    axes.set(
        xlabel="granularity",
        ylabel=f"precision at {k}",
        title=f"{name}: {len(set(labels))} classes",
    )
    axes.set(
        xticks=[0, 0.5, 1], xticklabels=["0\ndetails", "0.5\nbalance", "1\ngroups"]
    )
plt.show()

# %%
# The same for one document: its nearest neighbours change with the granularity.

from wideangle.evaluation import nearest_rows

(asking,) = np.flatnonzero(corpus.names == "scipy.stats._stats_py.pearsonr")
for name in ("details", "groups"):
    documents = model.set_params(granularity=name).transform(corpus.counts)
    nearest = nearest_rows(documents[[asking]], documents, k=7).rows[0]
    print(
        f"{name}:",
        *(corpus.names[row] for row in nearest if row != asking),
        sep="\n    ",
    )
