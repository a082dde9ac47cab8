"""One case per way of training: a model, its rows and its targets. Tests of processes and of checkpoints share them."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from wideangle.baselines.documents.docnade import DocNADE
from wideangle.data import synthetic_corpus
from wideangle.models import (
    BernoulliRBM,
    DictionaryLearner,
    DistanceLearner,
    GaussianRBM,
    MLPClassifier,
    MLPRegressor,
    ReplicatedSoftmax,
)

_rng = np.random.default_rng(0)
COUNTS = sp.csr_array(synthetic_corpus(160, 4, 80).corpus.counts)
BITS = (_rng.random((150, 25)) < 0.4).astype(np.float32)
LABELS = (BITS[:, :5].sum(1) > 2).astype(int)
POINTS = _rng.normal(size=(150, 12))
_SHORT: dict[str, Any] = {"max_updates": 60, "random_state": 0}
_PAIRS: dict[str, Any] = {"n_similar": 400, "n_dissimilar": 400, "batch_size": 101, **_SHORT, "max_updates": 40}

CASES: dict[str, Any] = {
    "sparse counts": lambda: (ReplicatedSoftmax(5, **_SHORT), COUNTS, None),
    "dense counts, dropout, own lengths": lambda: (
        ReplicatedSoftmax(5, dropout=0.3, document_length=None, batch_size=33, **_SHORT),
        COUNTS.toarray().astype(np.float64),
        None,
    ),
    "sparse counts of own lengths, held out": lambda: (
        ReplicatedSoftmax(5, document_length=None, validation_fraction=0.2, patience=2, **_SHORT),
        COUNTS,
        None,
    ),
    "counts, Algorithm 1": lambda: (ReplicatedSoftmax(5, algorithm="alternating", **_SHORT), COUNTS, None),
    "bits, several sweeps, dropout": lambda: (
        BernoulliRBM(6, cd_steps=2, dropout=0.2, batch_size=64, **_SHORT),
        BITS,
        None,
    ),
    "bits, persistent chains": lambda: (
        BernoulliRBM(6, persistent=True, optimizer="sgd", batch_size=47, **_SHORT),
        BITS,
        None,
    ),
    "bits, Algorithm 1, momentum": lambda: (
        BernoulliRBM(6, algorithm="alternating", optimizer="momentum", metric="scales", surrogate="volume", **_SHORT),
        BITS.astype(np.float64),
        None,
    ),
    "real numbers, persistent chains, held out": lambda: (
        GaussianRBM(6, persistent=True, dropout=0.2, batch_size=47, validation_fraction=0.2, patience=2, **_SHORT),
        POINTS.astype(np.float32),
        None,
    ),
    "real numbers, Algorithm 1, momentum": lambda: (
        GaussianRBM(4, algorithm="alternating", optimizer="momentum", batch_size=64, **_SHORT),
        POINTS,
        None,
    ),
    "pairs, validated": lambda: (DistanceLearner(4, **_PAIRS), POINTS, LABELS),
    "pairs, sparse, few violations": lambda: (
        DistanceLearner(4, validation_fraction=0.0, max_violations=0.3, metric="covariance", **_PAIRS),
        sp.csr_array(BITS),
        LABELS,
    ),
    "dictionary": lambda: (DictionaryLearner(5, batch_size=47, **_SHORT), POINTS, None),
    "dictionary, sparse rows, held out, data's angles": lambda: (
        DictionaryLearner(
            5, positive_code=True, surrogate="volume", metric="covariance", validation_fraction=0.2, **_SHORT
        ),
        sp.csr_array(BITS),
        None,
    ),
    "classes, two layers": lambda: (
        MLPClassifier((9, 8), metric="covariance", validation_fraction=0.2, class_weight="balanced", **_SHORT),
        POINTS,
        LABELS,
    ),
    "regression": lambda: (MLPRegressor(9, optimizer="momentum", **_SHORT), POINTS, POINTS[:, 0]),
    "DocNADE, splits": lambda: (DocNADE(5, splits=2, **_SHORT), COUNTS, None),
    "DocNADE, all positions": lambda: (
        DocNADE(5, splits=None, softmax="tree", validation_fraction=0.1, **_SHORT),
        COUNTS,
        None,
    ),
}


def fitted(name):
    model, X, y = CASES[name]()
    return model.fit(X) if y is None else model.fit(X, y)


def learned(model):
    """All that a fit learned as arrays by name, without the times of its records."""
    arrays = {name: value for name, value in vars(model).items() if isinstance(value, np.ndarray)}
    if hasattr(model, "module_"):
        arrays |= {f"module.{name}": part.detach().numpy() for name, part in model.module_.named_parameters()}
    records = model.history_
    for name in ("update", "loss", "score", "mean_angle", "min_angle", "validation"):
        arrays[f"history.{name}"] = np.array([getattr(record, name) for record in records], dtype=float)
    return arrays
