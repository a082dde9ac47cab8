"""
Rare classes: plain against regularised
=======================================

Why rare subjects vanish from a model, and where the regulariser brings them back.
"""

# %%
# The docstrings have a long tail: few classes are large, most are small. A component
# that describes a large class gains more likelihood than one that describes a small
# class, so several components describe the large ones.

import matplotlib.pyplot as plt
import numpy as np

from wideangle.data import python_docs
from wideangle.evaluation import class_table, head_and_tail, precision_per_query
from wideangle.models import BernoulliRBM, ReplicatedSoftmax

corpus = python_docs()
train, test = corpus.train, corpus.test
sizes = train.class_sizes()
print(f"{len(train):,} documents in {len(sizes)} classes; the larger half of the classes has "
      f"{np.sort(sizes)[len(sizes) // 2:].sum() / sizes.sum():.0%} of them")  # fmt: skip

# %%
# Two machines, each without the regulariser (λ = 0) and with it. A Bernoulli machine
# sees which words a document has, and starts at random. A Replicated Softmax counts
# words, and starts at the leading singular vectors. Held-out documents ask for the ten
# nearest training documents. Documents are compared as the machine describes them
# (``finish=None``), without the distance that a model learns by default, so that the
# components alone count.

machines = {
    "Bernoulli machine": lambda diversity: BernoulliRBM(
        50,
        diversity=diversity,
        binarize=0,
        learning_rate=5e-3,
        max_updates=1000,
        random_state=0,
    ),
    "Replicated Softmax": lambda diversity: ReplicatedSoftmax(
        50, diversity=diversity, finish=None, random_state=0
    ),
}
precision = {}
print(f"{'P@10':20} {'λ':>4} {'all':>6} {'larger half':>12} {'rarer half':>11}")
for name, machine in machines.items():
    for diversity in (0, 0.1):
        model = machine(diversity).fit(train.counts)
        found = precision_per_query(
            model.transform(test.counts),
            test.labels,
            model.transform(train.counts),
            train.labels,
            k=10,
        )
        precision[name, diversity] = found
        halves = head_and_tail(class_table(test.labels, found, train.labels, k=10))
        print(
            f"{name:20} {diversity:4} {found.mean():6.3f} {halves.head.precision:12.3f} {halves.tail.precision:11.3f}"
        )

# %%
# Each point of the picture is a group of ten classes of similar size.

figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.6), sharey=True)
for axes, name in zip(panels, machines, strict=True):
    for diversity, label, colour in (
        (0, "plain, λ = 0", "C2"),
        (0.1, "regularised, λ = 0.1", "C1"),
    ):
        rows = class_table(test.labels, precision[name, diversity], train.labels, k=10)
        rows = [row for row in rows if row.queries]
        groups = [rows[i : i + 10] for i in range(0, len(rows), 10)]
        x = [np.mean([row.size for row in group]) for group in groups]
        y = [np.mean([row.precision for row in group]) for group in groups]
        axes.plot(x, y, "o-", color=colour, label=label)
    axes.set(xscale="log", xlabel="training documents of the class", title=name)
panels[0].set(ylabel="precision at 10", ylim=(0, 1))
panels[0].legend()
plt.show()

# %%
# The Bernoulli machine gains a lot, most of it in the rarer half. The Replicated
# Softmax, which is far better without the regulariser already, gains little. So measure
# both on your data; ``wideangle tune`` does that on folds.
