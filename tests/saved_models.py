"""Small models of every kind to save, and what it means that two are the same."""

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from sklearn.base import clone
from small_models import small

from wideangle.baselines.documents import LSI
from wideangle.baselines.metrics import ITML, LMNN, NCA, DMLEig, Euclidean, Seraph, XingMetric
from wideangle.catalogue.documents import DOCUMENTS
from wideangle.documents import Reading
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
from wideangle.searching import Searcher
from wideangle.topics.of_model import topics_of_documents, why_no_topics
from wideangle.view import ModelView

WORDS = ["one", "two", "three", "four", "five", "six", "seven"]

SMALL: dict[str, Any] = {"max_updates": 60, "random_state": 0, "device": "cpu"}
PAIRS: dict[str, Any] = {"n_similar": 200, "n_dissimilar": 200, **SMALL}

# An estimator, the kind of targets it is fitted on, and the type of X
MODELS = {
    "rbm": (BernoulliRBM(4, validation_fraction=0.2, **SMALL), None, np.float64),
    "rbm32": (BernoulliRBM(np.int64(4), diversity=np.float32(0.3), algorithm="alternating", **SMALL), None, np.float32),
    "gaussian": (GaussianRBM(4, validation_fraction=0.2, **SMALL), None, np.float64),
    "gaussian32": (GaussianRBM(3, dropout=0.2, init="svd", **SMALL), None, np.float32),
    "softmax": (ReplicatedSoftmax(4, document_length=None, dropout=0.5, **SMALL), "counts", np.float32),
    "softmax64": (ReplicatedSoftmax(1, representation="logits", **SMALL), "counts", np.float64),
    "spectrum": (ReplicatedSoftmax(3, finish="spectrum", granularity=0.3, **SMALL), "counts", np.float32),
    "unfinished": (ReplicatedSoftmax(3, finish=None, **SMALL), "counts", np.float64),
    "weighted": (ReplicatedSoftmax(3, purpose="details", **SMALL), "counts", np.float32),
    "distance": (DistanceLearner(3, **PAIRS), "classes", np.float64),
    "distance32": (DistanceLearner(validation_fraction=0.3, init="random", **PAIRS), "classes", np.float32),
    "dictionary": (DictionaryLearner(4, validation_fraction=0.2, **SMALL), None, np.float64),
    "dictionary32": (DictionaryLearner(9, positive_code=True, **SMALL), None, np.float32),
    "classifier": (MLPClassifier((8, 5), validation_fraction=0.2, **SMALL), "classes", np.float64),
    "two": (MLPClassifier(8, activation="tanh", class_weight={"a": 1.0, "b": 2}, **SMALL), "words", np.float32),
    "objects": (MLPClassifier([8], loss="hinge", **SMALL), "objects", np.float32),
    "truths": (MLPClassifier(np.array([8, 4]), activation="sigmoid", **SMALL), "truths", np.float32),
    "regressor": (MLPRegressor(8, **SMALL), "numbers", np.float32),
    "columns": (MLPRegressor((8, 3), activation="tanh", validation_fraction=0.2, **SMALL), "columns", np.float64),
    "vectors": (VectorSpace(5), None, np.float32),
    "vectors64": (VectorSpace(finish=None, granularity=0.3), None, np.float64),
    "euclid": (Euclidean(random_state=0), "classes", np.float32),
    "xing": (XingMetric(5, **PAIRS), "classes", np.float64),
    "lmnn": (LMNN(3, **SMALL), "classes", np.float32),
    "itml": (ITML(n_similar=50, n_dissimilar=50, max_updates=20, random_state=0), "words", np.float64),
    "dml_eig": (DMLEig(**PAIRS), "classes", np.float32),
    "seraph": (Seraph(5, **PAIRS), "classes", np.float64),
    "nca": (NCA(2, n_principal=np.int64(5), max_updates=20, random_state=0), "classes", np.float64),
}
MODELS |= {entry.command or entry.name: (small(entry), "counts", np.float32) for entry in DOCUMENTS}
MODELS["finished"] = (LSI(4, finish="halves", granularity=np.float32(0.25), random_state=0), "counts", np.float32)


def data(target, dtype):
    rng = np.random.default_rng(1)
    X = rng.random((60, 7)).astype(dtype)
    number = (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0.5)
    y = {
        "classes": number,
        "words": np.where(number > 0, "a", "b").astype("U9"),
        "objects": np.array(["nil", "ein", "zwei"], dtype=object)[number],
        "truths": number > 0,
        "numbers": X[:, 0] - 3,
        "columns": X[:, :2] * 5,
    }.get(target)
    return (np.round(9 * X) if target == "counts" else X), y


def small_machine():
    X, _ = data(None, np.float32)
    return BernoulliRBM(2, **{**SMALL, "max_updates": 3}).fit(X)


def answers(model, X, y):
    """All that a fitted model can say about X."""
    found = {}
    for name in ("transform", "predict", "predict_proba", "decision_function", "score_samples"):
        if hasattr(model, name):
            found[name] = getattr(model, name)(X)
    if hasattr(model, "pair_distance"):
        pairs = np.stack([X[:20], X[20:40]], 1)
        found |= {"distance": model.pair_distance(pairs), "pairs": model.predict_pairs(pairs)}
    if hasattr(model, "score") and y is not None:
        found["score"] = model.score(X, y)
    if hasattr(model, "get_feature_names_out"):
        found["names"] = model.get_feature_names_out()
    return found


def save_with_all(name, path):
    """Save a model with words, documents and topics, as far as it can have them; the rows and targets of its fit."""
    estimator, target, dtype = MODELS[name]
    X, y = data(target, dtype)
    model = clone(estimator).fit(X, y)
    model.vocabulary_ = WORDS
    counts = target == "counts"
    model.reading_ = Reading("counts" if counts else "tf-idf", r"\b[a-z]{3,}\b", rarity=None if counts else np.ones(7))
    if hasattr(model, "transform"):
        labels = {"labels": np.arange(60) % 2, "label_names": ["a", "b"], "is_train": np.arange(60) % 4 > 0}
        model.documents_ = ModelView.of(model).documents(X, counts=X, texts=["one two"] * 60, **labels)
        if not why_no_topics(WORDS, model.documents_):
            model.topics_ = topics_of_documents(ModelView.of(model), model.documents_)
    model.save(path)
    return X, y


def use_attached(model):
    """Find topics of the documents that a model carries, and search them, where it has what this needs."""
    documents, view = getattr(model, "documents_", None), ModelView.of(model)
    if documents is None or getattr(model, "vocabulary_", None) is None:
        return
    if not why_no_topics(view.column_names, documents):
        topics_of_documents(view, documents, 2, like=getattr(model, "topics_", None))
    Searcher(view, documents).search("one two")


def assert_same(a, b):
    """Equal in type, shape, order of memory and every bit."""
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
    elif sp.issparse(a):
        assert_same([a.indptr, a.indices, a.data], [b.indptr, b.indices, b.data])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_same(one, other)
    elif isinstance(a, dict):
        assert_same(list(a.items()), list(b.items()))
    elif isinstance(a, torch.nn.Module):
        assert str(a) == str(b)
        assert_same([p.detach().numpy() for p in a.parameters()], [p.detach().numpy() for p in b.parameters()])
    elif isinstance(a, float):
        assert a.hex() == b.hex()
    elif hasattr(a, "__dataclass_fields__"):
        assert_same(vars(a), vars(b))
    else:
        assert a == b
