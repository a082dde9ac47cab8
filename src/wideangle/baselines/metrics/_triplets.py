"""Target neighbours, impostors, and the loss of large margin nearest neighbours."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from wideangle.models._distance.pairs import Indices

SEARCH_ENTRIES = 2**23  # A search for neighbours holds at most this many distances at a time.
LOSS_ENTRIES = 2**23  # The loss holds at most this many coordinates of impostors at a time.


@dataclass(frozen=True)
class Targets:
    """The rows that should stay near each row: n × k row numbers, and which of them are there."""

    numbers: Tensor
    valid: Tensor
    """False where a class has too few rows"""


def target_neighbours(rows: Tensor, codes: Indices, k: int) -> Targets:
    """The k nearest rows of the same class of every row, without itself. Of small classes, all others."""
    sizes = np.bincount(codes)
    k = min(k, int(sizes.max()) - 1)
    numbers = torch.zeros((len(rows), k), dtype=torch.int64, device=rows.device)
    valid = torch.zeros((len(rows), k), dtype=torch.bool, device=rows.device)
    for code, size in enumerate(sizes):
        mine = torch.from_numpy(np.flatnonzero(codes == code)).to(rows.device)
        found = nearest(rows[mine], rows[mine], min(k, size - 1), leave_out_self=True)
        numbers[mine, : found.shape[1]] = mine[found]
        valid[mine, : found.shape[1]] = True
    return Targets(numbers, valid)


def impostors(rows: Tensor, codes: Indices, m: int) -> Tensor:
    """The m nearest rows of other classes of every row: n × m row numbers, fewer where a class leaves fewer."""
    m = min(m, len(codes) - int(np.bincount(codes).max()))
    numbers = torch.empty((len(rows), m), dtype=torch.int64, device=rows.device)
    for code in np.unique(codes):
        mine, others = (
            torch.from_numpy(np.flatnonzero(which)).to(rows.device) for which in (codes == code, codes != code)
        )
        numbers[mine] = others[nearest(rows[mine], rows[others], m)]
    return numbers


def nearest(queries: Tensor, rows: Tensor, k: int, leave_out_self: bool = False) -> Tensor:
    """The numbers of the k nearest rows of each query; with `leave_out_self`, the queries are the rows."""
    half_squares = rows.square().sum(1) / 2
    height = max(1, SEARCH_ENTRIES // len(rows))
    found = []
    for start in range(0, len(queries), height):
        nearness = torch.addmm(half_squares, queries[start : start + height], rows.mT, beta=-1)
        if leave_out_self:
            part = torch.arange(len(nearness), device=rows.device)
            nearness[part, start + part] = -torch.inf
        found.append(nearness.topk(k, dim=1).indices)
    return torch.cat(found)


def margin_loss(rows: Tensor, targets: Targets, others: Tensor, push: float) -> tuple[float, Tensor, int]:
    """The loss of transformed rows per target neighbour, its gradient in the rows, and how many triplets are active.

    The loss is (1 − push) Σ ‖x_i − x_j‖² + push Σ max(0, 1 + ‖x_i − x_j‖² − ‖x_i − x_l‖²) over the target neighbours j
    and the impostors l of each row i (Weinberger and Saul 2009, Section 3).
    """
    total, n_active, slopes = 0.0, 0, torch.zeros_like(rows)
    height = max(1, LOSS_ENTRIES // (others.shape[1] * rows.shape[1]))
    weight = 1 / int(targets.valid.sum())
    for start in range(0, len(rows), height):
        part = slice(start, start + height)
        x, near, valid = rows[part], targets.numbers[part], targets.valid[part]
        to_near = x[:, None] - rows[near]
        to_far = x[:, None] - rows[others[part]]
        pulled, pushed = to_near.square().sum(2), to_far.square().sum(2)
        hinges = (1 + pulled[:, :, None] - pushed[:, None, :]).clamp_(min=0) * valid[:, :, None]
        total += float((1 - push) * (pulled * valid).sum(dtype=torch.float64) + push * hinges.sum(dtype=torch.float64))
        active = hinges > 0
        per_near, per_far = active.sum(2), active.sum(1)
        n_active += int(per_near.sum())
        of_near = 2 * weight * ((1 - push) * valid + push * per_near)[:, :, None] * to_near
        slopes[part] += of_near.sum(1)
        slopes.index_add_(0, near.reshape(-1), of_near.flatten(0, 1), alpha=-1)
        row, column = per_far.nonzero(as_tuple=True)  # Most impostors are beyond the margin.
        of_far = (-2 * weight * push) * per_far[row, column, None] * to_far[row, column]
        slopes.index_add_(0, row + start, of_far)
        slopes.index_add_(0, others[part][row, column], of_far, alpha=-1)
    return weight * total, slopes, n_active
