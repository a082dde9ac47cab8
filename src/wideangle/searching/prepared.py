"""Documents as they are compared with queries, made once and kept for further queries."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._rows import IN_MEMORY
from wideangle.evaluation.retrieval import Method, RowIndex
from wideangle.finishing import Granularity
from wideangle.searching.ranking import Measured, distances_to
from wideangle.view import Searchable

__all__ = ["Prepared", "PreparedDocuments"]


@dataclass(eq=False)
class Prepared:
    """Documents at one granularity, and the indexes of their vectors."""

    documents: Searchable
    indexes: dict[Method, RowIndex] = field(default_factory=dict)
    measured: Measured | None = None

    def index(self, method: Method) -> RowIndex | None:
        """The index of the documents' vectors, which is made when it is first asked for; exact search has none."""
        if method == "exact" or not len(self.documents.stored):
            return None
        if method not in self.indexes:
            self.indexes[method] = RowIndex(self.documents.stored, metric=self.documents.metric, method=method)
        return self.indexes[method]

    def distances(self, vector: NDArray[Any], *, keep: bool) -> NDArray[np.float64]:
        """The distance of each document from a query. `keep` keeps what the next query needs too, if it is small."""
        stored, metric = self.documents.stored, self.documents.metric
        if not keep or stored.shape[0] * stored.shape[1] * 8 > IN_MEMORY:
            return distances_to(vector, stored, metric)
        if self.measured is None:
            self.measured = Measured.of(stored)
        return self.measured.distances(vector, metric)


@dataclass(eq=False)
class PreparedDocuments:
    """Documents at the granularities that were asked for last.

    Vectors of documents are finished for each granularity anew, which takes most of the time of a search. A person who
    moves a slider asks for many granularities. Only the last ones are kept, so that memory does not grow.
    """

    make: Callable[[Granularity | None], Searchable]
    most: int
    """how many granularities are kept; 0: none"""
    kept: "OrderedDict[Granularity | None, Prepared]" = field(default_factory=OrderedDict)

    def at(self, granularity: Granularity | None) -> Prepared:
        """The documents at a granularity, or at that of the model."""
        found = self.kept.pop(granularity, None)
        while found is None and self.kept and len(self.kept) >= self.most:
            self.kept.popitem(last=False)  # before the next is made, so that there are never more in memory
        found = Prepared(self.make(granularity)) if found is None else found
        if self.most:
            self.kept[granularity] = found
        return found
