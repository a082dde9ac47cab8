"""What the served page is told: for the query string of a search documents or a sentence about it, or a text."""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

import numpy as np
from numpy.typing import NDArray

from wideangle.evaluation.retrieval import Method
from wideangle.exceptions import DataError
from wideangle.finishing import granularity_number
from wideangle.report.explorer import MadePage
from wideangle.report.map_documents import Shown
from wideangle.searching import Hit, Searcher
from wideangle.searching.searcher import vocabulary_of
from wideangle.view import ModelView

__all__ = ["LONGEST_QUERY", "Answers", "RequestError", "Searched", "searched_of"]

LONGEST_QUERY = 1000  # characters
MOST_HITS = 1000  # documents that a search may ask for
GRANULARITIES = 4  # So many granularities of a model are kept ready for the next search.


@dataclass(frozen=True, eq=False)
class Searched:
    """A model of the page: how it is searched, and where its documents are on the page."""

    searcher: Searcher | None
    """None: the model has no documents or no words"""
    leaves: NDArray[Any] | None = None
    """the leaf of the topic tree of each document, negative where it has none"""
    shown: NDArray[np.intp] | None = None
    """the numbers of the documents that are on the page, in rising order; None: none is"""

    def place(self, number: int) -> int | None:
        """The number of a document among those shown; None where it is not on the page."""
        if self.shown is None or not len(self.shown):
            return None
        place = int(np.searchsorted(self.shown, number))
        return place if place < len(self.shown) and int(self.shown[place]) == number else None

    def leaf(self, number: int) -> int | None:
        """The leaf of a document in the tree of topics; None where it has none."""
        leaf = -1 if self.leaves is None else int(self.leaves[number])
        return leaf if leaf >= 0 else None


class RequestError(ValueError):
    """A request that is refused, with the status to say."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class Answers:
    """Answers the searches of a page, one at a time.

    Parameters
    ----------
    models : sequence of Searched
        As many as the page has, in its order.
    count : int
        Documents that a search finds.
    method : {"exact", "faiss", "faiss-hnsw"}
        How the closest documents are found.
    shown : Shown, optional
        The documents of the map, whose texts the page may ask for.
    """

    def __init__(self, models: Sequence[Searched], count: int, method: Method, shown: Shown | None = None) -> None:
        self.models, self.count, self.method, self.shown = tuple(models), count, method, shown
        # Each search takes all processors and memory for the distances to all documents. Many at once would need more.
        self._one_at_a_time = threading.Lock()

    def of(self, query: str) -> dict[str, Any]:
        """What the page is told for the query string of a search."""
        given = _parts(query)
        words, number = (given.get(name, [default])[0] for name, default in (("q", ""), ("model", "0")))
        if len(words) > LONGEST_QUERY:
            raise RequestError(HTTPStatus.BAD_REQUEST, f"the query is longer than {LONGEST_QUERY} characters.")
        if not (_is_number(number) and int(number) < len(self.models)):
            raise RequestError(HTTPStatus.BAD_REQUEST, f"there is no model {number[:20]!r}.")
        granularity = _granularity(given["granularity"][0]) if "granularity" in given else None
        count = _count(given["count"][0]) if "count" in given else self.count
        model = self.models[int(number)]
        if model.searcher is None:
            return {
                "error": "the model carries no documents, or was not fitted on text, so that it cannot be searched."
            }
        try:
            with self._one_at_a_time:
                found = model.searcher.search(words, count, method=self.method, granularity=granularity)
        except DataError as error:  # no known word, or no granularity to choose: what to do stands in the message
            return {"error": str(error)}
        return {
            "hits": [_hit(hit, model) for hit in found.hits],
            "known": found.known,
            "unknown": found.unknown,
            "left_out": found.left_out,
            "by": found.by,
            "more": len(found.hits) == count,
        }

    def text(self, query: str) -> dict[str, Any]:
        """As much as is kept of the text of a document of the map, of which the page may hold less."""
        number = _parts(query).get("document", [""])[0]
        shown = self.shown
        if shown is None or not (_is_number(number) and int(number) < len(shown.rows)):
            raise RequestError(HTTPStatus.NOT_FOUND, f"there is no document {number[:20]!r} on the page.")
        texts = shown.documents.snippets
        return {"text": "" if texts is None else texts[int(shown.rows[int(number)])]}


def _parts(query: str) -> dict[str, list[str]]:
    try:
        return parse_qs(query, keep_blank_values=True, max_num_fields=10)
    except ValueError as error:
        raise RequestError(HTTPStatus.BAD_REQUEST, "the address has too many parts.") from error


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 8


def _count(text: str) -> int:
    """How many documents a request asks for."""
    if not (_is_number(text) and 1 <= int(text) <= MOST_HITS):
        said = f"count must be a number from 1 to {MOST_HITS}; got {text[:20]!r}."
        raise RequestError(HTTPStatus.BAD_REQUEST, said)
    return int(text)


def _granularity(text: str) -> float:
    """The granularity of a request, which must be a number from 0 to 1."""
    try:
        return granularity_number(float(text))
    except ValueError as error:
        said = f"granularity must be a number from 0 (fine) to 1 (broad); got {text[:20]!r}."
        raise RequestError(HTTPStatus.BAD_REQUEST, said) from error


def _hit(hit: Hit, model: Searched) -> dict[str, Any]:
    return {
        "name": hit.name,
        "title": hit.title,
        "text": hit.snippet or "",
        "label": hit.label,
        "topic": model.leaf(hit.number),
        "shown": model.place(hit.number),
        "distance": hit.distance if math.isfinite(hit.distance) else None,
        "score": hit.score if math.isfinite(hit.score) else None,
        "matched": hit.matched,
        "others": hit.others,
    }


def searched_of(model: Any, number: int, made: MadePage) -> Searched:
    """How a model of a page is searched, and where its documents are on the page."""
    view, documents = ModelView.of(model), getattr(model, "documents_", None)
    if documents is None:
        return Searched(None)
    try:
        vocabulary_of(view)
    except DataError:  # Numbers are looked at, and not searched.
        return Searched(None)
    topics = made.views[number].topics
    on_page = made.shown is not None and made.shown.holds(made.views[number])
    return Searched(
        Searcher(view, documents, kept=GRANULARITIES),
        None if topics is None else topics.leaves,
        made.shown.rows if made.shown is not None and on_page else None,
    )
