"""The partition function: exact by enumeration, or estimated by annealed importance sampling."""

import math
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag, softplus

from wideangle.functional.boltzmann import Machine, draw_words, gibbs_step, hidden_logits, sample_bernoulli
from wideangle.functional.modes import state_exponent

MOST_ENUMERATED = 20  # units: a million states
_STATES_AT_ONCE = 2**14


@dataclass(frozen=True, eq=False)
class LogPartition:
    """log Z with what is known of its error."""

    value: Tensor
    """log Z; one for each document length of a Replicated Softmax"""
    standard_error: Tensor
    """of log Z, from the spread of the importance weights; 0 where exact"""
    effective_samples: Tensor
    """how many equally weighted chains the weighted ones are worth"""
    exact: bool

    def cpu(self) -> "LogPartition":
        """The same, in double precision on the CPU."""
        value, error, worth = (
            part.double().cpu() for part in (self.value, self.standard_error, self.effective_samples)
        )
        return LogPartition(value, error, worth, self.exact)


def exact_log_partition(machine: Machine, lengths: Tensor | None = None) -> Tensor:
    """log Z by summing over all states of the smaller side (for documents: the hidden side).

    log Z = log Σ_h exp(β·h) Π_j (1 + exp(α_j + (h A)_j)); for documents of length N,
    log Z_N = log Σ_h exp(N (β·h + log Σ_j exp(α_j + (h A)_j))).
    """
    if lengths is None and machine.components.shape[1] < machine.components.shape[0]:
        A, alpha, beta = machine
        machine = Machine(A.mT, beta, alpha)  # the energy is symmetric in the two sides
    K = machine.components.shape[0]
    if K > MOST_ENUMERATED:
        raise ValueError(f"2^{K} states are too many to sum over; estimate log Z by annealed importance sampling.")
    terms = []
    for first in range(0, 2**K, _STATES_AT_ONCE):
        numbers = torch.arange(first, min(first + _STATES_AT_ONCE, 2**K), device=machine.components.device)
        h = ((numbers[:, None] >> torch.arange(K, device=numbers.device)) & 1).to(machine.components.dtype)
        terms.append(state_exponent(machine, h, lengths).logsumexp(-1))
    return torch.stack(terms).logsumexp(0)


def annealed_log_partition(
    machine: Machine,
    generator: torch.Generator,
    *,
    chains: int = 100,
    temperatures: int = 1000,
    base_bias: Tensor | None = None,
) -> LogPartition:
    """log Z of the Bernoulli machine by annealed importance sampling (Neal 2001; Salakhutdinov and Murray 2008).

    Chains start from the model with visible biases `base_bias` (α by default) and no components, whose log Z is
    known, and move through `temperatures` steps to the machine.

    The standard error is that of log of the mean weight by the delta method. It is honest when the effective
    number of samples is well above 1; when it is near 1, take more temperatures.
    """
    A, alpha, beta = machine
    start = alpha if base_bias is None else base_bias
    visible = sample_bernoulli(torch.sigmoid(start).expand(chains, -1), generator)
    log_weight = torch.zeros(chains, dtype=torch.float64, device=A.device)
    steps = torch.linspace(0, 1, temperatures + 1, dtype=torch.float64).tolist()
    for cold, warm in pairwise(steps):
        logits = hidden_logits(machine, visible)
        bias = visible @ (alpha - start)
        gain = (warm - cold) * bias + (softplus(warm * logits) - softplus(cold * logits)).sum(1)
        log_weight += gain.double()
        if warm < 1:
            # One Gibbs sweep that leaves the model at this temperature invariant.
            between = Machine(warm * A, start + warm * (alpha - start), warm * beta)
            hidden = sample_bernoulli(torch.sigmoid(warm * logits), generator)
            visible, _ = gibbs_step(between, hidden, generator)
    return _estimate(log_weight, len(beta) * math.log(2) + softplus(start).double().sum())


def annealed_log_partition_by_length(
    machine: Machine, lengths: Tensor, generator: torch.Generator, *, chains: int = 100, temperatures: int = 1000
) -> LogPartition:
    """log Z_N of the Replicated Softmax at every length N asked for, by one run of annealed importance sampling.

    The hidden units of documents of N tokens have p(h) ∝ exp(N f(h)), f(h) = β·h + log Σ_j exp(α_j + (h A)_j): the
    length is itself an inverse temperature. So chains start at N = 0, where units are coin flips and Z is 2^K, and
    documents grow until the longest is reached; each length on the way has its estimate. New tokens come in by
    t = 0…1 as draws from softmax(α + t h A), in more steps the more tokens they add to those that are there. The
    first token takes `temperatures`/4 steps. Once N has reached that number, one step is enough, and documents grow
    by the share 4/`temperatures` in each.

    The standard error and the effective samples are those of `annealed_log_partition`.
    """
    A, alpha, beta = machine
    asked, where = torch.unique(lengths.double().cpu(), return_inverse=True)
    flat = float(alpha.double().logsumexp(0))  # f without components
    hidden = sample_bernoulli(torch.full((chains, len(beta)), 0.5).to(A), generator)
    log_weight = torch.zeros(chains, dtype=torch.float64, device=A.device)
    by_word = A.mT.contiguous()

    def said(logits: Tensor, tokens: int) -> Tensor:
        """A n for counts n of `tokens` words drawn from softmax(α + logits), as a sum of rows of Aᵀ, without n."""
        drawn, _ = draw_words(alpha + logits, logits.new_full((chains,), tokens), generator, tokens)
        return embedding_bag(drawn, by_word, mode="sum")

    found: list[LogPartition] = []
    there, pace = 0, max(1, temperatures // 4)
    while True:
        coming = max(1, round(there / pace))
        words = hidden @ A
        for length in asked[len(found) :].tolist():
            if length >= there + coming:
                break
            # This length lies between two that the chains visit, and adds too few tokens to need steps of its own.
            more = (length - there) * (_exponent(words, hidden, machine, 1.0) - flat)
            found.append(_estimate(log_weight + more, len(beta) * math.log(2) + length * flat))
        if len(found) == len(asked):
            break
        for cold, warm in pairwise(torch.linspace(0, 1, -(-pace * coming // max(1, there)) + 1).tolist()):
            gain = _exponent(words, hidden, machine, warm) - _exponent(words, hidden, machine, cold)
            log_weight += coming * gain
            # One Gibbs sweep at this many tokens, the new ones at this temperature.
            evidence = (there + warm * coming) * beta + warm * said(warm * words, coming)
            if there:
                evidence += said(words, there)
            hidden = sample_bernoulli(torch.sigmoid(evidence), generator)
            words = hidden @ A
        there += coming
    again = where.to(A.device)
    return LogPartition(
        value=torch.stack([each.value for each in found])[again],
        standard_error=torch.stack([each.standard_error for each in found])[again],
        effective_samples=torch.stack([each.effective_samples for each in found])[again],
        exact=False,
    )


def _exponent(words: Tensor, hidden: Tensor, machine: Machine, t: float) -> Tensor:
    """t β·h + log Σ_j exp(α_j + t (h A)_j): what one token adds to the log-probability of the hidden units."""
    return (t * (hidden @ machine.hidden_bias) + (machine.visible_bias + t * words).logsumexp(1)).double()


def _estimate(log_weight: Tensor, base: Tensor | float) -> LogPartition:
    """log Z from the chains' log-weights and the log Z they started from."""
    highest = log_weight.max()
    shifted = (log_weight - highest).exp()
    mean, chains = shifted.mean(), len(shifted)
    error = shifted.std() / (mean * math.sqrt(chains)) if chains > 1 else torch.full_like(mean, math.nan)
    effective = shifted.sum().square() / shifted.square().sum()
    return LogPartition(base + highest + mean.log(), error, effective, exact=False)
