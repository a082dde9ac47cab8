"""What holds for every baseline of distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from small_metrics import SMALL

import wideangle
from wideangle import catalogue
from wideangle.baselines.metrics import LMNN, NCA, DMLEig, Euclidean, Seraph
from wideangle.evaluation import knn_accuracy


def named(model):
    return repr(model)


every = pytest.mark.parametrize("model", SMALL, ids=named)
with_pairs = pytest.mark.parametrize("model", [m for m in SMALL if hasattr(m, "fit_pairs")], ids=named)
full = pytest.mark.parametrize(
    "model", [m for m in SMALL if m.n_principal is None and getattr(m, "n_components", None) is None], ids=named
)


def seeded(model, **others):
    return clone(model).set_params(random_state=0, **others)


def data(seed=0, n=60, d=4, n_classes=3):
    """Classes differ in one feature of small scale, and the others only disturb."""
    generator = np.random.default_rng(seed)
    y = generator.permutation(np.arange(n) % n_classes)
    X = generator.standard_normal((n, d)) * np.linspace(3.0, 1.0, d)
    X[:, -1] = y + 0.2 * generator.standard_normal(n)
    return X, y


@every
@pytest.mark.parametrize("seed", range(3))
def test_the_matrix_is_positive_semi_definite_and_gives_the_distances(model, seed):
    X, y = data(seed)
    fitted = seeded(model).fit(X, y)
    M, A = fitted.get_mahalanobis_matrix(), fitted.components_
    np.testing.assert_allclose(M, A.T @ A)
    values = np.linalg.eigvalsh(M)
    assert values[0] >= -1e-12 * values[-1]
    assert values[-1] > 0
    i, j = np.random.default_rng(seed).integers(0, len(X), (2, 20))
    differences = X[i] - X[j]
    naive = np.sqrt(np.einsum("nd,de,ne->n", differences, M, differences).clip(0))
    np.testing.assert_allclose(fitted.pair_distance(np.column_stack([i, j]), X), naive, atol=1e-7 * naive.max())
    Z = fitted.transform(X)
    np.testing.assert_allclose(np.linalg.norm(Z[i] - Z[j], axis=1), naive, atol=1e-7 * naive.max())


@full
def test_it_is_at_least_as_good_as_euclid_on_an_easy_problem(model):
    X, y = data(n=200)
    scores = []
    for each in (Euclidean(), seeded(model)):
        each.fit(X[:120], y[:120])
        scores.append(knn_accuracy(each.transform(X[:120]), y[:120], each.transform(X[120:]), y[120:], k=3))
    assert scores[1] >= scores[0]
    if not isinstance(model, Euclidean):
        assert scores[1] > 0.9 > scores[0]


@every
def test_the_same_seed_gives_the_same_components(model):
    X, y = data()
    first, second = (seeded(model).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.components_, second.components_)
    assert first.threshold_ == second.threshold_


@pytest.mark.quick_cases(5)
@every
def test_sparse_rows_and_shifted_rows_give_the_same_distances(model):
    X, y = data()
    X[np.abs(X) < 0.3] = 0
    pairs = np.random.default_rng(0).integers(0, len(X), (20, 2))
    expected = seeded(model).fit(X, y).pair_distance(pairs, X)
    rtol = 0.03 if isinstance(model, DMLEig) else 1e-3  # DML-eig has many matrices that are almost the best.
    for other in (sp.csr_array(X), sp.csr_matrix(X), X + 5.0):
        np.testing.assert_allclose(seeded(model).fit(other, y).pair_distance(pairs, other), expected, rtol=rtol)


@every
def test_a_large_offset_costs_few_digits(model):
    X, y = data()
    pairs = np.random.default_rng(0).integers(0, len(X), (50, 2))
    X32 = (X + 1e4).astype(np.float32)
    expected, found = (seeded(model).fit(rows, y).transform(rows) for rows in (X32.astype(np.float64) - 1e4, X32))
    expected, found = (np.linalg.norm(rows[pairs[:, 0]] - rows[pairs[:, 1]], axis=1) for rows in (expected, found))
    assert np.corrcoef(expected, found)[0, 1] > 0.99


@every
def test_float32_stays_float32(model):
    X, y = data()
    fitted = seeded(model).fit(X.astype(np.float32), y)
    assert fitted.components_.dtype == np.float32
    assert fitted.transform(X.astype(np.float32)).dtype == np.float32


@full
def test_the_unit_of_the_features_does_not_matter(model):
    if isinstance(model, NCA):
        pytest.skip("the softmax of NCA depends on the unit")
    X, y = data()
    pairs = np.random.default_rng(0).integers(0, len(X), (50, 2))
    scales = (1.0, 1000.0, 1e-3)
    distances = [seeded(model).fit(s * X, y).pair_distance(pairs, s * X) for s in scales]
    for found in distances[1:]:
        np.testing.assert_allclose(found / found.mean(), distances[0] / distances[0].mean(), rtol=1e-2, atol=1e-2)


@full
def test_all_principal_components_are_a_turned_space(model):
    X, y = data(n=120)
    pairs = np.random.default_rng(0).integers(0, len(X), (200, 2))
    plain, turned = (seeded(model, n_principal=n).fit(X, y).pair_distance(pairs, X) for n in (None, 4))
    assert np.corrcoef(plain, turned)[0, 1] > 0.98


@every
def test_components_lie_in_the_principal_space(model):
    X, y = data(n=40, d=6)
    fitted = seeded(model, n_principal=2).fit(X, y)
    centred = X - X.mean(0)
    leading = np.linalg.svd(centred, full_matrices=False)[2][:2]
    outside = fitted.components_ - fitted.components_ @ leading.T @ leading
    assert np.abs(outside).max() < 1e-4 * np.abs(fitted.components_).max()


@pytest.mark.quick_cases(2)
@every
def test_a_grid_search_chooses_the_number_of_principal_components(model):
    X, y = data()
    search = GridSearchCV(seeded(model), {"n_principal": [1, 3, None]}, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 3
    if not isinstance(model, Euclidean):  # A method that learns needs the feature of least variance.
        assert search.best_params_["n_principal"] is None


@with_pairs
def test_points_and_row_numbers_are_the_same_pairs(model):
    X, y = data()
    pairs = np.random.default_rng(1).permutation(60).reshape(30, 2)
    signs = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    by_numbers = seeded(model).fit_pairs(pairs, signs, X)
    by_points = seeded(model).fit_pairs(X[pairs], signs)
    expected = by_numbers.pair_distance(pairs, X)
    assert np.corrcoef(by_points.pair_distance(pairs, X), expected)[0, 1] > 0.999
    assert set(by_numbers.predict_pairs(pairs, X)) <= {1, -1}


@with_pairs
def test_bad_pairs(model):
    X, _ = data()
    pairs = np.arange(20).reshape(10, 2)
    signs = np.where(np.arange(10) % 2, 1, -1)
    for wrong in (signs * 2, np.zeros(10), signs == 1):
        with pytest.raises(ValueError, match="y must be \\+1 for similar"):
            clone(model).fit_pairs(pairs, wrong, X)
    with pytest.raises(ValueError, match="one sign for each"):
        clone(model).fit_pairs(pairs, signs[:5], X)
    with pytest.raises(ValueError, match="no dissimilar pairs"):
        clone(model).fit_pairs(pairs, np.ones(10), X)
    with pytest.raises(ValueError, match="no similar pairs"):
        clone(model).fit_pairs(pairs, -np.ones(10), X)
    with pytest.raises(ValueError, match="out of range"):
        clone(model).fit_pairs(pairs + 100, signs, X)
    with pytest.raises(ValueError, match="equal"):
        clone(model).fit_pairs(pairs, signs, np.ones((20, 3)))


@every
def test_bad_rows_and_parameters(model):
    X, y = data()
    broken = X.copy()
    broken[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clone(model).fit(broken, y)
    with pytest.raises(ValueError, match="n_principal=5"):
        seeded(model, n_principal=5).fit(X, y)
    with pytest.raises(ValueError, match="n_principal=4 .* 3 rows"):
        seeded(model, n_principal=4).fit(X[:3], [0, 0, 1])
    for wrong in (0, -1, 2.5, True, "3"):
        with pytest.raises(ValueError, match="n_principal"):
            seeded(model, n_principal=wrong).fit(X, y)
    if not isinstance(model, Euclidean):
        with pytest.raises(ValueError, match="two classes"):
            clone(model).fit(X, np.zeros(60, dtype=int))
        with pytest.raises(ValueError, match="a class of two samples"):
            clone(model).fit(X[:1], [0])
        with pytest.raises(ValueError, match="requires y"):
            clone(model).fit(X, None)
        with pytest.raises(ValueError, match="max_updates"):
            seeded(model, max_updates=0).fit(X, y)
        with pytest.raises(ValueError, match="tol must be a finite number"):
            seeded(model, tol=-1.0).fit(X, y)


@pytest.mark.parametrize("model", [LMNN(5, device="cpu"), NCA(5)], ids=named)
def test_no_more_components_than_dimensions(model):
    X, y = data()
    with pytest.raises(ValueError, match="n_components=5 .* 4 features"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="n_components=5 .* 2 principal"):
        clone(model).set_params(n_principal=2).fit(X, y)


@every
def test_a_saved_model_is_the_same(model, tmp_path):
    X, y = data()
    fitted = seeded(model).fit(X, y)
    kind = type(model)
    known = kind.__name__ in {entry.name for entry in catalogue.SHIPPED}
    if not known:
        catalogue.register(catalogue.Entry.of(kind, target="classes", metric="euclidean", linear=True))
    try:
        fitted.save(tmp_path / "model.wideangle")
        again = wideangle.load(tmp_path / "model.wideangle")
    finally:
        if not known:
            catalogue.unregister(kind.__name__)
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    assert {**vars(again), "components_": 0, "bounds_": 0} == {**vars(fitted), "components_": 0, "bounds_": 0}


def test_euclid_is_euclid():
    X, y = data()
    pairs = np.arange(20).reshape(10, 2)
    expected = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    for rows in (X, sp.csr_array(X)):
        fitted = Euclidean().fit(rows)
        np.testing.assert_allclose(fitted.pair_distance(pairs, rows), expected)
        np.testing.assert_array_equal(fitted.transform(rows), X)
        assert not hasattr(fitted, "threshold_")
    assert Euclidean().fit(X, y).threshold_ > 0
    assert not hasattr(Euclidean().fit(X, np.zeros(60)), "threshold_")


def test_a_second_fit_forgets_the_first():
    X, y = data()
    model = Seraph(n_similar=100, n_dissimilar=100, device="cpu", random_state=0)
    once = model.fit(X, y).components_
    again = model.fit(X[:, :3], y).fit(X, y).components_
    np.testing.assert_array_equal(once, again)


def test_nca_counts_its_updates():
    X, y = data()
    few, many = (NCA(2, max_updates=n, random_state=0).fit(X, y) for n in (3, 2000))
    assert (few.n_updates_, few.stopped_) == (3, "max_updates=3 reached")
    assert 3 < many.n_updates_ < 2000
    assert many.stopped_ == "converged"
