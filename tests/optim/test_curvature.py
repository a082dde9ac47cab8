"""The learned curvature against the updates of BFGS, one after the other, on dense matrices."""

import pytest
import torch

from wideangle.functional import retract, tangent
from wideangle.optim.curvature import MOST_PAIRS, Memory, RowSteps, carried

K, D = 3, 4


def randn(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


W = retract(randn(K, D))


def tangent_vector(seed):
    """A turn of each row, and a change of its length in the last column."""
    return torch.cat([tangent(W, randn(K, D, seed=seed)), randn(K, 1, seed=100 + seed)], dim=1)


def taught(n=4):
    memory = Memory()
    for seed in range(1, n + 1):
        step = tangent_vector(seed)
        assert memory.learn(0.3 * step, step + 0.2 * tangent_vector(50 + seed))
    return memory


def test_it_is_that_of_the_updates_one_after_the_other():
    memory = taught()
    s, y = memory.steps[-1].flatten(), memory.falls[-1].flatten()
    H = torch.eye(K * (D + 1), dtype=torch.float64) * (s @ y) / (y @ y)
    for step, fall in zip(memory.steps, memory.falls, strict=True):
        s, y = step.flatten(), fall.flatten()
        left = torch.eye(len(s), dtype=torch.float64) - torch.outer(s, y) / (s @ y)
        H = left @ H @ left.T + torch.outer(s, s) / (s @ y)  # Nocedal and Wright, Equation 6.17
    slope = tangent_vector(9)
    reach = memory.reach(slope)
    torch.testing.assert_close(reach.apply(slope), (H @ slope.flatten()).view_as(slope), rtol=1e-8, atol=1e-10)
    torch.testing.assert_close(reach.times(0.2).apply(slope), 0.2 * reach.apply(slope))
    # The last step is what the last fall leads to.
    torch.testing.assert_close(reach.apply(memory.falls[-1]), memory.steps[-1], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("reach", [taught().reach(tangent_vector(1)), RowSteps(torch.tensor([0.1, 2.0, 0.5]).double())])
def test_what_multipliers_do_to_cosines(reach):
    M = torch.zeros(K, K, dtype=torch.float64)
    pairs = torch.triu_indices(K, K, 1).unbind()
    whole = []
    moved, largest = reach.in_cosines(W)
    for i, j in zip(*pairs, strict=True):
        M.zero_()[i, j] = 1.0
        M[j, i] = 1.0
        push = torch.zeros(K, D + 1, dtype=torch.float64)
        push[:, :D] = tangent(W, M @ W)
        displacement = reach.apply(push)[:, :D]
        change = displacement @ W.T + W @ displacement.T
        torch.testing.assert_close(moved(M)[pairs], change[pairs], rtol=1e-8, atol=1e-10)
        whole.append(change[pairs])
    assert float(torch.linalg.eigvalsh(torch.stack(whole)).max()) <= largest * (1 + 1e-9)


def test_a_step_along_which_the_slope_rises_teaches_nothing():
    memory, step = Memory(), tangent_vector(1)
    assert not memory.learn(step, -step)
    assert not memory
    slope = tangent_vector(2)
    torch.testing.assert_close(memory.reach(slope).apply(slope), slope)


def test_it_remembers_the_last_steps_only_and_forgets_them_when_told():
    memory = taught(MOST_PAIRS + 3)
    assert len(memory.steps) == len(memory.falls) == MOST_PAIRS
    memory.forget()
    assert not memory


def test_what_is_carried_is_tangent_and_follows_reversed_rows():
    other, signs = retract(W + 0.1 * randn(K, D, seed=3)), torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64)
    vector = tangent_vector(4)
    moved = carried(vector, other, signs)
    assert float((moved[:, :-1] * other).sum(1).abs().max()) < 1e-12
    assert torch.equal(moved[:, -1], vector[:, -1] * signs)
    assert float((moved - signs[:, None] * vector).norm()) < 0.3 * float(vector.norm())
