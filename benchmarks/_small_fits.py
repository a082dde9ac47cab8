"""A small fit of any estimator in the catalogue, and all that it answers, as arrays that can be compared."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._own_settings import set_known
from wideangle.catalogue import Entry
from wideangle.data import synthetic_corpus
from wideangle.evaluation import nearest_rows
from wideangle.view import ModelView, transform_metric

K, NEIGHBOURS, TOPICS = 8, 5, 8
SHORT = {
    "max_updates": 60,
    "max_iter": 10,
    "n_iterations": 10,
    "burn_in": 5,
    "fold_in_iterations": 4,
    "epochs": 3,
    "inference_epochs": 3,
    "n_similar": 400,
    "n_dissimilar": 400,
    "random_state": 0,
    "device": "cpu",
}
Arrays = dict[str, NDArray[Any]]
Data = tuple[Any, NDArray[Any] | None]


def estimator_of(entry: Entry) -> Any:
    """An estimator with K components, where it has any number of them, that is fitted in a moment."""
    size = {} if entry.size is None else {entry.size: K}
    return set_known(entry.load()(**size), **SHORT)


def data_for(entry: Entry, n: int = 300, columns: int = 200, dtype: Any = np.float64) -> Data:
    """Rows of the kind that the estimator takes, and its labels or targets."""
    made = synthetic_corpus(n, TOPICS, columns)
    counts, labels = sp.csr_array(made.corpus.counts), np.asarray(made.corpus.labels)
    if entry.takes == "counts":
        return counts.astype(dtype), None
    if entry.takes == "shares":
        return (counts.toarray() > 0).astype(dtype), None
    rows = np.log1p(counts.toarray()[:, : columns // 4]).astype(dtype)
    if entry.target is None:
        return rows, None
    return rows, labels if entry.target == "classes" else rows[:, 0] + 0.5 * rows[:, 1]


def fitted(entry: Entry, data: Data) -> Any:
    """A fitted estimator."""
    X, y = data
    model = estimator_of(entry)
    return model.fit(X) if y is None else model.fit(X, y)


def learned(model: Any) -> Arrays:
    """The arrays and parameters of networks that a fit has left, by name."""
    arrays = {
        name: np.asarray(value)
        for name, value in vars(model).items()
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind == "f"
    }
    if hasattr(model, "module_"):
        arrays |= {f"module.{name}": part.detach().numpy() for name, part in model.module_.named_parameters()}
    return arrays


def answers(entry: Entry, model: Any, X: Any) -> Arrays:
    """What a fitted model says: "learned …", "represented", "neighbours" and, of counts, "topics"."""
    vectors = ModelView.of(model).represent(X)
    found: Arrays = {f"learned {name}": array for name, array in learned(model).items()}
    found["represented"] = vectors
    found["neighbours"] = nearest_rows(vectors, vectors, NEIGHBOURS + 1, metric=transform_metric(model)).rows
    if entry.takes == "counts":
        topics = model.topics(X, TOPICS, vocabulary=[f"word{column}" for column in range(X.shape[1])])
        found["topics"] = topics.of_documents
    return found
