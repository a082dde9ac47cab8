"""The rows of a file as the documents of a model."""

import numpy as np
from numpy.typing import NDArray

from wideangle.commands.shell.output import Output
from wideangle.data.stored.counts import CountsOnDisk
from wideangle.documents import Documents, Strings, WordLists, in_grey
from wideangle.reading import Rows
from wideangle.reading.repeats import find_repeats
from wideangle.view import ModelView

MOST_PIXELS = 4096  # Wider rows are no small pictures, and are not kept.


def documents_of(
    view: ModelView, rows: Rows, same_as: NDArray[np.int64] | None = None, said: NDArray[np.float32] | None = None
) -> Documents:
    """All that search, evaluate, explore and update need to know about the rows.

    `said` is what the model says of them, where that is known already.
    """
    kind = (rows.reading or view.reading).kind
    if isinstance(rows.X, CountsOnDisk):
        words: WordLists | None = rows.X.words
    else:
        words = None if rows.counts is None else WordLists.of(rows.counts, times=kind in ("counts", "vectors"))
    return Documents(
        view.said(rows.X) if said is None else said,
        Strings.of(rows.names),
        None if rows.snippets is None else Strings.of(rows.snippets),
        rows.labels,
        None if rows.label_names is None else Strings.of(rows.label_names),
        rows.is_train,
        None if isinstance(rows.X, CountsOnDisk) else view.logits(rows.X),
        words,
        None if rows.titles is None else Strings.of(rows.titles),
        not view.is_finished,
        same_as,
        rows.dates,
        None if rows.counted or kind == "vectors" or rows.X.shape[1] > MOST_PIXELS else in_grey(rows.X),
    )


def repeats_of(rows: Rows, output: Output) -> NDArray[np.int64] | None:
    """For each row the first that it repeats; None where none does. A note says how many do."""
    same_as = find_repeats(rows)
    if same_as is not None:
        n = int((same_as != np.arange(len(rows))).sum())
        repeat, they, them = ("repeats", "It does", "it") if n == 1 else ("repeat", "They do", "them")
        output.note(
            f"{n:,} of {len(rows):,} documents {repeat} another one. {they} not shape topics, and search shows {them} "
            "once; --keep-duplicates undoes that."
        )
    return same_as
