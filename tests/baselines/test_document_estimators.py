"""scikit-learn's own checks, files and topics, for baselines of documents."""

import numpy as np
import pytest
import scipy.sparse as sp
from own_estimators import Projected
from saved_models import assert_same
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data
from small_models import small

import wideangle
from wideangle.baselines.documents import DPPLDA, LDA, LSI, NMF, BagOfWords, DocNADE, ParagraphVector, TfIdf
from wideangle.catalogue.documents import DOCUMENTS
from wideangle.data import synthetic_corpus
from wideangle.exceptions import ModelFileError
from wideangle.view import ModelView


class Rounding:
    """scikit-learn's checks bring fractions, and these estimators refuse them: their rows are rounded up."""

    def _checked(self, X, reset):
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32))
        return super()._checked(X.ceil() if sp.issparse(X) else np.ceil(X), reset=False)


class RoundingDocNADE(Rounding, DocNADE):
    pass


class RoundingLDA(Rounding, LDA):
    pass


class RoundingDPPLDA(Rounding, DPPLDA):
    pass


class RoundingBagOfWords(Rounding, BagOfWords):
    pass


class RoundingTfIdf(Rounding, TfIdf):
    pass


class RoundingLSI(Rounding, LSI):
    pass


class RoundingNMF(Rounding, NMF):
    pass


class RoundingParagraphVector(Rounding, ParagraphVector):
    pass


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        RoundingLDA(2, max_iter=5),
        RoundingBagOfWords(),
        RoundingLSI(2),
        RoundingLSI(2, finish="halves", granularity=0.3),
        Projected(2, random_state=0),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        RoundingDocNADE(5, max_updates=20, device="cpu"),
        RoundingDocNADE(5, max_updates=5, softmax="tree", splits=None, device="cpu"),
        RoundingDPPLDA(2, max_iter=5, diversity=0.1),
        RoundingTfIdf(log_counts=False),
        RoundingNMF(2, max_iter=5),
        RoundingParagraphVector(2, epochs=2, inference_epochs=2),
        RoundingLSI(2, finish="spectrum"),
        RoundingNMF(2, max_iter=5, finish="halves"),
        RoundingLDA(2, max_iter=5, finish="halves"),
        RoundingDocNADE(5, max_updates=20, finish="halves", device="cpu"),
        RoundingParagraphVector(2, epochs=2, inference_epochs=2, finish="halves"),
    ]
)
def test_scikit_learn_check_of_the_others(estimator, check):
    check(estimator)


CORPUS = synthetic_corpus(120, 4, 40).corpus
MODELS = {entry.name: small(entry) for entry in DOCUMENTS}
MODELS["DocNADE"].set_params(softmax="tree")
MODELS |= {
    f"finished {name}": clone(model).set_params(finish="halves")
    for name, model in MODELS.items()
    if "finish" in model.get_params()
}


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param]).fit(CORPUS.counts)


@pytest.mark.quick_cases(4)
def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "model.wideangle", vocabulary=CORPUS.vocabulary)
    again = wideangle.load(tmp_path / "model.wideangle")
    assert again.get_params() == model.get_params()
    assert_same(again.transform(CORPUS.counts), model.transform(CORPUS.counts))
    if hasattr(model, "perplexity"):
        assert again.perplexity(CORPUS.counts) == model.perplexity(CORPUS.counts)


def test_a_document_does_not_depend_on_those_beside_it(model):
    view, X = ModelView.of(model), CORPUS.counts
    np.testing.assert_allclose(view.represent(X[7:9]), view.represent(X)[7:9], rtol=2e-3, atol=2e-3)


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
