"""Rows from files of NumPy: what `Corpus.save` or `scipy.sparse.save_npz` wrote, arrays X and y, or one array."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data.corpus import Corpus, open_npz
from wideangle.data.npz_arrays import check_places, checked_matrix
from wideangle.documents import NO_LABEL, KeptTexts
from wideangle.exceptions import DataError
from wideangle.reading.catalogue import NPY
from wideangle.reading.errors import in_plain_words
from wideangle.reading.opening import Opened
from wideangle.reading.options import NO_COLUMN, ReadingOptions
from wideangle.reading.rows import Rows
from wideangle.reading.said import described, require_labels, said_of_dropped

__all__ = ["read_arrays"]

SPARSE = {"data", "indices", "indptr", "shape"}
STRINGS = ("names", "vocabulary", "label_names")


def read_arrays(opened: Opened, options: ReadingOptions) -> Rows:
    """The rows, labels, split and vocabulary of an .npz file; nothing in it is unpickled."""
    name, file, dropped = opened.name, opened.file, 0
    assert file is not None
    with in_plain_words(name), file.open_archive() as stream:
        rows = _read(stream, name)
    if options.label_column == NO_COLUMN:
        rows = replace(rows, labels=None, label_names=None)
    if options.split_column == NO_COLUMN:
        rows = replace(rows, is_train=None)
    if options.drop_unlabelled:
        dropped = int((~rows.labelled).sum())
        require_labels(len(rows) - dropped, dropped, name)
        rows = rows.subset(rows.labelled)
    return replace(rows, description=described(name, rows, ()), notes=said_of_dropped(dropped))


def _read(stream: Any, name: str) -> Rows:
    is_array = stream.read(len(NPY)) == NPY
    stream.seek(0)
    if is_array:
        return _from_arrays({"X": _array(stream, name)}, name)
    with open_npz(stream, (), name) as arrays:
        held = set(arrays.files)
        if "X" in held and "format" not in held and not held >= SPARSE:
            return _from_arrays(arrays, name)
        if "format" in held:
            # SciPy reads them by itself, and would ask for whatever memory they say that they need.
            check_places(dict(arrays), name)
    stream.seek(0)
    if "format" in held:
        return _rows(name, _scipy_matrix(stream, name), {})
    if held >= SPARSE:
        return _from_corpus(Corpus.open(stream, name=name))
    raise DataError(
        f"{name} holds {', '.join(sorted(held)) or 'nothing'}. Wanted are an array X (and y), a matrix of "
        "scipy.sparse.save_npz, or a corpus of wideangle.data.Corpus.save."
    )


def _array(stream: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(np.load(stream, allow_pickle=False))
    except (ValueError, EOFError) as error:
        raise DataError(f"{name} is no whole array of numbers (.npy): {error}. Save it again.") from error


def _from_arrays(arrays: Mapping[str, NDArray[Any]], name: str) -> Rows:
    others = dict(arrays)
    X = others.pop("X")
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise DataError(f"{name}: X must be rows × columns of numbers; got {X.dtype} of shape {X.shape}.")
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        raise DataError(f"{name}: X holds NaN or infinities. Fill or drop them.")
    return _rows(name, X, others)


def _scipy_matrix(stream: Any, name: str) -> sp.csr_array:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about headers that Python 2 wrote, which can be read
            matrix = sp.load_npz(stream)
    except OSError:
        raise
    except Exception as error:  # SciPy looks at little of what it reads, and a damaged file may raise anything.
        raise DataError(f"{name} is no whole matrix of scipy.sparse.save_npz. Save it again.") from error
    found = checked_matrix(matrix, name)
    if found.dtype.kind == "f" and not np.isfinite(found.data).all():
        raise DataError(f"{name}: X holds NaN or infinities. Fill or drop them.")
    return found


def _from_corpus(corpus: Corpus) -> Rows:
    labels, label_names = corpus.labels, corpus.label_names
    if labels is not None and not (labels != NO_LABEL).any():
        labels = label_names = None
    if labels is not None and label_names is None:
        label_names = np.arange(int(labels.max(initial=-1)) + 1).astype(str)
    return Rows(
        corpus.counts,
        counted=True,
        names=_numbered(len(corpus)) if corpus.names is None else corpus.names.tolist(),
        snippets=None if corpus.texts is None else KeptTexts.of(corpus.texts).texts,
        labels=labels,
        label_names=None if label_names is None else label_names.tolist(),
        is_train=corpus.is_train,
        vocabulary=None if corpus.vocabulary is None else corpus.vocabulary.tolist(),
    )


def _rows(name: str, X: Any, others: dict[str, NDArray[Any]]) -> Rows:
    """Rows of a bare matrix; a sparse one of whole numbers counts words."""
    for what in (*STRINGS, "is_train"):
        if what in others and (others[what].ndim != 1 or others[what].dtype.kind == "V"):
            raise DataError(f"{name}: {what} must be one row of values; got shape {others[what].shape}.")
    values = X.data if sp.issparse(X) else X
    whole = sp.issparse(X) and bool((values >= 0).all() and (values == np.round(values)).all())
    labels, label_names = _labels(others, name)
    rows = Rows(
        X,
        counted=whole,
        names=others["names"].astype(str).tolist() if "names" in others else _numbered(X.shape[0]),
        labels=labels,
        label_names=label_names,
        is_train=others["is_train"].astype(bool) if "is_train" in others else None,
        vocabulary=others["vocabulary"].astype(str).tolist() if "vocabulary" in others else None,
    )
    for what in ("labels", "names", "is_train"):
        value = getattr(rows, what)
        if value is not None and len(value) != len(rows):
            raise DataError(f"{name}: there are {len(rows)} rows of X but {len(value)} {what}.")
    if rows.vocabulary is not None and len(rows.vocabulary) != X.shape[1]:
        raise DataError(f"{name}: X has {X.shape[1]} columns but {len(rows.vocabulary)} words.")
    return rows


def _labels(others: dict[str, NDArray[Any]], name: str) -> tuple[NDArray[np.int64] | None, list[str] | None]:
    """Class numbers and names of `y` or `labels`; NaN, an empty name, and −1 among numbers with names are no class."""
    given = others.get("y", others.get("labels"))
    if given is None:
        return None, None
    if given.dtype.kind == "V":
        raise DataError(f"{name}: labels must be numbers or strings; got {given.dtype}.")
    given, named = given.ravel(), others.get("label_names")
    known = np.ones(len(given), dtype=bool)
    if given.dtype.kind == "f":
        known = ~np.isnan(given)
    elif given.dtype.kind in "SU":
        known = given.astype(str) != ""
    elif named is not None and given.dtype.kind in "iu":
        known = given != NO_LABEL
    if not known.any():
        return None, None
    names, found = np.unique(given[known], return_inverse=True)
    if named is not None and given.dtype.kind in "iu":
        if int(names[-1]) >= len(named) or int(names[0]) < 0:
            raise DataError(f"{name}: label {names[-1]} has no name among {len(named)} label_names.")
        names = named[names]
    labels = np.full(len(given), NO_LABEL, dtype=np.int64)
    labels[known] = found.ravel()
    return labels, names.astype(str).tolist()


def _numbered(count: int) -> list[str]:
    return [f"row {number}" for number in range(1, count + 1)]
