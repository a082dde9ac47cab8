"""Small fitted models for the page."""

import numpy as np

from wideangle.data import synthetic_corpus
from wideangle.models import ReplicatedSoftmax
from wideangle.view import ModelView

N_WORDS = 60


def fitted(K=6, seed=0, diversity=0.3, n_words=N_WORDS):
    """A topic model that carries its vocabulary and labelled documents, a third of them held out."""
    corpus = synthetic_corpus(150, 5, n_words, seed=1).corpus
    model = ReplicatedSoftmax(K, diversity=diversity, max_updates=60, random_state=seed, device="cpu")
    model.fit(corpus.counts)
    model.vocabulary_ = [f"word{number}" for number in range(n_words)]
    model.documents_ = ModelView.of(model).documents(
        corpus.counts,
        texts=[f"The beginning of document {number}." for number in range(150)],
        names=[f"file{number}.txt" for number in range(150)],
        labels=np.arange(150) % 5,
        label_names=[f"class {number}" for number in range(5)],
        is_train=np.arange(150) % 3 > 0,
        counts=corpus.counts,
    )
    return model
