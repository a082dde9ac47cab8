"""Which words set a topic apart from the other documents."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._alphabets import without_spaces
from wideangle._arguments import checked, real, share, whole
from wideangle._arrays import numbers

EXCLUSIVE = 0.65
PRIOR = 20.0  # So many documents with the corpus' share of each word are added to both sides.
LEAST = 10  # A word in fewer documents names no topic,
SHARE = 0.01  # or in a small corpus: in fewer than this share of them.


@checked(
    having=numbers(2),
    sizes=numbers(1),
    corpus=numbers(1),
    n_documents=whole(least=0),
    exclusive=share,
    prior=real(least=0),
)
def word_scores(
    having: NDArray[Any],
    sizes: NDArray[Any],
    corpus: NDArray[Any],
    n_documents: int,
    exclusive: float = EXCLUSIVE,
    prior: float = PRIOR,
) -> NDArray[np.float64]:
    """δ v^(e − 1): how much more likely a word is in a topic than outside, and how sure that is; topics × words.

    δ is the difference of the log-odds of a document having the word, inside and outside the topic, with a prior of
    some documents that have the corpus' share of each word (Monroe, Colaresi and Quinn, Fightin' Words, 2008). v is its
    variance. With e = ½ this is δ divided by its standard error. A larger e prefers words that only this topic has,
    however rare; a smaller e prefers the words that most of its documents have.

    Parameters
    ----------
    having : array of shape (n_topics, n_words)
        How many documents of each topic have each word.
    sizes : array of shape (n_topics,)
        The documents of each topic.
    corpus : array of shape (n_words,)
        How many of all documents have each word.
    n_documents : int
        All documents.
    exclusive : float, default=0.65
        e, from 0 to 1.
    prior : float, default=20.0
        So many documents are added.
    """
    if np.shape(having) != (len(sizes), len(corpus)):
        raise ValueError(
            f"having must be topics × words; got shapes {np.shape(having)}, {np.shape(sizes)}, {np.shape(corpus)}."
        )
    a, f = np.asarray(having, dtype=np.float64), np.asarray(corpus, dtype=np.float64)
    N = np.asarray(sizes, dtype=np.float64)[:, None]
    share = f / max(n_documents, 1)
    inside = a + prior * share, N - a + prior * (1 - share)
    outside = f - a + prior * share, n_documents - N - f + a + prior * (1 - share)
    with np.errstate(divide="ignore", invalid="ignore"):  # A word of no document, or of all, has no odds.
        difference = np.log(inside[0] / inside[1]) - np.log(outside[0] / outside[1])
        variance = sum(1 / part for part in (*inside, *outside))
        scores = difference * variance ** (exclusive - 1)
    return np.nan_to_num(scores, nan=0.0, posinf=0.0, neginf=0.0)


def first_words(
    having: NDArray[Any],
    sizes: NDArray[Any],
    corpus: NDArray[Any],
    n_documents: int,
    count: int,
    exclusive: float = EXCLUSIVE,
) -> list[NDArray[np.intp]]:
    """The columns of the best words of each topic, the best first; fewer where fewer words speak for it."""
    scores = word_scores(having, sizes, corpus, n_documents, exclusive)
    whole = np.asarray(sizes) == n_documents
    scores[whole] = np.asarray(having)[whole]  # Nothing is outside of all documents: their words are the frequent ones.
    scores[:, np.asarray(corpus) < fewest_documents(n_documents)] = 0.0
    count = min(count, scores.shape[1])
    best = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    return [columns[scores[topic, columns] > 0] for topic, columns in enumerate(best)]


def fewest_documents(n_documents: int) -> int:
    """In how many documents a word must be to name a topic."""
    return int(min(LEAST, max(1, round(SHARE * n_documents))))


def name_from_words(words: list[str], count: int = 3) -> str:
    """A name made of the first words. A word that only varies one that is there, such as its plural, is left out.

    Examples
    --------
    >>> from wideangle.topics.telling_words import name_from_words
    >>> name_from_words(["graph", "graphs", "node", "edge", "nodes"])
    'graph, node, edge'
    """
    chosen: list[str] = []
    for word in words:
        if len(chosen) < count and not any(_vary(word, other) for other in chosen):
            chosen.append(word)
    return ", ".join(chosen)


def _vary(word: str, other: str) -> bool:
    """Whether one is the other with an ending of at most three letters, and they begin with the same four.

    A word of a script without spaces varies another that it is a part of.
    """
    short, long = sorted((word, other), key=len)
    if without_spaces(short):
        return short in long
    return len(short) >= 4 and len(long) - len(short) <= 3 and long.startswith(short)
