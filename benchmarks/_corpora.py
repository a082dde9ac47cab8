"""The corpora of the benchmarks, their folds, and broader classes of the same documents."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data import Corpus
from wideangle.experiments.tasks import documents

SETS = ("docstrings", "20news", "reuters", "tdt2")
NEAREST = {name: documents.nearest(name) for name in (*SETS, "reuters/4")}  # k of P@k
BROAD_SETS = ("reuters/4", "20news/4", "tdt2/10", "tdt2/5")  # the largest so many classes of a corpus alone


@dataclass(frozen=True)
class Split:
    """Documents to train on, documents to ask with, and their classes: "own", and "broad" where there are any."""

    train: sp.csr_array
    test: sp.csr_array
    train_labels: dict[str, NDArray[np.intp]]
    test_labels: dict[str, NDArray[np.intp]]
    checksum: str | None = None  # of the file the documents came from


def split(name: str, fold: int | None = None, n: int | None = None) -> Split:
    """The official parts, or a fold of the training part; `n` takes that many random training documents."""
    whole = documents.corpus(name.partition("/")[0])
    train, test = whole.train, whole.test
    if "/" in name:  # broad classes alone
        kind = "broad" if name.startswith("20news") else "own"
        count = int(name.partition("/")[2])
        largest = np.argsort(-np.bincount(_labels(name, train)[kind]), kind="stable")[:count]
        kept = (np.flatnonzero(np.isin(_labels(name, part)[kind], largest)) for part in (train, test))
        train, test = (part.subset(rows) for part, rows in zip((train, test), kept, strict=True))
    if fold is not None:
        rest, asked = documents.rows_of_fold(len(train), fold)
        train, test = train.subset(rest), train.subset(asked)
    if n is not None:
        train = train.subset(np.sort(np.random.default_rng(0).permutation(len(train))[:n]))
    return Split(train.counts, test.counts, _labels(name, train), _labels(name, test), whole.checksum)


def _labels(name: str, part: Corpus) -> dict[str, NDArray[np.intp]]:
    assert part.labels is not None
    found = {"own": np.asarray(part.labels)}
    if name == "reuters":  # the two large classes, and all others as one
        found["broad"] = np.minimum(found["own"], 2)
    if name.partition("/")[0] in ("20news", "docstrings"):  # comp, rec, sci …; numpy, scipy …
        assert part.label_names is not None
        groups = np.unique([str(label).split(".")[0] for label in part.label_names], return_inverse=True)[1]
        found["broad"] = groups[part.labels]
    return found
