"""The partition function: exact by enumeration, or estimated by annealing in one direction or both."""

import math
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from wideangle.functional.annealing import (
    BernoulliPath,
    GaussianPath,
    GrowingDocuments,
    Path,
    run_backward,
    run_forward,
)
from wideangle.functional.boltzmann import GaussianMachine, Machine
from wideangle.functional.bridge import bridged
from wideangle.functional.modes import state_exponent

MOST_ENUMERATED = 20  # units: a million states
START_SWEEPS = 10  # Chains that run backward move so many sweeps from where others ended.
_STATES_AT_ONCE = 2**14


@dataclass(frozen=True, eq=False)
class LogPartition:
    """log Z with what is known of its error."""

    value: Tensor
    """log Z; one for each document length of a Replicated Softmax"""
    standard_error: Tensor
    """of log Z, from the spread of the importance weights and from the gap; 0 where exact"""
    effective_samples: Tensor
    """how many equally weighted chains the weighted ones are worth"""
    gap: Tensor
    """by how much a run backward alone puts log Z above the run forward alone; 0 where there was none"""
    exact: bool

    def cpu(self) -> "LogPartition":
        """The same, in double precision on the CPU."""
        return self._each(lambda part: part.double().cpu())

    def at(self, where: Any) -> "LogPartition":
        """The same for some of the lengths."""
        return self._each(lambda part: part[where])

    def _each(self, change: Any) -> "LogPartition":
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: change(part) for name, part in parts.items() if isinstance(part, Tensor)})


class ForwardRun(NamedTuple):
    """What a run along a path has found."""

    found: LogPartition
    weights: Tensor
    """log-weights with log Z of the base, quantities × chains"""
    last: Tensor
    """log-weights at the end of the path"""
    state: tuple[Tensor, Tensor]
    """where the chains ended"""


def exact_log_partition(machine: Machine, lengths: Tensor | None = None) -> Tensor:
    """log Z by summing over all states of the smaller side (for documents and real values: the hidden side).

    log Z = log Σ_h exp(β·h) Π_j (1 + exp(α_j + (h A)_j)); for documents of length N,
    log Z_N = log Σ_h exp(N (β·h + log Σ_j exp(α_j + (h A)_j))).
    """
    real = isinstance(machine, GaussianMachine)
    if lengths is None and not real and machine.components.shape[1] < machine.components.shape[0]:
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
    known, and move through `temperatures` steps to the machine; see `annealing.BernoulliPath`.

    The standard error is that of log of the mean weight by the delta method. It includes the spread of the weights
    that were seen. It does not include states that no chain reached: all weights may agree while log Z is several nats
    too low. When the effective number of samples is near 1 it means nothing; then take more temperatures.
    `bridged_log_partition` sees more, and `log_likelihood` of a model compares several runs.
    """
    return forward_run(path_of(machine, temperatures, base_bias=base_bias), chains, generator).found.at(0)


def annealed_log_partition_by_length(
    machine: Machine, lengths: Tensor, generator: torch.Generator, *, chains: int = 100, temperatures: int = 1000
) -> LogPartition:
    """log Z_N of the Replicated Softmax at every length N asked for, by one run of annealed importance sampling.

    Documents grow from no token to the longest; each length on the way has its estimate. See
    `annealing.GrowingDocuments`. The standard error and the effective samples are those of `annealed_log_partition`.
    """
    asked, where = torch.unique(lengths.double().cpu(), return_inverse=True)
    found = forward_run(path_of(machine, temperatures, asked), chains, generator).found
    return found.at(where.to(found.value.device))


def bridged_log_partition(
    machine: Machine,
    generator: torch.Generator,
    *,
    lengths: Tensor | None = None,
    chains: int = 100,
    temperatures: int = 1000,
    base_bias: Tensor | None = None,
) -> LogPartition:
    """log Z, or log Z_N of each length, by a run of annealing and one backward from where it ended.

    The standard error adds half the gap between what the two runs say alone to the spread of the weights. As neither
    run sees states that no chain reached, the error does not include those; `modes.log_partition_floor` may prove that
    there are some.
    """
    asked, where = (None, 0) if lengths is None else torch.unique(lengths.double().cpu(), return_inverse=True)
    path = path_of(machine, temperatures, asked, base_bias)
    found = with_run_backward(path, forward_run(path, chains, generator), generator)
    return found.at(where.to(found.value.device) if isinstance(where, Tensor) else where)


def path_of(
    machine: Machine, temperatures: int, lengths: Tensor | None = None, base_bias: Tensor | None = None
) -> Path:
    """The path to the machine; for documents to all of the ascending `lengths`."""
    if isinstance(machine, GaussianMachine):
        return GaussianPath(machine, temperatures, base_bias)
    if lengths is None:
        return BernoulliPath(machine, temperatures, base_bias)
    return GrowingDocuments(machine, temperatures, lengths.tolist())


def forward_run(path: Path, chains: int, generator: torch.Generator) -> ForwardRun:
    """A run along the path, and what it alone says of log Z."""
    weights, last, state = run_forward(path, chains, generator)
    highest = weights.amax(1, keepdim=True)
    shifted = (weights - highest).exp()
    mean = shifted.mean(1)
    error = shifted.std(1) / (mean * math.sqrt(chains)) if chains > 1 else torch.full_like(mean, math.nan)
    effective = shifted.sum(1).square() / shifted.square().sum(1)
    found = LogPartition(highest[:, 0] + mean.log(), error, effective, torch.zeros_like(mean), exact=False)
    return ForwardRun(found, weights, last, state)


def with_run_backward(path: Path, forward: ForwardRun, generator: torch.Generator) -> LogPartition:
    """The estimate by a run forward and half as many chains that run backward from where it ended.

    They start from the ends of the run forward, drawn by their weights, which are draws from the machine as far as the
    run has found it, after a few sweeps.
    """
    chains, device = max(2, len(forward.last) // 2), forward.last.device
    # Systematic draws have one random number and equal distances, and so repeat no end more often than its weight asks.
    heights = torch.arange(chains, device=device) + torch.rand(1, generator=generator, device=device)
    reached = torch.softmax(forward.last, 0).cumsum(0)
    drawn = torch.searchsorted(reached, heights.double() / chains).clamp_max(len(forward.last) - 1)
    state = tuple(part[drawn] for part in forward.state)
    for _ in range(START_SWEEPS if path.steps else 0):
        state = path.sweep(state, path.steps - 1, generator)
    both = bridged(forward.weights, run_backward(path, state, generator))
    error = torch.hypot(both.error, both.gap / 2)
    return replace(forward.found, value=both.value, standard_error=error, gap=both.gap)
