"""A model that goes on learning from new documents, and why some models do not."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wideangle.commands.shell.output import Output
from wideangle.commands.work.shared.models import name_of_model
from wideangle.documents import Documents
from wideangle.reading import Rows
from wideangle.reading.rows import weighed
from wideangle.view import ModelView

PART = 5000  # So many documents are given to the model at a time.
PASSES = 5  # Posts of 20-News, of which 600 joined 5,000: 5 passes served new and old documents, 20 only the new ones.


def why_untrained(view: ModelView, documents: Documents, rows: Rows) -> str | None:
    """Why a model cannot go on learning, as the end of a sentence; None where it can.

    A model that has moved on represents all documents in another way. So it moves only if those that it has can be
    represented anew, from their counted words.
    """
    name = name_of_model(view.model)
    if not hasattr(view.model, "partial_fit"):
        return f"{name} learns in one go, and not bit by bit"
    if view.entry.target is not None:
        return f"{name} learns from labels, and those of the first documents are no longer at hand"
    if documents.words is None or view.reading.kind not in ("counts", "presence"):
        return "the rows that the model was fitted on are not in its file, so that they could not be represented anew"
    if view.reading.kind == "counts" and documents.words.times is None:
        return "the file was written before it kept how often documents have their words. Fit the model again once"
    if not _useful(rows).any():
        return "no new document to train on has a word that the model knows"
    return None


def rows_of(view: ModelView, documents: Documents) -> Any:
    """The rows of documents as the model sees them, from the words that the file keeps of them."""
    assert documents.words is not None
    n_words = len(view.columns)
    known = documents.words.counts if view.reading.kind == "counts" else documents.words.matrix
    return weighed(known(n_words), view.reading.kind, view.reading.rarity)


def train_on(view: ModelView, documents: Documents, rows: Rows, output: Output) -> int:
    """Go on training, and learn from all documents how to compare them; the steps that were made.

    Each pass goes over the new documents and over as many of the old ones, so that these are not forgotten. There are
    no more steps than a fit makes.
    """
    import scipy.sparse as sp

    model, draws = view.model, np.random.default_rng(0)
    old = rows_of(view, documents)
    old = old if documents.is_train is None else old[documents.is_train]
    new = sp.csr_array(rows.X)[np.flatnonzero(_useful(rows))]
    per_pass = min(new.shape[0], model.max_updates * model.batch_size // 2)
    again = min(old.shape[0], max(per_pass, model.batch_size))
    passes = max(1, min(PASSES, model.max_updates * model.batch_size // (per_pass + again)))
    before = int(getattr(model, "n_updates_", 0))
    with output.progress("training") as progress:
        for done in range(passes):
            some = [X[draws.choice(X.shape[0], n, replace=False)] for X, n in ((new, per_pass), (old, again))]
            for part in _parts(sp.vstack(some, format="csr"), draws):
                model.partial_fit(part)
            progress(done + 1, passes, "passes")
    updates = int(model.n_updates_)  # of all calls since the model was loaded
    model.n_updates_ = before + updates
    if view.is_finished:
        model.learn_distance(sp.vstack([old, new], format="csr"))
    return updates


def _parts(X: Any, draws: np.random.Generator) -> Iterator[Any]:
    """The rows in random order, some at a time, so that a stream needs little memory."""
    order = draws.permutation(X.shape[0])
    for start in range(0, len(order), PART):
        yield X[order[start : start + PART]]


def _useful(rows: Rows) -> Any:
    """Rows to train on that have a word which the model knows."""
    return rows.training & (np.asarray((rows.X != 0).sum(axis=1)).ravel() > 0)
