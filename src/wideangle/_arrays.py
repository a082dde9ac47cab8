"""Arrays and sparse matrices that users pass: an array, or a clear error."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.exceptions import DataError

__all__ = ["MOST_OF_A_WORD", "array_of", "canonical", "check_sparse", "counts_of", "matrix_of", "numbers", "rows_of"]

MOST_OF_A_WORD = 2**31 - 1  # More are no count, and the sums of larger numbers are not exact.
REAL = "biuf"  # kinds of NumPy's types that are real numbers


def array_of(values: Any, name: str, kinds: str | None = REAL) -> NDArray[Any]:
    """A NumPy array of what came. `kinds` are the kinds of NumPy's types that are allowed; None allows all.

    Sparse matrices, masked values, lists of unequal rows and tensors that record gradients are no arrays, and NumPy
    would say so in words that name no argument, or would take something else for them.
    """
    if hasattr(values, "tocsr"):
        raise TypeError(f"{name} must be an array; got a sparse matrix. Pass its .toarray().")
    if getattr(values, "requires_grad", False):
        raise TypeError(f"{name} is a tensor that records gradients. Pass its .detach().")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values, which are no numbers. Fill them, or leave their rows out.")
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:
        raise ValueError(f"{name} makes no array: {error}. Pass rows of equal length.") from error
    if kinds is not None and array.dtype.kind not in kinds:
        what = f"dtype {array.dtype}" if array.ndim else f"a {type(values).__name__}"
        raise TypeError(f"{name} must hold real numbers; got {what}.")
    return array


def numbers(*dimensions: int, finite: bool = True, kinds: str = REAL) -> Callable[[Any, str], NDArray[Any]]:
    """A rule for `wideangle._arguments.checked`: an array of numbers, of one of these numbers of dimensions."""

    def check(values: Any, name: str) -> NDArray[Any]:
        array = array_of(values, name, kinds)
        if dimensions and array.ndim not in dimensions:
            wanted = " or ".join(map(str, dimensions))
            raise ValueError(f"{name} must have {wanted} dimensions; got shape {array.shape}.")
        if finite and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite; NaN or infinities came.")
        return array

    return check


def matrix_of(X: Any, name: str) -> Any:
    """A matrix of real numbers, dense or sparse, of which SciPy can make any other kind. It may be empty."""
    if sp.issparse(X):
        check_sparse(X, name)
        if X.dtype.kind not in REAL:
            raise TypeError(f"{name} must hold real numbers; got dtype {X.dtype}.")
        X = canonical(X)
    else:
        X = array_of(X, name)
        if X.dtype.kind == "f" and X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)  # SciPy does not take all of NumPy's types.
    if X.ndim != 2:
        raise ValueError(f"{name} must have two dimensions; got shape {X.shape}.")
    return X


def rows_of(X: Any, name: str) -> Any:
    """A CSR array of float64 of what came, dense or sparse, with at least one row and column; all values finite."""
    X = matrix_of(X, name)
    if 0 in X.shape:
        raise ValueError(f"{name} must be a matrix with at least one row and column; got shape {X.shape}.")
    rows = sp.csr_array(X).astype(np.float64)
    if not np.isfinite(rows.data).all():
        raise ValueError(f"{name} must be finite; NaN or infinities came.")
    return rows


def counts_of(counts: Any, name: str) -> Any:
    """Word counts as a CSR array of float64, one document per row; an error where they are none."""
    found = rows_of(counts, name)
    if found.nnz and not (found.data.min() >= 0 and found.data.max() <= MOST_OF_A_WORD):
        raise ValueError(
            f"{name} must be word counts from 0 to {MOST_OF_A_WORD:,}; got {found.data.min():g} to "
            f"{found.data.max():g}."
        )
    return found


def check_sparse(X: Any, name: str) -> None:
    """An error where the arrays of a sparse matrix do not fit together.

    SciPy trusts them: an index beyond the last column makes it read and write memory that is not the matrix's. One
    look at the indices costs far less than one product with the matrix.
    """
    wrong = _wrong_in(X)
    if wrong is not None:
        raise DataError(
            f"{name} is a damaged sparse matrix ({X.format}, shape {X.shape}): {wrong}. Make it anew from its entries, "
            f"for instance by scipy.sparse.csr_array((values, (rows, columns)), shape=shape)."
        )


def canonical(X: Any) -> Any:
    """A whole sparse matrix whose indices are in order and occur once, so that nobody puts the caller's in order.

    SciPy, scikit-learn and we sort indices and add up duplicates in place where a product or a sum asks for it. The
    arrays would be those of the caller, who may use them elsewhere at the same time.
    """
    if X.format not in ("csr", "csc") or X.ndim != 2 or X.has_canonical_format:
        return X
    X = X.copy() if X.has_sorted_indices else X.sorted_indices()  # This is a copy, too.
    X.sum_duplicates()
    return X


def _wrong_in(X: Any) -> str | None:
    if X.format in ("csr", "csc", "bsr"):
        across, along = (X.shape[-1], X.shape[0]) if X.format != "csc" else (X.shape[0], X.shape[-1])
        if X.ndim == 1:
            along = 1
        if X.format == "bsr":
            across, along = across // max(1, X.blocksize[1]), along // max(1, X.blocksize[0])
        return _wrong_pointers(X.indptr, len(X.indices), along) or _wrong_entries(X.data, X.indices, across)
    if X.format == "coo":
        for axis, places in enumerate(X.coords if hasattr(X, "coords") else (X.row, X.col)):
            wrong = _wrong_entries(X.data, places, X.shape[axis])
            if wrong is not None:
                return wrong
    if X.format == "dia" and len(X.offsets) != len(X.data):
        return f"{len(X.data)} diagonals have {len(X.offsets)} offsets"
    return None


def _wrong_pointers(pointers: NDArray[Any], n_entries: int, n: int) -> str | None:
    if pointers.dtype.kind not in "iu" or pointers.shape != (n + 1,):
        return f"indptr must be {n + 1} whole numbers, and is {pointers.dtype} of shape {pointers.shape}"
    if pointers[0] != 0 or pointers[-1] > n_entries or (pointers[1:] < pointers[:-1]).any():
        return f"indptr must rise from 0 to at most {n_entries}, the number of entries"
    return None


def _wrong_entries(data: NDArray[Any], places: NDArray[Any], below: int) -> str | None:
    if places.dtype.kind not in "iu" or len(places) != len(data):
        return f"{len(data)} values have {len(places)} indices of type {places.dtype}"
    if len(places) and not (places.min() >= 0 and places.max() < below):
        return f"an index is {places.min()} or {places.max()}, and must be from 0 to {below - 1}"
    return None
