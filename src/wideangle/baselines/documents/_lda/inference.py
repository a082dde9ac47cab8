"""Variational inference for the documents of LDA, where the topics are given (Blei, Ng and Jordan 2003, Section 5)."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

BLOCK = 2**15  # entries of the counts at a time, so that entries × topics stay in the processor's cache

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Inference:
    """What the E-step finds."""

    gamma: Array
    """documents × K: the parameters of q(θ), a Dirichlet distribution for each document"""
    expected: Array
    """K×V: how often each topic is expected to have given each word"""
    bound: float
    """the variational bound on log p of all documents"""


def first_gamma(counts: sp.csr_array, n_topics: int, prior: float) -> Array:
    """q(θ) before the first round: every topic has the same share of the words."""
    return np.repeat(prior + _lengths(counts)[:, None] / n_topics, n_topics, axis=1)


def infer(counts: sp.csr_array, topics: Array, prior: float, gamma: Array, rounds: int, tol: float) -> Inference:
    """Improve q(θ) and q(z) from `gamma`, document by document, until γ moves by less than `tol` words per topic."""
    gamma = gamma.copy()
    words = np.ascontiguousarray(topics.T)
    expected, bound = np.zeros_like(words), 0.0
    for first, last in _blocks(counts.indptr):
        block = _Block.of(counts[first:last], words)
        settle(block, prior, gamma[first:last], rounds, tol)
        logs = _expected_logs(gamma[first:last])
        largest, weights = _scaled(logs)
        mixtures = block.mixtures(weights)
        ratios = sp.csr_array((block.counts.data / mixtures, block.counts.indices, block.counts.indptr), block.shape)
        expected += ratios.T @ weights
        bound += float(block.counts.data @ (np.log(mixtures) + np.repeat(largest, block.entries)))
        bound += _minus_divergence(gamma[first:last], logs, prior)
    return Inference(gamma, topics * expected.T, bound)


@dataclass(frozen=True, eq=False)
class _Block:
    """Some documents, with the topics' probabilities of each of their entries, which all rounds use."""

    counts: sp.csr_array
    chances: Array
    """entries × K"""
    entries: NDArray[np.int64]
    """how many entries each document has"""

    @classmethod
    def of(cls, counts: sp.csr_array, words: Array) -> "_Block":
        return cls(counts, words[counts.indices], np.diff(counts.indptr))

    @property
    def shape(self) -> tuple[int, int]:
        shape: tuple[int, int] = self.counts.shape
        return shape

    def some(self, kept: NDArray[np.bool_]) -> "_Block":
        """The same for some of the documents."""
        return _Block(
            self.counts[np.flatnonzero(kept)], self.chances[np.repeat(kept, self.entries)], self.entries[kept]
        )

    def mixtures(self, weights: Array) -> Array:
        """Σ_k weight_dk p(w | k) of each entry."""
        return np.asarray(np.einsum("ek,ek->e", np.repeat(weights, self.entries, axis=0), self.chances))

    def words_of_topics(self, weights: Array) -> Array:
        """How many words of each document its topics are expected to have given, Σ_w n_dw q(z_dw = k)."""
        ratios = self.counts.data / self.mixtures(weights)
        # The sum over the entries of each document is a product with a matrix of one row per document.
        rows = sp.csr_array((ratios, np.arange(len(ratios)), self.counts.indptr), (self.shape[0], len(ratios)))
        return np.asarray(weights * (rows @ self.chances))


def settle(block: _Block, prior: float, gamma: Array, rounds: int, tol: float) -> None:
    """γ_dk = α + Σ_w n_dw q(z_dw = k) in place, by turns with q(z_dw = k) ∝ β_kw exp E[log θ_dk] (Eq. 6 and 7).

    A document that has settled is left alone, so that its result does not depend on the other documents.
    """
    rows = np.arange(len(gamma))
    still = np.ones(len(gamma), dtype=bool)
    for _ in range(rounds):
        old = gamma[rows]
        new = prior + block.words_of_topics(_scaled(_expected_logs(old))[1])
        gamma[rows[still]] = new[still]
        still &= np.abs(new - old).mean(axis=1) >= tol
        if not still.any():
            return
        if 2 * still.sum() <= len(rows):
            block, rows, still = block.some(still), rows[still], still[still]


def mean_shares(gamma: Array) -> Array:
    """E[θ], the share of each topic in each document."""
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def log_p_of_words(counts: sp.csr_array, topics: Array, shares: Array) -> Array:
    """Σ_w n_dw log Σ_k θ_dk β_kw of each document."""
    words, found = np.ascontiguousarray(topics.T), np.zeros(counts.shape[0])
    for first, last in _blocks(counts.indptr):
        block = _Block.of(counts[first:last], words)
        rows = np.repeat(np.arange(last - first), block.entries)
        each = block.counts.data * np.log(block.mixtures(shares[first:last]))
        found[first:last] = np.bincount(rows, each, minlength=last - first)
    return found


def _expected_logs(gamma: Array) -> Array:
    """E[log θ]."""
    return np.asarray(digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True)))


def _scaled(logs: Array) -> tuple[Array, Array]:
    """The largest of each row, and exp of the rows without it, which does not vanish for all topics."""
    largest = logs.max(axis=1)
    return largest, np.exp(logs - largest[:, None])


def _minus_divergence(gamma: Array, logs: Array, prior: float) -> float:
    """E[log p(θ)] − E[log q(θ)] of all documents together."""
    n, K = gamma.shape
    ours = gammaln(gamma).sum() - gammaln(gamma.sum(axis=1)).sum() + ((prior - gamma) * logs).sum()
    return float(ours + n * (gammaln(K * prior) - K * gammaln(prior)))


def _lengths(counts: sp.csr_array) -> Array:
    return np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()


def _blocks(indptr: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Documents that together have about `BLOCK` entries, and at least one document."""
    first, found, n = 0, [], len(indptr) - 1
    while first < n:
        last = max(first + 1, int(np.searchsorted(indptr, indptr[first] + BLOCK, side="right")) - 1)
        found.append((first, last))
        first = last
    return found
