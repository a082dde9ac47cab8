"""Pairs of neighbouring words that set a topic apart; in scripts without spaces, words of three characters or more."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._alphabets import find_words, folded, is_pair
from wideangle.topics.longer_words import LongerWords
from wideangle.topics.telling_words import first_words
from wideangle.topics.tree import TopicTree

LEAST = 3  # A phrase must be in so many documents.
MOST = 20_000  # Of more pairs, the most frequent are looked at.
MOST_TEXTS = 100_000  # Of more documents so many are read, which takes some seconds.
AT_A_TIME = 2000  # After so many texts the memory of those that are in a file is given back.


@dataclass(frozen=True, eq=False)
class SampleOfTexts:
    """Some texts of documents, or all of them."""

    texts: Any
    """all texts, by their numbers"""
    numbers: NDArray[np.intp]
    """the documents whose texts are read, in rising order"""

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        for place, number in enumerate(self.numbers.tolist(), 1):
            yield self.texts[number]
            if place % AT_A_TIME == 0 and hasattr(self.texts, "let_go"):
                self.texts.let_go()


def sample_of_texts(texts: Any, leaves: NDArray[np.int32]) -> SampleOfTexts:
    """The texts that are read: all of them, or of too many documents a part of each leaf.

    Leaves of few documents are read whole, and of the others as many documents each, spread evenly over the leaf.
    Documents whose leaf is −1 are left out then.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.topics import phrases
    >>> texts = ["a text"] * (phrases.MOST_TEXTS + 10)
    >>> leaves = np.where(np.arange(len(texts)) < 50, 1, 0)
    >>> np.bincount(leaves[phrases.sample_of_texts(texts, leaves).numbers]).tolist()
    [99950, 50]
    """
    if len(texts) <= MOST_TEXTS:
        return SampleOfTexts(texts, np.arange(len(texts)))
    order = np.argsort(leaves, kind="stable")[int((leaves < 0).sum()) :]
    sizes = np.bincount(leaves[order], minlength=1)
    taken = np.minimum(sizes, _level(sizes, MOST_TEXTS))
    starts = np.cumsum(sizes) - sizes
    parts = [
        order[start + np.linspace(0, size - 1, take).astype(np.intp)]
        for start, size, take in zip(starts.tolist(), sizes.tolist(), taken.tolist(), strict=True)
        if take
    ]
    return SampleOfTexts(texts, np.sort(np.concatenate([np.zeros(0, dtype=np.intp), *parts])))


def _level(sizes: NDArray[np.intp], most: int) -> int:
    """The largest number of documents of a leaf at which all leaves together have no more than `most`."""
    left, rest = most, np.sort(sizes)
    for place, size in enumerate(rest.tolist()):
        share = left // (len(rest) - place)
        if size > share:
            return share
        left -= size
    return int(rest[-1])


def phrases_of(
    tree: TopicTree,
    leaves: NDArray[np.int32],
    texts: SampleOfTexts,
    vocabulary: Sequence[str],
    token_pattern: str,
    count: int,
    longer: LongerWords | None = None,
) -> list[list[str]]:
    """For each node the pairs of words, both of the vocabulary, that stand side by side in its documents.

    They are ranked as words are. Of a document only what is given is read, which may be its beginning. Where words are
    pairs of characters, `longer` knows the longer words that they belong to, which are the phrases. A document of which
    others of its leaf were not read stands for them.
    """
    pairs, documents, columns = _pairs_of(texts, set(vocabulary), token_pattern, longer)
    if not pairs:
        return [[] for _ in range(tree.n_nodes)]
    of_texts = leaves[texts.numbers]
    kept = of_texts[documents] >= 0
    ones = np.ones(int(kept.sum()))
    having = sp.csr_array(
        (ones, (of_texts[documents][kept], columns[kept])), shape=(tree.n_leaves, len(pairs))
    ).toarray()
    per_leaf = np.bincount(leaves[leaves >= 0], minlength=tree.n_leaves)
    read = np.bincount(of_texts[of_texts >= 0], minlength=tree.n_leaves)
    having *= (per_leaf / np.maximum(read, 1))[:, None]
    chosen = first_words(tree.sums(having), tree.sums(per_leaf), having.sum(axis=0), int(per_leaf.sum()), count)
    return [[pairs[column] for column in best] for best in chosen]


def _pairs_of(
    texts: SampleOfTexts, known: set[str], token_pattern: str, longer: LongerWords | None
) -> tuple[list[str], NDArray[np.intp], NDArray[np.intp]]:
    """The pairs that enough documents have, and which text has which: the places of texts, and the numbers of pairs."""
    find = find_words(token_pattern)
    numbers: dict[str, int] = {}
    documents, columns = array("i"), array("i")  # Lists of Python's numbers would take several times the memory.
    for document, text in enumerate(texts):
        tokens = find(folded(text))
        beside = {
            " ".join((first, second))
            for first, second in pairwise(tokens)
            if first in known and second in known and first != second and not is_pair(first) and not is_pair(second)
        }
        if longer is not None:
            wholes = {longer.whole(token) for token in tokens if token in known and is_pair(token)}
            beside |= {whole for whole in wholes if whole is not None and not is_pair(whole)}
        documents.extend([document] * len(beside))
        columns.extend(numbers.setdefault(phrase, len(numbers)) for phrase in sorted(beside))
    of_text, of_pair = (np.array(side, dtype=np.intp) for side in (documents, columns))
    having = np.bincount(of_pair, minlength=1)
    frequent = np.argsort(-having, kind="stable")[:MOST]
    frequent = frequent[having[frequent] >= LEAST]
    if not len(frequent):
        return [], of_text[:0], of_pair[:0]
    place = np.full(len(numbers), -1, dtype=np.intp)
    place[frequent] = np.arange(len(frequent))
    names, kept = list(numbers), place[of_pair] >= 0
    return [names[column] for column in frequent.tolist()], of_text[kept], place[of_pair[kept]]
