"""tomotopy's LDA on count matrices, the peer of several benchmarks. tomotopy is imported where it is needed."""

import importlib.util
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

HAS_TOMOTOPY = importlib.util.find_spec("tomotopy") is not None


def tokens(counts: sp.csr_array, row: int) -> NDArray[np.intp]:
    """Column numbers of a document's words one by one, shuffled: the models do not mind the order."""
    part = slice(counts.indptr[row], counts.indptr[row + 1])
    return np.random.default_rng(row).permutation(np.repeat(counts.indices[part], counts.data[part].astype(int)))


def named(words: NDArray[np.intp]) -> list[str]:
    """As tomotopy wants them."""
    return [str(word) for word in words]


def untrained_lda(counts: sp.csr_array, K: int, seed: int) -> tuple[Any, NDArray[np.intp]]:
    """A model that holds the documents, and which rows they are: those without a word are left out."""
    import tomotopy

    model = tomotopy.LDAModel(k=K, seed=seed + 1)
    rows = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() > 0)
    for row in rows.tolist():
        model.add_doc(named(tokens(counts, row)))
    return model, rows
