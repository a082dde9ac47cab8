"""Paths from a distribution whose partition function is known to a machine, and runs along them in both directions.

A path is a row of distributions with unnormalised log-probabilities e₀ … e_T. A run forward starts with draws from the
first and takes one Gibbs sweep at each of the others. Its log-weight Σ_k e_{k+1}(x_k) − e_k(x_k) estimates log Z_T −
log Z₀ (Neal, Annealed importance sampling, 2001). A run backward starts with states of the machine and takes the same
sweeps in the opposite order. Where forward errs to the low side, backward errs to the high side (Grosse, Ghahramani and
Adams, Sandwiching the marginal likelihood using bidirectional Monte Carlo, 2015).
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag, softplus

from wideangle.functional.boltzmann import (
    HALF_LOG_2PI,
    Machine,
    draw_words,
    hidden_logits,
    sample_bernoulli,
    sample_normal,
)


class Backward(NamedTuple):
    """Log-weights of a run backward, one row per quantity that the path passes, one column per chain."""

    below: Tensor
    """with the log Z of the start of the path: from there to the quantity"""
    above: Tensor
    """from the quantity to where the run started: exp(−above) weights the chain as a draw at the quantity"""


class Path(Protocol):
    """What a run needs to know of a path of `steps` steps; a state is whatever `sweep` gives."""

    steps: int
    passed: dict[int, list[float]]
    """the quantities asked for, in order: the step before which they lie, and the tokens each has beyond that place"""
    base: Tensor
    """log Z of the base, as it counts in each of them"""

    def draw(self, chains: int, generator: torch.Generator) -> Any: ...

    def sweep(self, state: Any, step: int, generator: torch.Generator) -> Any:
        """One Gibbs sweep that leaves the distribution after this step invariant."""

    def gain(self, state: Any, step: int) -> Tensor:
        """What this step adds to the log-probability of each chain's state."""

    def more(self, state: Any, tokens: float) -> Tensor:
        """What so many further tokens add to it."""


class BernoulliPath:
    """Visible biases go from `base_bias` to α, components and hidden biases from 0 to A and β, all in equal steps.

    log p_t(v) = v·((1 − t) base_bias + t α) + Σ_k log(1 + exp(t (β_k + A_k·v))). With base_bias = 0 it is t times the
    energy: the path of falling temperature, which favours none of several states that the machine likes alike. With
    base_bias = α it starts nearer to a machine of few likely columns (Salakhutdinov and Murray 2008).
    """

    def __init__(self, machine: Machine, temperatures: int, base_bias: Tensor | None = None) -> None:
        self.machine, self.steps = machine, temperatures
        self.start = machine.visible_bias if base_bias is None else base_bias
        self.rise = machine.visible_bias - self.start
        self.passed = {temperatures: [0.0]}
        self.base = (len(machine.hidden_bias) * math.log(2) + softplus(self.start).double().sum())[None]

    def draw(self, chains: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        return self.of(self._drawn(self.start.expand(chains, -1), generator))

    def of(self, visible: Tensor) -> tuple[Tensor, Tensor]:
        return visible, hidden_logits(self.machine, visible)

    def sweep(self, state: tuple[Tensor, Tensor], step: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        t = (step + 1) / self.steps
        hidden = sample_bernoulli(torch.sigmoid(t * state[1]), generator)
        logits = torch.addmm(self.start + t * self.rise, hidden, self.machine.components, alpha=t)
        return self.of(self._drawn(logits, generator))

    def _drawn(self, logits: Tensor, generator: torch.Generator) -> Tensor:
        """Rows whose visible units have these logits."""
        return sample_bernoulli(torch.sigmoid(logits), generator)

    def gain(self, state: tuple[Tensor, Tensor], step: int) -> Tensor:
        visible, logits = state
        cold, warm = step / self.steps, (step + 1) / self.steps
        return (
            (warm - cold) * (visible @ self.rise) + (softplus(warm * logits) - softplus(cold * logits)).sum(1)
        ).double()

    def more(self, state: tuple[Tensor, Tensor], tokens: float) -> Tensor:
        return torch.zeros(len(state[0]), dtype=torch.float64, device=state[0].device)


class GaussianPath(BernoulliPath):
    """The same for real values, whose variance is 1 all along the path.

    log p_t(v) = −½‖v‖² + v·((1 − t) base_bias + t α) + Σ_k log(1 + exp(t (β_k + A_k·v))) − ½‖α‖².
    """

    def __init__(self, machine: Machine, temperatures: int, base_bias: Tensor | None = None) -> None:
        super().__init__(machine, temperatures, base_bias)
        start, alpha = self.start.double(), machine.visible_bias.double()
        inside = (start.square().sum() - alpha.square().sum()) / 2 + len(start) * HALF_LOG_2PI
        self.base = (len(machine.hidden_bias) * math.log(2) + inside)[None]

    def _drawn(self, logits: Tensor, generator: torch.Generator) -> Tensor:
        return sample_normal(logits, generator)


class GrowingDocuments:
    """The hidden units of documents that grow from no token to the longest length asked for.

    The hidden units of documents of N tokens have p(h) ∝ exp(N f(h)), f(h) = β·h + log Σ_j exp(α_j + (h A)_j): the
    length is itself an inverse temperature. At N = 0 units are coin flips and Z is 2^K. New tokens come in by t = 0…1
    as draws from softmax(α + t h A), in more steps the more tokens they add to those that are there. The first token
    takes `temperatures`/4 steps. Once N has reached that number, one step is enough, and documents grow by the share
    4/`temperatures` in each.
    """

    def __init__(self, machine: Machine, temperatures: int, ascending: Sequence[float]) -> None:
        self.machine, self.by_word = machine, machine.components.mT.contiguous()
        self.flat = float(machine.visible_bias.double().logsumexp(0))  # f without components
        self.schedule: list[tuple[int, int, float, float]] = []
        self.passed: dict[int, list[float]] = {}
        there, pace, seen = 0, max(1, temperatures // 4), 0
        while True:
            coming = max(1, round(there / pace))
            # Lengths between two that the chains visit add too few tokens to need steps of their own.
            within = [n for n in ascending[seen:] if n < there + coming]
            self.passed[len(self.schedule)] = [n - there for n in within]
            seen += len(within)
            if seen == len(ascending):
                break
            grid = torch.linspace(0, 1, -(-pace * coming // max(1, there)) + 1, dtype=torch.float64).tolist()
            self.schedule += [(there, coming, cold, warm) for cold, warm in pairwise(grid)]
            there += coming
        self.steps = len(self.schedule)
        lengths = torch.tensor(ascending, dtype=torch.float64, device=machine.components.device)
        self.base = len(machine.hidden_bias) * math.log(2) + lengths * self.flat

    def draw(self, chains: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        A = self.machine.components
        return self.of(sample_bernoulli(torch.full((chains, A.shape[0]), 0.5).to(A), generator))

    def of(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        return hidden, hidden @ self.machine.components

    def sweep(self, state: tuple[Tensor, Tensor], step: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        there, coming, _, t = self.schedule[step]
        words = state[1]
        if t == 1:  # All tokens are alike now.
            there, coming = there + coming, 0
        evidence = (there + t * coming) * self.machine.hidden_bias
        if there:
            evidence = evidence + self._said(words, there, generator)
        if coming:
            evidence = evidence + t * self._said(t * words, coming, generator)
        return self.of(sample_bernoulli(torch.sigmoid(evidence), generator))

    def gain(self, state: tuple[Tensor, Tensor], step: int) -> Tensor:
        _, coming, cold, warm = self.schedule[step]
        return coming * (self._exponent(state, warm) - self._exponent(state, cold))

    def more(self, state: tuple[Tensor, Tensor], tokens: float) -> Tensor:
        if not tokens:
            return torch.zeros(len(state[0]), dtype=torch.float64, device=state[0].device)
        return tokens * (self._exponent(state, 1.0) - self.flat)

    def _said(self, logits: Tensor, tokens: int, generator: torch.Generator) -> Tensor:
        """A n for counts n of `tokens` words drawn from softmax(α + logits), as a sum of rows of Aᵀ, without n."""
        lengths = logits.new_full((len(logits),), tokens)
        drawn, _ = draw_words(self.machine.visible_bias + logits, lengths, generator, tokens)
        return embedding_bag(drawn, self.by_word, mode="sum")

    def _exponent(self, state: tuple[Tensor, Tensor], t: float) -> Tensor:
        """t β·h + log Σ_j exp(α_j + t (h A)_j): what one token adds to the log-probability of the hidden units."""
        hidden, words = state
        if t == 0:
            return torch.full((len(hidden),), self.flat, dtype=torch.float64, device=hidden.device)
        return (t * (hidden @ self.machine.hidden_bias) + (self.machine.visible_bias + t * words).logsumexp(1)).double()


def run_forward(path: Path, chains: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Any]:
    """Log-weights with log Z of the base (quantities × chains), those at the end of the path, and the states there."""
    state = path.draw(chains, generator)
    weight, found = torch.zeros(chains, dtype=torch.float64, device=path.base.device), []
    for step in range(path.steps + 1):
        found += [weight + path.more(state, tokens) for tokens in path.passed.get(step, [])]
        if step < path.steps:
            weight = weight + path.gain(state, step)
            state = path.sweep(state, step, generator) if step + 1 < path.steps else state
    return torch.stack(found) + path.base[:, None], weight, state


def run_backward(path: Path, state: Any, generator: torch.Generator) -> Backward:
    """A run from states of the machine at the end of the path to its start."""
    weight = path.more(state, 0.0)
    above = [weight - path.more(state, tokens) for tokens in reversed(path.passed.get(path.steps, []))]
    for step in reversed(range(path.steps)):
        state = path.sweep(state, step, generator)
        weight = weight + path.gain(state, step)
        above += [weight - path.more(state, tokens) for tokens in reversed(path.passed.get(step, []))]
    parts = torch.stack(above[::-1])
    return Backward(weight - parts + path.base[:, None], parts)
