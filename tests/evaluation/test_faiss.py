"""The search by faiss against the exact one."""

import numpy as np
import pytest
from naive_neighbors import documents, every_metric
from scipy import sparse

from wideangle.evaluation import precision_at_k, precision_per_query


@pytest.mark.parametrize("method", ["faiss", "faiss-hnsw"])
@every_metric
def test_faiss_agrees(metric, method):
    pytest.importorskip("faiss", reason="needs faiss: pip install 'wideangle[faiss]'")
    data = documents(2, n_queries=100, n=2000)
    before = [part.copy() for part in data]
    exact = precision_per_query(*data, 50, metric=metric)
    approximate = precision_per_query(*data, 50, metric=metric, method=method)
    assert np.abs(approximate - exact).max() <= 0.021  # a neighbour more or less
    assert np.mean(approximate == exact) > 0.95
    assert all(np.array_equal(a, b) for a, b in zip(data, before, strict=True))
    with pytest.raises(ValueError, match="dense rows.*method='exact'"):
        precision_at_k(sparse.csr_array(data[0]), data[1], data[2], data[3], 5, method=method)


def test_missing_faiss_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("wideangle._optional.import_module", missing)
    with pytest.raises(ImportError, match=r"'wideangle\[faiss\]'"):
        precision_at_k([[1.0]], [0], [[1.0]], [0], 1, method="faiss")
