"""Columns of new rows in the order of the model's."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from wideangle._wording import number_of
from wideangle.exceptions import DataError
from wideangle.reading.rows import Rows

__all__ = ["aligned", "require_counts", "whole_numbers"]


def whole_numbers(rows: Rows) -> bool:
    """Whether all values may be counts."""
    values = rows.X.data if sp.issparse(rows.X) else rows.X
    return bool((values >= 0).all() and (values == np.round(values)).all())


def require_counts(rows: Rows, name: str) -> None:
    """Refuse rows that count no words for a model of counts."""
    if not rows.counted and not whole_numbers(rows):
        raise DataError(f"{name} holds numbers that count no words, and the model was fitted on counts. Give counts.")


def aligned(rows: Rows, vocabulary: list[str] | None, width: int | None, name: str, *, all_needed: bool) -> Rows:
    """Columns by their words where both know them; a word that is not there has count 0."""
    if rows.vocabulary is not None and vocabulary is not None and rows.vocabulary != vocabulary:
        column = {word: number for number, word in enumerate(rows.vocabulary)}
        known = [(column[word], place) for place, word in enumerate(vocabulary) if word in column]
        if not known or (all_needed and len(known) < len(vocabulary)):
            shared = f"{len(known):,} of {number_of(len(vocabulary), 'column')}" if known else "no column"
            raise DataError(f"{name} shares {shared} with the model. Give it rows as it was fitted on.")
        theirs, ours = map(np.asarray, zip(*known, strict=True))
        shape = (rows.X.shape[1], len(vocabulary))
        place = sp.csr_array((np.ones(len(known), rows.X.dtype), (theirs, ours)), shape=shape)
        return replace(rows, X=rows.X @ place, vocabulary=vocabulary)
    if width is not None and rows.X.shape[1] != width:
        raise DataError(
            f"{name} has {number_of(rows.X.shape[1], 'column')}, but the model {width}. Give it rows of its kind."
        )
    return rows
