"""What benchmarks/gaussian_quality.py compares with: rows as they are, principal components and factor analysis."""

from typing import Any

import numpy as np
from _gaussian_rows import Parts, scores
from _records import Record
from sklearn.decomposition import PCA, FactorAnalysis
from sklearn.preprocessing import normalize

PEERS = ("rows", "PCA", "FactorAnalysis")


def peer_results(job: Record, parts: Parts) -> Record:
    """Neighbours by vectors as they are and at unit length, also with components of one variance; log p per column."""
    train, test = parts.train.astype(np.float64), parts.test.astype(np.float64)
    middle = train.mean(axis=0)
    units = train.std(axis=0) if job["scaled"] else np.ones(train.shape[1])
    train, test = (train - middle) / units, (test - middle) / units
    results: Record = {"log p": None}
    vectors: dict[str, Any] = {"plain": (train, test)}
    if job["peer"] != "rows":
        K = min(job["n_components"], *train.shape)
        options = {"random_state": job["seed"]}
        model = (PCA if job["peer"] == "PCA" else FactorAnalysis)(K, **options).fit(train)
        # log p of the rows as they are, from that of the scaled ones
        results["log p"] = float((model.score(test) - np.log(units).sum()) / train.shape[1])
        vectors["plain"] = model.transform(train), model.transform(test)
        spread = vectors["plain"][0].std(axis=0)
        vectors["whitened"] = tuple(part / spread for part in vectors["plain"])
    vectors |= {f"{how}, unit length": tuple(normalize(part) for part in pair) for how, pair in vectors.items()}
    for how, pair in vectors.items():
        results |= {f"{name}, {how}": value for name, value in scores(parts, *pair).items()}
    return results
