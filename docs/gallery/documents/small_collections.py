"""
Small collections
=================

With 100, 300 or 1,000 documents, what do learned components give that the words themselves do not?
"""

# %%
# Random draws from the docstrings. Each document asks for its ten nearest others, and
# we count how many of these are of its class. tf-idf compares documents by their words.
# Latent semantic indexing (LSI) needs a number of components, of which three are tried.
# ``ReplicatedSoftmax()`` is as it is: it follows how much there is to learn from.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from wideangle.baselines.documents import LSI
from wideangle.data import python_docs
from wideangle.evaluation import precision_among
from wideangle.models import ReplicatedSoftmax

corpus = python_docs()
methods = {
    "tf-idf": lambda X: normalize(
        TfidfTransformer(sublinear_tf=True).fit_transform(X)
    ).toarray(),
    "LSI, 10 components": lambda X: LSI(10, random_state=0).fit_transform(X),
    "LSI, 20 components": lambda X: LSI(20, random_state=0).fit_transform(X),
    "LSI, 50 components": lambda X: LSI(50, random_state=0).fit_transform(X),
    "ReplicatedSoftmax()": lambda X: ReplicatedSoftmax(random_state=0).fit_transform(X),
}
sizes, draws = (100, 300, 1000), 3
found = {name: np.zeros((len(sizes), draws)) for name in methods}
for i, n in enumerate(sizes):
    for draw in range(draws):
        rows = np.random.default_rng(draw).choice(len(corpus), n, replace=False)
        part = corpus.subset(rows)
        X = part.counts[:, np.asarray(part.counts.sum(axis=0)).ravel() > 0]
        for name, method in methods.items():
            found[name][i, draw] = precision_among(method(X), part.labels, k=10).mean()

print(f"P@10, mean of {draws} draws {'100':>12} {'300':>7} {'1,000':>7}")
for name, scores in found.items():
    print(f"{name:26}", *(f"{score:7.3f}" for score in scores.mean(axis=1)))

# %%
# The same as a picture, each less the tf-idf of its draw; the points are the draws.

figure, axes = plt.subplots(figsize=(7, 3.8))
colours = dict(zip(methods, ("C2", "C6", "C0", "C3", "C1"), strict=True))
for j, (name, scores) in enumerate(found.items()):
    gain = 100 * (scores - found["tf-idf"])
    if name != "tf-idf":
        x = np.arange(len(sizes)) + 0.12 * (j - 2.5)
        axes.plot(
            x, gain.mean(axis=1), "o", color=colours[name], markersize=7, label=name
        )
        axes.plot(x, gain, "o", color=colours[name], markersize=3, alpha=0.5)
axes.axhline(0, color="C2", linewidth=1, label="tf-idf")
axes.set(
    xticks=range(len(sizes)),
    xticklabels=[f"{n:,} documents" for n in sizes],
    ylabel="points of P@10 above tf-idf",
)
axes.legend(fontsize=9, loc="upper left")
plt.show()

# %%
# The best number of components of LSI changes with the size, and without labels nobody
# knows which it is.
