"""Fitted models as people look at them: one way for notebooks, commands, page and tuning."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.exceptions import NotFittedError
from small_models import WITH_SIZE, small

import wideangle
from wideangle.catalogue import entries
from wideangle.catalogue.documents import DOCUMENTS
from wideangle.documents import Documents
from wideangle.evaluation import angle_matrix, nearest_rows
from wideangle.exceptions import DataError
from wideangle.models import BernoulliRBM, DistanceLearner, ReplicatedSoftmax
from wideangle.view import ModelView, transform_metric

GENERATOR = np.random.default_rng(0)
COUNTS = GENERATOR.integers(0, 4, (30, 6)).astype(float)
PRESENT = (COUNTS > 1).astype(float)
WORDS = ["corn", "wheat", "oil", "bank", "rate", "trade"]


def fitted(entry):
    X = PRESENT if entry.takes == "shares" else COUNTS
    return small(entry).fit(X, np.arange(30) % 2), X


def test_baselines_of_documents_are_compared_by_direction():
    for entry in DOCUMENTS:
        model, X = fitted(entry)
        lengths = np.linalg.norm(ModelView.of(model).comparable(ModelView.of(model).represent(X)), axis=1)
        np.testing.assert_allclose(lengths[X.any(axis=1)], 1, rtol=1e-5)
        assert transform_metric(model) == entry.metric == "cosine"


def test_words_that_are_their_own_components_are_shown_the_most_frequent_first():
    counts = np.tile([[1, 0, 2, 0, 1, 0], [0, 0, 3, 0, 1, 0], [0, 0, 1, 0, 0, 1]], (1, 10))
    for entry in entries():
        if entry.size is None:
            view = ModelView.of(small(entry).fit(counts))
            assert view.components.shape == (50, 60)
            assert view.top_columns(1)[:20, 0].tolist() == [*range(2, 60, 6), *range(4, 60, 6)]
            np.testing.assert_allclose(view.represent(counts), view.model.transform(counts).toarray(), rtol=1e-6)


@pytest.mark.parametrize("entry", WITH_SIZE, ids=lambda entry: entry.name)
class TestEveryModel:
    def test_components_are_rows_over_the_columns(self, entry):
        view = ModelView.of(fitted(entry)[0])
        K = len(view.model.components_) if entry.size == "n_principal" else 4  # A distance may leave out some of 4.
        assert view.components.shape == (K, 6)
        assert view.columns == [f"feature {number}" for number in range(1, 7)]
        assert (view.column_names, view.has_words) == (None, False)

    def test_first_words_are_those_of_the_largest_values(self, entry):
        model, _ = fitted(entry)
        model.vocabulary_ = WORDS
        view = ModelView.of(model)
        A = view.components
        for by, values in (("weight", A), ("effect", A if view.effects is None else view.effects)):
            for k, words in enumerate(view.top_words(3, by)):
                size = np.abs(values[k]) if entry.either_sign else values[k]
                best = sorted(range(6), key=lambda column: -size[column])[:3]
                assert [word.lstrip("−") for word in words] == [WORDS[column] for column in best]


@pytest.mark.parametrize("entry", [e for e in entries() if e.query_from == "mean"], ids=lambda entry: entry.name)
def test_a_document_is_nearest_to_itself_in_search(entry):
    model, X = fitted(entry)
    view = ModelView.of(model)
    asked, stored, metric = view.compared(X[:5], view.documents(X))
    assert metric == entry.metric
    nearest = nearest_rows(asked, stored, 1, metric=metric)
    # The logits of a query are put nearer to the average document, and softened probabilities are not linear.
    assert nearest.distances[:, 0] == pytest.approx(np.zeros(5), abs=5e-2 if view.is_finished else 1e-6)
    own = nearest_rows(asked, stored, len(stored), metric=metric)
    for row in range(5):  # Another document may be as near as the document itself.
        distance = own.distances[row][own.rows[row] == row][0]
        assert distance == pytest.approx(nearest.distances[row, 0], abs=0.1 if view.is_finished else 1e-6)


class TestLogits:
    """What search compares is kept, not found again from probabilities."""

    @pytest.fixture
    def machine(self):
        kind = {"representation": "probabilities", "max_updates": 5, "random_state": 0, "device": "cpu"}
        model = BernoulliRBM(3, **kind).fit(PRESENT)
        model.components_ *= 40  # units that are almost certain, whose probabilities say nothing of how certain
        return model

    def test_they_are_kept_where_probabilities_are_0_or_1(self, machine, tmp_path):
        view = ModelView.of(machine)
        documents = Documents.of(view.represent(PRESENT), logits=view.logits(PRESENT))
        machine.save(tmp_path / "m", documents=documents)
        again = wideangle.load(tmp_path / "m")
        expected = PRESENT @ machine.components_.T + machine.intercept_hidden_
        assert np.abs(expected).max() > 30
        asked, stored, _ = ModelView.of(again).compared(PRESENT[:2], again.documents_)
        np.testing.assert_allclose(stored, expected - expected.mean(axis=0), rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(asked, expected[:2] - machine.intercept_hidden_, rtol=1e-4, atol=1e-4)

    def test_probabilities_of_an_older_file_are_converted(self, machine):
        machine.components_ /= 40
        view = ModelView.of(machine)
        old = view.compared(PRESENT[:2], Documents.of(view.represent(PRESENT)))
        new = view.compared(PRESENT[:2], Documents.of(view.represent(PRESENT), logits=view.logits(PRESENT)))
        for one, other in zip(old[:2], new[:2], strict=True):
            np.testing.assert_allclose(one, other, atol=1e-4)

    def test_transform_is_their_sigmoid(self, machine):
        np.testing.assert_allclose(machine.transform(PRESENT), expit(machine.hidden_logits(PRESENT)), atol=1e-12)
        kind = {"representation": "probabilities", "max_updates": 5, "random_state": 0, "device": "cpu"}
        softmax = ReplicatedSoftmax(3, **kind).fit(COUNTS)
        np.testing.assert_allclose(softmax.transform(COUNTS), expit(softmax.hidden_logits(COUNTS)), atol=1e-12)

    def test_a_model_that_gives_logits_is_searched_by_them(self):
        model = ReplicatedSoftmax(3, representation="logits", max_updates=5, random_state=0, device="cpu").fit(COUNTS)
        view = ModelView.of(model)
        assert view.logits(COUNTS) is None
        _, stored, metric = view.compared(COUNTS[:1], Documents.of(view.represent(COUNTS)))
        each = model.transform(COUNTS)
        np.testing.assert_allclose(stored, each - each.mean(axis=0), atol=1e-6)
        assert metric == "cosine"

    def test_they_must_fit_the_model(self, machine, tmp_path):
        documents = Documents.of(machine.transform(PRESENT), logits=np.ones((30, 5)))
        with pytest.raises(wideangle.exceptions.ModelFileError, match=r"logits of shape \(30, 5\)"):
            machine.save(tmp_path / "m", documents=documents)


def test_the_commands_keep_what_a_model_says(tmp_path):
    """Logits that the finish takes on at any granularity; or, where nothing finishes them, vectors and their logits."""
    from wideangle.cli import main

    (tmp_path / "c.txt").write_text("wheat corn field farm\nship port cargo sea\nwheat farm corn\nport sea ship\n")
    fit = ["fit", str(tmp_path / "c.txt"), "-k", "2", "--updates", "5", "--quiet", "-o"]
    assert main([*fit, str(tmp_path / "m")]) == 0
    model = wideangle.load(tmp_path / "m")
    documents = model.documents_
    assert (documents.logits, documents.vectors.shape, documents.finished) == (None, (4, 2), False)
    counts = documents.words.matrix(len(model.vocabulary_))  # Each of these documents has a word once at most.
    np.testing.assert_allclose(documents.vectors, model.hidden_logits(counts), atol=1e-4)
    for granularity in (None, "details", 0.3):
        found = ModelView.of(model).vectors(documents, granularity)
        np.testing.assert_allclose(found, ModelView.of(model).represent(counts, granularity), atol=1e-4)
    assert main([*fit, str(tmp_path / "b"), "--model", "bernoulli-rbm"]) == 0
    assert wideangle.load(tmp_path / "b").documents_.logits.shape == (4, 2)


class TestCentred:
    """A model whose `transform` gives centred vectors: what search, evaluation and angles make of them."""

    EMPTY = np.vstack([COUNTS, np.zeros((2, 6))])

    @pytest.fixture(params=["centred probabilities", "centred logits"])
    def topics(self, request):
        return ReplicatedSoftmax(3, representation=request.param, max_updates=5, random_state=0, device="cpu").fit(
            COUNTS
        )

    def test_documents_without_logits_are_searched_by_their_vectors(self, topics):
        view = ModelView.of(topics)
        asked, stored, metric = view.compared(COUNTS[:2], Documents.of(view.represent(COUNTS)))
        assert metric == "euclidean"
        np.testing.assert_array_equal(stored, view.represent(COUNTS))
        np.testing.assert_allclose(
            asked, stored[:2], rtol=1e-5, atol=1e-6
        )  # Two rows are summed otherwise than thirty.

    def test_the_cosine_of_logits_ranks_as_the_distance_of_centred_logits(self):
        model = ReplicatedSoftmax(3, representation="centred logits", max_updates=5, random_state=0, device="cpu")
        view = ModelView.of(model.fit(COUNTS))
        plain = Documents.of(view.represent(COUNTS))
        both = Documents.of(view.represent(COUNTS), logits=view.logits(COUNTS))
        ranked = []
        for documents in (plain, both):
            asked, stored, metric = view.compared(COUNTS[:5], documents)
            ranked.append(nearest_rows(asked, stored, 30, metric=metric).rows.tolist())
        assert ranked[0] == ranked[1]

    def test_a_document_without_words_is_far_from_every_query_and_no_nan(self, topics):
        view = ModelView.of(topics)
        documents = Documents.of(view.represent(self.EMPTY), logits=view.logits(self.EMPTY))
        assert not documents.vectors[30:].any()
        for of in (documents, Documents.of(documents.vectors)):
            asked, stored, metric = view.compared(COUNTS[:3], of)
            assert np.isfinite(stored).all()
            assert not stored[30:].any()
            found = nearest_rows(asked, stored, 32, metric=metric)
            assert np.isfinite(found.distances).all()
            assert found.rows[:, 0].tolist() == [0, 1, 2]

    def test_documents_without_words_do_not_move_the_average(self, topics):
        view = ModelView.of(topics)
        stored = [
            view.compared(X[:1], Documents.of(view.represent(X), logits=view.logits(X)))[1]
            for X in (COUNTS, self.EMPTY)
        ]
        np.testing.assert_allclose(stored[1][:30], stored[0], atol=1e-5)
        only = Documents.of(np.zeros((3, 3)), logits=np.zeros((3, 3)))
        assert not view.compared(COUNTS[:1], only)[1].any()

    def test_only_logits_as_they_are_need_the_cosine(self, topics):
        vectors = topics.transform(COUNTS)
        assert transform_metric(topics) == "euclidean"
        assert ModelView.of(topics).comparable(vectors) is vectors
        topics.set_params(representation="logits")
        assert transform_metric(topics) == "cosine"
        raw = topics.transform(self.EMPTY)
        unit = ModelView.of(topics).comparable(raw)
        assert not unit[30:].any()
        by_cosine = nearest_rows(raw[:30], raw[:30], 30, metric="cosine").rows
        assert by_cosine.tolist() == nearest_rows(unit[:30], unit[:30], 30).rows.tolist()


class TestFinished:
    """A model that is finished: documents are kept as it says them, and compared at any granularity."""

    EMPTY = np.vstack([COUNTS[:4], np.zeros((9, 6))])

    @pytest.fixture(params=[np.float32, np.float64])
    def topics(self, request):
        return ReplicatedSoftmax(3, max_updates=5, random_state=0, device="cpu").fit(COUNTS.astype(request.param))

    @pytest.mark.parametrize("granularity", [None, "details", 0.3, 1])
    def test_kept_documents_are_those_of_transform(self, granularity, topics):
        view = ModelView.of(topics)
        documents = view.documents(COUNTS)
        assert (documents.finished, documents.logits, documents.vectors.dtype) == (False, None, np.float32)
        found = view.vectors(documents, granularity)
        np.testing.assert_allclose(found, view.represent(COUNTS, granularity), atol=1e-4)
        if granularity is not None:
            topics.set_params(granularity=granularity)
        np.testing.assert_allclose(found, topics.transform(COUNTS), atol=1e-4)

    def test_its_granularity_is_its_own_or_a_balance(self, topics):
        view = ModelView.of(topics)
        assert (view.granularity, view.is_finished, view.is_centred) == (0.5, True, True)
        assert ModelView.of(topics.set_params(granularity="groups")).granularity == 1.0
        assert ModelView.of(topics.set_params(granularity=0.2)).granularity == 0.2
        view = ModelView.of(topics.set_params(representation="probabilities"))
        assert (view.granularity, view.is_finished, view.is_centred) == (None, False, False)

    def test_search_is_finer_than_the_representation(self, topics):
        view = ModelView.of(topics)
        documents = view.documents(COUNTS)
        for granularity, used in ((None, 0.25), (1.0, 1.0)):
            asked, stored, metric = view.compared(COUNTS[:2], documents, granularity)
            np.testing.assert_array_equal(stored, view.vectors(documents, used))
            np.testing.assert_allclose(np.linalg.norm(asked, axis=1), 1, atol=1e-5)
            assert metric == "cosine"

    def test_the_length_of_a_query_does_not_matter(self, topics):
        """Its logits are put as far from the average document as half of a document's."""
        view = ModelView.of(topics)
        documents = view.documents(COUNTS)
        asked = [view.compared(times * COUNTS[:3] ** 0, documents)[0] for times in (1, 50)]
        np.testing.assert_allclose(*asked, atol=1e-4)

    def test_documents_without_words_have_no_direction_and_do_not_shorten_queries(self, topics):
        view = ModelView.of(topics)
        documents = view.documents(self.EMPTY)
        asked, stored, _ = view.compared(COUNTS[:4], documents)
        assert not stored[4:].any()
        np.testing.assert_allclose(asked, view.compared(COUNTS[:4], view.documents(COUNTS[:4]))[0], atol=1e-4)
        np.testing.assert_allclose(np.linalg.norm(asked, axis=1), 1, atol=1e-5)

    def test_a_query_without_words_has_no_direction(self, topics):
        view = ModelView.of(topics)
        for documents in (view.documents(COUNTS), view.documents(np.zeros((2, 6)))):
            assert not view.compared(np.zeros((2, 6)), documents)[0].any()

    def test_documents_outlive_no_change_of_what_they_are(self, topics):
        view = ModelView.of(topics)
        documents = view.documents(COUNTS)
        for change in ({"finish": None}, {"representation": "logits"}):
            topics.set_params(**change)
            with pytest.raises(DataError, match="finish='halves'"):
                view.vectors(documents)
            with pytest.raises(DataError, match="its finish was taken away"):
                view.compared(COUNTS[:1], documents)
            topics.set_params(finish="halves", representation=None)
            assert view.vectors(documents).shape == (30, 3)


class TestDirections:
    """Which angles people are shown."""

    @pytest.fixture
    def topics(self):
        return ReplicatedSoftmax(3, max_updates=5, random_state=0, device="cpu").fit(COUNTS)

    def test_angles_are_correlations_of_the_logits(self, topics):
        view = ModelView.of(topics)
        X = np.vstack([COUNTS, np.zeros((4, 6))])  # Documents without words do not count.
        shown = view.directions(view.documents(X))
        assert shown.kind == "as the documents see them"
        expected = np.degrees(np.arccos(np.minimum(np.abs(np.corrcoef(topics.hidden_logits(COUNTS).T)), 1)))
        np.testing.assert_allclose(angle_matrix(shown.rows), expected, atol=1e-3)

    def test_fewer_documents_than_components(self, topics):
        view = ModelView.of(topics)
        few = view.documents(COUNTS[:2])
        np.testing.assert_allclose(angle_matrix(view.directions(few).rows), 0, atol=1e-4)  # They differ along one line.

    def test_a_component_that_is_the_same_in_all_documents_has_no_angle(self, topics):
        topics.components_[1] = 0
        topics.intercept_hidden_[1] = 0.1
        view = ModelView.of(topics)
        rows = view.directions(view.documents(COUNTS)).rows
        assert not rows[1].any()
        assert np.isnan(angle_matrix(rows)[1]).all()

    def test_rounding_has_no_angle(self):
        """Logits that are found again from probabilities are float64, and the mean of equal ones is rounded."""
        model = BernoulliRBM(3, max_updates=5, random_state=0, device="cpu").fit(PRESENT)
        model.components_[1], model.intercept_hidden_[1] = 0, 0.1
        rows = ModelView.of(model).directions(Documents.of(model.transform(PRESENT))).rows
        assert not rows[1].any()
        assert rows[[0, 2]].any(axis=1).all()

    def test_its_own_documents_are_taken_and_others_before_them(self, topics):
        view = ModelView.of(topics)
        own, other = (view.documents(X) for X in (COUNTS, COUNTS[:9]))
        topics.documents_ = own
        np.testing.assert_array_equal(view.directions().rows, view.directions(own).rows)
        assert not np.allclose(view.directions(other).rows, view.directions(own).rows)

    @pytest.mark.parametrize(
        "why", ["no documents", "no logits", "no finish", "another metric", "equal documents", "empty documents"]
    )
    def test_else_they_are_of_the_weights(self, why, topics):
        view = ModelView.of(topics)
        X = {"equal documents": COUNTS[[0, 0]], "empty documents": np.zeros((2, 6))}.get(why, COUNTS)
        if why != "no documents":
            topics.documents_ = Documents.of(view.represent(X)) if why == "no logits" else view.documents(X)
        if why == "no finish":
            topics.set_params(finish=None)
        if why == "another metric":
            topics.set_params(metric="scales")
        shown = view.directions()
        assert shown.kind == "of the weights"
        np.testing.assert_array_equal(shown.rows, topics.components_)

    def test_a_linear_transform_is_what_the_documents_see(self):
        kind = {"metric": "covariance", "max_updates": 5, "n_similar": 50, "n_dissimilar": 50, "random_state": 0}
        model = DistanceLearner(3, **kind).fit(COUNTS, np.arange(30) % 2)
        shown = ModelView.of(model).directions(Documents.of(model.transform(COUNTS)))
        assert shown.kind == "as the documents see them"
        expected = angle_matrix(model.components_, metric=COUNTS)
        np.testing.assert_allclose(angle_matrix(shown.rows), expected, atol=1e-3)

    def test_probabilities_and_logits_of_transform_suffice(self):
        kind = {"max_updates": 5, "random_state": 0, "device": "cpu"}
        for model, X in (
            (BernoulliRBM(3, representation="probabilities", **kind), PRESENT),
            (ReplicatedSoftmax(3, representation="logits", **kind), COUNTS),
        ):
            view = ModelView.of(model.fit(X))
            shown = view.directions(Documents.of(view.represent(X)))
            assert shown.kind == "as the documents see them"
            expected = np.degrees(np.arccos(np.minimum(np.abs(np.corrcoef(model.hidden_logits(X).T)), 1)))
            np.testing.assert_allclose(angle_matrix(shown.rows), expected, atol=1e-2)


def test_words_against_the_first_are_marked():
    model = DistanceLearner(1, max_updates=2, n_similar=9, n_dissimilar=9).fit(COUNTS, np.arange(30) % 2)
    model.components_, model.vocabulary_ = np.array([[-3.0, 0.1, 2.0, -1.0, 0.0, 0.0]]), WORDS
    assert ModelView.of(model).top_words(3) == [["corn", "−oil", "bank"]]


def test_models_that_are_not_fitted_are_refused():
    with pytest.raises(NotFittedError):
        ModelView.of(BernoulliRBM())


def test_angles_of_zeros_are_nan():
    rows = np.array([[1.0, 0.0], [0.0, 0.0], [-2.0, 2.0]])
    np.testing.assert_allclose(angle_matrix(rows), [[0, np.nan, 45], [np.nan] * 3, [45, np.nan, 0]])
    assert np.isnan(angle_matrix(np.zeros((2, 3)))).all()
