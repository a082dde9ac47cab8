"""Topic coherence: do a topic's top words occur together?"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wideangle._arguments import checked, is_several, one_of, optional, shown, whole
from wideangle._optional import optional_import
from wideangle.evaluation._inputs import checked_rows, checked_topics


def _tokenised(texts: Any, name: str) -> list[list[str]]:
    """Documents as lists of words, as gensim takes them."""
    if not is_several(texts):
        raise TypeError(f"{name} must be a list of tokenised documents; got {shown(texts)}.")
    found = list(texts)
    for number, words in enumerate(found):
        if not is_several(words) or not all(isinstance(w, str) for w in words):
            raise TypeError(
                f"{name} must be tokenised: a sequence of documents, each a sequence of words. Split them first; "
                f"number {number} is {shown(words)}."
            )
    return [list(words) for words in found]


@checked(texts=_tokenised, measure=one_of("npmi", "c_v"), window=optional(whole(least=2)))
def coherence(
    topics: Sequence[Sequence[str]],
    texts: Sequence[Sequence[str]],
    measure: Literal["npmi", "c_v"] = "npmi",
    *,
    window: int | None = None,
) -> NDArray[np.float64]:
    """Coherence of each topic from words within a sliding window of the texts, by gensim.

    The standard measures, comparable with published figures; they need the texts in order. Where only counts are
    left, `document_npmi` takes the whole document as the window and needs no gensim.

    Parameters
    ----------
    topics : sequence of sequences of str
        The top words, at least 2 per topic; every word must occur in the texts.
    texts : sequence of sequences of str
        Tokenised documents.
    measure : {"npmi", "c_v"}, default="npmi"
        Mean NPMI of pairs of top words, or C_V, the mean cosine of their NPMI vectors (Röder et al. 2015).
    window : int or None, default=None
        The number of tokens in the window; None takes gensim's default, 10 for NPMI and 110 for C_V.

    Returns
    -------
    array of shape (n_topics,)

    References
    ----------
    M. Röder, A. Both and A. Hinneburg, Exploring the Space of Topic Coherence Measures, 2015.

    Examples
    --------
    >>> from wideangle.evaluation import coherence
    >>> texts = [["corn", "wheat"], ["corn", "wheat"], ["bank", "rate"], ["bank", "rate"]]
    >>> coherence([["corn", "wheat"], ["corn", "bank"]], texts).round(1)  # doctest: +SKIP
    array([ 1. , -0.9])
    """
    words = _at_least_two(checked_topics(topics))
    missing = sorted(set(chain.from_iterable(words)) - set(chain.from_iterable(texts)))
    if missing:
        raise ValueError(f"{len(missing)} top words do not occur in the texts, such as {', '.join(missing[:5])}.")
    corpora = optional_import("gensim.corpora", extra="coherence", purpose="coherence")
    models = optional_import("gensim.models", extra="coherence", purpose="coherence")
    model = models.CoherenceModel(
        topics=words,
        texts=texts,
        dictionary=corpora.Dictionary(texts),
        coherence="c_npmi" if measure == "npmi" else "c_v",
        window_size=window,
        topn=max(map(len, words)),  # or gensim cuts topics at 20 words
        processes=1,  # it would start as many as there are cores, whatever the size of the texts
    )
    return np.asarray(model.get_coherence_per_topic(), dtype=np.float64)


def document_npmi(topics: Any, counts: Any) -> NDArray[np.float64]:
    """Mean over pairs of a topic's top words of log(p_ij / p_i p_j) / −log p_ij, p the shares of documents.

    A pair that never occurs together has NPMI −1, the limit, where gensim's small constant makes it a little more;
    a pair that occurs in every document has 0, because it tells nothing about the topic.

    Parameters
    ----------
    topics : sequence of sequences of int
        The columns of the top words, at least 2 per topic.
    counts : array or sparse matrix of shape (n_documents, n_words)
        Word counts, at least 0.

    Returns
    -------
    array of shape (n_topics,)
        Between −1, never together, and 1, always together.

    Examples
    --------
    >>> from wideangle.evaluation import document_npmi
    >>> document_npmi([[0, 1], [0, 2]], [[1, 3, 0], [2, 1, 0], [0, 0, 1], [0, 0, 4]])
    array([ 1., -1.])
    """
    columns = _at_least_two(checked_topics(topics))
    documents = sparse.csc_array(checked_rows(counts, "counts"))
    if documents.nnz and documents.data.min() < 0:
        raise ValueError(f"counts must be at least 0; got {documents.data.min()}.")
    n, V = documents.shape
    every = np.asarray(list(chain.from_iterable(columns)))
    if every.dtype.kind not in "iu" or every.min() < 0 or every.max() >= V:
        raise ValueError(f"topics must name columns of counts, whole numbers from 0 to {V - 1}; got {every[:5]}, …")
    present = (documents > 0).astype(np.float64)
    return np.array([_mean_npmi(present[:, topic], n) for topic in columns])


def _mean_npmi(present: Any, n: int) -> float:
    together = (present.T @ present).toarray() / n
    alone = together.diagonal()
    i, j = np.triu_indices(len(alone), 1)
    p = together[i, j]
    npmi = np.where(p > 0, 0.0, -1.0)
    defined = (p > 0) & (p < 1)
    p, i, j = p[defined], i[defined], j[defined]
    npmi[defined] = np.log(p / (alone[i] * alone[j])) / -np.log(p)
    return float(npmi.mean())


def _at_least_two(topics: list[list[Any]]) -> list[list[Any]]:
    short = [number for number, words in enumerate(topics) if len(words) < 2]
    if short:
        raise ValueError(
            f"coherence is measured on pairs of words, and topic {short[0]} has only one. Give 2 or more top words."
        )
    return topics
