"""The classifiers' losses against loops over samples and classes."""

import math

import pytest
import torch

from wideangle.models._network.losses import LOSSES, probabilities


def naive(loss, outputs, label):
    """Of one sample, as the formulas have it."""
    if len(outputs) == 1:
        y, f = (1 if label == 1 else -1), outputs[0]
        return {
            "cross_entropy": math.log(1 + math.exp(-y * f)),
            "logistic": math.log(1 + math.exp(-y * f)),
            "hinge": max(0.0, 1 - y * f),
            "squared": (y - f) ** 2 / 4,
        }[loss]
    if loss == "cross_entropy":
        return -math.log(math.exp(outputs[label]) / sum(math.exp(f) for f in outputs))
    if loss == "logistic":
        return sum(math.log(1 + math.exp(-f if k == label else f)) for k, f in enumerate(outputs))
    if loss == "hinge":
        return max(0.0, 1 + max(f for k, f in enumerate(outputs) if k != label) - outputs[label])
    return sum(((f + 1) / 2 - (k == label)) ** 2 for k, f in enumerate(outputs))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_outputs", [1, 3, 6])
def test_against_loops(loss, n_outputs, generator):
    outputs = 2 * torch.randn(50, n_outputs, dtype=torch.float64, generator=generator)
    labels = torch.randint(max(2, n_outputs), (50,), generator=generator)
    expected = [naive(loss, row.tolist(), int(label)) for row, label in zip(outputs, labels, strict=True)]
    assert torch.allclose(LOSSES[loss](outputs, labels), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_by_finite_differences(loss, generator):
    outputs = torch.randn(8, 4, dtype=torch.float64, generator=generator, requires_grad=True)
    labels = torch.randint(4, (8,), generator=generator)
    assert torch.autograd.gradcheck(lambda f: LOSSES[loss](f, labels), outputs)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("size", [1e4, 1e30])
def test_large_outputs_stay_finite(loss, size):
    outputs = torch.tensor([[size, -size, 0.0]], dtype=torch.float64)
    for label in range(3):
        assert LOSSES[loss](outputs, torch.tensor([label])).isfinite().all()


@pytest.mark.parametrize("loss", ["cross_entropy", "logistic", "squared"])
@pytest.mark.parametrize("n_outputs", [1, 4])
def test_probabilities_sum_to_one_and_follow_the_outputs(loss, n_outputs, generator):
    outputs = 3 * torch.randn(100, n_outputs, generator=generator)
    p = probabilities(outputs, loss)
    assert torch.allclose(p.sum(1), torch.ones(100))
    assert p.min() >= 0
    if n_outputs == 1:
        assert torch.equal(p[:, 1] > 0.5, outputs[:, 0] > 0)
    else:
        best = outputs.argmax(1)
        assert torch.allclose(p.gather(1, best[:, None])[:, 0], p.amax(1))


def test_squared_outputs_that_rule_every_class_out_leave_all_alike():
    p = probabilities(torch.tensor([[-3.0, -1.5, -2.0]]), "squared")
    assert torch.allclose(p, torch.full((1, 3), 1 / 3))
