"""Likely hidden states of a restricted Boltzmann machine, and what they prove of its partition function.

Summed over the visible side, a machine gives its hidden states the unnormalised log-probability S(h) of
`state_exponent`, which is convex in h. A step goes from h to the state that maximises the tangent plane at h, which has
h_k = 1 where the slope is positive. Because of convexity such a step cannot lower the probability, and a few of them
find likely states.

Around each of them lies a mean field: independent hidden units that are on with probabilities m. It bounds log Z from
below by S(m) + H(m), H the entropy, because S is convex; and several of them bound it better than one. An estimate
below the bound has missed those states.
"""

import torch
from torch import Tensor
from torch.nn.functional import softplus

from wideangle.functional.boltzmann import HALF_LOG_2PI, GaussianMachine, Machine, visible_logits

MOST_STEPS = 50  # usually fewer than ten are needed
FIELD_STEPS = 20  # of a mean field; the bound holds after any number of them
MOST_FIELDS = 500  # The bound is made of so many at most.


def state_exponent(machine: Machine, hidden: Tensor, lengths: Tensor | None = None) -> Tensor:
    """S(h) = log Σ_v exp(−E(v, h)) of each state: β·h + Σ_j log(1 + exp(α_j + (h A)_j)).

    For documents of N tokens it is N f(h), f(h) = β·h + log Σ_j exp(α_j + (h A)_j): one row per length. For real values
    it is β·h + α·(h A) + ½‖h A‖² + (D/2) log 2π, from the integral of a Gaussian.
    """
    if isinstance(machine, GaussianMachine):
        moved = hidden @ machine.components
        inside = moved @ machine.visible_bias + moved.square().sum(1) / 2
        return hidden @ machine.hidden_bias + inside + moved.shape[1] * HALF_LOG_2PI
    logits, bias = visible_logits(machine, hidden), hidden @ machine.hidden_bias
    if lengths is None:
        return bias + softplus(logits).sum(1)
    return lengths[:, None].to(logits) * (bias + logits.logsumexp(1))


def likely_states(machine: Machine, starts: Tensor, documents: bool) -> Tensor:
    """Distinct states that no step along the tangent plane leaves, reached from the given ones."""
    states = starts
    for _ in range(MOST_STEPS):
        climbed = (_slope(machine, states, documents) > 0).to(states.dtype)
        if torch.equal(climbed, states):
            break
        states = climbed
    return torch.unique(states, dim=0)


def mean_fields(machine: Machine, states: Tensor, length: float | None) -> Tensor:
    """The mean fields near some states: m = σ(slope of S at m), which none of the steps takes to a lower bound."""
    fields = states
    for _ in range(FIELD_STEPS):
        slope = _slope(machine, fields, length is not None)
        fields = torch.sigmoid(slope if length is None else length * slope)
    return fields


def log_partition_floor(machine: Machine, lengths: Tensor | None = None, starts: Tensor | None = None) -> Tensor:
    """A lower bound of log Z (one per document length) by the mean fields of the states `likely_states` finds.

    It starts from no unit, every unit and each unit alone, and from the rows of `starts`: hidden states of documents,
    random ones, or where chains have ended. For documents the fields are those of the shortest, the middle and the
    longest length, and each of them bounds log Z at every length.
    """
    K = len(machine.hidden_bias)
    own = torch.eye(K).to(machine.components)
    first = [own.new_zeros(1, K), own.new_ones(1, K), own] + ([] if starts is None else [starts.to(own)])
    states = likely_states(machine, torch.cat(first), documents=lengths is not None)
    double = machine.double()
    # A field of a state itself is the bound by that state alone, which is better where S is far from its tangent.
    found = [states] + [mean_fields(machine, states, length) for length in _some_lengths(lengths)]
    fields = torch.cat(found).double()
    entropy = torch.special.entr(fields).sum(1) + torch.special.entr(1 - fields).sum(1)
    bounds = (state_exponent(double, fields, lengths) + entropy).reshape(-1, len(fields))
    best = torch.softmax(bounds, 1).amax(0).argsort(descending=True)[:MOST_FIELDS]
    floor = mixture_bound(bounds[:, best], fields[best])
    return floor[0] if lengths is None else floor


def mixture_bound(bounds: Tensor, fields: Tensor) -> Tensor:
    """The bound of log Z by a mixture of mean fields, given the bound by each alone (quantities × fields).

    With shares π ∝ exp(bound) it is Σ π_i (bound_i − log Σ_j π_j c_ij), where c_ij = Σ_h √(q_i(h) q_j(h)) says how far
    two fields overlap (Kolchinsky and Tracey, Estimating mixture entropy with pairwise distances, 2017). Fields apart
    add up, and one that is there twice counts once.
    """
    on, off = fields.sqrt(), (1 - fields).sqrt()
    overlap = torch.ones(len(fields), len(fields)).to(fields)
    for k in range(fields.shape[1]):
        overlap *= torch.outer(on[:, k], on[:, k]) + torch.outer(off[:, k], off[:, k])
    share = torch.softmax(bounds, 1)
    return (share * (bounds - (share @ overlap).clamp_min(1e-300).log())).sum(1)


def _slope(machine: Machine, fields: Tensor, documents: bool) -> Tensor:
    """The slope of S, or of f for documents: what the visible side, as it is expected to be, says to each unit."""
    logits = visible_logits(machine, fields)
    if isinstance(machine, GaussianMachine):
        return torch.addmm(machine.hidden_bias, logits, machine.components.mT)
    expected = torch.softmax(logits, -1) if documents else torch.sigmoid(logits)
    return torch.addmm(machine.hidden_bias, expected, machine.components.mT)


def _some_lengths(lengths: Tensor | None) -> list[float | None]:
    if lengths is None:
        return [None]
    written = lengths[lengths > 0].sort().values
    return [*{float(written[i]) for i in (0, len(written) // 2, -1)}] if len(written) else []
