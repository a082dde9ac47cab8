"""How sure the topics of few documents are: learned from documents that a second model has not seen.

A model of few documents knows each of them by heart. Both halves of such a document fall into the same topic, however
little the model would know about a new one (table in docs/topics.md). So a second model is fitted to two thirds of the
documents, and the halves of the other third teach how sure a topic is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from wideangle._quiet import silenced
from wideangle.topics.directions import directions
from wideangle.topics.finding import directions_of_halves
from wideangle.topics.sureness import FEWEST, learned
from wideangle.topics.tree import grow
from wideangle.view import ModelView

FEW = 2000  # Of so many documents those that were learned from tell enough, and a second model would cost more time.
KNOWN = 2 / 3  # the share of the documents that the second model is fitted to


def is_known_by_heart(view: ModelView, n_documents: int) -> bool:
    """Whether a second model is needed, and can be fitted without labels."""
    return FEWEST <= n_documents < FEW and view.entry.target is None


def held_out_sureness(
    view: ModelView,
    counts: Any,
    as_rows: Callable[[Any], Any],
    halves: Callable[[Any, Callable[[Any], Any]], list[tuple[Any, Any]]],
    random_state: int,
) -> NDArray[np.float64] | None:
    """For each number of topics the constants of `wideangle.topics.sureness`; None if too few documents have two words.

    `as_rows` makes of counts what the model is fitted to. `halves` cuts documents, and represents both parts.
    """
    counts = sp.csr_array(counts)
    counts = counts[np.flatnonzero(np.diff(counts.indptr) > 1)]
    if counts.shape[0] < FEWEST:
        return None
    order = np.random.default_rng(random_state).permutation(counts.shape[0])
    known, new = np.split(order, [round(KNOWN * len(order))])
    second = ModelView.of(_fitted(view.model, as_rows(counts[known]), random_state))
    vectors = second.represent(as_rows(counts[known]))
    written = np.asarray(vectors.any(axis=1))
    if not written.any():
        return None
    centre = np.zeros(vectors.shape[1]) if second.is_centred else vectors[written].mean(axis=0, dtype=np.float64)
    tree = grow(directions(vectors, centre, written)[written], None, random_state)
    throws = halves(counts[new], lambda half: second.represent(as_rows(half)))
    return learned(tree, directions_of_halves(throws, centre), fewest=1)


def _fitted(model: Any, rows: Any, random_state: int) -> Any:
    """A model with the same parameters but its own seed, which tells nobody of its progress."""
    second = clone(model)
    vars(second).pop("_skl_callbacks", None)  # A clone has the callbacks of the first.
    own = {"random_state": random_state, "verbose": False}
    second.set_params(**{name: value for name, value in own.items() if name in model.get_params(deep=False)})
    with silenced():  # What this model cannot do is no news of the user's model.
        return second.fit(rows)
