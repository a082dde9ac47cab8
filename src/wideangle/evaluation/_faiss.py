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


def nearest_by_faiss(queries: Any, database: Any, k: int, metric: Metric, approximate: bool) -> Iterator[Neighbors]:
    """The neighbours by a flat index, or approximately by a graph (HNSW); float32, ties broken as faiss does."""
    faiss = optional_import("faiss", extra="faiss", purpose="this search")
    if sparse.issparse(queries) or sparse.issparse(database):
        raise ValueError("faiss searches dense rows, and a sparse matrix came. Use method='exact', or densify it.")

    def single(rows: Any) -> NDArray[np.float32]:
        copied = np.array(rows, np.float32, order="C")
        if metric == "cosine":
            faiss.normalize_L2(copied)
        return copied

    queries, D = single(queries[:]), database.shape[1]
    measure = faiss.METRIC_INNER_PRODUCT if metric == "cosine" else faiss.METRIC_L2
    if approximate:
        searcher = faiss.IndexHNSWFlat(D, LINKS, measure)
        searcher.hnsw.efConstruction = 4 * LINKS
        searcher.hnsw.efSearch = max(2 * k, 64)
    else:
        searcher = faiss.IndexFlat(D, measure)
    for block in row_blocks(database) if isinstance(database, MadeRows) else [database]:
        searcher.add(single(block))
    for start in range(0, len(queries), QUERIES_AT_ONCE):
        block = np.arange(start, min(start + QUERIES_AT_ONCE, len(queries)))
        found = Neighbors.of_table(block, searcher.search(queries[block], k)[1])
        there = found.rows >= 0  # −1 fills the places for which the graph led to no row
        yield Neighbors(block, found.owner[there], found.rows[there], found.weights[there])
