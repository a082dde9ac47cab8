"""Perplexity of documents, in the two ways that people confuse."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle.evaluation._inputs import checked_vector


def perplexity(log_likelihood: ArrayLike, lengths: ArrayLike) -> float:
    """exp(−(1/N) Σ_n log p(v_n) / D_n): every document counts alike, whatever its length.

    This is the perplexity of Hinton and Salakhutdinov (2009) and of the paper. `per_word_perplexity` weighs long
    documents more. Empty documents (D_n = 0) have no words and are left out.

    Parameters
    ----------
    log_likelihood : array of shape (N,)
        log p(v_n) in nats, of the whole document. A document of probability 0 makes the perplexity infinite.
    lengths : array of shape (N,)
        D_n, the number of tokens.

    References
    ----------
    G. Hinton and R. Salakhutdinov, Replicated Softmax: an Undirected Topic Model, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.evaluation import perplexity
    >>> round(perplexity(np.log([0.5**3, 0.125]), [3, 1]), 6)
    4.0
    """
    log_p, D = _documents(log_likelihood, lengths)
    return _exp_of_negative(float(np.mean(log_p / D)))


def per_word_perplexity(log_likelihood: ArrayLike, lengths: ArrayLike) -> float:
    """exp(−Σ_n log p(v_n) / Σ_n D_n): every word counts alike, so long documents dominate.

    This is customary for language models and for LDA. The paper reports `perplexity`, which takes the same parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.evaluation import per_word_perplexity
    >>> round(per_word_perplexity(np.log([0.5**3, 0.125]), [3, 1]), 4)
    2.8284
    """
    log_p, D = _documents(log_likelihood, lengths)
    return _exp_of_negative(float(log_p.sum() / D.sum()))


def _documents(log_likelihood: ArrayLike, lengths: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """log p and D of the documents that have words."""
    log_p = checked_vector(log_likelihood, "log_likelihood")
    D = checked_vector(lengths, "lengths", len(log_p))
    if not np.isfinite(D).all() or D.min() < 0:
        raise ValueError(f"lengths count tokens and must be finite and at least 0; got {D.min()} to {D.max()}.")
    if not D.any():
        raise ValueError(f"all {len(D)} documents are empty: there are no words to measure the perplexity of.")
    written = D > 0
    # An estimate may stray above 0 for one document, but not for all of them together.
    if log_p[written].sum() > 0:
        raise ValueError("log_likelihood is positive on the whole, and log-probabilities of words are not. Negate it?")
    return log_p[written], D[written]


def _exp_of_negative(mean: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(-mean))
