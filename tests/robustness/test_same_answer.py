"""The same numbers give the same answer in whatever they come, and what they came in is left as it was."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from robustness.comparing import equal
from robustness.estimator_cases import copy_of, estimator, good_data
from robustness.odd_values import WRAPPERS

from wideangle.catalogue import entries

NAMES = [entry.name for entry in entries()]
DENSE = ["read-only", "read-only memory", "columns first", "every second", "a list", "a tuple of tuples", "a tensor"]
SPARSE = ["sparse with duplicates", "sparse, unsorted", "sparse, read-only", "sparse, 64-bit indices"]
SPARSE += [f"{kind}_{what}" for kind in ("csc", "coo", "bsr", "lil", "dok", "dia") for what in ("array", "matrix")]


def _answers(model, X):
    """What a fitted model says of rows."""
    said = model.transform(X) if hasattr(model, "transform") else model.predict(X)
    return said.toarray() if sp.issparse(said) else np.asarray(said)


def _data(name):
    """Numbers that float32 holds as well, the last cell filled, so that each format has the same entries."""
    X, *y = good_data(name)
    X = X.astype(np.float32).astype(np.float64)
    X[-1, -1] = 1.0
    return X, *y


def _fitted_on(name, X, y):
    return _answers(estimator(name).fit(X, *y), X)


@pytest.mark.quick_cases(10)
@pytest.mark.parametrize("wrapper", DENSE)
@pytest.mark.parametrize("name", NAMES)
def test_dense_rows_in_another_form(name, wrapper):
    X, *y = _data(name)
    given, untouched = WRAPPERS[wrapper](X.copy()), WRAPPERS[wrapper](X.copy())
    np.testing.assert_allclose(_fitted_on(name, given, y), _fitted_on(name, X, y), rtol=1e-4, atol=1e-5)
    assert equal(given, untouched)


@pytest.mark.quick_cases(10)
@pytest.mark.parametrize("wrapper", SPARSE)
@pytest.mark.parametrize("name", NAMES)
def test_sparse_rows_in_another_form(name, wrapper):
    X, *y = _data(name)
    given, untouched = WRAPPERS[wrapper](X.copy()), WRAPPERS[wrapper](X.copy())
    np.testing.assert_allclose(_fitted_on(name, given, y), _fitted_on(name, sp.csr_array(X), y), rtol=1e-4, atol=1e-5)
    assert equal(given, untouched)


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("kind", ["f4", ">f8", "i4", "u1", "csr_array"])
@pytest.mark.parametrize("name", NAMES)
def test_rows_of_another_type_are_answered_alike(name, kind):
    X, *_ = _data(name)
    if kind in ("i4", "u1"):
        X = np.abs(np.round(X))
    given = WRAPPERS[kind](X) if kind in WRAPPERS else X.astype(kind)
    np.testing.assert_allclose(_answers(copy_of(name), given), _answers(copy_of(name), X), rtol=1e-3, atol=1e-4)


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("name", NAMES)
def test_a_table_of_pandas_is_taken_for_its_numbers(name):
    X, *y = _data(name)
    table = pd.DataFrame(X, columns=[f"c{number}" for number in range(X.shape[1])])
    untouched = table.copy()
    np.testing.assert_allclose(_fitted_on(name, table, y), _fitted_on(name, X, y), rtol=1e-4, atol=1e-5)
    pd.testing.assert_frame_equal(table, untouched)
