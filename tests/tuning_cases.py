"""Small data and models that tuning is tested on."""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from wideangle.data import synthetic_corpus
from wideangle.models import ReplicatedSoftmax
from wideangle.tuning import Trial

CORPUS = synthetic_corpus(150, 5, 40, seed=0)
COUNTS = CORPUS.corpus.counts
TOPICS = np.asarray(CORPUS.corpus.labels)
WINE, KINDS = load_wine(return_X_y=True)
WINE = StandardScaler().fit_transform(WINE)
LINE = np.round(WINE[:, :3] @ [1.0, -2.0, 0.5] + 0.1 * WINE[:, 3]).astype(int)  # whole numbers are no classes here
NOISE = np.array([0.01, 0.0, -0.01])
quick = ReplicatedSoftmax(4, max_updates=60, random_state=7)


def trial(scores, diversity=0.0, K=5):
    return Trial(K, diversity, tuple(scores))
