"""The models by the names of the command line: loaded, and what all of them can be asked."""

import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit, logit

import wideangle
from wideangle.commands._guard import CommandError
from wideangle.commands._settings import ModelName
from wideangle.models._display import known_vocabulary

By = Literal["effect", "weight"]

ESTIMATORS: dict[ModelName, str] = {
    "replicated-softmax": "ReplicatedSoftmax",
    "bernoulli-rbm": "BernoulliRBM",
    "distance": "DistanceLearner",
    "mlp": "MLPClassifier",
}
ALMOST_CERTAIN = 1e-6  # a probability nearer to 0 or 1 has no logit worth the name in float32
BLOCK = 4096  # rows whose hidden units are found at a time


def name_of_model(model: Any) -> ModelName:
    """Of a fitted estimator."""
    kind = type(model).__name__
    for name, estimator in ESTIMATORS.items():
        if kind == estimator:
            return name
    raise CommandError(f"the commands know {', '.join(ESTIMATORS)}, and the file holds a {kind}. Use it from Python.")


def load_model(path: Path) -> Any:
    """What `fit` or `model.save` wrote."""
    model = wideangle.load(path)
    name_of_model(model)
    return model


def components_of(model: Any) -> NDArray[Any]:
    """K × D; of a network the weights of its first hidden layer."""
    return model.coefs_[0].T if hasattr(model, "coefs_") else model.components_


def represent(model: Any, X: Any) -> NDArray[np.float32]:
    """What the model makes of each row: `transform`, of a network the last hidden layer."""
    if hasattr(model, "transform"):
        with warnings.catch_warnings():
            # Columns were put into the model's order when they were read; scikit-learn cannot know.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            return np.asarray(model.transform(X), dtype=np.float32)
    parts = [_hidden(model, X[start : start + BLOCK]) for start in range(0, X.shape[0], BLOCK)]
    return np.concatenate(parts).astype(np.float32)


def predicted(model: Any, vectors: NDArray[Any]) -> NDArray[Any]:
    """The classes a network finds from its last hidden layer."""
    outputs = vectors @ model.coefs_[-1] + model.intercepts_[-1]
    return model.classes_[(outputs[:, 0] > 0).astype(int) if outputs.shape[1] == 1 else outputs.argmax(1)]


def logits(probabilities: NDArray[Any]) -> NDArray[np.float64]:
    """Of hidden units, finite."""
    kept = np.clip(probabilities.astype(np.float64), ALMOST_CERTAIN, 1 - ALMOST_CERTAIN)
    return np.asarray(logit(kept))


def top_columns(model: Any, count: int, by: By = "effect") -> NDArray[np.intp]:
    """The features of largest effect, where the model knows it, or weight of each component; of a distance, which may
    be turned round, of either sign."""
    A = model.effects() if by == "effect" and hasattr(model, "effects") else components_of(model)
    return np.argsort(-np.abs(A) if name_of_model(model) == "distance" else -A, axis=1, kind="stable")[:, :count]


def top_words(model: Any, count: int, by: By = "effect") -> list[list[str]]:
    """Their words; a minus marks those of a distance's component that go against the first."""
    columns = top_columns(model, count, by)
    words = np.asarray(feature_names(model), dtype=object)[columns]
    if name_of_model(model) != "distance":
        return [row.tolist() for row in words]
    weights = np.take_along_axis(components_of(model), columns, axis=1)
    against = weights * np.where(weights[:, :1] < 0, -1, 1) < 0
    return np.where(against, "−" + words, words).tolist()


def feature_names(model: Any) -> list[str]:
    """The word or column of each feature, or its number."""
    known = column_names(model)
    return known if known is not None else [f"feature {number}" for number in range(1, model.n_features_in_ + 1)]


def column_names(model: Any) -> list[str] | None:
    """The word or column of each feature, by the one rule there is for it; None where the model knows none."""
    known = known_vocabulary(model)
    return None if known is None else [str(name) for name in known]


def _hidden(model: Any, X: Any) -> NDArray[Any]:
    activations = {"relu": lambda z: np.maximum(z, 0), "tanh": np.tanh, "sigmoid": expit}
    layer = X.toarray() if sp.issparse(X) else np.asarray(X)
    for weights, bias in zip(model.coefs_[:-1], model.intercepts_[:-1], strict=True):
        layer = activations[model.activation](layer @ weights + bias)
    return layer
