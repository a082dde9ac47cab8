"""What can be done to vectors after they were made: centring, fewer directions, distances that are learned."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.finishing.distances import by_halves, by_spectrum
from wideangle.finishing.finished import unit_rows
from wideangle.finishing.halves import MOST, Moments, moments_of

GRANULARITIES = (0.0, 0.5, 0.75, 1.0)
DROPPED = (1, 3)
NEIGHBOURS = (1, 3, 5, 10)
THE_SAME = 0.999  # the cosine of a copy
Rows = NDArray[Any]


def finishes(train: Rows, asked: Rows, halves: tuple[Rows, Rows], near: NDArray[np.intp]) -> Iterator[Any]:
    """The name of each finish, and training documents and those that ask, at unit length."""
    yield "raw", train, asked
    moments = moments_of(train)
    yield "centred", *moved(train, asked, moments.middle, np.eye(train.shape[1]))
    directions = np.linalg.eigh(moments.spread)[1][:, ::-1]
    for count in DROPPED:  # all but the top: Mu and Viswanath 2018
        first = directions[:, :count]
        yield f"without first {count}", *moved(train, asked, moments.middle, np.eye(len(first)) - first @ first.T)
    for g in (0.0, 0.75, 1.0):  # 0.5 is centred
        yield f"spectrum {g:g}", *moved(train, asked, moments.middle, by_spectrum(moments, g))
    yield from at_granularities("halves", train, asked, of_halves(train, *halves))
    for count in NEIGHBOURS:
        yield from at_granularities(f"neighbours {count}", train, asked, of_neighbours(train, near[:, :count]))


def at_granularities(name: str, train: Rows, asked: Rows, moments: Moments) -> Iterator[Any]:
    for g in GRANULARITIES:
        yield f"{name}, {g:g}", *moved(train, asked, moments.middle, by_halves(moments, g))


def moved(train: Rows, asked: Rows, middle: Rows, root: Rows) -> tuple[Rows, Rows]:
    """Centred rows in a distance, at unit length."""
    return unit_rows((train - middle) @ root), unit_rows((asked - middle) @ root)


def of_halves(whole: Rows, first: Rows, second: Rows) -> Moments:
    """What halves of texts say of vectors."""
    both = np.flatnonzero(first.any(axis=1) & second.any(axis=1))[:MOST]
    return moments_of(whole, first[both], second[both])


def of_neighbours(whole: Rows, near: NDArray[np.intp]) -> Moments:
    """The same of documents and their nearest ones by words: each document is paired with each of its neighbours."""
    rows, places = np.nonzero(near >= 0)
    return moments_of(whole, whole[rows], whole[near[rows, places]])


def nearest_by_words(words: sp.csr_matrix, count: int) -> NDArray[np.intp]:
    """The nearest other documents by the cosine of tf-idf, for `MOST` documents at most; −1 for none.

    Copies, and documents that share no word, are none.

    Parameters
    ----------
    words : sparse matrix of shape (n_documents, n_words)
        tf-idf at unit length.
    """
    near = np.full((words.shape[0], count), -1, dtype=np.intp)
    some = np.flatnonzero(words.getnnz(axis=1))
    some = some[np.linspace(0, len(some) - 1, min(MOST, len(some))).astype(np.intp)]
    for start in range(0, len(some), 500):
        rows = some[start : start + 500]
        alike = (words[rows] @ words.T).toarray()
        alike[alike > THE_SAME] = 0.0  # itself as well
        best = np.argpartition(-alike, count, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(alike, best, 1), axis=1, kind="stable")
        best = np.take_along_axis(best, order, 1)
        near[rows] = np.where(np.take_along_axis(alike, best, 1) > 0, best, -1)
    return near


def beside(one: Rows, other: Rows, weight: float) -> Rows:
    """Two representations in one: its cosine is (1 − w) times the first cosine plus w times the second."""
    return np.hstack([np.sqrt(1 - weight) * one, np.sqrt(weight) * other])
