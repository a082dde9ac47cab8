"""The corpora of the benchmarks, their folds, and broader classes of the same documents."""

import os
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data import Corpus, load, python_docs

NEAREST = {"docstrings": 10, "20news": 100, "reuters": 100, "tdt2": 100, "reuters/4": 100}  # k of P@k
SETS = tuple(NEAREST)[:4]
FOLDS = 5
LARGEST = 4  # classes that reuters/4 is cut to


@dataclass(frozen=True)
class Split:
    """Documents to train on, documents to ask with, and their classes: "own", and "broad" where there are any."""

    train: sp.csr_array
    test: sp.csr_array
    train_labels: dict[str, NDArray[np.intp]]
    test_labels: dict[str, NDArray[np.intp]]
    checksum: str | None = None  # of the file the documents came from


def corpus(name: str) -> Corpus:
    """By its name; docstrings from a file where the environment variable DOCSTRINGS names one."""
    if name == "docstrings":
        return Corpus.open(os.environ["DOCSTRINGS"]) if "DOCSTRINGS" in os.environ else python_docs()
    return load(name)  # type: ignore[call-overload]


def split(name: str, fold: int | None = None, n: int | None = None) -> Split:
    """The official parts, or a fold of the training part; `n` takes that many random training documents."""
    whole = corpus(name.partition("/")[0])
    train, test = whole.train, whole.test
    if name == "reuters/4":  # broad classes alone
        assert train.labels is not None
        largest = np.argsort(-np.bincount(train.labels), kind="stable")[:LARGEST]
        assert test.labels is not None
        kept = (np.flatnonzero(np.isin(labels, largest)) for labels in (train.labels, test.labels))
        train, test = (part.subset(rows) for part, rows in zip((train, test), kept, strict=True))
    if fold is not None:
        parts = np.array_split(np.random.default_rng(0).permutation(len(train)), FOLDS)
        test = train.subset(np.sort(parts[fold]))
        train = train.subset(np.sort(np.concatenate([part for f, part in enumerate(parts) if f != fold])))
    if n is not None:
        train = train.subset(np.sort(np.random.default_rng(0).permutation(len(train))[:n]))
    return Split(train.counts, test.counts, _labels(name, train), _labels(name, test), whole.checksum)


def _labels(name: str, part: Corpus) -> dict[str, NDArray[np.intp]]:
    assert part.labels is not None
    found = {"own": np.asarray(part.labels)}
    if name in ("20news", "docstrings"):  # comp, rec, sci …; numpy, scipy …
        assert part.label_names is not None
        groups = np.unique([str(label).split(".")[0] for label in part.label_names], return_inverse=True)[1]
        found["broad"] = groups[part.labels]
    return found
