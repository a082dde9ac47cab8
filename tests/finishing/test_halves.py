"""What halves of documents teach: at each knot, between the knots, and of which documents."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.finishing.halves import ARRAYS, FEWEST, KNOTS, MOST, Halves, Moments, learn_halves, moments_of


def some_moments(seed, K=3):
    rng = np.random.default_rng(seed)
    return moments_of(*rng.normal(size=(3, 40, K)))


@pytest.fixture
def halves():
    return Halves.of([some_moments(seed) for seed in range(len(KNOTS))], 40)


def test_at_the_knots_moments_are_those_that_were_learned(halves):
    for number, knot in enumerate(KNOTS):
        found = halves.at(knot)
        for name in (*ARRAYS, "shrinkage"):
            np.testing.assert_array_equal(getattr(found, name), getattr(halves, name)[number])


@pytest.mark.parametrize("granularity", [0.1, 0.25, 0.49, 0.51, 0.9])
def test_between_two_knots_moments_lie_on_the_line_between_them(granularity, halves):
    left = int(granularity > 0.5)
    share = (granularity - KNOTS[left]) / 0.5
    found = halves.at(granularity)
    for name in (*ARRAYS, "shrinkage"):
        known = getattr(halves, name).astype(np.float64)
        np.testing.assert_allclose(getattr(found, name), (1 - share) * known[left] + share * known[left + 1], atol=1e-7)


def test_vectors_have_the_same_moments_at_any_granularity():
    one = Halves.of([some_moments(0)], 40)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one.at(0.0), name), getattr(one.at(0.7), name))


class TestStream:
    """Moments of recent documents are filled up with those before them, to a thousand documents."""

    @staticmethod
    def of(value, documents):
        square = np.full((2, 2), value)
        return Halves.of([Moments(np.full(2, value), square, square, square, value, 1.0)], documents)

    @pytest.mark.parametrize(
        ("earlier", "recent", "share", "documents"),
        [(500, 500, 0.5, 1000), (5000, 400, 0.6, 1000), (100, 300, 0.25, 400), (9000, 1000, 0.0, 1000)],
    )
    def test_each_document_counts_alike(self, earlier, recent, share, documents):
        found = self.of(0.5, recent).after(self.of(1.0, earlier))
        assert found.documents == documents
        for name in (*ARRAYS, "shrinkage"):
            np.testing.assert_allclose(getattr(found, name), 0.5 + 0.5 * share)
        assert found.noise.dtype == np.float32

    def test_moments_of_another_size_are_left_out(self):
        other = Halves.of([some_moments(0)], 500)
        recent = self.of(0.5, 10)
        assert recent.after(other) is recent

    def test_too_few_recent_documents_leave_what_was_known(self):
        found = self.of(0.5, 0).after(self.of(1.0, 300))
        assert found.documents == 300
        np.testing.assert_array_equal(found.noise, 1.0)


def identity(rows):
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)


def test_only_documents_with_words_in_both_halves_count():
    X = np.vstack([np.full((15, 3), 8.0), np.eye(3), np.zeros((4, 3))])
    assert learn_halves(X, identity, [identity], 3).documents == 15
    assert learn_halves(X[15 - FEWEST + 1 :], identity, [identity], 3).documents == 0
    assert learn_halves(X[-4:], identity, [identity], 3) is None


def test_documents_without_words_do_not_move_the_middle():
    X = np.random.default_rng(0).integers(1, 9, (30, 3)).astype(float)
    found = learn_halves(np.vstack([X, np.zeros((9, 3))]), identity, [identity], 3)
    np.testing.assert_allclose(found.middle[0], X.mean(axis=0), rtol=1e-6)


def test_of_many_documents_some_are_taken_from_everywhere():
    """As many as the estimate needs, so that a fit of a million documents costs no more than one of 5,000."""
    X = np.full((3 * MOST, 2), 5.0)
    X[:, 1] = np.arange(len(X)) % 7 + 1
    seen = []

    def noted(rows):
        seen.append(len(rows))
        return identity(rows)

    found = learn_halves(X, noted, [identity], 2)
    assert max(seen) == MOST
    assert found.middle[0, 1] == pytest.approx(4, abs=0.1)


def test_halves_of_dense_and_sparse_documents_are_the_same_in_kind_and_content():
    X = np.random.default_rng(1).poisson(3, (40, 5)).astype(np.float32)
    kinds = []

    def noted(rows):
        kinds.append((sp.issparse(rows), rows.dtype))
        return identity(rows)

    dense, sparse = (learn_halves(rows, noted, [identity], 5) for rows in (X, sp.csr_array(X)))
    assert set(kinds[:3]) == {(False, X.dtype)}
    assert set(kinds[3:]) == {(True, X.dtype)}
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(dense, name), getattr(sparse, name))


def test_only_counts_have_halves():
    with pytest.raises(ValueError, match="got -2"):
        learn_halves(np.array([[3.0, -2.0]]), identity, [identity], 2)
