"""Whether the content of a model file is that of a model: names, types, shapes and values that belong together.

A file can be undamaged and yet hold anything. Mistakes are found when a model is saved or loaded, not later when it is
used.
"""

from collections.abc import Mapping
from typing import Any, get_type_hints

import numpy as np

from wideangle._encoding import fits, in_short, named
from wideangle._patterns import PatternError, check_pattern
from wideangle.catalogue import Entry, entries, entry_of
from wideangle.documents import Documents, Reading, Strings, WordLists
from wideangle.exceptions import ModelFileError
from wideangle.topics import Topics

__all__ = ["ContentError", "check_content", "own_entry"]

WEIGHTS, BIASES = "module_.weights", "module_.biases"
LAYERS = (WEIGHTS, BIASES, "module_.activation")
SEEN = ("vectors", "logits")  # what the model made of the documents: rows × components
# Further attributes that an estimator may have, and their types. Names that begin with "_" must be listed here.
SIMPLE: dict[str, Any] = {
    "n_updates_": int,
    "stopped_": str,
    "kept_share_": float,
    "n_rows_": int,
    "weighting_": str,
    "history_": tuple,
    "hinge_weight_": float,
    "violations_": float,
    "threshold_": float,
    "module_.activation": str,
    "_one_dimensional": bool,
    "_mean": np.ndarray,
    "_scale": np.ndarray,
    "_sklearn_output_config": dict,
}


# What a parameter that may be None was taken as in the fit. The value must be one of that parameter's.
RESOLVED = {"weighting_": "weighting"}


class ContentError(ValueError):
    """A model holds something wrong. The message says what, and what should be there."""


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
    entry = entry_of(estimator)
    _check_settled(estimator, entry, state)
    components = _check_layers(state, width) if entry.layered else _check_learned(entry, state, width)
    if "feature_names_in_" in state:
        _check_strings_of_columns("feature_names_in_", state["feature_names_in_"], width)
    if vocabulary is not None:
        _check_strings_of_columns("the vocabulary", vocabulary, width)
    if documents is not None:
        _check_documents(documents, components, width)
    if reading is not None:
        _check_reading(reading, width)
    if topics is not None:
        _check_topics(topics, components, documents)


def _check_parameters(estimator: type, parameters: Mapping[str, Any]) -> None:
    hints = get_type_hints(estimator.__init__)  # type: ignore[misc]
    for name, value in parameters.items():
        hint = hints.get(name, Any)  # A user's own class may have parameters without types.
        if not fits(value, hint):
            raise ContentError(f"the parameter {name} must be {named(hint)}; got {in_short(value)}")
    if not fits(parameters.get("random_state"), int | None):
        raise ContentError(
            f"the parameter random_state must be None or a whole number; got {in_short(parameters['random_state'])}"
        )
    try:
        estimator(**parameters)._check_parameters()
    except (TypeError, ValueError) as error:
        raise ContentError(f"its parameters make no sense: {error}".rstrip(".")) from error


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
    if state.get("n_rows_", 0) < 0:
        raise ContentError(f"n_rows_ must be at least 0; got {state['n_rows_']}")
    hints = get_type_hints(estimator.__init__)  # type: ignore[misc]
    for name, parameter in RESOLVED.items():
        hint = hints.get(parameter, Any)
        if name in state and not fits(state[name], hint):
            raise ContentError(f"{name} must be {named(hint)}; got {in_short(state[name])}")


def _check_finite(name: str, array: np.ndarray[Any, Any]) -> None:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ContentError(f"{name} holds NaN or infinities")


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
        _check_finite(name, array)
        if name in entry.shares:
            if array.min() < 0 or array.max() > 1:
                raise ContentError(f"{name} holds shares, and they must lie between 0 and 1")
        elif name in entry.weights:
            if array.dtype != np.float64 or array.min() <= 0:
                raise ContentError(f"{name} holds weights, and they must be of float64 and above 0")
        else:
            floats.add(array.dtype)
    if len(floats) > 1:
        raise ContentError("components_ and intercepts must be of one type, float32 or float64")
    return sizes.get("K")


def _check_layers(state: Mapping[str, Any], width: int) -> int:
    """Check that the layers of a network fit onto each other. Returns how many units the last hidden layer has."""
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
            _check_finite(f"{what} {number}", array)
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
    for name in ("_mean", "_scale"):
        array = state.get(name)
        if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or array.size != outputs:
            raise ContentError(f"{name} must be {outputs} numbers, one per output; got {in_short(array)}")
        _check_finite(name, array)
    if (state["_scale"] <= 0).any():
        raise ContentError("_scale must be above 0")


def _check_strings_of_columns(name: str, words: Any, width: int) -> None:
    whole = isinstance(words, list) or (isinstance(words, np.ndarray) and words.ndim == 1)
    if not whole or not all(isinstance(word, str) for word in words):
        raise ContentError(f"{name} must be strings, one per column; got {in_short(words)}")
    if len(words) != width:
        raise ContentError(f"{name} has {len(words)} words, but the model has {width} columns")


def _check_documents(documents: Documents, components: int | None, width: int) -> None:
    for name in SEEN:
        vectors = getattr(documents, name)
        if vectors is None:
            continue
        if vectors.ndim != 2 or vectors.shape[1] != (vectors.shape[1] if components is None else components):
            raise ContentError(
                f"its documents have {name} of shape {vectors.shape}, but the model has {components} components"
            )
        _check_finite(f"the {name} of its documents", vectors)
    for name, value in vars(documents).items():
        if isinstance(value, Strings):
            _check_packed(f"{name} of its documents", value)
        elif isinstance(value, np.ndarray) and value.ndim != 1 and name not in SEEN:
            raise ContentError(f"{name} of its documents must have one dimension; got shape {value.shape}")
    if documents.words is not None:
        _check_words(documents.words, width)


def _check_words(words: WordLists, width: int) -> None:
    columns, ends = words.columns, words.ends
    _check_ends("the words of its documents", ends, len(columns))
    if columns.ndim != 1 or columns.dtype.kind != "u" or (len(columns) and int(columns.max()) >= width):
        raise ContentError(f"the words of its documents must be columns from 0 to {width - 1}")
    steps = np.diff(columns.astype(np.int64))
    steps[ends[(ends > 0) & (ends < len(columns))] - 1] = 1  # From one document to the next they may fall.
    if (steps <= 0).any():
        raise ContentError("the words of its documents must be in rising order")


def _check_ends(what: str, ends: np.ndarray[Any, Any], length: int) -> None:
    if ends.ndim != 1 or (ends[-1] if len(ends) else 0) != length:
        raise ContentError(f"{what} do not end where their content ends")
    if len(ends) and (ends[0] < 0 or (np.diff(ends) < 0).any()):
        raise ContentError(f"{what} end in the wrong order")


def _check_topics(topics: Topics, components: int | None, documents: Documents | None) -> None:
    tree = topics.tree
    L, width = len(tree.centres), components if components is not None else tree.centres.shape[-1]
    shapes = {"centres": (L, width), "sizes": (L,), "merges": (max(L - 1, 0), 2)}
    for name, shape in shapes.items():
        if not L or getattr(tree, name).shape != shape:
            raise ContentError(f"{name} of its tree of topics have shape {getattr(tree, name).shape}, not {shape}")
    if topics.centre.shape != (width,):
        raise ContentError(f"the centre of its topics has shape {topics.centre.shape}, and must have {(width,)}")
    for name, array in (("centres", tree.centres), ("centre", topics.centre)):
        _check_finite(f"{name} of its topics", array)
    # Each node but the last is merged once, and only after it was made.
    if L > 1 and (np.sort(tree.merges.ravel()) != np.arange(2 * L - 2)).any():
        raise ContentError("its tree of topics does not merge each node once")
    if (tree.merges >= L + np.arange(L - 1)[:, None]).any():
        raise ContentError("its tree of topics merges a node before it is made")
    leaves = topics.leaves
    if leaves.ndim != 1 or (len(leaves) and (leaves.min() < -1 or leaves.max() >= L)):
        raise ContentError(f"its documents must be in leaves −1 to {L - 1} of its tree of topics")
    if documents is not None and len(leaves) != len(documents):
        raise ContentError(
            f"its topics are of {len(leaves)} documents, and it has {len(documents)}. Set documents_ and call topics()"
        )
    if not 1 <= len(topics.items) <= L or {topic.node for topic in topics.items} != set(
        tree.cut(len(topics.items)).tolist()
    ):
        raise ContentError("its topics are no level of their tree")
    for topic in topics.items:
        if not all(0 <= row < len(leaves) for row in topic.central):
            raise ContentError(f"a central document of its topic {topic.number} is not there")
    for node, name in topics.renamed.items():
        if not fits(node, int) or not 0 <= node < tree.n_nodes or not isinstance(name, str):
            raise ContentError(f"{name!r} cannot be the name of node {node!r} of its topics")


def _check_packed(what: str, strings: Strings) -> None:
    content, ends = strings.content, strings.ends
    if content.ndim != 1:
        raise ContentError(f"{what} must have one dimension; got shape {content.shape}")
    _check_ends(what, ends, len(content))
    inside = ends[ends < len(content)]
    try:
        content.tobytes().decode()
    except UnicodeDecodeError as error:
        raise ContentError(f"{what} are not UTF-8") from error
    if (content[inside] & 0xC0 == 0x80).any():  # Such a byte is the second or a later one of a character.
        raise ContentError(f"{what} are cut within a character")


def _check_reading(reading: Reading, width: int) -> None:
    for name, hint in get_type_hints(Reading).items():
        if not fits(value := getattr(reading, name), hint):
            raise ContentError(f"{name} of how documents are read must be {named(hint)}; got {in_short(value)}")
    if reading.kind == "tf-idf" and reading.rarity is None:
        raise ContentError("documents are read as tf-idf, but the rarity of the words is missing")
    if reading.rarity is not None:
        if reading.rarity.shape != (width,):
            raise ContentError(f"the rarity of words has shape {reading.rarity.shape}, and must have {(width,)}")
        _check_finite("the rarity of words", reading.rarity)
    if reading.ngrams < 1:
        raise ContentError(f"at least 1 word in a row must count as one; got {reading.ngrams}")
    if not all(isinstance(word, str) for word in reading.stop_words or ()):
        raise ContentError("its stop words must be strings")
    if reading.token_pattern is not None:
        try:
            check_pattern(reading.token_pattern)
        except PatternError as error:
            raise ContentError(f"its pattern of words, {error}, is refused") from error
