"""What goes into a Replicated Softmax and what comes out: weighted counts, representations, and what they are for."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors

from wideangle.data import synthetic_corpus
from wideangle.finishing import GRANULARITIES
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.word_counts import WEIGHTINGS, rarity_of, weigh_sparse, weigh_tensor


@pytest.fixture(scope="module")
def corpus():
    return synthetic_corpus(300, 6, 80, seed=3).corpus


def model(**changes):
    return ReplicatedSoftmax(6, **({"max_updates": 60, "random_state": 0} | changes))


def naive(n, rarity, weighting):
    if weighting == "counts" or n == 0:
        return n
    return (1 + np.log(n) if n > 1 else n) * {"log": 1, "balanced": rarity**0.5, "tf-idf": rarity}[weighting]


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_weights_are_those_of_a_loop_over_entries(weighting):
    X = sp.csr_array(np.array([[3.0, 0, 1, 0.5], [1, 2, 0, 0], [7, 0, 0, 0]]))
    idf = np.log((1 + 3) / (1 + np.array([3, 1, 1, 1]))) + 1
    expected = [[naive(n, r, weighting) for n, r in zip(row, idf, strict=True)] for row in X.toarray()]
    rarity = rarity_of(X, weighting)
    assert np.allclose(weigh_sparse(X, weighting, rarity).toarray(), expected)
    assert np.allclose(weigh_tensor(torch.as_tensor(X.toarray()), weighting, rarity), expected)


def test_tf_idf_is_scikit_learn_s_without_its_lengths(corpus):
    X = sp.csr_array(corpus.counts).astype(np.float64)
    expected = TfidfTransformer(sublinear_tf=True, norm=None).fit_transform(X)
    assert np.allclose(weigh_sparse(X, "tf-idf", rarity_of(X, "tf-idf")).toarray(), expected.toarray())


def test_entries_stored_in_parts_are_weighed_as_one():
    parts = sp.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    assert weigh_sparse(parts, "log", np.ones(2)).toarray()[0, 0] == pytest.approx(1 + np.log(3))
    assert parts.nnz == 2  # The matrix that came is left as it is.


def test_rarity_is_learned_once_and_applied_to_new_documents(corpus):
    """A weighted fit is the fit of weighted rows: the same bits, and the same transform of new documents.

    Halves are cut from counts, not from weights, so that the distance that they teach is another.
    """
    train, test = (sp.csr_array(part.counts).astype(np.float64) for part in (corpus.train, corpus.test))
    weighted = model(weighting="tf-idf", finish=None).fit(train)
    rarity = rarity_of(train, "tf-idf")
    plain = model(weighting="counts", finish=None, allow_fractions=True).fit(weigh_sparse(train, "tf-idf", rarity))
    assert np.allclose(weighted.components_, plain.components_, atol=1e-9)
    assert np.allclose(weighted.transform(test), plain.transform(weigh_sparse(test, "tf-idf", rarity)), atol=1e-9)
    assert np.allclose(weighted.rarity_, rarity)


def test_in_a_stream_rarity_is_that_of_the_first_chunk_and_the_mean_that_of_all(corpus):
    X = sp.csr_array(corpus.counts).astype(np.float64)
    streamed = ReplicatedSoftmax(4, random_state=0)
    for first in range(0, 300, 100):
        streamed.partial_fit(X[first : first + 100])
    assert np.allclose(streamed.rarity_, rarity_of(X[:100], "tf-idf"))
    weighted = weigh_sparse(X, "tf-idf", streamed.rarity_).toarray()
    assert streamed.n_rows_ == 300
    assert np.allclose(streamed.mean_row_, (weighted / weighted.sum(1, keepdims=True)).mean(0))


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_likelihoods_are_of_the_counts_whatever_the_weighting(weighting):
    """Probabilities of all documents of two words sum to one."""
    documents = np.array([[2, 0, 0], [1, 1, 0], [1, 0, 1], [0, 2, 0], [0, 1, 1], [0, 0, 2]])
    orders = np.array([1, 2, 2, 1, 2, 1])
    fitted = ReplicatedSoftmax(3, weighting=weighting, max_updates=30, random_state=0).fit(documents)
    assert (orders * np.exp(fitted.score_samples(documents))).sum() == pytest.approx(1)


def test_representations_are_what_they_say(corpus):
    X = corpus.test.counts
    fitted = model(document_length=20.0, dropout=0.3).fit(corpus.train.counts)
    logits = fitted.hidden_logits(X).astype(np.float64)
    # The average document's logits are the average of the documents' logits, because all have one length.
    centre = fitted.hidden_logits(corpus.train.counts).astype(np.float64).mean(axis=0)
    sigmoid = 1 / (1 + np.exp(-logits))
    moved = {"centred logits": logits - centre, "centred probabilities": sigmoid - 1 / (1 + np.exp(-centre))}
    for how, expected in moved.items():
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        assert np.allclose(fitted.set_params(representation=how).transform(X), expected, atol=1e-4)
    assert np.allclose(fitted.set_params(representation="probabilities").transform(X), sigmoid, atol=1e-6)
    assert np.allclose(fitted.set_params(representation="logits").transform(X), logits / (20 / 0.7), atol=1e-5)


def test_euclidean_distance_of_centred_representations_ranks_as_the_cosine(corpus):
    for kind, X in ((model(), corpus.counts), (BernoulliRBM(6, max_updates=60, random_state=0), corpus.counts > 0)):
        Z = kind.fit(X.astype(np.float64)).transform(X.astype(np.float64))
        found = [
            NearestNeighbors(n_neighbors=3, metric=m).fit(Z).kneighbors(Z[:20])[1] for m in ("euclidean", "cosine")
        ]
        assert (found[0] == found[1]).mean() > 0.95  # Rounding may swap equal neighbours.


@pytest.mark.parametrize("name", GRANULARITIES)
def test_a_granularity_has_a_name_and_can_be_changed(name, corpus):
    """The fit itself does not depend on it."""
    X, number = corpus.counts, GRANULARITIES[name]
    short, said = model(granularity=name).fit(X), model(granularity=number, diversity=0.1, weighting="tf-idf").fit(X)
    assert np.array_equal(short.transform(X), said.transform(X))
    assert np.array_equal(short.transform(X), model().fit(X).set_params(granularity=name).transform(X))
    assert short.weighting_ == "tf-idf"
    assert model(granularity=name, weighting="log").fit(X).weighting_ == "log"
    overruled = short.set_params(granularity=0.3).transform(X)
    assert np.array_equal(overruled, model(granularity=0.3).fit(X).transform(X))


def test_an_explicit_representation_is_not_finished(corpus):
    X = corpus.counts
    finished = model(finish=None).fit(X)
    assert np.array_equal(finished.transform(X), model(representation="centred probabilities").fit(X).transform(X))
    assert not hasattr(finished, "halves_")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"weighting": "bm25"}, "weighting must be one of"),
        ({"representation": "embedding"}, "representation must be one of"),
        ({"diversity": -1.0}, "diversity must be a finite number of at least 0 and of at most 1e\\+12, or None"),
        ({"finish": "thirds"}, r"finish must be one of \('halves', 'spectrum'\), or None; got 'thirds'"),
        ({"granularity": "fine"}, "granularity must be details, balance, groups, or a number .*; got 'fine'"),
        ({"granularity": 1.5}, "granularity must be .* from 0 .* to 1 .*; got 1.5"),
    ],
)
def test_wrong_settings_name_the_choices(setting, said, corpus):
    with pytest.raises(ValueError, match=said):
        model(**setting).fit(corpus.counts)


def test_documents_of_unequal_lengths_are_centred_at_their_own(corpus):
    """With real lengths a longer copy of the average document has no direction either."""
    fitted = model(document_length=None, weighting="counts", allow_fractions=True).fit(corpus.counts)
    average = fitted.mean_row_[None] * np.array([[30.0], [300.0]])
    moved = fitted.hidden_logits(average) - fitted._centre(average)
    assert np.abs(moved).max() < 1e-3 * np.abs(fitted.hidden_logits(average)).max()


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("length", [30.0, None])
def test_sparse_and_dense_documents_have_the_same_logits(length, dropout, corpus):
    """Of stored entries alone, and of dense blocks."""
    X = sp.vstack([corpus.counts, sp.csr_array((1, corpus.counts.shape[1]))], format="csr").astype(np.float64)
    wide = sp.hstack([X, sp.csr_array((X.shape[0], 400))], format="csr")  # so few words that products stay sparse
    fitted = model(document_length=length, dropout=dropout).fit(wide)
    assert fitted._visible().stays_sparse(wide, torch.device("cpu"))
    assert np.allclose(fitted.hidden_logits(wide), fitted.hidden_logits(wide.toarray()), atol=1e-9)
    assert np.allclose(fitted.transform(wide), fitted.transform(wide.toarray()), atol=1e-9)


def test_a_likelihood_of_counts_as_training_saw_them_has_their_weighted_lengths(corpus):
    fitted = model(document_length=None, weighting="tf-idf").fit(corpus.counts)
    X = corpus.counts[:5]
    weighted = weigh_sparse(sp.csr_array(X).astype(np.float64), "tf-idf", fitted.rarity_)
    assert np.allclose(fitted.log_likelihood(X, rescaled=True).lengths, weighted.sum(axis=1))
