"""Likelihoods of restricted Boltzmann machines, with what is known of their error."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.exceptions import LikelihoodWarning
from wideangle.functional.boltzmann import Machine
from wideangle.functional.modes import log_partition_floor
from wideangle.functional.partition import (
    MOST_ENUMERATED,
    LogPartition,
    annealed_log_partition,
    annealed_log_partition_by_length,
    exact_log_partition,
)

CHAINS = 100
FIRST_TEMPERATURES = 300  # of the first annealing run
TEMPERATURE_GROWTH = 4  # Each further run has this many times as many temperatures.
MOST_TEMPERATURES = 20_000  # A run that would have more is not begun.
FEWEST_CHAINS = 5.0  # With fewer effective chains neither an estimate of log Z nor its error means anything.
ACCURACY = 0.005  # A standard error of log p per token or unit that is at most this is good enough.
MOST_TERMS = 2**28  # The exact sum over all states is used by default where it has at most this many terms.


@dataclass(frozen=True, eq=False)
class Likelihood:
    """log p of each row, and how far it can be trusted."""

    log_p: NDArray[np.float64]
    lengths: NDArray[np.float64]
    """tokens of each document, or visible units of each row"""
    standard_error: NDArray[np.float64]
    """of log p; it comes from log Z, which all rows of one length share, so it does not average out"""
    effective_samples: NDArray[np.float64]
    """how many equally weighted chains the annealed ones are worth; infinite where log Z is exact"""
    temperatures: int
    """of the last annealing run; 0 where log Z is exact"""
    doubt: str
    """why the estimate is not to be trusted; empty where it is"""

    @property
    def perplexity(self) -> float:
        """exp(−mean over rows of log p / length), rows without a token left out."""
        written = self.lengths > 0
        with np.errstate(over="ignore"):
            return float(np.exp(-np.mean(self.log_p[written] / self.lengths[written])))

    @property
    def perplexity_error(self) -> float:
        """Standard error of the perplexity that comes from log Z."""
        written = self.lengths > 0
        return self.perplexity * float(np.mean(self.standard_error[written] / self.lengths[written]))


def log_partition_of(
    machine: Machine,
    lengths: Tensor | None,
    draws: Callable[[], torch.Generator],
    *,
    chains: int,
    temperatures: int,
    exact: bool | None,
) -> LogPartition:
    """log Z: exact where `exact` says so or the sum over all states is short, else by annealed importance sampling."""
    K = machine.components.shape[0]
    side = K if lengths is not None else min(machine.components.shape)
    if exact is None:
        exact = side <= MOST_ENUMERATED and 2**side * machine.components.numel() // side <= MOST_TERMS
    if exact:
        double = Machine(*(part.double() for part in machine))
        value = exact_log_partition(double, None if lengths is None else lengths.double())
        return LogPartition(value, torch.zeros_like(value), torch.full_like(value, math.inf), exact=True)
    if lengths is None:
        return annealed_log_partition(machine, draws(), chains=chains, temperatures=temperatures)
    return annealed_log_partition_by_length(machine, lengths, draws(), chains=chains, temperatures=temperatures)


def likelihood_of(
    machine: Machine,
    minus_free_energy: NDArray[np.float64],
    lengths: NDArray[np.float64],
    documents: bool,
    states: Tensor,
    draws: Callable[[], torch.Generator],
    max_temperatures: int = MOST_TEMPERATURES,
) -> Likelihood:
    """log p = −F − log Z of each row, with as many temperatures as a trustworthy log Z needs, up to the budget.

    `states` are hidden states near the rows. log Z cannot be lower than their own sum; see `functional.modes`.
    """
    distinct, where, rows = np.unique(lengths, return_inverse=True, return_counts=True)
    asked = torch.as_tensor(distinct).to(machine.components) if documents else None
    floor = log_partition_floor(machine, asked, states).cpu()
    # An error of log Z_N changes log p per token by 1/N of it. Every row has the same weight.
    share = torch.as_tensor(rows / (np.maximum(distinct, 1) * rows.sum()))
    generator = draws()  # One stream for all runs: a run that repeated the draws of another could not contradict it.
    temperatures, before = FIRST_TEMPERATURES, None
    while True:
        found = log_partition_of(
            machine, asked, lambda: generator, chains=CHAINS, temperatures=temperatures, exact=None
        )
        found = found.cpu()
        doubt = _doubt(found, before, floor, share, temperatures)
        if not doubt or TEMPERATURE_GROWTH * temperatures > max_temperatures:
            break
        temperatures, before = TEMPERATURE_GROWTH * temperatures, found
    found = replace(found, value=torch.maximum(found.value, floor))  # log Z is proven to be at least the floor.

    def each(part: Tensor) -> NDArray[np.float64]:
        return np.broadcast_to(part.numpy(), distinct.shape)[where.ravel()]

    log_p = minus_free_energy - each(found.value)
    used = 0 if found.exact else temperatures
    return Likelihood(log_p, lengths, each(found.standard_error), each(found.effective_samples), used, doubt)


def warn_of_doubt(likelihood: Likelihood, stacklevel: int) -> None:
    """A warning where the estimate is not to be trusted."""
    if likelihood.doubt:
        warnings.warn(
            f"the likelihood is not to be trusted: {likelihood.doubt} What is returned is too high, if anything. A "
            "machine trained by few Gibbs sweeps may have states that its training did not see: train with more "
            "cd_steps, persistent=True or dropout, or with fewer components; or raise max_temperatures.",
            LikelihoodWarning,
            stacklevel=stacklevel + 1,
        )


def _doubt(found: LogPartition, before: LogPartition | None, floor: Tensor, share: Tensor, temperatures: int) -> str:
    """Why an estimate cannot be trusted yet; empty where it can.

    An estimate must not be far below the floor. In addition, either its own error is small and comes from enough
    effective chains, or a run with more temperatures has changed it by no more than such an error. `share` is what an
    error of log Z does to log p per token, averaged over rows.
    """
    if found.exact:
        return ""
    run = f"{CHAINS} chains annealed over {temperatures:,} temperatures"
    short = floor - found.value
    if float((share * short.clamp_min(0)).sum()) > ACCURACY:
        return f"{run} missed likely states: log Z is {float(short.max()):,.1f} nats or more above their estimate."
    worth = float(found.effective_samples.min())
    if worth >= FEWEST_CHAINS and float((share * found.standard_error).sum()) <= ACCURACY:
        return ""
    changed = math.inf if before is None else float((share * (found.value - before.value).abs()).sum())
    if changed <= ACCURACY:
        return ""
    return f"{run} are worth {worth:.1f} independent ones, and changed log p by {changed:.1%} per token or unit."


def checked_temperatures(max_temperatures: Any) -> int:
    """The budget of annealing. A budget too small for the first run raises an error."""
    if not max_temperatures >= FIRST_TEMPERATURES:
        raise ValueError(f"max_temperatures must be at least {FIRST_TEMPERATURES}; got {max_temperatures}.")
    return int(max_temperatures)
