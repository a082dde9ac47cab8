"""The partition function: exact by enumeration, or estimated by annealed importance sampling."""

import math
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn.functional import softplus

from wideangle.functional.boltzmann import Machine, gibbs_step, hidden_logits, sample_bernoulli, sample_words

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


def exact_log_partition(machine: Machine, lengths: Tensor | None = None) -> Tensor:
    """log Z by summing over all states of the smaller side (for documents: the hidden side).

    log Z = log Σ_h exp(β·h) Π_j (1 + exp(α_j + (h A)_j)); for documents of length N,
    log Z_N = log Σ_h exp(N (β·h + log Σ_j exp(α_j + (h A)_j))).
    """
    if lengths is None and machine.components.shape[1] < machine.components.shape[0]:
        A, alpha, beta = machine
        machine = Machine(A.mT, beta, alpha)  # the energy does not mind which side is called hidden
    K = machine.components.shape[0]
    if K > MOST_ENUMERATED:
        raise ValueError(f"2^{K} states are too many to sum over; estimate log Z by annealed importance sampling.")
    terms = []
    for first in range(0, 2**K, _STATES_AT_ONCE):
        numbers = torch.arange(first, min(first + _STATES_AT_ONCE, 2**K), device=machine.components.device)
        h = ((numbers[:, None] >> torch.arange(K, device=numbers.device)) & 1).to(machine.components.dtype)
        logits = machine.visible_bias + h @ machine.components
        bias = h @ machine.hidden_bias
        if lengths is None:
            terms.append((bias + softplus(logits).sum(1)).logsumexp(0))
        else:
            exponent = bias + logits.logsumexp(1)
            terms.append((lengths[:, None].to(exponent) * exponent).logsumexp(1))
    return torch.stack(terms).logsumexp(0)


def annealed_log_partition(
    machine: Machine,
    generator: torch.Generator,
    *,
    chains: int = 100,
    temperatures: int = 1000,
    lengths: Tensor | None = None,
    base_bias: Tensor | None = None,
) -> LogPartition:
    """log Z by annealed importance sampling (Neal 2001; Salakhutdinov and Murray 2008).

    Chains start from the model with visible biases `base_bias` (α by default) and no components, whose log Z is
    known, and move through `temperatures` steps to the machine. Each document length has chains of its own.

    The standard error is that of log of the mean weight by the delta method. It is honest when the effective
    number of samples is well above 1; when it is near 1, take more temperatures.
    """
    A, alpha, beta = machine
    K, D = A.shape
    start = alpha if base_bias is None else base_bias
    copies = None if lengths is None else lengths.repeat_interleave(chains).to(A.dtype)
    rows = chains if copies is None else len(copies)
    visible = _sampled_visible(start.expand(rows, D), copies, generator)
    log_weight = torch.zeros(rows, dtype=torch.float64, device=A.device)
    steps = torch.linspace(0, 1, temperatures + 1, dtype=torch.float64).tolist()
    for cold, warm in pairwise(steps):
        logits = hidden_logits(machine, visible, copies)
        bias = visible @ (alpha - start)
        gain = (warm - cold) * bias + (softplus(warm * logits) - softplus(cold * logits)).sum(1)
        log_weight += gain.double()
        if warm < 1:
            # One Gibbs sweep that leaves the model at this temperature invariant.
            between = Machine(warm * A, start + warm * (alpha - start), warm * beta)
            hidden = sample_bernoulli(torch.sigmoid(warm * logits), generator)
            visible, _ = gibbs_step(between, hidden, generator, copies)
    if copies is None:
        base = softplus(start).double().sum()
        weights = log_weight[None]
    else:
        assert lengths is not None
        base = lengths.double() * start.double().logsumexp(0)
        weights = log_weight.view(len(lengths), chains)
    shifted = (weights - weights.amax(1, keepdim=True)).exp()
    mean = shifted.mean(1)
    error = shifted.std(1) / (mean * math.sqrt(chains)) if chains > 1 else torch.full_like(mean, math.nan)
    value = K * math.log(2) + base + weights.amax(1) + mean.log()
    effective = shifted.sum(1).square() / shifted.square().sum(1)
    if copies is None:
        return LogPartition(value[0], error[0], effective[0], exact=False)
    return LogPartition(value, error, effective, exact=False)


def _sampled_visible(logits: Tensor, lengths: Tensor | None, generator: torch.Generator) -> Tensor:
    if lengths is None:
        return sample_bernoulli(torch.sigmoid(logits), generator)
    return sample_words(logits, lengths, generator)
