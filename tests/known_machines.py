"""Families of machines whose partition function is known by enumeration, though annealing is made to estimate it."""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from wideangle.functional.boltzmann import Machine
from wideangle.functional.partition import exact_log_partition
from wideangle.models._boltzmann.likelihood import ACCURACY, Likelihood, likelihood_of


class Known(NamedTuple):
    machine: Machine
    log_partition: float


def independent_blocks(w: float, blocks: int, offset: float = 0.0, seed: int = 0, slant: float = 0.5) -> Known:
    """Blocks of 10 hidden and 30 visible units that are all on or all off together, two likely states per block.

    log Z is the sum of those of the blocks. `offset` is added to all visible biases: it makes one state of each block
    likelier. Biases take `slant` of the components away from the hidden side and the rest from the visible side; away
    from a half, "off" leaves the visible units free and "on" does not, and no path goes evenly to both.
    """
    generator, parts, total = torch.Generator().manual_seed(seed), [], 0.0
    for _ in range(blocks):
        A = w / 10 + 0.02 * torch.randn(10, 30, generator=generator, dtype=torch.float64)
        part = Machine(A, -(1 - slant) * A.sum(0) + offset, -slant * A.sum(1))
        total += float(exact_log_partition(part))
        parts.append(part)
    blocks_of_A, alpha, beta = zip(*parts, strict=True)
    return Known(Machine(torch.block_diag(*blocks_of_A), torch.cat(alpha), torch.cat(beta)), total)


def independent_units(K: int, D: int, seed: int = 0) -> Known:
    """No components: log Z = Σ log(1 + exp(bias))."""
    generator = torch.Generator().manual_seed(seed)
    alpha, beta = (2 * torch.randn(n, generator=generator, dtype=torch.float64) for n in (D, K))
    total = sum(math.log1p(math.exp(b)) for b in [*alpha.tolist(), *beta.tolist()])
    return Known(Machine(torch.zeros(K, D, dtype=torch.float64), alpha, beta), total)


def random_machine(K: int, D: int, scale: float, seed: int = 0) -> Machine:
    generator = torch.Generator().manual_seed(seed)
    sizes = ((K, D), (D,), (K,))
    return Machine(*(scale * torch.randn(s, generator=generator, dtype=torch.float64) for s in sizes))


def estimated(machine: Machine, lengths: list[float] | None = None, seed: int = 0, most: int = 20_000) -> Likelihood:
    """−log Z as `log_likelihood` finds it (the free energy is taken as 0), with no row to help."""
    K, D = machine.components.shape
    single = Machine(*(part.float() for part in machine))
    sizes = np.array([float(D)] if lengths is None else lengths)
    generator = torch.Generator().manual_seed(seed)
    nothing = torch.zeros(1, K)
    return likelihood_of(single, np.zeros(len(sizes)), sizes, lengths is not None, nothing, generator, most)


def errors(found: Likelihood, exact: Tensor | float) -> np.ndarray:
    """By how much log Z is too high."""
    return -found.log_p - np.asarray(exact)


def honest(found: Likelihood, exact: Tensor | float) -> bool:
    """Whether log Z lies within three claimed errors and the stated accuracy per token or unit, or is doubted."""
    allowed = 3 * found.standard_error + ACCURACY * found.lengths
    return bool(found.doubt) or bool((np.abs(errors(found, exact)) <= allowed).all())
