"""How sure the topic of a document is: a probability that halves of documents teach, without labels.

Both halves of a document are about the same thing, so that they should have the same topic. Let m = 1 − d₁/d₂ be the
margin of a text, d₁ its distance to its topic and d₂ that to the next one, and q = 1 / (1 + exp(−a − b m)) the
probability that its topic is right. Two halves then agree with probability q q′ + c (1 − q) (1 − q′): both are right,
or both are wrong and in the same topic. The a and b under which the agreement of halves is most likely say how sure a
margin is: this reckons with the fact that the other half, too, is wrong at times.

Two errors are left, and they are opposite. Halves are shorter than documents, and of two texts of the same margin the
shorter one is right less often. But the halves are of documents that the model was fitted on, which it knows better
than new ones. On new documents whose halves are as long as usual documents the sum of both is small
(benchmarks/sureness.py, docs/topics.md). Of few documents it is not: see `wideangle.topics.held_out`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wideangle.topics.tree import TopicTree

Rows = NDArray[np.float64]

FEWEST = 20  # Of fewer documents with two halves nothing is learned.
MOST = 2000  # So many pairs of halves are enough for two numbers.
COINCIDE = 0.3  # Two wrong halves are in the same topic about so often: about half of them are in the second nearest.
# a and b as the collections of the benchmark have them, and how far they may be elsewhere. They count like a few dozen
# documents, so that small collections are near to them, and large ones have their own.
USUAL, SPREAD = np.array([-0.3, 11.0]), np.array([1.0, 5.0])
PRIOR_OF_SECOND = 5.0  # so many halves in a wrong topic, half of them in the second nearest


def margins(nearest: Rows, others: Rows) -> Rows:
    """1 − (distance to the topic) / (distance to the next one), from 0 on the border to 1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(others > 0, 1 - nearest / others, 0.0)


def probability(margin: Rows, constants: NDArray[np.float64]) -> tuple[Rows, Rows]:
    """The probability that the nearest topic is right, and that the second is, by the three constants of a level."""
    from scipy.special import expit

    a, b, second = constants
    first = expit(a + b * margin)
    return first, np.minimum((1 - first) * second, first)


def two_nearest(distances: Rows) -> tuple[NDArray[np.intp], NDArray[np.intp], Rows]:
    """The nearest column and the second nearest of each row, and the margin between them."""
    rows = np.arange(len(distances))
    first = distances.argmin(axis=1)
    rest = distances.copy()
    rest[rows, first] = np.inf
    second = rest.argmin(axis=1)
    return first, second, margins(distances[rows, first], rest[rows, second])


def learned(
    tree: TopicTree, throws: Sequence[tuple[Rows, Rows]], *, fewest: int = FEWEST
) -> NDArray[np.float64] | None:
    """For each number of topics, from 1 to that of the leaves: a, b, and how often the second topic is the right one.

    Each throw of the coin has the directions of the first halves and of the second halves of the same documents. None
    where there are fewer documents than `fewest`.
    """
    from sklearn.metrics import pairwise_distances

    if not throws or len(throws[0][0]) < fewest:
        return None
    centres = tree.centres.astype(np.float64)
    throws = throws[: max(1, MOST // len(throws[0][0]))]
    some = np.linspace(0, len(throws[0][0]) - 1, min(len(throws[0][0]), MOST)).astype(np.intp)
    here = np.concatenate([pairwise_distances(first[some], centres) for first, _ in throws])
    there = np.concatenate([pairwise_distances(second[some], centres) for _, second in throws])
    nodes = np.arange(tree.n_leaves)  # the node that each column stands for
    found = np.zeros((tree.n_leaves, 3))
    found[0, 0] = 50.0  # A single topic is right.
    start = USUAL
    for number in range(tree.n_leaves, 1, -1):
        found[number - 1] = _of_level(here, there, 1 / len(throws), start)
        start = found[number - 1, :2]
        merge = tree.n_leaves - number
        kept, gone = (int(np.flatnonzero(nodes == node)[0]) for node in tree.merges[merge])
        for distances in (here, there):
            distances[:, kept] = np.minimum(distances[:, kept], distances[:, gone])
            distances[:, gone] = np.inf
        nodes[kept], nodes[gone] = tree.n_leaves + merge, -1
    return found


def _of_level(here: Rows, there: Rows, weight: float, start: NDArray[np.float64]) -> NDArray[np.float64]:
    (first, first_next, x), (second, second_next, y) = two_nearest(here), two_nearest(there)
    agree = first == second
    constants = _most_likely(x, y, agree, weight, start)
    sure = [probability(margin, np.array([*constants, 0.0]))[0] for margin in (x, y)]
    # The half that is surer is the better judge of where the other one belongs.
    wrong = weight * np.concatenate([sure[1][~agree], sure[0][~agree]])
    in_second = np.concatenate([(first_next == second)[~agree], (second_next == first)[~agree]])
    share = (wrong @ in_second + PRIOR_OF_SECOND / 2) / (wrong.sum() + PRIOR_OF_SECOND)
    return np.array([*constants, share])


def _most_likely(
    x: Rows, y: Rows, agree: NDArray[np.bool_], weight: float, start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The a and b of largest posterior probability, given the margins of both halves and whether they agree."""
    from scipy.optimize import minimize
    from scipy.special import expit

    def cost(constants: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        p, q = expit(constants[0] + constants[1] * x), expit(constants[0] + constants[1] * y)
        both = np.clip(p * q + COINCIDE * (1 - p) * (1 - q), 1e-9, 1 - 1e-9)
        steep = np.where(agree, 1 / both, -1 / (1 - both)) * weight
        by_p = steep * (q - COINCIDE * (1 - q)) * p * (1 - p)
        by_q = steep * (p - COINCIDE * (1 - p)) * q * (1 - q)
        away = (constants - USUAL) / SPREAD
        value = -weight * np.log(np.where(agree, both, 1 - both)).sum() + 0.5 * away @ away
        slope = -np.array([by_p.sum() + by_q.sum(), by_p @ x + by_q @ y]) + away / SPREAD
        return float(value), slope

    return np.asarray(minimize(cost, start, jac=True, method="L-BFGS-B", bounds=[(None, None), (0, None)]).x)


def resized(sureness: NDArray[np.float64], n_leaves: int) -> NDArray[np.float64]:
    """What was learned, for a tree that has other leaves by now. More topics than before have the last constants.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.topics.sureness import resized
    >>> resized(np.array([[1.0], [2.0]]), 3).ravel().tolist(), resized(np.array([[1.0], [2.0]]), 1).ravel().tolist()
    ([1.0, 2.0, 2.0], [1.0])
    """
    more = np.repeat(sureness[-1:], max(0, n_leaves - len(sureness)), axis=0)
    return np.concatenate([sureness[:n_leaves], more])
