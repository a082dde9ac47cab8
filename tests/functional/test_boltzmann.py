"""Both Boltzmann machines against exhaustive enumeration of their states."""

import itertools
import math

import pytest
import torch
from scipy.stats import chi2

from wideangle.functional.annealing import Backward
from wideangle.functional.boltzmann import (
    Machine,
    draw_columns,
    energy,
    free_energy,
    gibbs_step,
    hidden_logits,
    sample_bernoulli,
    sample_words,
    visible_logits,
)
from wideangle.functional.bridge import bridged
from wideangle.functional.partition import (
    annealed_log_partition,
    annealed_log_partition_by_length,
    bridged_log_partition,
    exact_log_partition,
)


def machine(K=3, D=4, seed=0, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return Machine(*(scale * torch.randn(s, generator=generator, dtype=torch.float64) for s in ((K, D), (D,), (K,))))


def states(n):
    return torch.tensor(list(itertools.product([0.0, 1.0], repeat=n)), dtype=torch.float64)


def documents(words, length):
    """All ordered documents of a length, as counts; equal counts repeat as often as there are orders."""
    rows = [
        torch.bincount(torch.tensor(d, dtype=torch.long), minlength=words)
        for d in itertools.product(range(words), repeat=length)
    ]
    return torch.stack(rows).double()


def naive_energy(m, v, h, length=1.0):
    total = 0.0
    for j in range(len(v)):
        total -= float(m.visible_bias[j] * v[j])
    for k in range(len(h)):
        total -= length * float(m.hidden_bias[k] * h[k])
        for j in range(len(v)):
            total -= float(m.components[k, j] * h[k] * v[j])
    return total


def test_energy_equals_the_papers_sums():
    m = machine()
    for v, h in itertools.product(states(4)[::3], states(3)):
        assert float(energy(m, v[None], h[None])[0]) == pytest.approx(naive_energy(m, v, h))
    for v in documents(4, 3)[::7]:
        for h in states(3):
            lengths = torch.tensor([3.0], dtype=torch.float64)
            assert float(energy(m, v[None], h[None], lengths)[0]) == pytest.approx(naive_energy(m, v, h, 3.0))


@pytest.mark.parametrize("length", [None, 0, 1, 3])
def test_free_energy_and_conditionals_are_those_of_the_enumerated_joint(length):
    m = machine()
    visible = states(4) if length is None else documents(4, length)
    lengths = None if length is None else torch.full((len(visible),), float(length), dtype=torch.float64)
    h = states(3)
    joint = torch.stack([-energy(m, visible, row.expand(len(visible), -1), lengths) for row in h])  # log p*, h × v
    assert torch.allclose(free_energy(m, visible, lengths), -joint.logsumexp(0))
    posterior = torch.softmax(joint, 0)
    assert torch.allclose(torch.sigmoid(hidden_logits(m, visible, lengths)), posterior.T @ h)
    given_h = torch.softmax(joint, 1)  # p(v | h)
    logits = visible_logits(m, h)
    expected = torch.sigmoid(logits) if length is None else length * torch.softmax(logits, 1)
    assert torch.allclose(given_h @ visible, expected)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (1, 1)])
def test_exact_log_partition_of_the_bernoulli_machine(shape):
    m = machine(*shape)
    total = torch.stack([-energy(m, states(shape[1]), h.expand(2 ** shape[1], -1)) for h in states(shape[0])])
    assert float(exact_log_partition(m)) == pytest.approx(float(total.flatten().logsumexp(0)))


def test_exact_log_partition_of_the_replicated_softmax():
    m = machine(3, 4)
    lengths = torch.tensor([0.0, 1.0, 2.0, 5.0], dtype=torch.float64)
    expected = [float((-free_energy(m, d, d.sum(1))).logsumexp(0)) for d in (documents(4, int(n)) for n in lengths)]
    assert exact_log_partition(m, lengths).tolist() == pytest.approx(expected)


def test_too_many_states_name_the_way_out():
    with pytest.raises(ValueError, match="2\\^21 states.*annealed"):
        exact_log_partition(machine(21, 30))


def test_words_drawn_have_the_lengths_and_the_distribution(generator):
    logits = torch.log(torch.tensor([[0.5, 0.3, 0.2]], dtype=torch.float64)).repeat(3, 1)
    counts = sample_words(logits, torch.tensor([0.0, 5.0, 60_000.0]), generator)
    assert counts.sum(1).tolist() == [0, 5, 60_000]
    assert (counts[2] / 60_000).tolist() == pytest.approx([0.5, 0.3, 0.2], abs=0.01)


def improbability(counts, expected):
    """The probability that a chi-square test gives for counts that are as far from the expected ones, or farther."""
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return chi2.sf(statistic, expected.numel() - len(expected))  # the counts of each row sum to what is expected


# Few draws of many columns are drawn by blocks, padded where no width divides the columns, or by blocks of blocks.
@pytest.mark.quick_cases(4)
@pytest.mark.parametrize(("columns", "n"), [(7, 3), (200, 1), (200, 50), (211, 2), (1000, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_columns_are_drawn_in_proportion_to_their_weights(columns, n, dtype):
    for seed in range(2):
        generator = torch.Generator().manual_seed(seed)
        weights = torch.rand(3, columns, generator=generator, dtype=dtype) + 0.5
        weights[:, 1::7] = 0  # a column without weight is never drawn
        repeats = 20_000 // n
        drawn = draw_columns(weights.repeat(repeats, 1), n, generator)
        assert drawn.shape == (3 * repeats, n)
        rows = torch.arange(3).repeat(repeats)[:, None].expand_as(drawn)
        counts = torch.bincount((rows * columns + drawn).flatten(), minlength=3 * columns).view(3, columns).double()
        there = weights[0] > 0
        assert counts[:, ~there].sum() == 0
        expected = repeats * n * weights.double() / weights.double().sum(1, keepdim=True)
        assert improbability(counts[:, there], expected[:, there]) > 1e-4


def test_columns_of_a_row_are_drawn_independently():
    """Pairs of draws by blocks, of columns that share a block and of others, are as frequent as their product."""
    generator = torch.Generator().manual_seed(0)
    weights = torch.tensor([1.0, 2.0, 3.0, 4.0]).repeat_interleave(torch.tensor([1, 49, 1, 149]))
    kinds = torch.tensor([0, 1, 2, 3]).repeat_interleave(torch.tensor([1, 49, 1, 149]))
    weights[[0, 50]] = torch.tensor([100.0, 200.0])
    first, second = kinds[draw_columns(weights.expand(40_000, -1).clone(), 2, generator)].mT
    share = torch.zeros(4, dtype=torch.float64).index_add_(0, kinds, weights.double()) / weights.sum()
    counts = torch.bincount(4 * first + second, minlength=16).double()[None]
    assert improbability(counts, 40_000 * torch.outer(share, share).reshape(1, -1)) > 1e-4


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bernoulli_draws_are_independent_and_as_likely_as_asked(dtype, generator):
    p = torch.tensor([0.0, 2**-18, 0.3, 0.5, 0.7, 1 - 2**-10, 1.0], dtype=dtype)
    n = 400_000
    drawn = sample_bernoulli(p.expand(n, -1), generator)
    assert drawn.dtype == dtype
    assert set(drawn.unique().tolist()) == {0.0, 1.0}
    assert drawn[:, 0].sum() == 0
    assert drawn[:, -1].sum() == n
    spread = (p * (1 - p) / n).sqrt()
    assert ((drawn.mean(0) - p).abs() <= 5 * spread).all()
    inner = drawn[:, 2:5] - drawn[:, 2:5].mean(0)
    correlation = (inner.mT @ inner) / n / (inner.std(0)[:, None] * inner.std(0))
    assert (correlation - torch.eye(3, dtype=dtype)).abs().max() < 5 / math.sqrt(n)
    assert abs(float((inner[1:] * inner[:-1]).mean())) < 0.005


@pytest.mark.parametrize("length", [None, 2])
def test_gibbs_sampling_reaches_the_model(length, generator):
    """Long chains visit states as often as their exact probability."""
    m = machine(2, 3, scale=0.8)
    chains = 20_000
    lengths = None if length is None else torch.full((chains,), float(length), dtype=torch.float64)
    hidden = torch.zeros(chains, 2, dtype=torch.float64)
    for _ in range(30):
        visible, probability = gibbs_step(m, hidden, generator, lengths)
        hidden = torch.bernoulli(probability, generator=generator)
    every = states(3) if length is None else documents(3, length)
    log_p = -free_energy(m, every, None if length is None else every.sum(1))
    expected = torch.softmax(log_p, 0) @ every
    assert torch.allclose(visible.mean(0), expected, atol=0.03)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("seed", range(20))
def test_annealing_agrees_with_enumeration(seed):
    """Within 0.1 nats, or within three of its own standard errors."""
    bernoulli = machine(6, 9, seed)
    estimate = annealed_log_partition(bernoulli, torch.Generator().manual_seed(seed), chains=100, temperatures=200)
    gap = abs(float(estimate.value - exact_log_partition(bernoulli)))
    assert gap < max(0.1, 3 * float(estimate.standard_error))
    softmax = machine(5, 12, seed, scale=0.5)
    # the same length twice, no token at all, half a token, out of order, and far beyond where lengths are passed over
    lengths = torch.tensor([30.0, 0.0, 1.0, 7.5, 30.0, 997.0], dtype=torch.float64)
    draws = torch.Generator().manual_seed(seed)
    estimate = annealed_log_partition_by_length(softmax, lengths, draws, chains=100, temperatures=200)
    gaps = (estimate.value - exact_log_partition(softmax, lengths)).abs()
    assert (gaps < torch.maximum(torch.tensor(0.1), 3 * estimate.standard_error)).all()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("replicated", [False, True])
def test_the_standard_error_is_honest(replicated):
    """Of 200 repeats about 95 % lie within two standard errors, and about 68 % within one."""
    m = machine(5, 8, 3, scale=0.7)
    lengths = torch.tensor([10.0], dtype=torch.float64) if replicated else None
    exact = exact_log_partition(m, lengths)
    scores = []
    for seed in range(200):
        generator = torch.Generator().manual_seed(seed)
        if lengths is None:
            estimate = annealed_log_partition(m, generator, chains=50, temperatures=20)
        else:
            estimate = annealed_log_partition_by_length(m, lengths, generator, chains=50, temperatures=20)
        scores.append(float((estimate.value - exact) / estimate.standard_error))
    scores = torch.tensor(scores).abs()
    assert 0.90 <= float((scores < 2).double().mean()) <= 0.99
    assert 0.58 <= float((scores < 1).double().mean()) <= 0.78


def test_weights_of_a_machine_without_components_are_all_equal(generator):
    m = machine(4, 6)
    plain = Machine(torch.zeros(4, 6, dtype=torch.float64), m.visible_bias, torch.zeros(4, dtype=torch.float64))
    estimate = annealed_log_partition(plain, generator, chains=10, temperatures=5)
    assert float(estimate.value) == pytest.approx(float(exact_log_partition(plain)))
    assert float(estimate.standard_error) == pytest.approx(0, abs=1e-12)
    assert float(estimate.effective_samples) == pytest.approx(10)
    assert math.isfinite(float(estimate.value))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("seed", range(3))
def test_runs_in_both_directions_agree_with_enumeration(seed):
    """Half a token, no token, the same length twice and out of order; and the runs see each other's blind side."""
    draws = torch.Generator().manual_seed(seed)
    rows = machine(6, 9, seed)
    found = bridged_log_partition(rows, draws, temperatures=200)
    assert abs(float(found.value - exact_log_partition(rows))) < max(0.1, 3 * float(found.standard_error))
    words = machine(5, 12, seed, scale=0.5)
    lengths = torch.tensor([30.0, 0.0, 0.5, 7.5, 30.0, 300.0], dtype=torch.float64)
    found = bridged_log_partition(words, draws, lengths=lengths, temperatures=200)
    assert ((found.value - exact_log_partition(words, lengths)).abs() < (3 * found.standard_error).clamp_min(0.1)).all()
    assert float(found.value[0]) == float(found.value[4])
    nothing = bridged_log_partition(words, draws, lengths=torch.zeros(1), temperatures=200)
    assert float(nothing.value[0]) == pytest.approx(5 * math.log(2))


def test_the_ratio_of_both_runs_cancels_their_errors():
    """Log-weights with the spread σ have means σ²/2 below log Z forward and above it backward, if they are normal."""
    generator = torch.Generator().manual_seed(0)
    noise = 2 * torch.randn(2, 20_000, generator=generator, dtype=torch.float64)
    found = bridged(7 - 2 + noise[:1], Backward(7 + 2 + noise[1:], torch.zeros_like(noise[1:])))
    assert float(found.value[0]) == pytest.approx(7, abs=4 * float(found.error[0]))
    assert 0.01 < float(found.error[0]) < 0.03
    # Chains that count for nothing change nothing.
    far = torch.full((1, 500), 1e3, dtype=torch.float64)
    more = Backward(torch.cat([7 + 2 + noise[1:], far], 1), torch.cat([torch.zeros_like(noise[1:]), far], 1))
    assert float(bridged(7 - 2 + noise[:1], more).value[0]) == pytest.approx(float(found.value[0]))
