"""Nearest rows by a faiss index, for databases too large for the exact search."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wideangle._optional import optional_import
from wideangle._rows import MadeRows, row_blocks
from wideangle.evaluation._neighbors import Metric, Neighbors

LINKS = 32  # neighbours that each row is linked to in the graph of HNSW
QUERIES_AT_ONCE = 2**14


class FaissIndex:
    """A database in a flat index, or in a graph (HNSW) for approximate search; float32, ties broken as faiss does."""

    def __init__(self, database: Any, metric: Metric, approximate: bool) -> None:
        self.faiss = optional_import("faiss", extra="faiss", purpose="this search")
        self.metric, self.approximate = metric, approximate
        _refuse_sparse(database)
        D = database.shape[1]
        measure = self.faiss.METRIC_INNER_PRODUCT if metric == "cosine" else self.faiss.METRIC_L2
        if approximate:
            self.rows = self.faiss.IndexHNSWFlat(D, LINKS, measure)
            self.rows.hnsw.efConstruction = 4 * LINKS
        else:
            self.rows = self.faiss.IndexFlat(D, measure)
        for block in row_blocks(database) if isinstance(database, MadeRows) else [database]:
            self.rows.add(self._single(block))

    def nearest(self, queries: Any, k: int) -> Iterator[Neighbors]:
        """The neighbours of all queries, a part of the queries at a time."""
        _refuse_sparse(queries)
        queries = self._single(queries[:])
        if self.approximate:
            self.rows.hnsw.efSearch = max(2 * k, 64)
        for start in range(0, len(queries), QUERIES_AT_ONCE):
            block = np.arange(start, min(start + QUERIES_AT_ONCE, len(queries)))
            found = Neighbors.of_table(block, self.rows.search(queries[block], k)[1])
            there = found.rows >= 0  # −1 fills the places for which the graph led to no row
            yield Neighbors(block, found.owner[there], found.rows[there], found.weights[there])

    def _single(self, rows: Any) -> NDArray[np.float32]:
        copied = np.array(rows, np.float32, order="C")
        if self.metric == "cosine":
            self.faiss.normalize_L2(copied)
        return copied


def _refuse_sparse(rows: Any) -> None:
    if sparse.issparse(rows):
        raise ValueError("faiss searches dense rows, and a sparse matrix came. Use method='exact', or densify it.")
