"""Writes a small model of each estimator in today's format, with its answers beside it.

Run it by `python tests/model_files/write.py`.
The files of a format are written once, before the first release that writes it, and never again:
test_old_model_files.py loads them for ever.
"""

import sys
from pathlib import Path

import numpy as np

from wideangle import persistence
from wideangle.baselines.documents import LSI
from wideangle.baselines.metrics import LMNN
from wideangle.documents import Documents, Reading
from wideangle.models import (
    BernoulliRBM,
    DictionaryLearner,
    DistanceLearner,
    GaussianRBM,
    MLPClassifier,
    MLPRegressor,
    ReplicatedSoftmax,
    VectorSpace,
)

SMALL = {"max_updates": 40, "random_state": 0, "device": "cpu"}
WORDS = ["wheat", "corn", "oil", "bank", "trade", "größe"]


def models():
    """Each fitted model, the rows it answers for, and what its file carries besides."""
    rng = np.random.default_rng(0)
    X = rng.random((20, 6)).astype(np.float32)
    counts = np.round(6 * X)
    classes = np.array(["grain", "money"])[(X[:, 0] > 0.5).astype(int)]
    yield BernoulliRBM(3, **SMALL).fit(X), X, {}
    topics = ReplicatedSoftmax(3, diversity=0.5, **SMALL).fit(counts)
    documents = Documents.of(
        topics.transform(counts),
        texts=[f"text of document {number}" for number in range(20)],
        labels=(classes == "money").astype(int),
        label_names=["grain", "money"],
        is_train=np.arange(20) % 4 > 0,
        logits=topics.hidden_logits(counts),
        counts=counts,
    )
    carried = {"vocabulary": WORDS, "documents": documents, "reading": Reading("counts", r"\b[a-z]{3,}\b", "body")}
    yield topics, counts, carried
    yield DistanceLearner(2, n_similar=50, n_dissimilar=50, **SMALL).fit(X, classes), X, {}
    yield MLPClassifier((5, 4), **SMALL).fit(X, classes), X, {}
    yield MLPRegressor(5, activation="tanh", **SMALL).fit(X, X[:, :2] * 3), X, {}
    yield GaussianRBM(3, **SMALL).fit(X), X, {}
    yield DictionaryLearner(3, **SMALL).fit(X), X, {}
    yield VectorSpace(4, finish="spectrum").fit(X), X, {}
    yield LSI(3, random_state=0).fit(counts), counts, {"vocabulary": WORDS}
    yield LMNN(2, max_updates=10, device="cpu", random_state=0).fit(X, classes), X, {}


def answers(model, X):
    """What a model says of rows, by the names of its methods."""
    names = ("transform", "predict", "predict_proba")
    return {name: getattr(model, name)(X) for name in names if hasattr(model, name)}


if __name__ == "__main__":
    folder = Path(__file__).parent / f"format_{persistence.FORMAT}"
    if folder.exists():
        sys.exit(f"{folder} is there already, and the files of a format are written once.")
    folder.mkdir()
    for model, X, carried in models():
        path = folder / f"{type(model).__name__}.wideangle"
        model.save(path, **carried)
        np.savez_compressed(path.with_suffix(".npz"), X=X, **answers(model, X))
