"""Saves models to files and loads them: safetensors files with one JSON document inside, without pickle."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar

import numpy as np
import sklearn
import torch
from sklearn.utils.validation import check_is_fitted

import wideangle
from wideangle._arguments import a, optional, shown
from wideangle._arguments import path as path_of_file
from wideangle._encoding import ContentError, Decoder, Encoder, compact_json, digest, in_short
from wideangle._files import replacing
from wideangle._model_files.array_file import header_of, read_arrays, write_arrays
from wideangle._model_files.checks import check_content, own_entry
from wideangle._model_files.header import FORMAT, KEY, LONGEST_HEADER, Header, PathLike, damaged, read_header
from wideangle._model_files.upgrades import UPGRADES
from wideangle.catalogue import entries
from wideangle.documents import Documents, Reading, Strings, WordLists
from wideangle.exceptions import ModelFileError
from wideangle.topics import FoundLevel, Topic, Topics, TopicTree

__all__ = ["Saveable", "load", "save"]

# Attributes that a model gets from its file, and their classes.
ATTACHED = {"documents_": Documents, "reading_": Reading, "topics_": Topics}
ATTACHED_TO = "attached."  # what the names of arrays in them begin with
RECORDS = (*ATTACHED.values(), Strings, WordLists, TopicTree, Topic, FoundLevel)  # the classes of what is in them


class Saveable:
    """An estimator that can be saved. All its attributes except `_unsaved` go into the file.

    A subclass names the attribute that every fitted estimator has, and the dataclasses in its state. It overrides
    `_saved_state` and `_restore_state` if it holds more than numbers, strings, arrays, those classes and lists of them;
    `_restore_state` raises ValueError where a state makes no sense.
    A class of your own must be registered too: see `wideangle.catalogue.register`.
    """

    _essential: ClassVar[str] = "components_"
    _records: ClassVar[tuple[type, ...]] = ()
    _unsaved: ClassVar[frozenset[str]] = frozenset({"_trainer", "_recent", "vocabulary_", *ATTACHED})

    def save(
        self,
        path: PathLike,
        *,
        vocabulary: Sequence[str] | None = None,
        documents: Documents | None = None,
        reading: Reading | None = None,
    ) -> None:
        """Write this fitted estimator to one file, for `wideangle.load`; see `wideangle.persistence.save`."""
        save(self, path, vocabulary=vocabulary, documents=documents, reading=reading)

    def _forget(self) -> None:
        """Delete what belongs to an earlier fit."""
        for left_over in self._unsaved:
            self.__dict__.pop(left_over, None)

    def _saved_state(self) -> dict[str, Any]:
        """The attributes besides the parameters. Each is stored under its name."""
        left_out = {*self._parameter_names(), *self._unsaved}
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def _restore_state(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @classmethod
    def _parameter_names(cls) -> set[str]:
        return set(signature(cls).parameters)

    def _check_parameters(self) -> None:
        """Raise an error where parameters make no sense. A subclass overrides this."""


def save(
    estimator: Any,
    path: PathLike,
    *,
    vocabulary: Sequence[str] | None = None,
    documents: Documents | None = None,
    reading: Reading | None = None,
) -> None:
    """Write a fitted estimator of wideangle to one file.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of `wideangle.models`, or one of your own that is registered in `wideangle.catalogue`.
    path : path
        The file; `.wideangle` is a good ending. An existing file is replaced once the new one is complete.
    vocabulary : sequence of str, optional
        The word of each column. The loaded estimator has it as the list `vocabulary_`, and `ReplicatedSoftmax.topics`
        uses it. Saving that estimator again keeps it; the next `fit` deletes it.
    documents : Documents, optional
        What the model was fitted on, to be searched and shown; the loaded estimator has it as `documents_`.
    reading : Reading, optional
        How files became rows; the loaded estimator has it as `reading_`. Both are kept and deleted like the vocabulary.

    Notes
    -----
    What `topics` found last is written too, with the names that a user gave.

    The file is a safetensors file, whose arrays any reader finds by name. Its metadata has a JSON document under
    "wideangle": versions of the format and the libraries, the estimator's name, parameters, what it learned, the
    vocabulary, and a SHA-256 of all this and of the arrays. The same model gives the same bytes.

    The optimiser's state and the random streams of `partial_fit` are left out: a loaded model's `partial_fit` goes on
    from the components with a fresh optimiser. A RandomState or a callback cannot be stored: an error names it.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import wideangle
    >>> X = np.random.default_rng(0).random((50, 6))
    >>> model = wideangle.BernoulliRBM(3, max_updates=20, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "machine.wideangle")
    ...     model.save(path)
    ...     again = wideangle.load(path)
    >>> bool((again.transform(X) == model.transform(X)).all())
    True
    """
    path_of_file(path, "path")
    name = own_entry(estimator).name
    check_is_fitted(estimator, estimator._essential)
    if vocabulary is None:
        vocabulary = getattr(estimator, "vocabulary_", None)
    arrays: dict[str, Any] = {}
    writer = Encoder(name, arrays, estimator._records)
    documents = getattr(estimator, "documents_", None) if documents is None else documents
    reading = getattr(estimator, "reading_", None) if reading is None else reading
    optional(a(Documents))(documents, "documents")
    optional(a(Reading))(reading, "reading")
    topics = getattr(estimator, "topics_", None)
    attached = dict(zip(ATTACHED, (documents, reading, topics), strict=True))
    attachments = Encoder(name, arrays, RECORDS)
    parameters, state = estimator.get_params(deep=False), estimator._saved_state()
    words = None if vocabulary is None else _words(vocabulary, estimator.n_features_in_)
    document = {
        "format": FORMAT,
        "versions": {
            "wideangle": wideangle.__version__,
            "torch": str(torch.__version__),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "estimator": name,
        "parameters": {key: writer.encode(value, f"parameters.{key}") for key, value in parameters.items()},
        "state": {key: writer.encode(value, key) for key, value in state.items()},
        "vocabulary": words,
        "attached": {key: attachments.encode(value, f"{ATTACHED_TO}{key}") for key, value in attached.items()},
    }
    try:
        # A file that `load` would refuse must not be written.
        check_content(type(estimator), parameters, state, words, documents, reading, topics)
    except ContentError as error:
        raise ModelFileError(f"this {name} cannot be saved: {error}.") from error
    document["sha256"] = digest(document, arrays)
    header = header_of(arrays, {KEY: compact_json(document)})
    length = len(header) - 8  # without the number that says it
    if length > LONGEST_HEADER:
        raise ModelFileError(
            f"strings and settings take {length:,} bytes, but safetensors holds {LONGEST_HEADER:,}: save without the "
            "vocabulary, and keep it apart."
        )
    with replacing(path) as temporary:
        write_arrays(temporary, arrays, header)


def load(path: PathLike) -> Any:
    """The estimator that `save` wrote to a file, with the same bits; nothing in the file is run.

    A file that is damaged, incomplete, of another program or of a newer wideangle raises `ModelFileError`.

    Large arrays of its documents stay in the file, where the system allows that. They cannot be written to; the file
    may be replaced or deleted.
    """
    header = read_header(path_of_file(path, "path"))
    try:
        document, arrays = _read_checked(path, header)
    except (ModelFileError, MemoryError):  # Where memory is short, the file may be fine.
        raise
    except Exception as error:  # What is damaged can raise any error.
        raise damaged(path, error) from error
    name = document.get("estimator") if isinstance(document.get("estimator"), str) else "model"
    try:
        _check_entries(document)
        return _rebuilt(path, *_brought_up_to_date(document, arrays))
    except (ModelFileError, MemoryError):  # Where memory is short, the file may be fine.
        raise
    except ContentError as error:
        raise ModelFileError(
            f"{path} is whole, but holds no {name} that can be used: {error}. Fetch the file from "
            "where the model was saved, or fit it again."
        ) from error
    except Exception as error:  # The file is undamaged, but not what this version would have written.
        raise ModelFileError(
            f"{path} is whole, but wideangle {wideangle.__version__} cannot rebuild its {name}: "
            f"{error!r}. Load it with the versions it was saved by: {document.get('versions')}."
        ) from error


@dataclass(frozen=True)
class FileFacts:
    """What a model file says about itself."""

    format: int
    versions: dict[str, str]
    """of wideangle and of the libraries that wrote it"""
    bytes: int


def file_facts(path: PathLike) -> FileFacts:
    """What a file that `load` accepts says about itself."""
    document = read_header(path).document
    versions = {str(name): str(version) for name, version in dict(document["versions"] or {}).items()}
    return FileFacts(document["format"], versions, os.path.getsize(path))


def _read_checked(path: PathLike, header: Header) -> tuple[dict[str, Any], dict[str, Any]]:
    """The document and the arrays, after their SHA-256 was checked."""
    document, arrays = header.document, read_arrays(path, header, ATTACHED_TO)
    if document.pop("sha256") != digest(document, arrays):
        raise ModelFileError(f"{path} is damaged: its SHA-256 is not that of its content. Fetch another copy.")
    return document, arrays


def _brought_up_to_date(document: dict[str, Any], arrays: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same content in the present format."""
    number = document["format"]
    for older in range(number, FORMAT):
        try:
            document, arrays = UPGRADES[older](document, arrays)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ContentError(f"it is no file of format {number}, as it says ({error!r})") from error
    return document, arrays


def _rebuilt(path: PathLike, document: dict[str, Any], arrays: dict[str, Any]) -> Any:
    name = document["estimator"]
    known = {entry.name: entry for entry in entries()}  # A file may name only these classes.
    if name not in known:
        raise ModelFileError(
            f"{path} holds a {name!r}, but this wideangle has {', '.join(known)}; upgrade wideangle, or register the "
            "class by wideangle.catalogue.register before you load it."
        )
    cls: Any = known[name].load()
    unknown = sorted(set(document["parameters"]) - cls._parameter_names())
    if unknown:
        raise ModelFileError(
            f"{path} has parameters that {name} does not know in wideangle {wideangle.__version__}: "
            f"{', '.join(unknown)}. It was saved by {document['versions'].get('wideangle')}: load it with that."
        )
    reader = Decoder(arrays, cls._records)
    parameters = {key: reader.decode(node, f"parameters.{key}") for key, node in document["parameters"].items()}
    state = {key: reader.decode(node, f"state.{key}") for key, node in document["state"].items()}
    attachments = Decoder(arrays, RECORDS)
    attached = {key: attachments.decode(document["attached"].get(key), f"attached.{key}") for key in ATTACHED}
    for key, kind in ATTACHED.items():
        if not isinstance(attached[key], kind | None):
            raise ContentError(f"{key} must be {kind.__name__} or None; got {in_short(attached[key])}")
    check_content(cls, parameters, state, document["vocabulary"], *attached.values())
    estimator = cls(**parameters)
    try:
        estimator._restore_state(state)
    except ValueError as error:  # The estimator says itself what is wrong.
        raise ContentError(str(error)) from error
    if document["vocabulary"] is not None:
        estimator.vocabulary_ = document["vocabulary"]
    for key, value in attached.items():
        if value is not None:
            setattr(estimator, key, value)
    check_is_fitted(estimator, cls._essential)
    return estimator


def _check_entries(document: dict[str, Any]) -> None:
    """Check what the document of every model file has; files of format 3 and before have nothing attached."""
    document.setdefault("attached", {})
    kinds = {"estimator": str, "versions": dict, "parameters": dict, "state": dict, "attached": dict}
    for name, kind in kinds.items():
        if not isinstance(document.get(name), kind):
            wanted = "a string" if kind is str else "a mapping"
            raise ContentError(f"its entry {name!r} must be {wanted}; got {in_short(document.get(name))}")
    document.setdefault("vocabulary", None)


def _words(vocabulary: Any, n_features: int) -> list[str]:
    no_list = (
        isinstance(vocabulary, str | Mapping) or hasattr(vocabulary, "tocsr") or not isinstance(vocabulary, Iterable)
    )
    words = [] if no_list or getattr(vocabulary, "ndim", 1) != 1 else list(vocabulary)
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError(
            f"vocabulary must be the words of the columns in their order; got "
            f"{shown(vocabulary)}. Of a vectoriser, pass get_feature_names_out()."
        )
    if len(words) != n_features:
        raise ValueError(f"the vocabulary has {len(words)} words, but the model has {n_features} columns.")
    return [str(word) for word in words]
