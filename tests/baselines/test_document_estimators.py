"""scikit-learn's own checks, files and topics, for baselines of documents."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data

import wideangle
from wideangle.baselines.documents.docnade import DocNADE
from wideangle.baselines.documents.dpp_lda import DPPLDA
from wideangle.baselines.documents.lda import LDA
from wideangle.catalogue import Entry, entry_of, register, unregister
from wideangle.data import synthetic_corpus
from wideangle.exceptions import ModelFileError


class Rounding:
    """scikit-learn's checks bring fractions, and these estimators refuse them: their rows are rounded up."""

    def _counts(self, X, *, reset):
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32))
        return super()._counts(X.ceil() if sp.issparse(X) else np.ceil(X), reset=False)


class RoundingDocNADE(Rounding, DocNADE):
    pass


class RoundingLDA(Rounding, LDA):
    pass


class RoundingDPPLDA(Rounding, DPPLDA):
    pass


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        RoundingDocNADE(5, max_updates=20, device="cpu"),
        RoundingDocNADE(5, max_updates=5, softmax="tree", splits=None, device="cpu"),
        RoundingLDA(2, max_iter=5),
        RoundingDPPLDA(2, max_iter=5, diversity=0.1),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


CORPUS = synthetic_corpus(120, 4, 40).corpus
MODELS = {
    "DocNADE": DocNADE(4, softmax="tree", max_updates=30, random_state=0, device="cpu"),
    "LDA": LDA(4, max_iter=5, random_state=0),
    "DPPLDA": DPPLDA(4, max_iter=5, random_state=0),
}
LEARNED = {
    "DocNADE": {"components_": "KD", "intercept_hidden_": "K", "output_": "DK", "intercept_visible_": "D"},
    "LDA": {"components_": "KD"},
    "DPPLDA": {"components_": "KD"},
}


@pytest.fixture(params=MODELS)
def model(request):
    """A fitted model that the catalogue knows."""
    estimator = MODELS[request.param]
    try:
        entry_of(estimator)
        known = True
    except TypeError:
        known = False
        register(Entry.of(type(estimator), takes="counts", weighting="counts", learned=LEARNED[request.param]))
    yield estimator.fit(CORPUS.counts)
    if not known:
        unregister(request.param)


def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "model.wideangle", vocabulary=CORPUS.vocabulary)
    again = wideangle.load(tmp_path / "model.wideangle")
    assert again.get_params() == model.get_params()
    assert (again.transform(CORPUS.counts) == model.transform(CORPUS.counts)).all()
    assert again.perplexity(CORPUS.counts) == model.perplexity(CORPUS.counts)


def test_topics_and_notebooks_work(model):
    topics = model.topics(CORPUS.counts, 3, vocabulary=CORPUS.vocabulary)
    assert sum(topic.size for topic in topics) == CORPUS.counts.shape[0]
    assert "components" in model._repr_html_()


@pytest.mark.parametrize("model", ["DocNADE"], indirect=True)
def test_a_file_with_a_wrong_tree_is_refused(model, tmp_path):
    model.leaves_ = np.zeros_like(model.leaves_)
    model.save(tmp_path / "model.wideangle")
    with pytest.raises(ModelFileError, match="leaves_ must hold the rank"):
        wideangle.load(tmp_path / "model.wideangle")
