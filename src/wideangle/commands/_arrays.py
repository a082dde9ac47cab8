"""Rows from .npz files: what `Corpus.save` or `scipy.sparse.save_npz` wrote, or arrays X and y."""

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.commands._guard import CommandError
from wideangle.commands._rows import Rows
from wideangle.data.corpus import Corpus, open_npz
from wideangle.documents import snippet

SPARSE = {"data", "indices", "indptr", "shape"}


def read_arrays(path: Path) -> Rows:
    """The rows, labels, split and vocabulary of an .npz file; nothing in it is unpickled."""
    file = open_npz(path, ())
    held = set(file.files)
    if "format" in held:
        matrix = sp.csr_array(sp.load_npz(path))
        return _rows(path, matrix, {})
    if held >= SPARSE:
        return _from_corpus(Corpus.open(path))
    if "X" not in held:
        raise CommandError(
            f"{path.name} holds {', '.join(sorted(held)) or 'nothing'}. Wanted are an array X (and y), a matrix of "
            "scipy.sparse.save_npz, or a corpus of wideangle.data.Corpus.save."
        )
    try:
        others = {name: file[name] for name in file.files}
    except ValueError as error:  # an array of objects, which only pickle could read
        raise CommandError(f"{path.name}: {error}. Save numbers and fixed-width strings, not objects.") from error
    X = others.pop("X")
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise CommandError(f"{path.name}: X must be rows × columns of numbers; got {X.dtype} of shape {X.shape}.")
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        raise CommandError(f"{path.name}: X holds NaN or infinities. Fill or drop them.")
    return _rows(path, X, others)


def _from_corpus(corpus: Corpus) -> Rows:
    labels, label_names = corpus.labels, corpus.label_names
    if labels is not None and label_names is None:
        label_names = np.arange(int(labels.max(initial=-1)) + 1).astype(str)
    return Rows(
        corpus.counts,
        counted=True,
        names=_numbered(len(corpus)),
        snippets=None if corpus.texts is None else [snippet(text) for text in corpus.texts],
        labels=labels,
        label_names=None if label_names is None else label_names.tolist(),
        is_train=corpus.is_train,
        vocabulary=None if corpus.vocabulary is None else corpus.vocabulary.tolist(),
    )


def _rows(path: Path, X: Any, others: dict[str, NDArray[Any]]) -> Rows:
    """Rows of a bare matrix; a sparse one of whole numbers counts words."""
    values = X.data if sp.issparse(X) else X
    whole = sp.issparse(X) and bool((values >= 0).all() and (values == np.round(values)).all())
    labels = label_names = None
    given = others.get("y", others.get("labels"))
    if given is not None:
        label_names, labels = np.unique(given, return_inverse=True)
        if "label_names" in others and given.dtype.kind in "iu":
            named = others["label_names"]
            if int(label_names[-1]) >= len(named) or int(label_names[0]) < 0:
                raise CommandError(f"{path.name}: label {label_names[-1]} has no name among {len(named)} label_names.")
            label_names = named[label_names]
    rows = Rows(
        X,
        counted=whole,
        names=others["names"].astype(str).tolist() if "names" in others else _numbered(X.shape[0]),
        labels=None if labels is None else labels.astype(np.int64).ravel(),
        label_names=None if label_names is None else label_names.astype(str).tolist(),
        is_train=others["is_train"].astype(bool) if "is_train" in others else None,
        vocabulary=others["vocabulary"].astype(str).tolist() if "vocabulary" in others else None,
    )
    for what in ("labels", "names", "is_train"):
        value = getattr(rows, what)
        if value is not None and len(value) != len(rows):
            raise CommandError(f"{path.name}: there are {len(rows)} rows of X but {len(value)} {what}.")
    if rows.vocabulary is not None and len(rows.vocabulary) != X.shape[1]:
        raise CommandError(f"{path.name}: X has {X.shape[1]} columns but {len(rows.vocabulary)} words.")
    return rows


def _numbered(count: int) -> list[str]:
    return [f"row {number}" for number in range(1, count + 1)]
