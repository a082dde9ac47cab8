"""A corpus with a large vocabulary, whose words are as frequent as in language."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

TOPICS, WORDS_OF_A_TOPIC = 200, 2000
FLATTER = 2.7  # Mandelbrot's shift of the rank, which fits the most frequent words of English


def large_corpus(n_documents: int, n_words: int, seed: int = 0) -> sp.csr_array:
    """Documents of about a hundred tokens, half of them from all words and half from one topic, both by Zipf's law."""
    generator = np.random.default_rng(seed)
    lengths = np.maximum(10, generator.lognormal(np.log(100), 0.6, n_documents)).astype(int)
    owner = np.repeat(np.arange(n_documents), lengths)
    size = min(WORDS_OF_A_TOPIC, n_words)
    topical = np.stack([generator.permutation(n_words)[:size] for _ in range(TOPICS)])
    topic = generator.integers(0, TOPICS, n_documents)[owner]
    from_all = _ranks(n_words, len(owner), generator)
    from_topic = topical[topic, _ranks(size, len(owner), generator)]
    words = np.where(generator.random(len(owner)) < 0.5, from_all, from_topic)
    ones = np.ones(len(owner), dtype=np.float32)
    return sp.csr_array(sp.coo_array((ones, (owner, words)), shape=(n_documents, n_words)))


def _ranks(size: int, count: int, generator: np.random.Generator) -> NDArray[np.intp]:
    below = np.cumsum(1 / (np.arange(size) + FLATTER))
    return np.asarray(np.searchsorted(below, generator.random(count) * below[-1]))
