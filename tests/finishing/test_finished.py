"""What finishes what a model says: laws that hold for every model of documents."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from naive_finish import half_moments, pairwise, projection, softened, unit
from own_estimators import Projected
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.covariance import ledoit_wolf_shrinkage

import wideangle
from wideangle.baselines.documents import LDA, LSI, NMF, DocNADE
from wideangle.data import synthetic_corpus
from wideangle.evaluation import split_words
from wideangle.finishing.finished import shaped
from wideangle.models import BernoulliRBM, ReplicatedSoftmax

COUNTS = synthetic_corpus(120, 4, 40, seed=2).corpus.counts.astype(np.float64)
SMALL = {"random_state": 0, "max_updates": 30, "device": "cpu"}
MODELS = {
    "LSI": LSI(4, finish="halves", random_state=0),
    "NMF": NMF(4, finish="halves", max_iter=20, random_state=0),
    "LDA": LDA(4, finish="halves", max_iter=5, random_state=0),
    "DocNADE": DocNADE(4, finish="halves", **SMALL),
    "Projected": Projected(4, random_state=0),
    "ReplicatedSoftmax": ReplicatedSoftmax(4, **SMALL),
    "real lengths": ReplicatedSoftmax(4, document_length=None, **SMALL),
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return clone(MODELS[request.param]).fit(COUNTS)


@pytest.fixture
def model(fitted):
    """May be changed by a test."""
    return copy.deepcopy(fitted)


class Turned(LSI):
    """What it says is turned, as another basis of the same space would have it."""

    def _represent(self, rows):
        found = super()._represent(rows)
        return found @ ortho_group.rvs(found.shape[1], random_state=1)


def reference(said, first, second, granularity):
    """Finished rows by loops, from unit rows of documents and of their halves."""
    noise, signal = half_moments(first, second)
    A = projection(noise, signal, ledoit_wolf_shrinkage(first - second, assume_centered=True), len(first), granularity)
    middle = said.mean(axis=0)
    return np.array([unit((row - middle) @ A) for row in said])


def halves():
    first, second = split_words(COUNTS, 0)
    assert (np.asarray(first.sum(axis=1)) > 0).all()
    assert (np.asarray(second.sum(axis=1)) > 0).all()
    return first, second


@pytest.mark.parametrize("granularity", [0.0, 0.3, 1.0])
def test_vectors_are_finished_as_the_formula_says(granularity):
    plain = LSI(4, random_state=0).fit(COUNTS)
    expected = reference(*(plain.transform(X) for X in (COUNTS, *halves())), granularity)
    found = LSI(4, finish="halves", granularity=granularity, random_state=0).fit_transform(COUNTS)
    np.testing.assert_allclose(pairwise(found), pairwise(expected), atol=1e-5)


@pytest.mark.parametrize("granularity", [0.0, 0.5, 1.0])
def test_logits_are_finished_as_the_formula_says(granularity):
    model = ReplicatedSoftmax(4, **SMALL).fit(COUNTS)
    # All documents are read at one length, so that the average document has the average of their logits.
    centre = model.hidden_logits(COUNTS).mean(axis=0)
    said = (softened(model.hidden_logits(X), centre, granularity) for X in (COUNTS, *halves()))
    expected = reference(*said, granularity)
    found = model.set_params(granularity=granularity).transform(COUNTS)
    np.testing.assert_allclose(pairwise(found), pairwise(expected), atol=1e-4)


@pytest.mark.parametrize("finish", ["halves", "spectrum"])
def test_another_basis_of_what_a_model_says_changes_no_distance(finish):
    one, other = (kind(4, finish=finish, random_state=0).fit_transform(COUNTS) for kind in (LSI, Turned))
    assert not np.allclose(one, other, atol=0.1)
    np.testing.assert_allclose(pairwise(one), pairwise(other), atol=1e-5)


def test_documents_have_unit_length_and_those_without_words_are_zeros(fitted):
    empty = sp.vstack([COUNTS[:5], sp.csr_array((2, 40)), COUNTS[5:8]], format="csr")
    found = fitted.transform(empty)
    assert found.shape == (10, 4)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1, 1, 1, 1, 1, 0, 0, 1, 1, 1], atol=1e-6)
    np.testing.assert_allclose(np.delete(found, [5, 6], axis=0), fitted.transform(COUNTS[:8]), atol=2e-3)


def test_a_document_does_not_depend_on_the_order_or_number_of_others(fitted):
    order = np.random.default_rng(0).permutation(120)[:50]
    atol = 2e-3 if isinstance(fitted, NMF) else 1e-5  # NMF ends when all rows together have converged.
    np.testing.assert_allclose(fitted.transform(COUNTS[order]), fitted.transform(COUNTS)[order], atol=atol)


@pytest.mark.parametrize("name", MODELS)
def test_the_same_seed_gives_the_same_for_sparse_and_dense_documents(name):
    one, again, dense = (clone(MODELS[name]).fit(X).transform(X) for X in (COUNTS, COUNTS, COUNTS.toarray()))
    assert np.array_equal(one, again)
    np.testing.assert_allclose(dense, one, atol=1e-4)


def test_single_precision_gives_almost_the_same(model):
    double = model.transform(COUNTS)
    for name in ("components_", "intercept_visible_", "intercept_hidden_"):
        if hasattr(model, "intercept_hidden_"):  # Other models turn their rows into what their arrays are.
            setattr(model, name, getattr(model, name).astype(np.float32))
    single = model.learn_distance(COUNTS.astype(np.float32)).transform(COUNTS.astype(np.float32))
    np.testing.assert_allclose(single, double, atol=1e-4)


def test_zeros_that_are_stored_change_nothing():
    absent = int(np.flatnonzero(COUNTS[[0]].toarray()[0] == 0)[0])
    parts = np.append(0.0, COUNTS.data), np.append(absent, COUNTS.indices), np.append(0, COUNTS.indptr[1:] + 1)
    stored = sp.csr_array(parts, shape=COUNTS.shape)
    assert not (stored != COUNTS).nnz
    assert stored.nnz == COUNTS.nnz + 1
    for name in ("LSI", "ReplicatedSoftmax", "Projected"):
        one, other = (clone(MODELS[name]).fit(X).transform(COUNTS) for X in (COUNTS, stored))
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_granularity_is_a_choice_after_the_fit(model):
    found = [model.set_params(granularity=g).transform(COUNTS) for g in ("details", 0.0, "groups", 1.0, 0.5)]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[2], found[3])
    assert not np.allclose(found[0], found[2], atol=1e-3)
    middle = clone(model).set_params(granularity="balance").fit(COUNTS).transform(COUNTS)
    np.testing.assert_allclose(middle, found[4], atol=1e-9)


def test_a_small_step_of_the_granularity_is_a_small_step_of_the_documents(model):
    """Also across the knots, between which moments are interpolated."""
    for start in (0.0, 0.25, 0.5, 0.99):
        near = [model.set_params(granularity=g).transform(COUNTS[:30]) for g in (start, start + 1e-3)]
        assert np.abs(near[0] - near[1]).max() < 0.02


def test_copies_answer_alike(model):
    expected = model.transform(COUNTS)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.transform(COUNTS), expected)
    assert not hasattr(clone(model), "halves_")


@pytest.mark.parametrize("name", [name for name in MODELS if name != "Projected"])
def test_a_loaded_model_takes_any_granularity(name, tmp_path):
    model = clone(MODELS[name]).fit(COUNTS)
    model.save(tmp_path / "m")
    again = wideangle.load(tmp_path / "m")
    for granularity in (0.0, 0.35, "groups"):
        for each in (model, again):
            each.set_params(granularity=granularity)
        assert np.array_equal(again.transform(COUNTS), model.transform(COUNTS))


def test_a_distance_can_be_learned_after_the_fit(model):
    expected = model.transform(COUNTS)
    later = clone(model).set_params(finish=None).fit(COUNTS).set_params(finish=model.finish)
    with pytest.raises(ValueError, match=r"learn_distance\(X\)"):
        later.transform(COUNTS)
    assert later.learn_distance(COUNTS) is later
    np.testing.assert_allclose(later.transform(COUNTS), expected, atol=1e-9)


def test_a_distance_of_other_documents_is_another():
    model = clone(MODELS["LSI"]).fit(COUNTS)
    before = model.transform(COUNTS)
    assert not np.allclose(model.learn_distance(COUNTS[:40]).transform(COUNTS), before, atol=1e-3)


def test_a_model_that_is_not_finished_has_no_distance_to_learn():
    with pytest.raises(ValueError, match="LSI .* finish='halves'"):
        LSI(2).fit(COUNTS).learn_distance(COUNTS)
    machine = BernoulliRBM(2, **SMALL).fit(COUNTS.toarray() > 0)
    with pytest.raises(ValueError, match=r"BernoulliRBM .* not finished\.$"):
        machine.learn_distance(COUNTS.toarray() > 0)


def test_a_second_fit_forgets_the_first_distance(model):
    again = model.set_params(finish=None).fit(COUNTS)
    assert not hasattr(again, "halves_")


def test_a_fit_that_is_interrupted_keeps_no_distance_of_an_earlier_one(monkeypatch):
    model = clone(MODELS["ReplicatedSoftmax"]).fit(COUNTS)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(ReplicatedSoftmax, "_learn_distance", stop)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_components=3).fit(COUNTS)
    with pytest.raises(ValueError, match="not to the end"):
        model.transform(COUNTS)


class TestFewWords:
    """What cannot be halved is compared by the spectrum, and nothing is ever NaN."""

    ONE_WORD = np.eye(6)[np.arange(60) % 6]

    @staticmethod
    def fit(name, X, **changes):
        return clone(MODELS[name]).set_params(**changes).fit(X)

    @pytest.mark.parametrize("name", MODELS)
    def test_documents_of_one_word(self, name):
        model = self.fit(name, self.ONE_WORD)
        assert model._used_finish() == "spectrum"
        assert model.halves_.documents == 0
        expected = clone(model).set_params(finish="spectrum").fit(self.ONE_WORD).transform(self.ONE_WORD)
        assert np.array_equal(model.transform(self.ONE_WORD), expected)

    @pytest.mark.parametrize("name", MODELS)
    @pytest.mark.parametrize(("halvable", "finish"), [(9, "spectrum"), (10, "halves")])
    def test_ten_documents_with_two_halves_are_needed(self, name, halvable, finish):
        X = np.vstack([np.full((halvable, 6), 9.0), self.ONE_WORD])
        model = self.fit(name, X)
        assert model._used_finish() == finish
        assert np.isfinite(model.transform(X)).all()

    @pytest.mark.parametrize("name", MODELS)
    @pytest.mark.parametrize("granularity", [0.0, 0.5, 1.0])
    def test_odd_collections(self, name, granularity):
        collections = {
            "equal": np.tile([[1.0, 2, 3, 0, 5, 0]], (40, 1)),
            "one document": np.array([[1.0, 2, 3, 0, 5, 0]]),
            "more components than words": COUNTS[:, :3].toarray(),
            "some without words": np.vstack([COUNTS[:30].toarray(), np.zeros((30, 40))]),
        }
        for what, X in collections.items():
            found = self.fit(name, X, granularity=granularity).transform(X)
            lengths = np.linalg.norm(found, axis=1)
            assert np.isfinite(found).all(), what
            assert (np.isclose(lengths, 0) | np.isclose(lengths, 1, atol=1e-5)).all(), what
            if what in ("equal", "one document"):  # They are the middle itself, and have no direction from it.
                assert not found.any(), what

    @pytest.mark.parametrize("name", MODELS)
    def test_one_component(self, name):
        found = self.fit(name, COUNTS, n_components=1).transform(COUNTS)
        assert np.isin(np.round(found, 5), (-1, 0, 1)).all()

    def test_words_that_no_training_document_had(self):
        X = sp.hstack([COUNTS, sp.csr_array((120, 3))], format="csr")
        unknown = sp.csr_array(np.eye(43)[-2:])
        assert not self.fit("LSI", X).transform(unknown).any()
        for name in MODELS:
            assert np.isfinite(self.fit(name, X).transform(unknown)).all()

    def test_documents_without_words_teach_nothing(self):
        model = Projected().fit(np.zeros((20, 5)))
        with pytest.raises(ValueError, match="documents without words"):
            model.transform(np.ones((1, 5)))


WRONG = [
    ({"finish": "thirds"}, r"finish must be one of \('halves', 'spectrum'\), or None; got 'thirds'"),
    ({"finish": True}, "finish must be .*; got True"),
    ({"finish": ["halves"]}, r"finish must be .*; got \['halves'\]"),
    *(
        ({"granularity": value}, rf"granularity must be details, balance, groups, or a number from 0 .*; got {value!r}")
        for value in (True, float("nan"), "fine", 1.5, -0.1)
    ),
    ({"granularity": 1j}, r"granularity must be .*; got 1j"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_wrong_settings_are_refused_by_fit_and_by_transform(wrong, message, fitted):
    with pytest.raises(ValueError, match=message):
        clone(fitted).set_params(**wrong).fit(COUNTS)
    with pytest.raises(ValueError, match=message):
        copy.deepcopy(fitted).set_params(**wrong).transform(COUNTS)


@pytest.mark.parametrize("name", [name for name in MODELS if "Replicated" not in name and name != "real lengths"])
def test_only_a_replicated_softmax_may_have_an_open_granularity(name):
    with pytest.raises(ValueError, match="granularity.*None"):
        clone(MODELS[name]).set_params(granularity=None).fit(COUNTS)
    assert clone(MODELS["ReplicatedSoftmax"]).granularity is None


@pytest.mark.parametrize("granularity", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("K", [5, 4000])
def test_rounding_to_single_precision_is_no_direction(K, granularity):
    """Documents are kept in single precision, and one without words has the logits of the average document."""
    centre = np.random.default_rng(0).uniform(-12, 12, K)
    assert not shaped(centre.astype(np.float32)[None], centre, granularity).any()
    near = centre + 1e-2 * np.sign(centre)
    assert np.linalg.norm(shaped(near[None], centre, granularity)) == pytest.approx(1)
