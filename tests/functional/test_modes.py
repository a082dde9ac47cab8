"""What likely states prove of the partition function, against enumeration."""

import itertools
import math

import pytest
import torch
from known_machines import independent_blocks

from wideangle.functional.boltzmann import Machine, energy
from wideangle.functional.modes import likely_states, log_partition_floor, mean_fields, mixture_bound, state_exponent
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
    # The best of all states is among them. Batches of another size are summed in another order.
    assert float(exponent(found).max()) == pytest.approx(float(exponent(everything).max()), abs=1e-9)
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
    assert torch.allclose(log_partition_floor(m, LENGTHS, twice), log_partition_floor(m, LENGTHS, states(4)))


def test_a_mean_field_bounds_as_its_own_sum_over_states_does():
    """Against E_q[S(h)] + H(q) by enumeration, which is at least S(m) + H(m) and at most log Z."""
    m, h = machine(4, 6, 2), states(4)
    field = mean_fields(m, h[3:4], None)[0]
    q = torch.where(h > 0, field, 1 - field).prod(1)
    entropy = -(q * q.log()).sum()
    bound = float(state_exponent(m, field[None])[0] + entropy)
    full = float((q * state_exponent(m, h)).sum() + entropy)
    assert bound <= full + 1e-9
    assert full <= float(exact_log_partition(m)) + 1e-9
    alone = torch.tensor([[bound]], dtype=torch.float64)
    assert float(mixture_bound(alone, field[None])) == pytest.approx(bound)
    assert float(mixture_bound(alone.expand(1, 3), field.expand(3, -1))) == pytest.approx(bound)  # three times the same


def test_fields_apart_add_up():
    """Two blocks of two likely states each: the four states hold nearly all of Z, and one of them about a quarter."""
    known = independent_blocks(6.0, 2)
    corners = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).repeat_interleave(10, 1)
    both = float(log_partition_floor(known.machine, None, corners))
    assert known.log_partition - 0.1 < both <= known.log_partition
    assert both < known.log_partition - 1e-4
