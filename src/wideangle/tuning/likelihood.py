"""Likelihood of rows held out, without labels."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logsumexp

CHAINS, TEMPERATURES = 100, 1000  # of annealing; see docs/tuning.md for its error
FEWEST_CHAINS = 5.0  # effective ones, below which an estimate of log Z is worth nothing
MOST_ENUMERATED = 12  # units; of more, and many words, annealing costs less than summing over all states
BLOCK = 1024  # documents that are dense at a time


def log_likelihood_of_held_out_words(model: Any, counts: Any, seed: int) -> float:
    """Mean log-probability of a document's words in nats, given its other words; documents count alike.

    Each token is shown or hidden by a coin; hidden units see the shown ones, and the hidden ones have the probability
    softmax(α + p(h | shown) A). No partition function is needed, so that models of any size and λ can be compared.
    Documents of which nothing is shown or nothing hidden are left out.
    """
    shown, hidden = split_words(counts, seed)
    useful = (shown.sum(axis=1) > 0) & (hidden.sum(axis=1) > 0)
    if not useful.any():
        raise ValueError("no document held out has two words, one to show and one to guess; bring longer documents.")
    shown, hidden = shown[useful], hidden[useful]
    model.set_params(representation="probabilities")
    scores = []
    for first in range(0, shown.shape[0], BLOCK):
        guessed = hidden[first : first + BLOCK]
        logits = model.intercept_visible_ + model.transform(shown[first : first + BLOCK]) @ model.components_
        logits -= logsumexp(logits, axis=1, keepdims=True)
        scores.append((guessed * logits).sum(axis=1) / guessed.sum(axis=1))
    return float(np.concatenate(scores).mean())


def split_words(counts: Any, seed: int) -> tuple[Any, Any]:
    """Tokens shown and tokens hidden, each by a coin; of a fraction of a token, the fraction goes one way."""
    generator = np.random.default_rng(seed)
    counts = sp.csr_array(counts).astype(np.float64)
    counts.sum_duplicates()
    whole = np.floor(counts.data)
    shown, hidden = counts.copy(), counts.copy()
    rest = (counts.data - whole) * generator.integers(0, 2, len(whole))
    shown.data = generator.binomial(whole.astype(np.int64), 0.5) + rest
    hidden.data = counts.data - shown.data
    return shown, hidden


def log_likelihood_per_word(model: Any, counts: Any) -> float:
    """Mean over documents of log p / length, of counts as training saw them: at `document_length`.

    log Z of longer documents is an extrapolation, and known too badly to tell one λ from another.
    """
    counts = sp.csr_array(counts).astype(np.float64)
    counts = counts[counts.sum(axis=1) > 0]
    lengths = scaled = counts.sum(axis=1)
    if model.document_length is not None:
        scaled = np.full_like(lengths, model.document_length)
    distinct, where = np.unique(scaled, return_inverse=True)
    log_Z = _log_partition(model, distinct)[where.ravel()]
    log_p = _minus_free_energy(model, sp.diags_array(scaled / lengths) @ counts, scaled) - log_Z
    return float((log_p / scaled).mean())


def log_likelihood_per_row(model: Any, rows: Any) -> float:
    """Mean log p of the rows."""
    if model.binarize is not None:
        rows = (rows > model.binarize).astype(np.float64)
    return float((_minus_free_energy(model, rows, np.ones(rows.shape[0])) - _log_partition(model, None)).mean())


def _minus_free_energy(model: Any, rows: Any, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    A, alpha, beta = (
        part.astype(np.float64) for part in (model.components_, model.intercept_visible_, model.intercept_hidden_)
    )
    return rows @ alpha + np.logaddexp(0, np.outer(lengths, beta) + rows @ A.T).sum(axis=1)


def _log_partition(model: Any, lengths: NDArray[np.float64] | None) -> Any:
    """log Z; an error where it cannot be estimated, for a bad estimate is too low, and flatters the worst models."""
    exact = min(model.components_.shape) <= MOST_ENUMERATED
    found = model.log_partition(lengths, chains=CHAINS, temperatures=TEMPERATURES, exact=exact)
    worth = float(found.effective_samples.min())
    if worth < FEWEST_CHAINS:
        raise ValueError(
            f"log Z cannot be estimated: {CHAINS} annealed chains are worth {worth:.1f}, and likelihoods by them would "
            "be chance. Pass labels y, fewer components, for documents measure='log-likelihood of held-out words', or, "
            "where the estimator drops units out, dropout=0: with dropout log Z is not learned."
        )
    return found.value.cpu().numpy()
