"""Random numbers that depend on a seed and the number of a step alone, so that all ranks of a job draw alike."""

import torch
from torch import Tensor


def mixed_seed(seed: int, step: int) -> int:
    """One seed from two numbers (a round of splitmix64), so that neighbouring steps have unrelated draws."""
    x = (seed * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9 + 1) % 2**64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % 2**64
    return (x ^ (x >> 31)) % 2**63


def drawn(total: int, most: int, generator: torch.Generator) -> Tensor:
    """At most `most` different numbers below `total`."""
    if total <= 64 * most:
        return torch.randperm(total, generator=generator)[:most]
    # A permutation of millions would take long. Among so many, equal draws are rare, and count once.
    return torch.randint(total, (most,), generator=generator).unique()
