"""The two halves of documents: agreement of neighbours and retrieval of the other half, against plain loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from wideangle.evaluation import half_agreement, half_retrieval, split_words


def naive_agreement(first, second, database, k):
    """Neighbours as sets of rows; there are no ties in random rows."""
    shares = []
    for x, y in zip(first, second, strict=True):
        near_x = sorted(range(len(database)), key=lambda row: np.linalg.norm(x - database[row]))[:k]
        near_y = sorted(range(len(database)), key=lambda row: np.linalg.norm(y - database[row]))[:k]
        shares.append(len(set(near_x) & set(near_y)) / k)
    return np.mean(shares)


def naive_retrieval(first, second):
    inverse = []
    for number, x in enumerate(first):
        apart = [np.linalg.norm(x - y) for y in second]
        inverse.append(1 / (1 + sum(other < apart[number] for other in apart)))
    return np.mean(inverse)


def halves(n=40, D=6, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    whole = rng.normal(size=(n, D))
    return [(whole + 0.7 * rng.normal(size=(n, D))).astype(dtype) for _ in range(2)], rng.normal(size=(90, D)).astype(
        dtype
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7, 60, 90])
@pytest.mark.parametrize("memory", [1, 2**26])
def test_agreement_is_that_of_a_plain_loop(dtype, k, memory):
    (first, second), database = halves(dtype=dtype)
    expected = naive_agreement(first, second, database, k)
    assert half_agreement(first, second, database, k, memory=memory) == pytest.approx(expected)
    assert half_agreement(second, first, database, k) == pytest.approx(expected)
    assert k == 90 or 0 < expected < 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("memory", [1, 2**26])
def test_retrieval_is_that_of_a_plain_loop(dtype, memory):
    (first, second), _ = halves(dtype=dtype)
    expected = naive_retrieval(first, second)
    assert half_retrieval(first, second, memory=memory) == pytest.approx(expected)
    assert 0.1 < expected < 1


def test_sparse_rows_have_the_same_values():
    (first, second), database = halves()
    first, second, database = (np.where(part > 0, part, 0) for part in (first, second, database))
    sparse = [sp.csr_array(part) for part in (first, second, database)]
    assert half_agreement(*sparse, 7) == pytest.approx(half_agreement(first, second, database, 7))
    assert half_retrieval(*sparse[:2]) == pytest.approx(half_retrieval(first, second))


def test_equal_halves_agree():
    (first, _), database = halves()
    assert half_agreement(first, first, database, 9) == 1
    assert half_retrieval(first, first) == 1


def test_a_representation_of_equal_rows_is_chance():
    rows = np.ones((20, 3))
    assert half_agreement(rows, rows, np.ones((50, 3)), 10) == pytest.approx(10 / 50)
    assert half_retrieval(rows, rows) == pytest.approx(2 / 21)


def test_ties_count_as_their_expectation():
    """By drawing the order of tied rows again and again: two rows are near, and four tie for the third place."""
    database = np.array([[0.0], [0.1], [1.0], [1.0], [-0.8], [1.0], [-0.8], [1.0], [9.0]])
    query = np.array([[0.1]])
    rng, drawn = np.random.default_rng(0), []
    apart = np.round(cdist(query, database)[0], 9)
    for _ in range(4000):
        one, two = (set(np.lexsort((rng.random(len(database)), apart))[:3]) for _ in range(2))
        drawn.append(len(one & two) / 3)
    assert half_agreement(query, query, database, 3) == pytest.approx(np.mean(drawn), abs=0.01)
    assert half_agreement(query, query, database, 3) == pytest.approx((2 + 6 / 36) / 3)
    # The order of the database means nothing.
    assert half_agreement(query, query, database[::-1].copy(), 3) == pytest.approx((2 + 6 / 36) / 3)


BAD = {
    "empty": (np.empty((0, 2)), np.empty((0, 2)), np.ones((5, 2)), 2, "first must be a matrix"),
    "empty database": (np.ones((3, 2)), np.ones((3, 2)), np.empty((0, 2)), 2, "database must be a matrix"),
    "NaN": (np.full((3, 2), np.nan), np.ones((3, 2)), np.ones((5, 2)), 2, "first must be finite"),
    "NaN in the second": (np.ones((3, 2)), np.full((3, 2), np.nan), np.ones((5, 2)), 2, "second must be finite"),
    "unequal lengths": (np.ones((3, 2)), np.ones((4, 2)), np.ones((5, 2)), 2, "same documents; got 3 and 4 rows"),
    "unequal columns": (np.ones((3, 2)), np.ones((3, 1)), np.ones((5, 2)), 2, "first and second .* 2 and 1"),
    "columns of the database": (np.ones((3, 2)), np.ones((3, 2)), np.ones((5, 3)), 2, "first and database .* 2 and 3"),
    "k = 0": (np.ones((3, 2)), np.ones((3, 2)), np.ones((5, 2)), 0, "k must be a whole number"),
    "k above the rows": (np.ones((3, 2)), np.ones((3, 2)), np.ones((5, 2)), 6, "k=6 .* has 5 rows. Lower k"),
    "text": (np.full((3, 2), "a"), np.ones((3, 2)), np.ones((5, 2)), 2, "real numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name):
    first, second, database, k, message = BAD[name]
    with pytest.raises((ValueError, TypeError), match=message):
        half_agreement(first, second, database, k)
    if "database" not in name and "k " not in name:
        with pytest.raises((ValueError, TypeError), match=message):
            half_retrieval(first, second)


@pytest.mark.parametrize("function", [lambda *rows: half_agreement(*rows, rows[0], 1, memory=0), half_retrieval])
def test_no_memory_is_refused(function):
    rows = np.ones((3, 2))
    with pytest.raises(ValueError, match="memory"):
        function(rows, rows) if function is not half_retrieval else half_retrieval(rows, rows, memory=0)


def test_words_are_split_by_a_coin():
    counts = sp.csr_array(np.array([[1000, 0, 3], [0, 0.5, 2000.5]]))
    first, second = (part.toarray() for part in split_words(counts, 0))
    np.testing.assert_array_equal(first + second, counts.toarray())
    assert np.all(first >= 0)
    assert 440 < first[0, 0] < 560
    assert 0.5 in (first[1, 1], second[1, 1])
    assert not np.array_equal(split_words(counts, 1)[0].toarray(), first)
