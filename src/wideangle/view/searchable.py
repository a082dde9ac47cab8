"""Documents as queries are compared with them, and by which distance."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from wideangle._quiet import silenced
from wideangle._rows import RowMatrix, made_rows, row_blocks
from wideangle.catalogue import entry_of
from wideangle.documents import Documents
from wideangle.evaluation._preparing import Metric
from wideangle.finishing import Granularity
from wideangle.finishing.finished import nothing_near

if TYPE_CHECKING:
    from wideangle.view.model_view import ModelView

QUERY_SHARE = 0.5  # by benchmarks/search_words.py: the share of a document's distance, and of the model's granularity
ALMOST_CERTAIN = 1e-6  # The logit of a float32 probability that is nearer to 0 or 1 is mostly rounding.


@dataclass(frozen=True, eq=False)
class Searchable:
    """Documents as queries are compared with them. It serves any number of queries, while the model stays as it is."""

    stored: RowMatrix
    """the vectors of the documents"""
    metric: Metric
    """the distance by which the model is searched"""
    query: Callable[[Any], NDArray[Any]]
    """the vectors of queries, of their rows"""


def searchable_documents(view: "ModelView", documents: Documents, granularity: Granularity | None = None) -> Searchable:
    """Documents as queries are compared with them, at the model's granularity or at another."""
    entry = view.entry
    if not documents.finished:
        # The words of a query say what is wanted, so that search is finer than the representation of documents.
        fine = QUERY_SHARE * (view.granularity or 0.0) if granularity is None else granularity
        return Searchable(view.rows(documents, fine), "cosine", _finished_queries(view, documents, fine))
    stored = known_logits(view, documents)
    if stored is None:
        metric = entry.metric if entry.searched_by == "transform" else transform_metric(view.model)
        return Searchable(made_rows(documents.vectors), metric, view.represent)
    # The few words of a query may move the logits much further than a document does, or hardly at all. Only the
    # direction in which they move is compared. Documents are measured from the average document. So is a query if
    # the model scales both to one length. In other models absent words count too, but a query that leaves words out
    # says nothing about them; it is measured from the row without words. Centred probabilities, which `transform`
    # may give, find fewer documents of the right class (results/search; docs/cli.md).
    written = sum(int(block.any(axis=1).sum()) for block in row_blocks(stored))
    middle = sum(block.sum(axis=0) for block in row_blocks(stored)) / max(written, 1)
    start = middle if entry.query_from == "mean" else _logits_of_nothing(view)

    def moved(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        # A document without words has no direction. Without this it would be the opposite of the average document.
        return np.where(rows.any(axis=1, keepdims=True), rows - middle, 0.0)

    def query(rows: Any) -> NDArray[np.float64]:
        asked = view.logits(rows)
        return (view.represent(rows) if asked is None else asked).astype(np.float64) - start

    return Searchable(made_rows(stored, moved), entry.metric, query)


def _logits_of_nothing(view: "ModelView") -> NDArray[np.float64]:
    """The hidden logits of a row of zeros."""
    zeros = np.zeros((1, view.model.n_features_in_), dtype=view.model.components_.dtype)
    with silenced(UserWarning, "X does not have valid feature names"):
        return np.asarray(view.model.hidden_logits(zeros)[0], dtype=np.float64)


def _finished_queries(
    view: "ModelView", documents: Documents, granularity: Granularity
) -> Callable[[Any], NDArray[np.float32]]:
    """What makes vectors of queries. Logits are first put as far from the average document as half a document's.

    The few words of a query move logits much further than a document does, or hardly at all. Softened
    probabilities would then say of each unit only whether it is on.
    """
    centre = view.model._centre_of_logits()
    usual, nothing = 1.0, 0.0
    if centre is not None:
        nothing = nothing_near(centre)
        vectors = made_rows(documents.vectors)
        lengths_of_blocks = (np.linalg.norm(block - centre, axis=1) for block in row_blocks(vectors))
        far = np.concatenate([np.zeros(0, dtype=np.float32), *lengths_of_blocks])
        usual = np.median(far[far > nothing]) if (far > nothing).any() else 1.0

    def query(rows: Any) -> NDArray[np.float32]:
        said = view.said(rows)
        if centre is not None:
            moved = said - centre
            lengths = np.linalg.norm(moved, axis=1, keepdims=True)
            scaled = centre + moved * (QUERY_SHARE * usual / np.maximum(lengths, nothing))
            said = np.where(lengths > nothing, scaled, centre)
        return np.asarray(view.model._finished(said.astype(np.float32), granularity))

    return query


def known_logits(view: "ModelView", documents: Documents) -> RowMatrix | None:
    """The hidden logits of the documents; None where neither they nor what they can be found from is stored."""
    if view.entry.searched_by != "logits":
        return None
    if documents.logits is not None:
        return made_rows(documents.logits, _as_float64)
    if not documents.finished:  # From the average document, so that a document without words has zeros.
        centre = view.model._centre_of_logits()  # None where the finish was taken away
        if centre is None:
            return None
        return made_rows(documents.vectors, lambda said: said.astype(np.float64) - centre)
    how = representation_of(view.model)
    if how == "logits":
        return made_rows(documents.vectors, _as_float64)
    if how != "probabilities":
        return None
    # Files from before logits were stored, and documents that users made, have the probabilities alone.
    return made_rows(documents.vectors, _logits_of)


def representation_of(model: Any) -> str | None:
    """What `transform` of a Boltzmann machine gives; None where it is finished, and for other models."""
    own = getattr(model, "_representation", None)
    found: str | None = getattr(model, "representation", None) if own is None else own()
    return found


def gives_logits(model: Any) -> bool:
    """Whether `transform` gives logits as they are, neither probabilities nor centred ones."""
    return representation_of(model) == "logits"


def transform_metric(model: Any) -> Metric:
    """The distance that suits what `transform` gives. For logits that are not centred it is the cosine."""
    return "cosine" if gives_logits(model) or entry_of(model).by_direction else "euclidean"


def _as_float64(rows: NDArray[Any]) -> NDArray[np.float64]:
    return rows.astype(np.float64)


def _logits_of(probabilities: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(logit(np.clip(probabilities.astype(np.float64), ALMOST_CERTAIN, 1 - ALMOST_CERTAIN)))
