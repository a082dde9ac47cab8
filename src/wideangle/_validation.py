"""The only file that deals with differences between versions of scikit-learn."""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from wideangle._arrays import REAL, array_of, canonical, check_sparse
from wideangle._texts import refuse_texts

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    HAS_CALLBACKS = True
except ImportError:  # before scikit-learn 1.9
    HAS_CALLBACKS = False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Replaces scikit-learn's class where that has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Replaces scikit-learn's decorator where that has no callbacks."""
        return method


__all__ = [
    "CallbackSupportMixin",
    "FitCallbacks",
    "checked_matrix",
    "checked_sample_weight",
    "labels_of",
    "validate_columns",
    "validate_rows",
    "weights_of_classes",
    "with_callbacks",
]

MOST_COLUMNS = 10**8  # 50 components of so many columns take 20 GB


def validate_rows(estimator: Any, X: Any, *more: Any, reset: bool, **options: Any) -> Any:
    """scikit-learn's `validate_data` for rows, dense or sparse. Where texts come, an error says how to count words."""
    refuse_texts(X, type(estimator).__name__, new=not reset)
    X = checked_matrix(X)
    more = tuple(checked_matrix(y, "y") for y in more)
    if reset and len(getattr(X, "shape", ())) == 2 and X.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"X has {X.shape[1]:,} columns, and a model keeps several numbers per column: at most {MOST_COLUMNS:,} are "
            f"taken. Leave out columns without entries, or hash words into fewer."
        )
    return validate_data(estimator, X, *more, reset=reset, accept_sparse="csr", **options)


def checked_matrix(X: Any, name: str = "X") -> Any:
    """X, if scikit-learn's checks can be asked about it: a sparse matrix is whole, and what is no table is an array."""
    if sp.issparse(X):
        check_sparse(X, name)
        return canonical(X) if X.dtype.kind in REAL else X  # scikit-learn refuses others.
    if hasattr(X, "columns") and hasattr(X, "dtypes"):  # An array would not have the names of its columns.
        _refuse_missing(X, name)
        return X
    return X if X is None or type(X) is np.ndarray else array_of(X, name, kinds=None)


def _refuse_missing(table: Any, name: str) -> None:
    """An error where a column of objects has pandas' mark of a missing value, which is not a number. NaN is one."""
    for number, kind in enumerate(table.dtypes):
        if str(kind) == "object" and table.iloc[:, number].isna().any():
            raise ValueError(
                f"{name} has missing values in column {table.columns[number]!r}. Fill them, or leave their rows out."
            )


def labels_of(y: Any, name: str = "y") -> Any:
    """Class labels in one dimension. They must be of one kind, so that they can be sorted."""
    from sklearn.utils.validation import column_or_1d

    labels = column_or_1d(array_of(y, name, kinds=None), warn=True)
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        raise ValueError(f"{name} must be known for every row; NaN or an infinity came. Leave those rows out.")
    if labels.dtype.kind == "O":
        kinds = {"a number" if isinstance(each, Real) else type(each).__name__ for each in labels.tolist()}
        if len(kinds) > 1 or not kinds <= {"a number", "str", "bytes"}:
            held = " and ".join(sorted(kinds))
            raise TypeError(f"{name} must hold numbers or strings, and not both; it holds {held}.")
    elif labels.dtype.kind not in "biufUSM":
        raise TypeError(f"{name} must hold numbers or strings; got dtype {labels.dtype}.")
    return labels


def validate_columns(estimator: Any, X: Any, *, reset: bool) -> None:
    """Check that rows which are on disk are there and have the right number of columns, which `reset` sets."""
    from sklearn.utils.validation import _check_n_features

    if X.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required.")
    _check_n_features(estimator, X, reset=reset)


def checked_sample_weight(sample_weight: Any, X: Any) -> Any:
    """Check that there is one weight of at least 0 per row, and not all are 0. None stays None."""
    if sample_weight is None:
        return None
    from sklearn.utils.validation import _check_sample_weight

    weights = _check_sample_weight(array_of(sample_weight, "sample_weight"), X, ensure_non_negative=True)
    if not weights.any():  # Older versions of scikit-learn do not check this.
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def weights_of_classes(class_weight: Any, classes: Any, y: Any, sample_weight: Any) -> Any:
    """scikit-learn's weight of each class; a class counts by the weights of its rows, which 1.6 does not know of."""
    from sklearn.utils.class_weight import compute_class_weight

    if sample_weight is None or class_weight != "balanced":
        return compute_class_weight(class_weight, classes=classes, y=y)
    held = np.array([sample_weight[y == each].sum() for each in classes], dtype=np.float64)
    with np.errstate(divide="ignore"):  # Where no row of a class counts, neither does its weight.
        return np.where(held > 0, held.sum() / (len(classes) * held), 1.0)


class FitCallbacks:
    """Calls scikit-learn's callbacks at each record of one fit. Without callbacks it does nothing."""

    def __init__(self, estimator: Any, X: Any, n_tasks: int) -> None:
        self.estimator = estimator
        self.data = {"estimator": estimator, "X": X, "y": None, "metadata": {}}
        self.context = estimator._init_callback_context(max_subtasks=n_tasks) if HAS_CALLBACKS else None
        if self.context is not None:
            self.context.call_on_fit_task_begin(**self.data)

    def task(self, number: int, state: Callable[[], dict[str, Any]]) -> bool:
        """Report the end of a task; `state` gives the present attributes. True where a callback wants to stop."""
        if self.context is None:
            return False
        task = self.context.subcontext(task_name=f"record {number}")
        task.call_on_fit_task_begin(**self.data)
        return bool(task.call_on_fit_task_end(**self.data, reconstruction_attributes=state))

    def end(self) -> None:
        """Report the end of the fit."""
        if self.context is not None:
            self.context.call_on_fit_task_end(**self.data, reconstruction_attributes={})
