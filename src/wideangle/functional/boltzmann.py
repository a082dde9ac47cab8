"""Energies, conditionals and Gibbs steps of the restricted Boltzmann machines.

All have components A (K×D), visible biases α (D) and hidden biases β (K). In the Replicated Softmax a document is its
word counts n of length N = Σ n, and the hidden biases are scaled by N (Appendix D of the paper). In the Gaussian
machine visible units are real numbers with variance 1 around α + h A.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, TypeAlias, TypeVar

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, pad, softplus

M = TypeVar("M", bound="Machine")

HALF_LOG_2PI = math.log(2 * math.pi) / 2


class Machine(NamedTuple):
    """The parameters of a restricted Boltzmann machine."""

    components: Tensor
    """A, K×D: one row per hidden unit"""
    visible_bias: Tensor
    """α"""
    hidden_bias: Tensor
    """β"""

    def double(self: M) -> M:
        """The same in double precision."""
        return self._replace(**{name: part.double() for name, part in self._asdict().items()})


class GaussianMachine(Machine):
    """A machine of real-valued visible units, which have the mean α + h A and the variance 1 given the hidden units.

    Columns of other variances are divided by their deviations first; see `GaussianRBM`.
    """

    __slots__ = ()


class DrawsOfPart(NamedTuple):
    """Draws for some rows of a batch, from a generator that draws for all of its rows.

    Processes that share a batch draw for all of it, and each keeps what is for its own rows. They draw what one process
    would draw, and their generators stay equal.
    """

    generator: torch.Generator
    first: int
    """the number of the first row"""
    n_rows: int
    """of the whole batch"""


Draws: TypeAlias = torch.Generator | DrawsOfPart


def shared_out(machine: M, share: float) -> M:
    """The machine of all hidden units that stands for the machines in which a random `share` of them takes part.

    Training with dropout fits machines in which only some units take part. With components and hidden biases times the
    share of units that took part, all units together say as much to the visible side as those did (the weight scaling
    rule of Srivastava et al., Dropout, JMLR 2014).
    """
    return machine._replace(components=share * machine.components, hidden_bias=share * machine.hidden_bias)


def hidden_logits(machine: Machine, visible: Tensor, lengths: Tensor | None = None) -> Tensor:
    """β + A v, or N β + A n for documents of the given lengths: the log-odds of each hidden unit."""
    bias = machine.hidden_bias if lengths is None else lengths[:, None] * machine.hidden_bias
    return torch.addmm(bias, visible, machine.components.mT)


def visible_logits(machine: Machine, hidden: Tensor, out: Tensor | None = None) -> Tensor:
    """α + h A: log-odds of each visible unit, unnormalised log-probabilities of the words, or means of real values."""
    return torch.addmm(machine.visible_bias, hidden, machine.components, out=out)


def energy(machine: Machine, visible: Tensor, hidden: Tensor, lengths: Tensor | None = None) -> Tensor:
    """E(v, h) = −v·α − h·(β + A v), with N β for documents; the Gaussian machine has ½‖v − α‖² instead of −v·α."""
    return -_own_exponent(machine, visible) - torch.linalg.vecdot(hidden, hidden_logits(machine, visible, lengths))


def free_energy(machine: Machine, visible: Tensor, lengths: Tensor | None = None) -> Tensor:
    """F(v) = −v·α − Σ_k log(1 + exp(β_k + A_k·v)), so that p(v) = exp(−F(v)) / Z; see `energy` for real values."""
    return -_own_exponent(machine, visible) - softplus(hidden_logits(machine, visible, lengths)).sum(-1)


def _own_exponent(machine: Machine, visible: Tensor) -> Tensor:
    """What visible units without hidden ones have as log-probability: v·α, or −½‖v − α‖² of real values."""
    if isinstance(machine, GaussianMachine):
        return (visible - machine.visible_bias).square().sum(-1) / -2
    return visible @ machine.visible_bias


def sample_normal(means: Tensor, draws: Draws) -> Tensor:
    """Real numbers with these means and the variance 1."""
    generator, first, n_rows = draws if isinstance(draws, DrawsOfPart) else (draws, 0, len(means))
    noise = torch.randn((n_rows, *means.shape[1:]), generator=generator, device=means.device, dtype=means.dtype)
    return noise[first : first + len(means)].add_(means)


def sample_bernoulli(probabilities: Tensor, draws: Draws) -> Tensor:
    """Zeros and ones, as floats. Unlike `torch.bernoulli`, it does not stop the GPU with an error at NaN."""
    p = probabilities
    if p.device.type != "cpu":
        return _uniform_rows(p.shape, draws, p).lt_(p)
    # On a CPU random numbers cost more than the rest of a Gibbs step. Sixteen random bits per entry, with further
    # bits that a column shares, keep the probability of every draw exact. Two draws depend on each other only if
    # both tie in their sixteen bits.
    generator, first, n_rows = draws if isinstance(draws, DrawsOfPart) else (draws, 0, len(p))
    per_row = p[0].numel() if len(p) else 0
    words = torch.empty(-(-n_rows * per_row // 4), dtype=torch.int64).random_(-(2**63), None, generator=generator)
    high = words.view(torch.int16)[first * per_row : first * per_row + p.numel()].view(p.shape)
    low = _uniform(p.shape[-1:], generator, p)
    return torch.add(-(low + 2**15), p, alpha=2**16).sub_(high).gt_(0)


def draw_words(
    logits: Tensor, lengths: Tensor, draws: Draws, most: int | None = None, out: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Words drawn from softmax(logits), one row per document, and how much each of them counts.

    A document of length N gets ⌈N⌉ words that count N/⌈N⌉ each and 0 beyond them, so that its counts sum to N and have
    the mean N · softmax(logits) whether N is a whole number or not. `most` is the largest ⌈N⌉; a caller who
    knows it spares a GPU the wait for it. For a part of a batch it must be that of the whole batch. `out` is memory of
    the logits' shape, for callers who draw again and again.
    """
    whole = lengths.ceil()
    most = (int(whole.max()) if len(lengths) else 0) if most is None else most
    drawn = draw_columns(torch.softmax(logits, -1, out=out), most, draws)
    counted = torch.arange(most, device=logits.device) < whole[:, None]
    return drawn, counted * (lengths / whole.clamp_min(1))[:, None].to(logits.dtype)


def draw_columns(weights: Tensor, n: int, draws: Draws) -> Tensor:
    """n columns of each row, drawn independently and in proportion to the row's weights. The weights are overwritten.

    Columns are drawn by the inverse of the cumulative distribution, which is quicker than torch.multinomial. For few
    draws on a CPU, a block of columns is drawn first and then a column of the block: sums of blocks take a fraction of
    the time of a cumulative sum over all columns. A GPU would wait for the launches.
    """
    rows, columns = weights.shape
    width = _block_width(columns)
    if weights.device.type != "cpu" or 2 * n * width > columns:
        below = weights.cumsum_(-1)
        heights = _uniform_rows((rows, n), draws, weights).mul_(below[:, -1:])
        return torch.searchsorted(below, heights, right=True).clamp_max_(columns - 1)
    blocks = (pad(weights, (0, -columns % width)) if columns % width else weights).view(-1, width)
    ones = weights.new_ones(width)
    chosen = draw_columns(torch.mv(blocks, ones).view(rows, -1), n, draws)
    starts = torch.arange(rows)[:, None] * -(-columns // width)
    below = blocks.index_select(0, (chosen + starts).view(-1)).cumsum_(-1)
    # Another random number draws the column of the block, so that rare columns are drawn as often as they should be.
    heights = _uniform_rows((rows, n), draws, weights).reshape(-1, 1).mul_(below[:, -1:])
    # In so few columns, counting those that end below the height takes less time than a search.
    within = torch.mv(below.le_(heights), ones).view(rows, n).long()
    return chosen.mul_(width).add_(within).clamp_max_(columns - 1)


@cache
def _block_width(columns: int) -> int:
    """Columns per block: about 25, which was fastest. Weights need no padding where it divides the columns."""
    divisors = [width for width in range(16, 41) if columns % width == 0]
    return min(divisors, key=lambda width: abs(width - 25), default=25)


def sample_words(logits: Tensor, lengths: Tensor, draws: Draws, most: int | None = None) -> Tensor:
    """Counts of words drawn from softmax(logits), which sum to each length; see `draw_words`."""
    drawn, counts = draw_words(logits, lengths, draws, most)
    return torch.zeros_like(logits).scatter_add_(1, drawn, counts)


def per_token(values: Tensor, lengths: Tensor) -> Tensor:
    """values / lengths, one row per document; 0 for a document without a token."""
    safe = torch.where(lengths > 0, lengths, torch.inf)
    return values / (safe if values.ndim == 1 else safe[:, None])


def gibbs_step(
    machine: Machine,
    hidden: Tensor,
    draws: Draws,
    lengths: Tensor | None = None,
    most: int | None = None,
) -> tuple[Tensor, Tensor]:
    """One sweep of the chain from hidden units: v | h, then the probabilities of h | v."""
    logits = visible_logits(machine, hidden)
    if isinstance(machine, GaussianMachine):
        visible = sample_normal(logits, draws)
    elif lengths is None:
        visible = sample_bernoulli(logits.sigmoid_(), draws)
    else:
        visible = sample_words(logits, lengths, draws, most)
    return visible, hidden_logits(machine, visible, lengths).sigmoid_()


def reconstruction_loss(machine: Machine, visible: Tensor, hidden: Tensor, lengths: Tensor | None = None) -> Tensor:
    """−log p(v | h) per visible unit, or per token of a document, averaged over rows."""
    logits = visible_logits(machine, hidden)
    if isinstance(machine, GaussianMachine):
        return (visible - logits).square().mean() / 2 + HALF_LOG_2PI
    if lengths is None:
        return binary_cross_entropy_with_logits(logits, visible)
    return per_token(-(visible * torch.log_softmax(logits, -1)).sum(-1), lengths).mean()


def _uniform_rows(shape: Sequence[int], draws: Draws, like: Tensor) -> Tensor:
    """One row of random numbers per row of a batch."""
    if not isinstance(draws, DrawsOfPart):
        return _uniform(shape, draws, like)
    of_all = _uniform((draws.n_rows, *shape[1:]), draws.generator, like)
    return of_all[draws.first : draws.first + shape[0]]


def _uniform(shape: Sequence[int], generator: torch.Generator, like: Tensor) -> Tensor:
    return torch.rand(tuple(shape), generator=generator, device=like.device, dtype=like.dtype)
