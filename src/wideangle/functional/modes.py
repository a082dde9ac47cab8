"""Likely hidden states of a restricted Boltzmann machine, and what they prove of its partition function.

Summed over the visible side, a machine gives its hidden states the unnormalised log-probability `state_exponent`, which
is convex in h. A step goes from h to the state that maximises the tangent plane at h, which has h_k = 1 where the
slope is positive. Because of convexity such a step cannot lower the probability, and a few of them find likely states.
Any set of distinct states bounds log Z from below. An annealed estimate below that bound has missed those states.
"""

import torch
from torch import Tensor
from torch.nn.functional import softplus

from wideangle.functional.boltzmann import Machine, visible_logits

MOST_STEPS = 50  # usually fewer than ten are needed


def state_exponent(machine: Machine, hidden: Tensor, lengths: Tensor | None = None) -> Tensor:
    """log Σ_v exp(−E(v, h)) of each state: β·h + Σ_j log(1 + exp(α_j + (h A)_j)).

    For documents of N tokens it is N f(h), f(h) = β·h + log Σ_j exp(α_j + (h A)_j): one row per length.
    """
    logits, bias = visible_logits(machine, hidden), hidden @ machine.hidden_bias
    if lengths is None:
        return bias + softplus(logits).sum(1)
    return lengths[:, None].to(logits) * (bias + logits.logsumexp(1))


def likely_states(machine: Machine, starts: Tensor, documents: bool) -> Tensor:
    """Distinct states that no step along the tangent plane leaves, reached from the given ones."""
    states = starts
    for _ in range(MOST_STEPS):
        logits = visible_logits(machine, states)
        expected = torch.softmax(logits, -1) if documents else torch.sigmoid(logits)
        climbed = (machine.hidden_bias + expected @ machine.components.mT > 0).to(states.dtype)
        if torch.equal(climbed, states):
            break
        states = climbed
    return torch.unique(states, dim=0)


def log_partition_floor(machine: Machine, lengths: Tensor | None = None, starts: Tensor | None = None) -> Tensor:
    """A lower bound of log Z (one per document length) by the states `likely_states` finds.

    It starts from no unit, every unit and each unit alone, and from the rows of `starts`: hidden states of documents,
    or where chains have ended.
    """
    double = Machine(*(part.double() for part in machine))
    K = len(double.hidden_bias)
    own = torch.eye(K).to(double.components)
    found = [own.new_zeros(1, K), own.new_ones(1, K), own] + ([] if starts is None else [starts.to(own)])
    states = likely_states(double, torch.cat(found), documents=lengths is not None)
    return state_exponent(double, states, lengths).logsumexp(-1)
