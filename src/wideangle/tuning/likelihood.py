"""Likelihood of rows held out, without labels."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from wideangle.exceptions import UntrustedLikelihoodError

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
    likelihood = _trusted(model.log_likelihood(counts, rescaled=True))
    written = likelihood.lengths > 0
    return float((likelihood.log_p[written] / likelihood.lengths[written]).mean())


def log_likelihood_per_row(model: Any, rows: Any) -> float:
    """Mean log p of the rows."""
    return float(_trusted(model.log_likelihood(rows)).log_p.mean())


def _trusted(likelihood: Any) -> Any:
    """An error where log Z cannot be estimated, for a bad estimate is too low, and flatters the worst models."""
    if likelihood.doubt:
        raise UntrustedLikelihoodError(
            f"log Z cannot be estimated, and likelihoods by it would be chance: {likelihood.doubt} Pass labels y, "
            "fewer components, more cd_steps, or for documents measure='log-likelihood of held-out words'."
        )
    return likelihood
