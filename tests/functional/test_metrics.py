"""Laws of the metrics: the same for the score, the bound and the volume, and for dense and sparse rows."""

import math
import warnings

import numpy as np
import pytest
import reference
import scipy.sparse as sp
import torch

from wideangle.exceptions import MetricError, TooManyComponentsError, ZeroComponentWarning
from wideangle.functional import (
    ColumnScales,
    Covariance,
    LinearMap,
    log_volume,
    mutual_angular_bound,
    mutual_angular_score,
    pair_angles,
    pairwise_angles,
    value_and_gradient,
)
from wideangle.functional.metrics import as_metric

FUNCTIONS = {"angle": mutual_angular_score, "bound": mutual_angular_bound, "volume": log_volume}
NAIVE = {"angle": reference.score, "bound": reference.bound, "volume": reference.volume}
K, D, N = 4, 7, 30

every_surrogate = pytest.mark.parametrize("surrogate", FUNCTIONS)


def components(K=K, D=D, dtype=torch.float64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    A = torch.randn(K, D, generator=generator, dtype=torch.float64)
    return (A + 0.2 * torch.randn(D, generator=generator, dtype=torch.float64)).to(dtype)


def sample(n=N, D=D, seed=1):
    """Rows with correlated columns of different sizes and means, and many zeros."""
    rng = np.random.default_rng(seed)
    rows = rng.poisson(1.0, size=(n, D)) * rng.random((n, D)) @ (np.eye(D) + 0.3 * np.eye(D, k=1))
    return rows * np.logspace(-1, 1, D) + (np.arange(D) == 2)


def gradient_of(function, A, **options):
    A = A.clone().requires_grad_()
    return torch.autograd.grad(function(A, **options), A)[0]


METRICS = {
    "scales": ColumnScales(np.linspace(0.5, 2, D)),
    "map": LinearMap(np.random.default_rng(2).normal(size=(D, 9))),
    "dense rows": Covariance(sample()),
    "sparse rows": Covariance(sp.csr_array(sample())),
    "shrunk": Covariance(sample(), shrinkage=0.3),
    "sparse and shrunk": Covariance(sp.csr_array(sample()), shrinkage=0.3),
}
every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS.keys())


def explicit_map(metric):
    """L by its definition, from NumPy alone."""
    if isinstance(metric, ColumnScales):
        return np.diag(np.linspace(0.5, 2, D))
    if isinstance(metric, LinearMap):
        return np.random.default_rng(2).normal(size=(D, 9))
    covariance = np.cov(sample().T, bias=True)
    shrunk = (1 - metric.shrinkage) * covariance + metric.shrinkage * np.trace(covariance) / D * np.eye(D)
    return np.linalg.cholesky(shrunk)


@every_surrogate
@every_metric
def test_values_are_those_of_the_mapped_components(metric, surrogate):
    A = components()
    expected = NAIVE[surrogate](A.numpy() @ explicit_map(metric))
    assert float(FUNCTIONS[surrogate](A, metric=metric)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_surrogate
@pytest.mark.parametrize("identity", [ColumnScales(np.ones(D)), LinearMap(np.eye(D))], ids=["scales", "map"])
def test_the_identity_is_no_metric(identity, surrogate):
    A, function = components(), FUNCTIONS[surrogate]
    assert torch.allclose(function(A, metric=identity), function(A), rtol=1e-13)
    assert torch.allclose(gradient_of(function, A, metric=identity), gradient_of(function, A), rtol=1e-12)
    assert torch.equal(function(A, metric=None), function(A))


@every_surrogate
@every_metric
def test_gradients_are_finite_differences(metric, surrogate):
    A, function = components(), FUNCTIONS[surrogate]
    gradient = gradient_of(function, A, metric=metric)
    closed_form = value_and_gradient(A, surrogate, metric=metric)[1]
    assert torch.allclose(gradient, closed_form, rtol=1e-9, atol=1e-12)
    generator = torch.Generator().manual_seed(3)
    for _ in range(3):
        way = torch.randn(A.shape, generator=generator, dtype=torch.float64)
        ahead, behind = (float(function(A + step * way, metric=metric)) for step in (1e-6, -1e-6))
        assert float((gradient * way).sum()) == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-7)


@pytest.mark.quick_cases(6)
@every_surrogate
@every_metric
def test_first_and_second_derivatives_pass_gradcheck(metric, surrogate):
    A = components(3).requires_grad_()
    assert torch.autograd.gradcheck(lambda A: FUNCTIONS[surrogate](A, metric=metric), (A,))
    assert torch.autograd.gradgradcheck(lambda A: FUNCTIONS[surrogate](A, metric=metric), (A,))


@every_metric
def test_back_is_the_transpose_of_map(metric):
    A = components()
    B = torch.randn(metric.map(A).shape, dtype=torch.float64, generator=torch.Generator().manual_seed(4))
    assert float((metric.map(A) * B).sum()) == pytest.approx(float((A * metric.back(B)).sum()), rel=1e-10)


@every_surrogate
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_change_of_basis_that_the_rows_undo(kind, surrogate):
    """A M answers rows X M⁻ᵀ as A answers X."""
    A, X = components(), sample()
    M = np.eye(D) + 0.3 * np.random.default_rng(5).normal(size=(D, D))
    changed = FUNCTIONS[surrogate](A @ torch.from_numpy(M), metric=kind(X @ np.linalg.inv(M).T))
    assert float(changed) == pytest.approx(float(FUNCTIONS[surrogate](A, metric=kind(X))), rel=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, torch.from_numpy], ids=["array", "sparse", "tensor"])
def test_cosines_are_correlations_of_responses(kind):
    A, X = components().numpy(), sample()
    correlations = np.abs(np.corrcoef(A @ X.T))[np.triu_indices(K, 1)]
    assert np.allclose(np.cos(pair_angles(A, metric=kind(X))), correlations, atol=1e-12)


@every_surrogate
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sparse_and_dense_rows_agree(surrogate, dtype):
    A, X = components(dtype=dtype), sample()
    tolerance = 1e-10 if dtype == torch.float64 else 1e-4
    for shrinkage in (0.0, 0.2):
        dense, sparse = Covariance(X, shrinkage), Covariance(sp.csr_array(X), shrinkage)
        (value, gradient), (other, other_gradient) = (
            value_and_gradient(A, surrogate, metric=metric) for metric in (dense, sparse)
        )
        assert value.dtype == gradient.dtype == other.dtype == other_gradient.dtype == dtype
        assert float(value) == pytest.approx(float(other), rel=tolerance, abs=tolerance)
        assert torch.allclose(gradient, other_gradient, rtol=tolerance, atol=tolerance)
        assert (dense.rank, dense.n_rows, dense.n_columns) == (sparse.rank, sparse.n_rows, sparse.n_columns)


@pytest.mark.parametrize("shrinkage", [0.0, 0.2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sparse_and_dense_rows_agree_far_from_zero(dtype, shrinkage):
    """Columns around 1e8 that vary by 0.1, which squares in double precision cannot tell from constants."""
    A, rows = components(dtype=dtype), sample()
    rows[:, [0, 3]] = 1e8 + 0.1 * np.random.default_rng(9).normal(size=(N, 2))
    rows[:, 5] = 1e8  # This one is constant.
    centred = rows - rows[0]
    A[:, [0, 3]] *= 10  # so that the two columns count about as much as the others
    dense, sparse = Covariance(rows, shrinkage), Covariance(sp.csr_array(rows), shrinkage)
    assert dense.rank == sparse.rank == (D if shrinkage else D - 1)
    expected = pair_angles(A.double(), metric=Covariance(centred, shrinkage))
    for metric in (dense, sparse):
        # The entries themselves are known to 1e-8, which is 1e-7 of how they vary.
        assert torch.allclose(pair_angles(A, metric=metric).double(), expected, atol=1e-5)
    assert torch.allclose(*(value_and_gradient(A, metric=m)[1] for m in (dense, sparse)), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("matrix", [sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_array])
def test_every_kind_of_sparse_matrix(matrix):
    A, X = components(), sample()
    assert torch.allclose(mutual_angular_score(A, metric=matrix(X)), mutual_angular_score(A, metric=X))


def test_an_entry_in_parts_is_their_sum():
    parts = sp.coo_array(([1.0, 2.0, 4.0, 1.0], ([0, 0, 1, 2], [0, 0, 0, 1])), shape=(3, 2))
    A = np.array([[1.0, 0.2], [0.3, 1.0]])
    assert mutual_angular_score(A, metric=parts) == pytest.approx(mutual_angular_score(A, metric=parts.toarray()))


@every_surrogate
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_singular_covariances_have_finite_values_and_gradients(kind, surrogate):
    few = sample(5)  # fewer rows than columns
    constant = sample()
    constant[:, [1, 4]] = 0.1
    twice = sample()
    twice[:, 3] = twice[:, 5]
    for rows in (few, constant, twice):
        value, gradient = value_and_gradient(components(3), surrogate, metric=kind(rows))
        assert math.isfinite(value)
        assert bool(gradient.isfinite().all())


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_constant_columns_do_not_matter(kind, dtype):
    A, rows = components(dtype=dtype), sample()
    rows[:, [1, 4]] = 0.1, 300.0
    metric = Covariance(kind(rows.astype(np.float32)) if dtype == torch.float32 else kind(rows))
    other = A.clone()
    other[:, [1, 4]] = 5 * torch.randn(K, 2, dtype=dtype, generator=torch.Generator().manual_seed(6))
    tolerance = 1e-10 if dtype == torch.float64 else 1e-4
    assert float(mutual_angular_score(A, metric=metric)) == pytest.approx(
        float(mutual_angular_score(other, metric=metric)), abs=tolerance
    )
    gradient = value_and_gradient(A, metric=metric)[1]
    assert not gradient[:, [1, 4]].any()
    assert metric.rank == D - 2


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("where", ["shares", "twice", "constant", "null space"])
def test_a_constant_response_counts_as_orthogonal(kind, dtype, where):
    """It is constant but for rounding, and the rounding errors must not have angles."""
    rng, A = np.random.default_rng(7), components().numpy()
    rows = rng.dirichlet(np.full(D, 0.3), size=N)
    A[1] = 0.7  # Shares sum to 1, so that this response is constant.
    if where == "twice":
        rows[:, 3] = rows[:, 5]
        A[1] = 0.37 * ((np.arange(D) == 3) * 1.0 - (np.arange(D) == 5))
    elif where == "constant":
        rows[:, 2] = 0.1
        A[1] = np.arange(D) == 2
    elif where == "null space":
        rows = rows[:4]
        A[1] = np.linalg.svd(rows - rows.mean(0))[2][-1]
    metric = Covariance(kind(rows.astype(dtype)))
    with pytest.warns(ZeroComponentWarning, match="1 of 4 .*rows 1"):
        angles = pairwise_angles(A.astype(dtype), metric=metric)
    assert np.allclose(angles[1, [0, 2, 3]], np.pi / 2, atol=0)
    with pytest.warns(ZeroComponentWarning):
        gradient = value_and_gradient(A.astype(dtype), metric=metric)[1]
    assert not gradient[1].any()
    assert np.isfinite(gradient).all()


def test_small_responses_are_not_taken_for_rounding():
    A, X = components(dtype=torch.float32), sample().astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (1e-25, 1e25):
            value = mutual_angular_score(A, metric=X * np.float32(scale))
            assert float(value) == pytest.approx(float(mutual_angular_score(A, metric=X)), abs=1e-5)
        rare = X.copy()
        rare[:, 0] *= 1e-6  # Component 0 answers to this column alone.
        A[0] = torch.eye(D)[0]
        assert float(mutual_angular_score(A, metric=rare)) == pytest.approx(
            float(mutual_angular_score(A, metric=X)), abs=0.2
        )
        assert math.isfinite(mutual_angular_score(A, metric=Covariance(X * np.float32(1e25), 0.5)))


def test_rows_far_from_zero_keep_their_digits():
    A = components(dtype=torch.float32)
    X = (np.random.default_rng(8).integers(5, size=(N, D)) / 16).astype(np.float32)  # 1e6 + X is exact.
    assert float(mutual_angular_score(A, metric=X + np.float32(1e6))) == pytest.approx(
        float(mutual_angular_score(A, metric=X)), abs=1e-4
    )


@every_surrogate
def test_shrinkage_goes_from_the_data_to_the_identity(surrogate):
    A, X, function = components(), sample(), FUNCTIONS[surrogate]
    assert torch.equal(function(A, metric=Covariance(X, 0)), function(A, metric=X))
    assert float(function(A, metric=Covariance(X, 1))) == pytest.approx(float(function(A)), rel=1e-9)
    assert float(function(A, metric=Covariance(X, np.float32(1)))) == pytest.approx(float(function(A)), rel=1e-6)
    near = [float(function(A, metric=Covariance(X, share))) for share in (1e-6, 1 - 1e-6)]
    assert near == pytest.approx([float(function(A, metric=X)), float(function(A))], rel=1e-3)


def test_shrinkage_makes_components_comparable_that_the_data_cannot_tell_apart():
    rows = sample()
    rows[:, 3] = rows[:, 5]
    A = torch.eye(D, dtype=torch.float64)[[3, 5]]
    assert float(pair_angles(A, metric=rows)) == pytest.approx(0, abs=1e-12)
    assert float(pair_angles(A, metric=Covariance(rows, 0.1))) > 0.1


@pytest.mark.parametrize("surrogate", ["bound", "volume"])
@pytest.mark.parametrize(
    ("metric", "rank"),
    [
        (ColumnScales([1.0, 0, 1, 0, 1, 0, 0]), 3),
        (LinearMap(np.ones((D, 2)) + np.eye(D, 2)), 2),
        (Covariance(sample(4)), 3),
        (Covariance(sp.csr_array(sample(4))), 3),
        (Covariance(sample() * (np.arange(D) < 3)), 3),
        (Covariance(sp.csr_array(sample() * (np.arange(D) < 3))), 3),
    ],
)
def test_more_components_than_the_rank_are_refused(surrogate, metric, rank):
    A = components()
    with pytest.raises(TooManyComponentsError, match=rf"rank {rank} at most; got K=4.*surrogate='angle'"):
        FUNCTIONS[surrogate](A, metric=metric)
    with pytest.raises(TooManyComponentsError, match=f"rank {rank}"):
        value_and_gradient(A, surrogate, metric=metric)
    assert math.isfinite(mutual_angular_score(A, metric=metric))


def test_shrinkage_has_full_rank():
    assert Covariance(sample(3), 0.1).rank == D
    assert math.isfinite(log_volume(components(), metric=Covariance(sample(3), 0.1)))


def test_more_components_than_columns_are_refused_in_a_metric_too():
    with pytest.raises(TooManyComponentsError, match="rank 7 at most; got K=9"):
        log_volume(components(9), metric=sample())


@every_surrogate
def test_numpy_in_numpy_out(surrogate):
    A, X = components().numpy(), sample()
    value = FUNCTIONS[surrogate](A, metric=X)
    assert isinstance(value, np.float64)
    value, gradient = value_and_gradient(A, surrogate, metric=sp.csr_array(X))
    assert isinstance(value, np.float64)
    assert isinstance(gradient, np.ndarray)
    assert float(value) == pytest.approx(float(FUNCTIONS[surrogate](torch.from_numpy(A), metric=torch.from_numpy(X))))
    assert FUNCTIONS[surrogate](A.astype(np.float32), metric=X).dtype == np.float32


@every_surrogate
@every_metric
def test_float32_is_float64_to_its_precision(metric, surrogate):
    A = components()
    assert float(FUNCTIONS[surrogate](A.float(), metric=metric)) == pytest.approx(
        float(FUNCTIONS[surrogate](A, metric=metric)), rel=1e-4, abs=1e-4
    )


@every_metric
def test_autocast_does_not_lower_the_precision(metric):
    A = components(dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = mutual_angular_score(A, metric=metric)
    assert torch.equal(inside, mutual_angular_score(A, metric=metric))


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@every_surrogate
@every_metric
def test_on_a_gpu(metric, surrogate):
    A = components()
    value, gradient = value_and_gradient(A.cuda(), surrogate, metric=metric)
    expected, expected_gradient = value_and_gradient(A, surrogate, metric=metric)
    assert value.is_cuda
    assert gradient.is_cuda
    assert float(value) == pytest.approx(float(expected), rel=1e-9)
    assert torch.allclose(gradient.cpu(), expected_gradient, rtol=1e-7, atol=1e-9)


def test_what_makes_a_metric():
    assert as_metric(None) is None
    scales = ColumnScales([1.0, 2.0])
    assert as_metric(scales) is scales
    assert isinstance(as_metric((1, 2)), ColumnScales)
    assert isinstance(as_metric([[1, 2], [3, 5]]), Covariance)
    assert isinstance(as_metric(torch.eye(3, dtype=torch.bfloat16)), Covariance)
    assert isinstance(as_metric(np.eye(3, dtype=bool)), Covariance)
    assert isinstance(as_metric(sp.eye_array(3, dtype=int)), Covariance)


NAN = float("nan")
BAD = {
    "a string": ("covariance", "got 'covariance'.*Only estimators"),
    "no numbers": (object(), "real numbers; got object"),
    "a ragged list": ([[1.0], [1.0, 2.0]], "real numbers; got list"),
    "complex": (np.ones((3, 2)) * 1j, "real numbers.*complex"),
    "a complex tensor": (torch.ones(3, 2) * 1j, r"real numbers; got torch.complex64. Pass the real part"),
    "complex and sparse": (sp.csr_array(np.eye(3) * 1j), "real numbers; got a sparse array.*complex128"),
    "a sparse tensor": (torch.eye(3).to_sparse(), r"layout torch.sparse_coo. Call .to_dense\(\)"),
    "a number": (3.0, r"rows × columns; got shape \(\)"),
    "three dimensions": (np.ones((2, 2, 2)), r"rows × columns; got shape \(2, 2, 2\)"),
    "NaN": ([[1.0, NAN], [0.0, 1.0]], "rows of a metric must be finite; got NaN"),
    "sparse NaN": (sp.csr_array([[1.0, NAN], [0.0, 1.0]]), "rows of a metric must be finite; got NaN"),
    "NaN scales": ([1.0, NAN], "scales of a metric must be finite; got NaN"),
    "negative scales": ([1.0, -2.0], "not be negative; got -2. Pass their absolute"),
    "all-zero scales": ([0.0, 0.0], "every scale is 0.*At least one must be above 0"),
    "no scales": ([], "every scale is 0"),
    "one row": ([[1.0, 2.0]], "at least 2 rows that differ; got 1"),
    "no row": (np.empty((0, 2)), "at least 2 rows that differ; got 0"),
    "no column": (np.empty((3, 0)), "all 3 rows of the metric are alike, or empty"),
    "rows alike": (np.tile([0.1, 0.7], (5, 1)), "all 5 rows of the metric are alike.*Pass rows that differ"),
    "sparse rows alike": (sp.csr_array(np.tile([0.1, 0.7], (5, 1))), "all 5 rows of the metric are alike"),
    "empty documents": (sp.csr_array((6, 2)), "all 6 rows of the metric are alike, or empty"),
    "other columns": (np.eye(3), "metric is of 3 columns, but the components have 2. Make it of rows"),
    "other scales": ([1.0, 2.0, 3.0], "metric is of 3 columns, but the components have 2"),
}


@every_surrogate
@pytest.mark.parametrize(("metric", "message"), BAD.values(), ids=BAD.keys())
def test_bad_metrics(metric, message, surrogate):
    A = np.array([[1.0, 0.5], [0.2, 1.0]])
    with pytest.raises(MetricError, match=message):
        FUNCTIONS[surrogate](A, metric=metric)
    with pytest.raises(MetricError, match=message):
        value_and_gradient(A, surrogate, metric=metric)
    with pytest.raises(MetricError, match=message):
        pairwise_angles(A, metric=metric)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ColumnScales(np.eye(2)), r"one number per column; got shape \(2, 2\)"),
        (lambda: LinearMap([1.0, 2.0]), r"matrix of D rows; got shape \(2,\)"),
        (lambda: LinearMap(np.zeros((2, 2))), "0 everywhere"),
        (lambda: LinearMap([[NAN]]), "linear map must be finite"),
        (lambda: Covariance([1.0, 2.0]), r"rows × columns; got shape \(2,\)"),
        (lambda: Covariance(np.eye(2), -0.1), "between 0 and 1; got -0.1"),
        (lambda: Covariance(np.eye(2), 1.1), "between 0 and 1; got 1.1"),
        (lambda: Covariance(np.eye(2), NAN), "between 0 and 1; got nan"),
        (lambda: Covariance(np.eye(2), "0.5"), "between 0 and 1; got '0.5'"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(MetricError, match=message):
        make()


@pytest.mark.quick_cases(1)
@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch.compile looks at it itself
@every_metric
def test_inside_torch_compile(metric):
    A = components(dtype=torch.float32).requires_grad_()
    torch.compiler.reset()
    compiled = torch.compile(lambda A: mutual_angular_score(A, metric=metric), backend="aot_eager")
    expected = torch.autograd.grad(mutual_angular_score(A, metric=metric), A)[0]
    assert torch.allclose(torch.autograd.grad(compiled(A), A)[0], expected, atol=1e-5)
