"""Texts where rows of numbers are wanted: an error that says how their words are counted."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from wideangle.exceptions import DataError

__all__ = ["refuse_texts"]

LOOKED_AT = 20  # rows of a table in which texts are looked for
SHOWN = 40  # characters


def refuse_texts(X: Any, name: str, *, new: bool = False) -> None:
    """Raise `DataError` where X holds texts. `name` is the estimator's; `new` rows have the columns of a fitted one.

    Strings of digits are left to scikit-learn, which takes them as numbers.
    """
    text = next(_texts(X), None)
    if text is None:
        return
    shown = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    if isinstance(X, str):
        what = f"one string, {shown!r}, and {name} takes one row of numbers per document. Put documents into a list"
    else:
        what = f"texts, such as {shown!r}, and {name} takes rows of numbers. Count their words first"
    counted = (
        "count_words(texts, vocabulary=corpus.vocabulary).counts, with the corpus of the fit"
        if new
        else "corpus = count_words(texts); model.fit(corpus.counts)"
    )
    raise DataError(f"X is {what}: from wideangle.data import count_words; {counted}.")


def _texts(X: Any) -> Iterator[str]:
    """The strings in X that are no numbers, as far as the first rows show it."""
    if isinstance(X, str):
        yield X
        return
    if hasattr(X, "iloc"):  # a table or a column of pandas
        X = X.iloc[:LOOKED_AT].to_numpy(dtype=object)
    if isinstance(X, np.ndarray):
        X = X[:LOOKED_AT].tolist() if X.dtype.kind in "OUT" and X.ndim in (1, 2) else ()
    if not isinstance(X, list | tuple):
        return
    for row in islice(X, LOOKED_AT):
        cells = row if isinstance(row, list | tuple | np.ndarray) else (row,)
        yield from (cell for cell in cells if isinstance(cell, str) and not _is_number(cell))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
