"""Likelihoods of held-out rows, which need no labels."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from wideangle.exceptions import UntrustedLikelihoodError

BLOCK = 1024  # So many documents are dense at a time.


def log_likelihood_of_held_out_words(model: Any, counts: Any, seed: int) -> float:
    """Mean log-probability in nats of a document's words given its other words. Documents have equal weights.

    A coin decides for each token whether it is shown or held out. The hidden units see the shown tokens, and the others
    have the probability softmax(α + p(h | shown) A). No partition function is needed, so that models of any size and λ
    can be compared. Documents without a shown or without a held-out token are left out.
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
    """Shown tokens and held-out tokens. A coin decides for each token, and for the fraction of a count as a whole."""
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
    """Mean over documents of log p / length, for counts as training saw them, at `document_length`.

    log Z of longer documents is an extrapolation, and not known well enough to tell one λ from another.
    """
    likelihood = _trusted(model.log_likelihood(counts, rescaled=True))
    written = likelihood.lengths > 0
    return float((likelihood.log_p[written] / likelihood.lengths[written]).mean())


def log_likelihood_per_row(model: Any, rows: Any) -> float:
    """Mean log p of the rows."""
    return float(_trusted(model.log_likelihood(rows)).log_p.mean())


def _trusted(likelihood: Any) -> Any:
    """Raise an error where log Z cannot be estimated. A bad estimate is too low, and flatters the worst models."""
    if likelihood.doubt:
        raise UntrustedLikelihoodError(
            f"log Z cannot be estimated, and such likelihoods would be chance: {likelihood.doubt} Pass labels y, "
            "fewer components, more cd_steps, or for documents measure='log-likelihood of held-out words'."
        )
    return likelihood
