"""log Z from runs along a path in both directions, and how far the two agree."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from wideangle.functional.annealing import Backward

_HALVINGS = 60  # of the interval in which log Z lies, which then is as small as rounding


class Bridged(NamedTuple):
    """One entry per quantity of the path."""

    value: Tensor
    error: Tensor
    """standard error of the value from the spread of the weights of both runs"""
    gap: Tensor
    """by how much the run backward alone puts log Z above the run forward alone"""


def bridged(forward: Tensor, backward: Backward) -> Bridged:
    """The acceptance ratio (Bennett, Efficient estimation of free energy differences, 1976) of the two runs.

    `forward` has log-weights of quantities × chains. log Z is the c with Σ_i σ(f_i − c − m) = Σ_j w_j σ(c + m − b_j),
    where f and b are the log-weights forward and backward, w_j weights the chains backward and sums to the number they
    are worth, and m is the logarithm of the ratio of the two numbers. Either side sees best where the other is blind:
    the runs forward the low weights, the runs backward the high ones.
    """
    share = torch.softmax(-backward.above, 1)
    worth = 1 / share.square().sum(1, keepdim=True)
    f, b, w = forward, backward.below, worth * share
    m = math.log(f.shape[1]) - worth.log()
    low = torch.minimum(f.amin(1, keepdim=True), b.amin(1, keepdim=True)) - m.abs()
    high = torch.maximum(f.amax(1, keepdim=True), b.amax(1, keepdim=True)) + m.abs()
    for _ in range(_HALVINGS):
        c = (low + high) / 2
        above = torch.sigmoid(f - c - m).sum(1, keepdim=True) > (w * torch.sigmoid(c + m - b)).sum(1, keepdim=True)
        low, high = torch.where(above, c, low), torch.where(above, high, c)
    # The error by the delta method: the spread of the two sums over the slope of their difference.
    p, q = torch.sigmoid(f - c - m), torch.sigmoid(c + m - b)
    middle = (share * q).sum(1, keepdim=True)
    spread = (p - p.mean(1, keepdim=True)).square().sum(1) + (w * (q - middle)).square().sum(1)
    slope = (p * (1 - p)).sum(1) + (w * q * (1 - q)).sum(1)
    alone = f.logsumexp(1) - math.log(f.shape[1])
    back = torch.logsumexp(-backward.above, 1) - torch.logsumexp(-backward.above - b, 1)
    return Bridged(c[:, 0], spread.sqrt() / slope.clamp_min(1e-300), back - alone)
