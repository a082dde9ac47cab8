"""
Bring your own vectors
======================

If you have vectors of your documents, from any encoder, their words can still teach how to compare them.
"""

# %%
# Any array with one row per document will do. Here it is latent semantic indexing with
# 100 dimensions, so that this page needs no encoder;
# ``wideangle.encoders.encoder_of("wordllama")`` makes vectors that know what words
# mean.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer

from wideangle.data import python_docs
from wideangle.evaluation import precision_at_k
from wideangle.models import VectorSpace

corpus = python_docs()
train, test = corpus.train, corpus.test
weights = TfidfTransformer(sublinear_tf=True).fit(train.counts)
encoder = TruncatedSVD(100, random_state=0).fit(weights.transform(train.counts))
vectors, new_vectors = (
    encoder.transform(weights.transform(part.counts)) for part in (train, test)
)

# %%
# ``VectorSpace`` puts vectors at unit length and measures them from their mean. Each
# document is paired with those whose words are nearest to its own. What differs within
# a pair is noise, and what does not is signal: that is the distance.


def normalised(rows):
    """Rows of unit length, whose Euclidean distance orders as the cosine does."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True).clip(min=1e-12)


model = VectorSpace().fit(vectors, words=train.counts)
spaces = {
    "cosine of the vectors": normalised,
    "by their spectrum": VectorSpace().fit(vectors).transform,
    "taught by words": model.transform,
}
scores = {}
for name, transform in spaces.items():
    rows = [(transform(new_vectors), test.labels), (transform(vectors), train.labels)]
    scores[name] = [precision_at_k(*rows[0], *rows[1], k=k) for k in (10, 100)]
    print(f"{name:24} P@10 {scores[name][0]:.3f}   P@100 {scores[name][1]:.3f}")

figure, panels = plt.subplots(1, 2, figsize=(7.2, 2.2), sharey=True)
for axes, k, column in zip(
    panels, (10, 100), zip(*scores.values(), strict=True), strict=True
):
    axes.plot(column, range(3), "o", color="C0", markersize=8)
    axes.set(
        yticks=range(3),
        yticklabels=scores,
        ylim=(2.5, -0.5),
        xlabel=f"precision at {k}",
    )
    axes.grid(axis="y", color="0.9")
plt.show()

# %%
# Topics are groups of the vectors, and are named by the words of their documents.

topics = model.topics(vectors, 30, words=train.counts, vocabulary=corpus.vocabulary)
for topic in topics[:6]:
    print(f"{topic.size:4} documents   {', '.join(topic.words[:6])}")
