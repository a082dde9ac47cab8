"""Optimisers on unit rows: they stay there, reach known optima, and behave as torch's do."""

import copy
import math

import pytest
import torch

from wideangle import ObliqueAdam, ObliqueSGD
from wideangle.exceptions import ComponentsError
from wideangle.functional import retract, row_lengths

OPTIMIZERS = {
    "sgd": lambda p, **k: ObliqueSGD(p, lr=0.05, **k),
    "momentum": lambda p, **k: ObliqueSGD(p, lr=0.02, momentum=0.9, **k),
    "adam": lambda p, **k: ObliqueAdam(p, lr=0.05, **k),
}
every_optimizer = pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())


def parameter(K=4, D=6, seed=0, dtype=torch.float32):
    return torch.nn.Parameter(torch.randn(K, D, dtype=dtype, generator=torch.Generator().manual_seed(seed)))


def run(optimizer, function, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        function().backward()
        optimizer.step()


@every_optimizer
def test_reaches_the_directions_of_a_linear_function(make):
    """max Σ w_i·b_i over unit rows is at w_i = b_i/‖b_i‖."""
    W, B = parameter(), torch.randn(4, 6, generator=torch.Generator().manual_seed(1))
    optimizer = make([W], maximize=True)
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, 400)
    for _ in range(400):
        run(optimizer, lambda: (W * B).sum(), 1)
        decay.step()
    assert torch.allclose(W, retract(B), atol=1e-3)


@pytest.mark.quick_cases(1)
@every_optimizer
def test_reaches_the_least_eigenvector(make):
    """min wᵀ S w over a unit vector is the least eigenvalue."""
    root = torch.randn(6, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    S = root @ root.T
    W = parameter(1, dtype=torch.float64)
    optimizer = make([W])
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, 3000)
    for _ in range(3000):
        run(optimizer, lambda: (W @ S @ W.T).sum(), 1)
        decay.step()
    assert float((W @ S @ W.T).detach()) == pytest.approx(float(torch.linalg.eigvalsh(S)[0]), abs=1e-4)


@pytest.mark.quick_cases(1)
@every_optimizer
def test_rows_keep_unit_length_over_ten_thousand_steps(make):
    W = parameter(3, 5)
    optimizer = make([W])
    generator = torch.Generator().manual_seed(2)
    for _ in range(10_000):
        W.grad = 10 * torch.randn(3, 5, generator=generator)
        optimizer.step()
    assert (row_lengths(W.detach().double()) - 1).abs().max() < 1e-6


@every_optimizer
def test_state_dict_round_trip(make):
    torch.manual_seed(0)
    targets = [torch.randn(4, 6) for _ in range(20)]

    def steps(optimizer, W, these):
        for B in these:
            run(optimizer, lambda B=B: (W * B).sum(), 1)

    W = parameter()
    optimizer = make([W])
    steps(optimizer, W, targets[:10])
    resumed_W = torch.nn.Parameter(W.detach().clone())
    resumed = make([resumed_W])
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    steps(optimizer, W, targets[10:])
    steps(resumed, resumed_W, targets[10:])
    assert torch.allclose(W, resumed_W, atol=1e-6)


@every_optimizer
def test_a_step_is_equivariant_to_rotation(make):
    """No coordinate is special: turning the space and stepping commute."""
    rotation = torch.linalg.qr(torch.randn(6, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(3)))[0]
    W = parameter(dtype=torch.float64)
    turned = torch.nn.Parameter(W.detach() @ rotation)
    optimizers = make([W]), make([turned])
    for seed in range(5):
        W.grad = torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        turned.grad = W.grad @ rotation
        for optimizer in optimizers:
            optimizer.step()
    assert torch.allclose(W @ rotation, turned, atol=1e-10)


@every_optimizer
def test_a_radial_part_of_the_gradient_changes_nothing(make):
    """It points off the spheres; only what is tangent to them counts."""
    plain, disturbed = parameter(dtype=torch.float64), parameter(dtype=torch.float64)
    optimizers = make([plain]), make([disturbed])
    for seed in range(5):
        plain.grad = torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        disturbed.grad = plain.grad + 3.0 * disturbed.detach()
        for optimizer in optimizers:
            optimizer.step()
    assert torch.allclose(plain, disturbed, atol=1e-10)


def test_param_groups_with_their_own_rates():
    still, moving = parameter(seed=0), parameter(seed=1)
    optimizer = ObliqueSGD([{"params": [still], "lr": 0.0}, {"params": [moving]}], lr=0.1)
    before = [p.detach().clone() for p in (still, moving)]
    run(optimizer, lambda: still.sum() + moving.sum(), 3)
    assert torch.allclose(still, before[0])
    assert not torch.allclose(moving, before[1])


def test_convolution_kernels_are_rows():
    kernel = torch.nn.Parameter(torch.randn(5, 3, 2, 2))
    optimizer = ObliqueAdam([kernel])
    run(optimizer, lambda: kernel.sum(), 3)
    assert torch.allclose(kernel.flatten(1).norm(dim=1), torch.ones(5))


def test_closure_and_missing_gradients():
    W, unused = parameter(), parameter(seed=1)
    optimizer = ObliqueSGD([W, unused])

    def closure():
        optimizer.zero_grad()
        loss = W.sum()
        loss.backward()
        return loss

    assert torch.is_tensor(optimizer.step(closure))


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (torch.randn(4), ValueError, "at least two dimensions"),
        (torch.randn(2, 3).half(), ValueError, "float16"),
        (torch.zeros(2, 3), ComponentsError, "all zeros"),
        (torch.full((2, 3), float("nan")), ComponentsError, "finite"),
    ],
)
def test_bad_parameters(bad, error, message):
    with pytest.raises(error, match=message):
        ObliqueSGD([bad])


@pytest.mark.parametrize("arguments", [{"lr": -1}, {"momentum": 1.0}, {"lr": float("nan")}])
def test_bad_sgd_arguments(arguments):
    with pytest.raises(ValueError, match=f"{next(iter(arguments))} must be"):
        ObliqueSGD([parameter()], **arguments)


@pytest.mark.parametrize("arguments", [{"lr": -1}, {"betas": (0.9, 1.0)}, {"eps": -1e-8}])
def test_bad_adam_arguments(arguments):
    with pytest.raises(ValueError, match=rf"{next(iter(arguments))}\S* must be"):
        ObliqueAdam([parameter()], **arguments)


def test_sparse_gradients_are_refused():
    W = parameter()
    W.grad = torch.zeros(4, 6).to_sparse()
    with pytest.raises(RuntimeError, match="sparse"):
        ObliqueSGD([W]).step()


def in_loops(W, gradients, *, lr, momentum=None, betas=(0.9, 0.999), eps=1e-8):
    """The rules row by row in plain Python: what is carried on is projected onto the new tangent space."""
    W = [[float(x) for x in row] for row in retract(W)]

    def dot(u, v):
        return math.fsum(x * y for x, y in zip(u, v, strict=True))

    def flat(w, v):
        radial = dot(w, v)
        return [y - radial * x for x, y in zip(w, v, strict=True)]

    carried, squares = [[0.0] * len(row) for row in W], [0.0] * len(W)
    for step, gradient in enumerate(gradients, 1):
        for i, w in enumerate(W):
            g, kept = flat(w, gradient[i].tolist()), flat(w, carried[i])
            if momentum is not None:
                carried[i] = direction = [x + momentum * y for x, y in zip(g, kept, strict=True)]
            else:
                first, second = betas
                carried[i] = [first * y + (1 - first) * x for x, y in zip(g, kept, strict=True)]
                squares[i] = second * squares[i] + (1 - second) * dot(g, g)
                size = math.sqrt(squares[i] / (1 - second**step)) + eps
                direction = [y / (1 - first**step) / size for y in carried[i]]
            moved = [x - lr * y for x, y in zip(w, direction, strict=True)]
            length = math.sqrt(dot(moved, moved))
            W[i] = [x / length for x in moved]
    return torch.tensor(W, dtype=torch.float64)


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (lambda p: ObliqueSGD(p, lr=0.3), {"lr": 0.3, "momentum": 0.0}),
        (lambda p: ObliqueSGD(p, lr=0.3, momentum=0.8), {"lr": 0.3, "momentum": 0.8}),
        (lambda p: ObliqueAdam(p, lr=0.4, betas=(0.8, 0.95)), {"lr": 0.4, "betas": (0.8, 0.95)}),
    ],
    ids=["sgd", "momentum", "adam"],
)
def test_large_steps_equal_naive_loops(make, settings):
    """Steps so large that momentum which is not carried to the new tangent space ends elsewhere."""
    W = parameter(dtype=torch.float64)
    gradients = [
        torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) for seed in range(6)
    ]
    expected = in_loops(W.detach(), gradients, **settings)
    optimizer = make([W])
    for gradient in gradients:
        W.grad = gradient
        optimizer.step()
    assert torch.allclose(W, expected, atol=1e-12)
