"""How many topics there are, where nobody says it: as many as both halves of documents agree on."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wideangle.topics.tree import TopicTree, usual_number

FEWEST = 20  # Of fewer documents with two halves the number cannot be found out.
SHUFFLES = 20  # What chance gives is measured by so many shufflings of the second halves.
ERRORS = 2.0  # A smaller number of topics is taken if it is worse by no more than so many standard errors.

Pairs = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
"""for each throw of the coin, the leaves of the first halves and of the second halves of the same documents"""


def found_number(tree: TopicTree, pairs: Pairs, n_documents: int, random_state: int) -> int:
    """The smallest number of topics that the halves of documents support as well as any other.

    Both halves of a document should be in the same topic. What the topic of one half tells about that of the other is
    their mutual information, less what it is by chance. It grows while topics are real, and falls when noise is cut.
    Numbers whose worth differs from the best by less than two standard errors are no worse; the smallest is taken.
    Where documents cannot be halved, the number is √(n/2).
    """
    pairs = [pair for pair in pairs if len(pair[0]) >= FEWEST]
    if not pairs or tree.n_leaves < 2:
        return min(tree.n_leaves, usual_number(n_documents))
    numbers, worth, of_documents = _worth_of_cuts(tree, pairs, random_state)
    best = int(worth.argmax())
    error = (of_documents[best] - of_documents).std(axis=1) / np.sqrt(of_documents.shape[1])
    return int(numbers[np.flatnonzero(worth >= worth[best] - ERRORS * error)[0]])


def _worth_of_cuts(
    tree: TopicTree, pairs: Pairs, random_state: int
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """For each number of topics from 2 on, its worth, and what each document adds to the mutual information.

    Both are means over the throws of the coin. The throws are not put into one table: they are of the same documents,
    so that chance would be taken for smaller than it is.
    """
    generator = np.random.default_rng(random_state)
    first, second = (np.stack(leaves) for leaves in zip(*pairs, strict=True))
    (throws, n), L = first.shape, tree.n_leaves
    shuffles = max(1, SHUFFLES // throws)
    tables = np.empty((throws, 1 + shuffles, L, L))
    for throw in range(throws):
        tables[throw, 0] = _table(first[throw], second[throw], L)
        for number in range(shuffles):
            tables[throw, 1 + number] = _table(first[throw], generator.permutation(second[throw]), L)
    numbers = np.arange(2, L + 1)
    worth, of_documents = np.empty(len(numbers)), np.empty((len(numbers), n))
    topic, each = np.arange(L), np.arange(throws)[:, None]
    for number in range(L, 1, -1):  # from the leaves up
        found = _information(tables, n)
        worth[number - 2] = (found[:, 0] - found[:, 1:].mean(axis=1)).mean()
        true = tables[:, 0]
        here, there = topic[first], topic[second]
        told = np.log(true[each, here, there] * n / (true.sum(axis=2)[each, here] * true.sum(axis=1)[each, there]))
        of_documents[number - 2] = told.mean(axis=0)
        tables, topic = _merged(tables, topic, tree, number)
    return numbers, worth, of_documents


def _table(first: NDArray[np.intp], second: NDArray[np.intp], L: int) -> NDArray[np.float64]:
    """How many documents have their halves in each pair of leaves."""
    return np.bincount(first * L + second, minlength=L * L).reshape(L, L).astype(np.float64)


def _information(tables: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The mutual information of rows and columns of each table, in nats."""
    both = _entropy(tables).sum(axis=(-2, -1))
    each = _entropy(tables.sum(axis=-1)).sum(axis=-1) + _entropy(tables.sum(axis=-2)).sum(axis=-1)
    return np.asarray((both - each) / n + np.log(n))


def _entropy(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """c log c; an empty cell has 0."""
    return np.asarray(counts * np.log(np.maximum(counts, 1.0)))


def _merged(
    tables: NDArray[np.float64], topic: NDArray[np.intp], tree: TopicTree, number: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The tables of one topic fewer, and the topic of each leaf: two rows and two columns become one each."""
    changed = tree.cut(number) != tree.cut(number - 1)
    i, j = np.unique(topic[changed])
    tables[..., i, :] += tables[..., j, :]
    tables[..., :, i] += tables[..., :, j]
    tables = np.delete(np.delete(tables, j, axis=-1), j, axis=-2)
    moved = np.where(topic == j, i, topic)
    return tables, np.where(moved > j, moved - 1, moved)
