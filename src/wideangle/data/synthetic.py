"""Corpora with known topics whose popularity follows a power law."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arguments import checked, real, share, whole
from wideangle._arguments import seed as a_seed
from wideangle.data.corpus import Corpus


@dataclass(frozen=True, eq=False)
class SyntheticCorpus:
    """Documents and the truth behind them."""

    corpus: Corpus
    """labels are each document's main topic, in order of falling popularity"""
    topics: NDArray[np.float64]
    """topics × words, each row a distribution"""
    popularity: NDArray[np.float64]
    """chance of each topic to be a document's main one, falling"""


@checked(
    n_documents=whole(least=1),
    n_topics=whole(least=1),
    n_words=whole(least=1),
    exponent=real(),
    length=real(above=0),
    purity=share,
    background=share,
    words_per_topic=whole(least=1),
    seed=a_seed,
)
def synthetic_corpus(
    n_documents: int = 2000,
    n_topics: int = 30,
    n_words: int = 1000,
    *,
    exponent: float = 1.0,
    length: float = 60.0,
    purity: float = 0.7,
    background: float = 0.3,
    words_per_topic: int = 20,
    train: float = 0.7,
    seed: int = 0,
) -> SyntheticCorpus:
    """Draw documents from topics whose popularity falls as rank^−exponent.

    A topic prefers `words_per_topic` words, with falling weights; a word may belong to several. A document has a main
    topic, which gives the share `purity` of its topical words, and another topic for the rest; the share `background`
    of its words comes from a common distribution that itself follows a power law. Lengths are Poisson.

    Parameters
    ----------
    n_documents, n_topics, n_words : int
        The numbers of documents, topics and words.
    exponent : float, default=1.0
        The exponent of the power law of popularity; 0 makes topics equally popular.
    length : float, default=60.0
        The mean number of tokens per document; some documents may be empty when it is small.
    purity, background : float
        Shares between 0 and 1, see above.
    words_per_topic : int, default=20
        The number of words that a topic prefers.
    train : float, default=0.7
        Share of training documents.
    seed : int, default=0
        The seed of all random choices.

    Examples
    --------
    >>> from wideangle.data import synthetic_corpus
    >>> made = synthetic_corpus(200, 5, 100)
    >>> made.corpus.counts.shape, made.topics.shape, bool((made.popularity[:-1] >= made.popularity[1:]).all())
    ((200, 100), (5, 100), True)
    """
    if words_per_topic > n_words:
        raise ValueError(f"words_per_topic must be at most n_words; got {words_per_topic=}, {n_words=}.")
    generator = np.random.default_rng(seed)
    popularity = np.arange(1, n_topics + 1, dtype=np.float64) ** -exponent
    popularity /= popularity.sum()
    topics = np.zeros((n_topics, n_words))
    weights = 1 / np.sqrt(np.arange(1, words_per_topic + 1))
    for topic in topics:
        topic[generator.choice(n_words, words_per_topic, replace=False)] = weights / weights.sum()
    common = 1 / np.arange(1, n_words + 1)
    common = generator.permutation(common / common.sum())

    main = generator.choice(n_topics, n_documents, p=popularity)
    other = generator.choice(n_topics, n_documents, p=popularity)
    sizes = generator.poisson(length, n_documents)
    rows = []
    for first, second, tokens in zip(main, other, sizes, strict=True):
        mixture = (1 - background) * (purity * topics[first] + (1 - purity) * topics[second]) + background * common
        rows.append(sp.csr_array(generator.multinomial(tokens, mixture / mixture.sum())[None].astype(np.int32)))
    corpus = Corpus(
        counts=sp.vstack(rows, format="csr"),
        vocabulary=np.array([f"word{j:04d}" for j in range(n_words)]),
        labels=main.astype(np.int64),
        label_names=np.array([f"topic{t:03d}" for t in range(n_topics)]),
        source=f"synthetic, seed {seed}",
    )
    return SyntheticCorpus(corpus.split_randomly(train, seed), topics, popularity)
