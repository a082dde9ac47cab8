"""Bag of words, tf-idf, LSI, NMF and paragraph vectors, against references of their own."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.special import expit
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from wideangle.baselines.documents import LSI, NMF, BagOfWords, ParagraphVector, TfIdf
from wideangle.data import synthetic_corpus
from wideangle.evaluation import precision_at_k

MADE = synthetic_corpus(300, 5, 60)
COUNTS = MADE.corpus.counts
QUICK = {"LSI": LSI(5, random_state=0), "NMF": NMF(5, random_state=0), "BagOfWords": BagOfWords(), "TfIdf": TfIdf()}
VECTORS = ParagraphVector(5, epochs=40, sample=0.0, random_state=0)


@pytest.fixture(scope="module")
def vectors():
    return VECTORS.fit(COUNTS)


@pytest.mark.parametrize("log_counts", [True, False])
class TestWords:
    def test_bag_of_words_is_the_counts_at_unit_length(self, log_counts):
        found = BagOfWords(log_counts=log_counts).fit_transform(COUNTS)
        dense = COUNTS.toarray().astype(float)
        if log_counts:
            dense = np.log(np.maximum(dense, 1)) + (dense > 0)
        np.testing.assert_allclose(found.toarray(), normalize(dense), rtol=1e-12)

    def test_tf_idf_is_that_of_scikit_learn(self, log_counts):
        reference = TfidfTransformer(sublinear_tf=log_counts).fit(COUNTS[:200])
        found = TfIdf(log_counts=log_counts).fit(COUNTS[:200]).transform(COUNTS[200:])
        np.testing.assert_allclose(found.toarray(), reference.transform(COUNTS[200:]).toarray(), rtol=1e-12)

    def test_lsi_has_the_angles_of_an_exact_decomposition(self, log_counts):
        rows = TfidfTransformer(sublinear_tf=log_counts).fit_transform(COUNTS)
        exact = TruncatedSVD(5, algorithm="arpack", random_state=0).fit_transform(rows)
        found = LSI(5, log_counts=log_counts, random_state=0).fit_transform(COUNTS)
        np.testing.assert_allclose(found @ found.T, normalize(exact) @ normalize(exact).T, atol=1e-3)


def test_lsi_keeps_no_more_components_than_there_can_be():
    assert LSI(50, random_state=0).fit_transform(COUNTS[:8]).shape == (8, 8)


def test_weights_of_nmf_are_the_best_for_its_topics():
    """No weight can move so that the squared error falls: the gradient is 0, or not negative where the weight is 0."""
    model = NMF(5, max_iter=2000, tol=1e-8, random_state=0).fit(COUNTS)
    weights = model.transform(COUNTS)
    rows = TfidfTransformer(sublinear_tf=True).fit_transform(COUNTS)
    slope = (weights @ model.components_ - rows.toarray()) @ model.components_.T
    assert (weights >= 0).all()
    assert slope.min() > -1e-4
    assert np.abs(slope[weights > 0]).max() < 1e-4


def test_nmf_finds_the_topics():
    found = normalize(NMF(5, random_state=0).fit(COUNTS).components_)
    alike = found @ normalize(TfIdf().fit(COUNTS).rarity_ * MADE.topics).T
    assert alike[linear_sum_assignment(-alike)].mean() > 0.8


class TestParagraphVector:
    def test_a_document_predicts_its_words_better_than_others(self, vectors):
        chances = expit(vectors.transform(COUNTS) @ vectors.components_)
        present = COUNTS.toarray() > 0
        assert chances[present].mean() > 2 * chances[~present].mean()

    def test_documents_of_one_topic_are_near(self, vectors):
        found, labels = vectors.transform(COUNTS), MADE.corpus.labels
        assert precision_at_k(found, labels, found, labels, 10, metric="cosine") > 0.7

    def test_words_that_were_not_seen_say_nothing(self):
        counts = sp.csr_array(np.pad(COUNTS.toarray(), ((0, 0), (0, 1))))
        model = ParagraphVector(3, epochs=2, random_state=0).fit(counts)
        assert not model.components_[:, -1].any()
        new = np.zeros((3, 61))
        new[[0, 1], [60, 3]] = 1
        new[2, [3, 60]] = 1, 4
        found = model.transform(new)
        assert not found[0].any()
        assert found[1].any()
        np.testing.assert_array_equal(found[1], found[2])

    def test_a_long_document_is_read_in_part(self):
        counts = COUNTS.toarray()[:20].copy()
        counts[0] *= 1000
        assert np.isfinite(ParagraphVector(3, epochs=2, random_state=0).fit_transform(counts)).all()

    def test_without_gensim_the_message_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
        with pytest.raises(ImportError, match=r"gensim.*'wideangle\[baselines\]'"):
            ParagraphVector(3).fit(COUNTS)


@pytest.mark.parametrize("name", [*QUICK, "ParagraphVector"])
def test_a_document_without_words_is_zeros(name, vectors):
    model = vectors if name == "ParagraphVector" else QUICK[name].fit(COUNTS)
    counts = np.vstack([COUNTS.toarray()[:2], np.zeros(60)])
    found = model.transform(counts)
    found = found.toarray() if sp.issparse(found) else found
    assert np.isfinite(found).all()
    assert not found[2].any()
    assert found[:2].any(axis=1).all()
    mixed = type(model)(**model.get_params()).fit(np.vstack([counts, COUNTS.toarray()]))
    assert mixed.transform(counts).shape == found.shape


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NMF(0), "n_components"),
        (NMF(tol=-1.0), "tol"),
        (LSI(2.5), "n_components"),
        (TfIdf(log_counts="yes"), "log_counts .*got 'yes'"),
        (ParagraphVector(sample=-1e-5), "sample"),
        (ParagraphVector(epochs=0), "epochs"),
    ],
)
def test_wrong_parameters_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(COUNTS)


@pytest.mark.parametrize("model", [NMF(2), ParagraphVector(2)])
def test_a_corpus_without_words_is_refused(model):
    with pytest.raises(ValueError, match="every document"):
        model.fit(np.zeros((4, 3)))
