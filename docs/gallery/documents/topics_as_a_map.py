"""
Topics as a map
===============

One fit, the topics that are found in it, and all documents as points of a plane.
"""

# %%
# The corpus is the docstrings of the scientific packages that are installed. Each
# function or class is one document. The labels, which are the subpackages, are not used
# by the fit.

from wideangle.data import python_docs
from wideangle.models import ReplicatedSoftmax

corpus = python_docs()
model = ReplicatedSoftmax(50, random_state=0).fit(corpus.train.counts)
topics = model.topics(corpus.train.counts, vocabulary=corpus.vocabulary)
print(
    f"{len(corpus):,} documents, {len(topics)} topics, of {topics[-1].size} to {topics[0].size} documents each"
)

# %%
# A topic is a group of documents. Its name is made of the words that set it apart. The
# largest and the smallest:

for topic in [*topics[:6], *topics[-3:]]:
    print(f"{topic.number:3} {topic.size:5} documents   {', '.join(topic.words[:6])}")

# %%
# A new document gets the topic of the nearest small group, and the probability that
# this topic is right.

found = model.assign(corpus.test.counts)
share = (found.sure > 0.9).mean()
print(
    f"{share:.0%} of {len(corpus.test):,} held-out documents have a topic with a probability above 0.9"
)
for row in found.sure.argsort()[:3]:
    first, second = (
        topics[numbers[row]].name for numbers in (found.topics, found.second)
    )
    print(
        f"least sure: {corpus.test.names[row]} ({found.sure[row]:.2f}): {first} – or {second}"
    )

# %%
# For the map, t-SNE puts documents that the model finds alike next to each other. Each
# of the six largest topics has a colour. Directions and distances across the map mean
# nothing; only neighbourhoods do.

import matplotlib.pyplot as plt
from openTSNE import TSNE

places = TSNE(n_iter=400, metric="cosine", random_state=0).fit(
    model.transform(corpus.train.counts)
)

figure, axes = plt.subplots(figsize=(7.2, 5.6))
axes.scatter(*places.T, s=3, color="0.85", linewidths=0)
for topic, colour in zip(topics[:6], ("C0", "C1", "C3", "C4", "C5", "C6"), strict=True):
    mine = places[topics.of_documents == topic.number]
    name = f"{', '.join(topic.words[:3])} ({topic.size})"
    axes.scatter(*mine.T, s=5, color=colour, linewidths=0, label=name)
axes.set(
    xticks=[],
    yticks=[],
    title=f"{len(places):,} docstrings; coloured: the six largest of {len(topics)} topics",
)
axes.spines[:].set_visible(False)
axes.legend(
    markerscale=3, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2
)
plt.show()

# %%
# ``model.explore()`` makes a page of the same map that one can search and click, and in
# which topics merge and split.
