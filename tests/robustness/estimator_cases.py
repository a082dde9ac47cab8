"""Which public methods each estimator of the catalogue has, and good arguments for each of them."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from small_models import small

from wideangle._own_settings import set_known
from wideangle.catalogue import entries, entry_of

_rng = np.random.default_rng(0)
_CLASSES = np.repeat([0, 1], 12)
COUNTS = _rng.poisson(np.where(_CLASSES[:, None] == np.arange(9) % 2, 3.0, 0.5)).astype(np.float64)
SHARES = (COUNTS > 1).astype(np.float64)
POINTS = _rng.normal(size=(24, 9)) + _CLASSES[:, None]
WORDS = [f"word{number}" for number in range(9)]
PAIRS = np.array([[0, 1], [2, 3], [0, 20], [5, 21], [13, 14], [1, 22], [15, 16], [4, 18]])
SIMILAR = np.array([1, 1, -1, -1, 1, -1, 1, -1])

# What comes from scikit-learn as it is, and what takes no data at all.
NOT_OURS = {"get_params", "set_params", "set_output", "get_metadata_routing", "set_callbacks", "fit_transform"}
NOT_OURS |= {"set_fit_request", "set_partial_fit_request", "set_score_request"}
NOT_OURS |= {"get_metric", "get_mahalanobis_matrix", "effects"}

# How much work is asked for: huge numbers are not wrong, and take as long as they say.
WORK = frozenset(
    {"n_documents", "n_rows", "length", "sweeps", "chains", "temperatures", "max_temperatures", "orders", "lengths"}
)


@dataclass(frozen=True)
class Call:
    """One public method of an estimator, with good arguments."""

    estimator: str
    method: str
    arguments: tuple[tuple[str, Any], ...]
    fitted: bool
    work: frozenset[str] = WORK

    def __str__(self) -> str:
        return f"{self.estimator}.{self.method}"

    def prepare(self) -> None:
        """Fit it once: code that numba compiles takes most of a minute."""
        fitted(self.estimator)

    def on(self, replaced: Mapping[str, Any], folder: Path) -> Any:
        """Call it with good arguments but for those that are replaced, and return what it gave and the estimator."""
        model = copy_of(self.estimator) if self.fitted else estimator(self.estimator)
        arguments = dict(self.arguments) | dict(replaced)
        if arguments.get("path", 0) is None:
            arguments["path"] = folder / "model"
        result = getattr(model, self.method)(**arguments)
        return result, model if self.fitted else None


def estimator(name: str) -> Any:
    """A small one, finished where it can be: there is more that can go wrong."""
    return set_known(small(entry_of(name)), finish="halves")


@cache
def fitted(name: str) -> Any:
    """A small one that was fitted. It is shared: take `copy_of` to change it."""
    model = estimator(name).fit(*good_data(name))
    if hasattr(model, "calibrate_threshold"):
        model.calibrate_threshold(PAIRS, SIMILAR, good_data(name)[0])
    if hasattr(model, "topics"):
        model.topics(good_data(name)[0], 2, vocabulary=WORDS)
    return model


def copy_of(name: str) -> Any:
    """A fitted estimator of its own, because a method may change it."""
    import copy

    return copy.deepcopy(fitted(name))


def good_data(name: str) -> tuple[Any, ...]:
    """X, and y where the estimator learns from it."""
    entry = entry_of(name)
    X = {"counts": COUNTS, "shares": SHARES, "numbers": POINTS}[entry.takes]
    y = {"classes": _CLASSES, "numbers": POINTS[:, 0] * 2, None: None}[entry.target]
    return (X,) if y is None else (X, y)


def good_arguments(name: str, method: str) -> dict[str, Any]:
    """A good value of each argument that a method of ours has; an argument that is not here is reported by a test."""
    X, *y = good_data(name)
    return {
        "X": X,
        "y": SIMILAR if "pairs" in method or method == "calibrate_threshold" else (y[0] if y else None),
        "sample_weight": np.ones(len(X)),
        "unlabelled": X[:5],
        "pairs": PAIRS,
        "classes": np.array([0, 1]),
        "strategy": "accuracy",
        "beta": 1.0,
        "n_words": 3,
        "vocabulary": WORDS,
        "by": "effect",
        "random_state": 0,
        "max_temperatures": 1000,
        "rescaled": True,
        "lengths": np.array([5, 8]),
        "chains": 4,
        "temperatures": 20,
        "exact": None,
        "orders": 2,
        "n_documents": 3,
        "n_rows": 3,
        "length": 5,
        "sweeps": 2,
        "n_neighbors": 3,
        "activations": None,
        "n_topics": 2,
        "labels": _CLASSES,
        "texts": [f"word{number % 9} word{number % 4}" for number in range(24)],
        "exclusive": 0.5,
        "input_features": None,
        "path": None,
        "documents": None,
        "reading": None,
        "other": None,
        "checkpoint": None,
        "words": COUNTS,
        "halves": (POINTS, POINTS[::-1]),
    }


def methods_of(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods of an estimator that are ours to guard."""
    for name in dir(kind):
        if not name.startswith("_") and name not in NOT_OURS and callable(getattr(kind, name)):
            yield name, getattr(kind, name)


def parameters_of(method: Callable[..., Any]) -> list[str]:
    """The names of its arguments, but for `self` and those that collect others."""
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [p.name for p in inspect.signature(method).parameters.values() if p.name != "self" and p.kind not in several]


def calls_of(name: str) -> list[Call]:
    """Each public method of an estimator with good arguments. Those that fit begin with an estimator not fitted."""
    made = []
    for method, function in methods_of(entry_of(name).load()):
        good = good_arguments(name, method)
        known = {each: good[each] for each in parameters_of(function) if each in good}
        if method == "topics":
            known.pop("labels")  # One of two ways to name classes, and the other is the usual one.
        if method == "inverse_transform":
            known["X"] = POINTS[:, :4]  # what `transform` gives
        if method == "predict_transformed":
            known["activations"] = np.abs(POINTS[:, :4])
        if method == "score" and known.get("y", 0) is None:
            known["y"] = _CLASSES
        if method == "partial_fit":
            known.pop("pairs", None)  # Then X and y would be other things.
        if method == "log_partition" and entry_of(name).takes != "counts":
            known.pop("lengths")
        if "halves" in known:  # Pairs come from halves or from words.
            by_words = tuple((each, value) for each, value in known.items() if each != "halves")
            made.append(Call(name, method, by_words, "fit" not in method))
            known.pop("words")
        made.append(Call(name, method, tuple(known.items()), "fit" not in method))
    return made


ALL_CALLS = [call for entry in entries() for call in calls_of(entry.name)]
SPARSE_COUNTS = sp.csr_array(COUNTS)
