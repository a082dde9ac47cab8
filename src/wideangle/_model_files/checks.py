"""Whether the content of a model file is that of a model: names, types, shapes and values that belong together.

A file can be undamaged and yet hold anything. Mistakes are found when a model is saved or loaded, not later when it is
used.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import numpy as np
import torch

from wideangle._encoding import (
    LARGEST_WEIGHT,
    LEAST_WEIGHT,
    ContentError,
    check_finite,
    check_usable,
    fits,
    in_short,
    named,
)
from wideangle._model_files.carried_checks import check_carried_documents, check_reading, check_topics
from wideangle.catalogue import Entry, entries, entry_of
from wideangle.documents import Documents, Reading
from wideangle.exceptions import ModelFileError
from wideangle.finishing import Halves
from wideangle.finishing.halves import KNOTS
from wideangle.topics import Topics

__all__ = ["ContentError", "check_content", "own_entry"]

WEIGHTS, BIASES = "module_.weights", "module_.biases"
LAYERS = (WEIGHTS, BIASES, "module_.activation")
ROUNDED = 1e-4  # A covariance in single precision may have eigenvalues so far below 0, as a share of its trace.
MOST = 2**63 - 1  # whole numbers that NumPy and torch take
LEAST_SHARE = 1e-6  # of units that dropout keeps
MOST_SEEDS = 2**32  # Seeds are below it.
# Further attributes that an estimator may have, and their types. Names that begin with "_" must be listed here.
SIMPLE: dict[str, Any] = {
    "n_updates_": int,
    "stopped_": str,
    "kept_share_": float,
    "n_rows_": int,
    "weighting_": str,
    "history_": tuple,
    "halves_": Halves,
    "hinge_weight_": float,
    "violations_": float,
    "threshold_": float,
    "module_.activation": str,
    "_one_dimensional": bool,
    "_mean": np.ndarray,
    "_scale": np.ndarray,
    "_sklearn_output_config": dict,
}


# What numbers among them must be, in words and as a test. NaN passes none of them.
RANGES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "kept_share_": ("above 0 and at most 1", lambda value: LEAST_SHARE <= value <= 1),
    "n_rows_": ("at least 0", lambda value: 0 <= value <= MOST),
    "n_updates_": ("at least 0", lambda value: 0 <= value <= MOST),
    "hinge_weight_": ("a finite number", math.isfinite),
    "violations_": ("at least 0", lambda value: value >= 0),
    "threshold_": ("a number", lambda value: not math.isnan(value)),
}
_WEIGHT = ("a finite float above 0", lambda value: isinstance(value, float) and 0 < value < math.inf)
_DISCOUNT = ("a float from 0 on and below 1", lambda value: isinstance(value, float) and 0 <= value < 1)
_COUNT = ("a whole number of at least 1", lambda value: fits(value, int) and 1 <= value <= MOST)
_SEED = (f"a whole number from 0 to {MOST_SEEDS - 1}", lambda value: fits(value, int) and 0 <= value < MOST_SEEDS)
_OF_BUFFETS = ("topic", "word")
# The same for what estimators of the catalogue say that they need. Another estimator may mean something else by a name.
SETTLED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("document_prior_", "alpha_", "beta_", "concentration_"), _WEIGHT),
    **dict.fromkeys((f"{of}_{what}_" for of in _OF_BUFFETS for what in ("mass", "concentration")), _WEIGHT),
    **dict.fromkeys(("discount_", *(f"{of}_discount_" for of in _OF_BUFFETS)), _DISCOUNT),
    **dict.fromkeys(("n_iter_", "n_samples_", "n_tokens_"), _COUNT),
    "seed_": _SEED,
}
# What a parameter that may be None was taken as in the fit. The value must be one of that parameter's.
RESOLVED = {"weighting_": "weighting", "module_.activation": "activation"}


def own_entry(estimator: Any) -> Entry:
    """The record of the estimator's own class. With that of a parent, the file would be loaded as the parent."""
    kind = type(estimator)
    entry = next((entry for entry in entries() if entry.name == kind.__name__ and entry.load() is kind), None)
    if entry is None:
        raise ModelFileError(
            f"only {', '.join(entry.name for entry in entries())} themselves can be saved; got {kind!r}. An estimator "
            f"of your own joins them by wideangle.catalogue.register(Entry.of({kind.__name__}))."
        )
    if not hasattr(estimator, "_saved_state"):
        raise ModelFileError(f"{entry.name} cannot be saved: let the class inherit wideangle.persistence.Saveable.")
    return entry


def check_content(
    estimator: type,
    parameters: Mapping[str, Any],
    state: Mapping[str, Any],
    vocabulary: Any = None,
    documents: Documents | None = None,
    reading: Reading | None = None,
    topics: Topics | None = None,
) -> None:
    """Raise ContentError where this is not what an estimator of this class saves."""
    _check_parameters(estimator, parameters)
    _check_names(estimator, state)
    width: Any = state.get("n_features_in_")
    if not fits(width, int) or width < 1:
        raise ContentError(f"n_features_in_ must be a whole number of at least 1; got {in_short(width)}")
    width = int(width)
    for name, value in state.items():
        if name in SIMPLE and not fits(value, SIMPLE[name]):
            raise ContentError(f"{name} must be {named(SIMPLE[name])}; got {in_short(value)}")
        if fits(value, int) and abs(int(value)) > MOST:
            raise ContentError(f"{name} is too large; got {in_short(value)}")
    entry = entry_of(estimator)
    _check_settled(estimator, entry, state)
    components = _check_layers(state, width) if entry.layered else _check_learned(entry, state, width)
    if "halves_" in state:
        _check_halves(state["halves_"], components)
    if "feature_names_in_" in state:
        _check_strings_of_columns("feature_names_in_", state["feature_names_in_"], width)
    if vocabulary is not None:
        _check_strings_of_columns("the vocabulary", vocabulary, width)
    if documents is not None:
        n_words = len(reading.words) if reading is not None and reading.kind == "vectors" else width
        check_carried_documents(documents, components, width, n_words)
        if not documents.finished and not hasattr(estimator(**parameters), "finish"):
            raise ContentError(f"its documents are not finished, and nothing finishes what a {entry.name} says")
    if reading is not None:
        check_reading(reading, width)
    if topics is not None:
        check_topics(topics, components, documents)


def _check_parameters(estimator: type, parameters: Mapping[str, Any]) -> None:
    hints = get_type_hints(estimator.__init__)  # type: ignore[misc]
    for name, value in parameters.items():
        hint = hints.get(name, Any)  # A user's own class may have parameters without types.
        if not fits(value, hint):
            raise ContentError(f"the parameter {name} must be {named(hint)}; got {in_short(value)}")
        if fits(value, int) and abs(int(value)) > MOST:
            raise ContentError(f"the parameter {name} is too large; got {in_short(value)}")
    seed = parameters.get("random_state")
    if seed is not None and not _SEED[1](seed):
        raise ContentError(f"the parameter random_state must be None or {_SEED[0]}; got {in_short(seed)}")
    _check_device(parameters.get("device", "auto"))
    try:
        estimator(**parameters)._check_parameters()
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ContentError(f"its parameters make no sense: {error}".rstrip(".")) from error


def _check_device(device: Any) -> None:
    """Raise ContentError where torch has no such kind of device. The device itself may be on another machine."""
    try:
        if isinstance(device, str) and device != "auto":
            torch.device(device)
    except RuntimeError as error:
        raise ContentError(f"the parameter device must be 'auto', 'cpu' or 'cuda'; got {in_short(device)}") from error


def _check_names(estimator: type, state: Mapping[str, Any]) -> None:
    """Raise ContentError where a name would hide a method, a parameter or what a fit keeps for itself."""
    taken = estimator._parameter_names() | estimator._unsaved  # type: ignore[attr-defined]
    layers = LAYERS if entry_of(estimator).layered else ()
    for name in state:
        if name in layers:
            continue
        shadows = hasattr(estimator, name) or name in taken or name == "module_"
        if shadows or not name.isidentifier() or (name.startswith("_") and name not in SIMPLE):
            why = "would hide what the estimator itself has under this name" if shadows else "is no name of a result"
            raise ContentError(f"{name!r} cannot be what a {estimator.__name__} learned: it {why}")


def _check_settled(estimator: type, entry: Entry, state: Mapping[str, Any]) -> None:
    """Check the numbers and strings that the estimator needs besides its arrays."""
    for name in entry.settled:
        if state.get(name) is None:
            raise ContentError(f"{name} is missing")
    for name, (words, holds) in (RANGES | {name: SETTLED[name] for name in entry.settled if name in SETTLED}).items():
        if name in state and not holds(state[name]):
            raise ContentError(f"{name} must be {words}; got {in_short(state[name])}")
    hints = get_type_hints(estimator.__init__)  # type: ignore[misc]
    for name, parameter in RESOLVED.items():
        hint = hints.get(parameter, Any)
        if name in state and not fits(state[name], hint):
            raise ContentError(f"{name} must be {named(hint)}; got {in_short(state[name])}")


def _check_learned(entry: Entry, state: Mapping[str, Any], width: int) -> int | None:
    """Check the arrays that the estimator learns. Returns the number of components, where an array shows it."""
    sizes = {"D": width}
    floats: set[Any] = set()
    for name, letters in entry.learned.items():
        array = state.get(name)
        if not isinstance(array, np.ndarray) or array.dtype not in (np.float32, np.float64):
            raise ContentError(f"{name} must be an array of float32 or float64; got {in_short(array)}")
        if array.ndim == len(letters):
            sizes = {**dict(zip(letters, array.shape, strict=True)), **sizes}
        expected = tuple(sizes.get(letter, "K") for letter in letters)
        if array.shape != expected or not array.size:
            raise ContentError(f"{name} has shape {array.shape}, and must have {expected}")
        check_usable(name, array)
        if name in entry.shares:
            if array.min() < 0 or array.max() > 1:
                raise ContentError(f"{name} holds shares, and they must lie between 0 and 1")
        elif name in entry.weights:
            if array.dtype != np.float64 or array.min() <= 0:
                raise ContentError(f"{name} holds weights, and they must be of float64 and above 0")
            if array.min() < LEAST_WEIGHT or array.max() > LARGEST_WEIGHT:
                raise ContentError(f"{name} holds weights, and they must be from {LEAST_WEIGHT} to {LARGEST_WEIGHT:g}")
        elif name in entry.averages or name in entry.deviations:
            if array.dtype != np.float64 or (name in entry.deviations and array.min() <= 0):
                above = " and above 0" if name in entry.deviations else ""
                raise ContentError(f"{name} must be of float64{above}")
        else:
            floats.add(array.dtype)
    if len(floats) > 1:
        raise ContentError("components_ and intercepts must be of one type, float32 or float64")
    return sizes.get("K")


def _check_halves(halves: Halves, components: int | None) -> None:
    """Check that a distance can be made of the moments of halves."""
    knots, components = halves.shrinkage.size, halves.middle.shape[-1] if components is None else components
    shapes = dict.fromkeys(("noise", "signal", "spread"), (knots, components, components))
    for name, shape in (shapes | {"middle": (knots, components), "shrinkage": (knots,)}).items():
        array = getattr(halves, name)
        if array.shape != shape or knots not in (1, len(KNOTS)):
            raise ContentError(f"{name} of its halves has shape {array.shape}, and must have {shape}")
        check_finite(f"{name} of its halves", array)
    if halves.documents < 0:
        raise ContentError(f"its halves are of {halves.documents} documents")
    if halves.shrinkage.min() < 0 or halves.shrinkage.max() > 1:
        raise ContentError(f"its halves have a shrinkage that is no share; got {in_short(halves.shrinkage.tolist())}")
    for name in ("noise", "spread"):
        for moments in getattr(halves, name).astype(np.float64):
            rounded = ROUNDED * abs(np.trace(moments))
            if not np.allclose(moments, moments.T, atol=rounded) or np.linalg.eigvalsh(moments)[0] < -rounded:
                raise ContentError(f"{name} of its halves is no covariance")


def _check_layers(state: Mapping[str, Any], width: int) -> int:
    """Check that the layers of a network fit onto each other. Returns how many units the last hidden layer has."""
    if "module_.activation" not in state:
        raise ContentError("module_.activation is missing")
    weights, biases = state.get(WEIGHTS), state.get(BIASES)
    if not isinstance(weights, list) or not isinstance(biases, list) or not len(weights) == len(biases) >= 2:
        raise ContentError("a network must have weights and biases of at least two layers, equally many")
    inputs, floats = width, set()
    for number, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        for what, array, dimensions in (("weights", weight, 2), ("biases", bias, 1)):
            if not isinstance(array, np.ndarray) or array.dtype not in (np.float32, np.float64):
                raise ContentError(f"{what} {number} must be an array of float32 or float64; got {in_short(array)}")
            if array.ndim != dimensions or not array.size:
                raise ContentError(f"{what} {number} must have {dimensions} dimensions; got shape {array.shape}")
            check_usable(f"{what} {number}", array)
            floats.add(array.dtype)
        if weight.shape != (len(bias), inputs):
            raise ContentError(f"weights {number} have shape {weight.shape}, and must have {(len(bias), inputs)}")
        inputs = len(bias)
    if len(floats) > 1:
        raise ContentError("all weights and biases must be of one type, float32 or float64")
    _check_targets(state, inputs)
    return len(biases[-2])


def _check_targets(state: Mapping[str, Any], outputs: int) -> None:
    """Check what a network's outputs stand for: classes, or targets with a mean and a scale."""
    if "_mean" not in state and "_scale" not in state:
        classes = state.get("classes_")
        if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
            raise ContentError(f"classes_ must be an array of at least 2 classes; got {in_short(classes)}")
        if outputs not in ((1, 2) if len(classes) == 2 else (len(classes),)):
            raise ContentError(f"the last layer has {outputs} outputs for {len(classes)} classes")
        return
    if "_one_dimensional" not in state:
        raise ContentError("_one_dimensional is missing")
    for name in ("_mean", "_scale"):
        array = state.get(name)
        if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or array.size != outputs:
            raise ContentError(f"{name} must be {outputs} numbers, one per output; got {in_short(array)}")
        check_usable(name, array)
    if (state["_scale"] <= 0).any():
        raise ContentError("_scale must be above 0")


def _check_strings_of_columns(name: str, words: Any, width: int) -> None:
    whole = isinstance(words, list) or (isinstance(words, np.ndarray) and words.ndim == 1)
    if not whole or not all(isinstance(word, str) for word in words):
        raise ContentError(f"{name} must be strings, one per column; got {in_short(words)}")
    if len(words) != width:
        raise ContentError(f"{name} has {len(words)} words, but the model has {width} columns")
