"""Likelihoods of restricted Boltzmann machines, with what is known of their error."""

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle._arguments import whole
from wideangle.exceptions import LikelihoodWarning, NoWordsError
from wideangle.functional.boltzmann import GaussianMachine, Machine, sample_bernoulli
from wideangle.functional.modes import log_partition_floor
from wideangle.functional.partition import (
    MOST_ENUMERATED,
    ForwardRun,
    LogPartition,
    exact_log_partition,
    forward_run,
    path_of,
    with_run_backward,
)

CHAINS = 100
TRIAL_CHAINS, TRIAL_TEMPERATURES = 50, 75  # of the short runs that choose a path and that longer ones must agree with
FIRST_TEMPERATURES = 300  # of the first annealing run
TEMPERATURE_GROWTH = 4  # Each further run has this many times as many temperatures.
MOST_TEMPERATURES = 20_000  # A run that would have more is not begun.
FEWEST_CHAINS = 5.0  # With fewer effective chains the spread of the weights says nothing of the error.
ACCURACY = 0.005  # A standard error of log p per token or unit that is at most this is good enough.
ROUGH = 0.01  # After several runs this is good enough too.
RANDOM_STATES = 100  # hidden states from which likely ones are looked for, besides those of rows and chains
MOST_TERMS = 2**28  # The exact sum over all states is used by default where it has at most this many terms.


@dataclass(frozen=True, eq=False)
class Likelihood:
    """log p of each row, and how far it can be trusted."""

    log_p: NDArray[np.float64]
    lengths: NDArray[np.float64]
    """tokens of each document, or visible units of each row"""
    standard_error: NDArray[np.float64]
    """of log p; it comes from log Z, which all rows of one length share, so it does not average out. It includes the
    spread of the weights and the disagreement of runs, but no states that none of them reached"""
    effective_samples: NDArray[np.float64]
    """how many equally weighted chains the annealed ones are worth; infinite where log Z is exact"""
    temperatures: int
    """of the last annealing run; 0 where log Z is exact"""
    doubt: str
    """why the estimate is not to be trusted; empty where it is"""

    @property
    def with_words(self) -> NDArray[np.bool_]:
        """Which rows have a token. An error where none has: there is nothing to average."""
        if not (self.lengths > 0).any():
            raise NoWordsError(
                "no document has a word that counts, so that there is no log p per word. Check the rows."
            )
        return self.lengths > 0

    @property
    def perplexity(self) -> float:
        """exp(−mean over rows of log p / length), rows without a token left out."""
        written = self.with_words
        with np.errstate(over="ignore"):
            return float(np.exp(-np.mean(self.log_p[written] / self.lengths[written])))

    @property
    def perplexity_error(self) -> float:
        """Standard error of the perplexity that comes from log Z."""
        written = self.with_words
        return self.perplexity * float(np.mean(self.standard_error[written] / self.lengths[written]))


def exact_or_none(machine: Machine, lengths: Tensor | None, exact: bool | None) -> LogPartition | None:
    """log Z as a sum over all states where `exact` says so or, by default, where the sum is short."""
    K = machine.components.shape[0]
    hidden_only = lengths is not None or isinstance(machine, GaussianMachine)
    side = K if hidden_only else min(machine.components.shape)
    if exact is None:
        exact = side <= MOST_ENUMERATED and 2**side * machine.components.numel() // side <= MOST_TERMS
    if not exact:
        return None
    value = exact_log_partition(machine.double(), None if lengths is None else lengths.double())
    none = torch.zeros_like(value)
    return LogPartition(value, none, torch.full_like(value, math.inf), none, exact=True)


def log_partition_of(
    machine: Machine,
    lengths: Tensor | None,
    draws: torch.Generator,
    *,
    chains: int,
    temperatures: int,
    exact: bool | None,
) -> LogPartition:
    """log Z: exact where `exact` says so or the sum over all states is short, else annealed in both directions."""
    found = exact_or_none(machine, lengths, exact)
    if found is not None:
        return found
    asked, where = (None, 0) if lengths is None else torch.unique(lengths.double().cpu(), return_inverse=True)
    base = _trial(machine, asked, draws)[0]
    path = path_of(machine, temperatures, asked, base)
    found = with_run_backward(path, forward_run(path, chains, draws), draws)
    return found.at(where.to(found.value.device) if isinstance(where, Tensor) else where)


def _trial(machine: Machine, asked: Tensor | None, draws: torch.Generator) -> tuple[Tensor | None, ForwardRun, Tensor]:
    """The base from which a short run finds most, that run, and the hidden states in which all short runs ended.

    Runs that miss states find too little, and hardly any finds too much (Markov's inequality): more is better.
    """
    alpha = machine.visible_bias
    bases: list[Tensor | None] = [None] if asked is not None else [alpha, torch.zeros_like(alpha)]
    runs = [forward_run(path_of(machine, TRIAL_TEMPERATURES, asked, base), TRIAL_CHAINS, draws) for base in bases]
    ends = torch.cat([_hidden(run, asked is not None) for run in runs])
    best = max(range(len(runs)), key=lambda i: float(runs[i].found.value[-1]))
    return bases[best], runs[best], ends


def _hidden(run: ForwardRun, documents: bool) -> Tensor:
    """Hidden states of the chains at the end of a run: chains of documents are of hidden states, others of rows."""
    return run.state[0] if documents else (run.state[1] > 0).to(run.state[1])


def likelihood_of(
    machine: Machine,
    minus_free_energy: NDArray[np.float64],
    lengths: NDArray[np.float64],
    documents: bool,
    states: Tensor,
    draws: torch.Generator,
    max_temperatures: int = MOST_TEMPERATURES,
) -> Likelihood:
    """log p = −F − log Z of each row, with as many temperatures as a trustworthy log Z needs, up to the budget.

    `states` are hidden states near the rows. log Z cannot be lower than what they prove; see `functional.modes`.
    """
    distinct, where, rows = np.unique(lengths, return_inverse=True, return_counts=True)
    asked = torch.as_tensor(distinct) if documents else None
    # An error of log Z_N changes log p per token by 1/N of it. Every row has the same weight.
    share = torch.as_tensor(rows / (np.maximum(distinct, 1) * rows.sum()))
    exact = exact_or_none(machine, None if asked is None else asked.to(machine.components), None)
    if exact is not None:
        found, doubt, used = exact.cpu(), "", 0
    else:
        found, doubt, used = _annealed(machine, asked, share, states, draws, max_temperatures)

    def each(part: Tensor) -> NDArray[np.float64]:
        return np.broadcast_to(part.numpy(), distinct.shape)[where.ravel()]

    log_p = minus_free_energy - each(found.value)
    return Likelihood(log_p, lengths, each(found.standard_error), each(found.effective_samples), used, doubt)


def _annealed(
    machine: Machine, asked: Tensor | None, share: Tensor, states: Tensor, draws: torch.Generator, max_temperatures: int
) -> tuple[LogPartition, str, int]:
    """log Z, what speaks against it, and the temperatures of the last run.

    All runs have one stream of random numbers: a run that repeated the draws of another could not contradict it.
    """
    base, trial, ends = _trial(machine, asked, draws)
    some = torch.rand((RANDOM_STATES, 1), generator=draws, device=states.device).to(states).expand(-1, states.shape[1])
    starts = torch.cat([states, ends, sample_bernoulli(some, draws)])
    sizes = None if asked is None else asked.to(machine.components.device)
    floor = log_partition_floor(machine, sizes, starts).cpu().reshape(-1)
    temperatures, before = FIRST_TEMPERATURES, trial.found.cpu()
    while True:
        last = TEMPERATURE_GROWTH * temperatures > max_temperatures
        path = path_of(machine, temperatures, asked, base)
        run = forward_run(path, CHAINS, draws)
        found = run.found.cpu()
        judge = Judge(before, floor, share, temperatures)
        doubt = judge.doubt(found)
        # A run backward from where chains ended does not find what they missed.
        if not doubt or (last and not judge.missed(found)):
            found = with_run_backward(path, run, draws).cpu()
            doubt = judge.doubt(found)
        if last or not doubt:
            break
        temperatures, before = TEMPERATURE_GROWTH * temperatures, found
    found = replace(found, standard_error=judge.error(found), value=torch.maximum(found.value, floor))
    return found, doubt, temperatures


@dataclass(frozen=True)
class Judge:
    """Whether an estimate of log Z can be trusted, given one by a shorter run and a lower bound."""

    before: LogPartition
    floor: Tensor
    share: Tensor
    """what an error of log Z does to log p per token or unit, averaged over rows; one for each log Z"""
    temperatures: int

    def doubt(self, found: LogPartition) -> str:
        """Why the estimate cannot be trusted yet; empty where it can.

        An estimate must not lie below the floor by more than its error, nor differ by more than three standard errors
        and the accuracy asked for from what was known before: the shorter run and the floor. In addition, either its
        error is small and comes from enough effective chains; or it is that of the third run at least, and its error is
        still of use.
        """
        run = f"{CHAINS} chains annealed over {self.temperatures:,} temperatures"
        if self.missed(found):
            short = float((self.floor - found.value).max())
            return (
                f"{run} missed likely states: log Z is {short:,.1f} nats or more above their estimate, "
                "and log p at least as far below."
            )
        change = torch.maximum(found.value, self.floor) - torch.maximum(self.before.value, self.floor)
        changed, error = self._per_token(change.abs()), self._per_token(self.error(found))
        noise = self._per_token(torch.hypot(found.standard_error, self.before.standard_error))
        worth = float(found.effective_samples.min())
        several = self.temperatures > FIRST_TEMPERATURES
        enough = error <= (ROUGH if several else ACCURACY) and (several or worth >= FEWEST_CHAINS)
        if enough and changed <= ACCURACY + 3 * noise:
            return ""
        way = "lower" if float((self.share * change).sum()) > 0 else "higher"
        return (
            f"{run} are worth {worth:.1f} independent ones, made log p {changed:.1%} per token or unit {way}, and "
            f"forward and backward differ by {self._per_token(found.gap.abs()):.1%}."
        )

    def missed(self, found: LogPartition) -> bool:
        """Whether the estimate lies below what is proven, by more than its error explains."""
        return self._per_token((self.floor - found.value - 2 * found.standard_error).clamp_min(0)) > ACCURACY

    def error(self, found: LogPartition) -> Tensor:
        """The standard error of an estimate: where few chains count, at least half of what the last run changed."""
        few = found.effective_samples < FEWEST_CHAINS
        changed = (found.value - self.before.value).abs() / 2
        return torch.where(few, torch.maximum(found.standard_error, changed), found.standard_error)

    def _per_token(self, nats: Tensor) -> float:
        return float((self.share * nats).sum())


def warn_of_doubt(likelihood: Likelihood, stacklevel: int) -> None:
    """A warning where the estimate is not to be trusted."""
    if likelihood.doubt:
        warnings.warn(
            f"the likelihood is not to be trusted: {likelihood.doubt} Annealing that misses states makes log p too "
            "high. A machine trained by few Gibbs sweeps may have states that its training did not see: train with "
            "more cd_steps, persistent=True or dropout, or with fewer components; or raise max_temperatures.",
            LikelihoodWarning,
            stacklevel=stacklevel + 1,
        )


def checked_temperatures(max_temperatures: Any) -> int:
    """The budget of annealing. A budget too small for the first run raises an error."""
    found: int = whole(least=FIRST_TEMPERATURES)(max_temperatures, "max_temperatures")
    return found
