"""Likelihoods of held-out rows, one per row, which need no labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from wideangle.evaluation import split_words
from wideangle.exceptions import UntrustedLikelihoodError

BLOCK = 1024  # So many documents are dense at a time.


def log_likelihoods_of_held_out_words(model: Any, counts: Any, seed: int) -> NDArray[np.float64]:
    """Mean log-probability in nats of each document's words given its other words.

    A coin decides for each token whether it is shown or held out. The hidden units see the shown tokens, and the others
    have the probability softmax(α + p(h | shown) A). No partition function is needed, so that models of any size and λ
    can be compared. Documents without a shown or without a held-out token have NaN.

    A model of weighted counts gives the probability of a unit of weight. It is divided by the weight of one token, so
    that the probabilities are those of tokens, whatever `weighting` and `representation` are.
    """
    shown, hidden = split_words(counts, seed)
    useful = (shown.sum(axis=1) > 0) & (hidden.sum(axis=1) > 0)
    if not useful.any():
        raise ValueError("no document held out has two words, one to show and one to guess; bring longer documents.")
    shown, hidden = shown[useful], hidden[useful]
    bias = model.intercept_visible_ - np.log(model.rarity_)
    scores = []
    for first in range(0, shown.shape[0], BLOCK):
        guessed = hidden[first : first + BLOCK]
        logits = bias + expit(model.hidden_logits(shown[first : first + BLOCK])) @ model.components_
        logits -= logsumexp(logits, axis=1, keepdims=True)
        scores.append((guessed * logits).sum(axis=1) / guessed.sum(axis=1))
    return _with_gaps(np.concatenate(scores), useful)


def log_likelihoods_per_word(model: Any, counts: Any) -> NDArray[np.float64]:
    """log p / length of each document, for counts as training saw them: weighted, at `document_length`.

    log Z of longer documents is an extrapolation, and not known well enough to tell one λ from another. Documents
    without words have NaN.
    """
    likelihood = _trusted(model.log_likelihood(counts, rescaled=True))
    written = likelihood.lengths > 0
    return _with_gaps(likelihood.log_p[written] / likelihood.lengths[written], written)


def log_likelihoods_per_row(model: Any, rows: Any) -> NDArray[np.float64]:
    """log p of each row."""
    found: NDArray[np.float64] = _trusted(model.log_likelihood(rows)).log_p
    return found


def _with_gaps(values: NDArray[np.floating], useful: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The values in the places that are useful, and NaN in the others."""
    found = np.full(len(useful), np.nan)
    found[useful] = values
    return found


def _trusted(likelihood: Any) -> Any:
    """Raise an error where log Z cannot be estimated. A bad estimate is too low, and flatters the worst models."""
    if likelihood.doubt:
        raise UntrustedLikelihoodError(
            f"log Z cannot be estimated, and such likelihoods would be chance: {likelihood.doubt} Pass labels y, "
            "fewer components, more cd_steps, or for documents measure='log-likelihood of held-out words'."
        )
    return likelihood
