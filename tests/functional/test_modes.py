"""What likely states prove of the partition function, against enumeration."""

import itertools
import math

import pytest
import torch

from wideangle.functional.boltzmann import Machine, energy
from wideangle.functional.modes import likely_states, log_partition_floor, state_exponent
from wideangle.functional.partition import exact_log_partition

LENGTHS = torch.tensor([0.0, 1.0, 7.5, 300.0], dtype=torch.float64)


def machine(K, D, seed, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return Machine(*(scale * torch.randn(s, generator=generator, dtype=torch.float64) for s in ((K, D), (D,), (K,))))


def states(n):
    return torch.tensor(list(itertools.product([0.0, 1.0], repeat=n)), dtype=torch.float64)


def test_the_exponent_of_a_state_sums_over_all_that_it_may_show():
    m, visible = machine(3, 4, 0), states(4)
    for h, found in zip(states(3), state_exponent(m, states(3)), strict=True):
        each = torch.stack([-energy(m, v[None], h[None])[0] for v in visible])
        assert float(found) == pytest.approx(float(each.logsumexp(0)))
    for h, found in zip(states(3), state_exponent(m, states(3), torch.tensor([2.0]).double())[0], strict=True):
        words = torch.eye(4, dtype=torch.float64)
        pairs = [words[i] + words[j] for i in range(4) for j in range(4)]
        each = torch.stack([-energy(m, v[None], h[None], torch.tensor([2.0]).double())[0] for v in pairs])
        assert float(found) == pytest.approx(float(each.logsumexp(0)))


@pytest.mark.parametrize("documents", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_no_step_lowers_the_exponent_and_the_floor_lies_below(seed, documents):
    m = machine(6, 9, seed)
    lengths = LENGTHS if documents else None
    everything = states(6)
    found = likely_states(m, everything, documents)
    one = torch.ones(1, dtype=torch.float64)
    exponent = (lambda h: state_exponent(m, h, one)[0]) if documents else (lambda h: state_exponent(m, h))
    assert exponent(found).max() == exponent(everything).max()  # the best of all states is among them
    for start in everything:
        reached = likely_states(m, start[None], documents)
        assert exponent(reached)[0] >= exponent(start[None])[0] - 1e-9
    floor, exact = log_partition_floor(m, lengths), exact_log_partition(m, lengths)
    assert (floor <= exact + 1e-9).all()
    # With every state as a start the long documents' log Z, which few states make up, is nearly all found.
    if documents:
        assert float(exact[-1] - log_partition_floor(m, lengths, everything)[-1]) < math.log(64)
        assert float(log_partition_floor(m, lengths)[0]) <= 6 * math.log(2)


def test_a_state_counts_once_however_often_it_is_found():
    m = machine(4, 5, 1)
    twice = torch.cat([states(4)] * 3)
    assert torch.equal(log_partition_floor(m, LENGTHS, twice), log_partition_floor(m, LENGTHS, states(4)))
