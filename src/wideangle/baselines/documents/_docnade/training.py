"""log p of documents under DocNADE, its estimate from one split of each document, and training by Adam."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import embedding

from wideangle.baselines.documents._docnade.outputs import Output
from wideangle.baselines.documents._docnade.tokens import Tokens, Visit
from wideangle.diversity import DiversityTerm
from wideangle.models._training.steps import LearningRate, optimizer_for, optimizer_progress, resume_optimizer
from wideangle.models._training.trainer import Trainer
from wideangle.process_group.group import Part

Activation = Literal["tanh", "sigmoid"]
ACTIVATIONS: tuple[Activation, ...] = ("tanh", "sigmoid")

MOST_FLOATS = 2**23  # So many numbers of tokens × words or tokens × nodes are held at a time.


class Network(NamedTuple):
    """The parameters of DocNADE."""

    embedding: Tensor
    """Wᵀ, V×K: what each word adds to the hidden units"""
    hidden_bias: Tensor
    """c"""
    output: Tensor
    """V, one row per word or inner node of the tree"""
    output_bias: Tensor
    """b"""


def activated(sums: Tensor, activation: Activation) -> Tensor:
    """g, the activation of the hidden units."""
    return torch.tanh(sums) if activation == "tanh" else torch.sigmoid(sums)


def hidden_before(network: Network, visit: Visit, activation: Activation) -> Tensor:
    """h_i = g(c + Σ_{k<i} W[:, v_k]) at each token of each document (Larochelle and Lauly 2012, Section 4); T×K."""
    # Sums run over all documents of the batch, and their differences need more digits than float32 has.
    each = embedding(visit.words, network.embedding).double()
    before = each.cumsum(0) - each
    firsts = (visit.lengths.cumsum(0) - visit.lengths)[visit.documents]
    return activated(network.hidden_bias + (before - before[firsts]).to(network.embedding.dtype), activation)


def log_p_of_tokens(network: Network, output: Output, hidden: Tensor, words: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """Yield log p(v_i | v_<i) of some tokens after another, so that tokens × words fit into memory."""
    size = max(1, MOST_FLOATS // output.floats_per_token(hidden.shape[1]))
    for first in range(0, len(words), size):
        part = slice(first, first + size)
        yield part, output.of_tokens(hidden[part], words[part], network.output, network.output_bias)


@torch.no_grad()
def log_p_of_documents(
    network: Network,
    output: Output,
    activation: Activation,
    tokens: Tokens,
    rows: NDArray[np.intp],
    generator: torch.Generator,
) -> Tensor:
    """log p = Σ_i log p(v_i | v_<i) of each document, in one random order of its words; float64."""
    found = torch.zeros(len(rows), dtype=torch.float64, device=tokens.words.device)
    most = max(1, MOST_FLOATS // network.embedding.shape[1])  # tokens whose hidden units are held at a time
    for block in _blocks(tokens.lengths[rows], most):
        visit = tokens.visit(rows[block], generator)
        hidden = hidden_before(network, visit, activation)
        each = [log_p for _, log_p in log_p_of_tokens(network, output, hidden, visit.words)]
        if each:
            ends = visit.lengths.cumsum(0)
            sums = torch.cat([ends.new_zeros(1, dtype=torch.float64), torch.cat(each).double().cumsum(0)])
            found[block] = sums[ends] - sums[ends - visit.lengths]
    return found


def _blocks(lengths: NDArray[np.int64], most: int) -> Iterator[slice]:
    """Yield documents that together have about `most` tokens, and at least one document."""
    first, ends = 0, np.cumsum(lengths)
    while first < len(lengths):
        before = ends[first] - lengths[first]
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield slice(first, last)
        first = last


def split_loss(
    network: Network,
    output: Output,
    activation: Activation,
    visit: Visit,
    generator: torch.Generator,
    own: slice | None = None,
) -> Tensor:
    """An unbiased estimate of the mean over documents of −log p / length, from one split of each document.

    i words are shown, with i uniform from 0 to D − 1, and each of the others may come next:
    log p ≈ D / (D − i) Σ_{j>i} log p(v_j | v_1 … v_i), whose mean over i and over all orders is that of log p
    (Lauly, Zheng, Allauzen and Larochelle 2017). Draws are made for all documents. With `own`, the mean is over these.
    """
    chances = torch.rand(len(visit.lengths), dtype=torch.float64, device=visit.words.device, generator=generator)
    shown = (chances * visit.lengths).long()
    if own is not None:
        visit, shown = visit.of_documents(own), shown[own]
    return loss_of_splits(network, output, activation, visit, shown, (len(visit.lengths), len(network.embedding)))


def loss_of_splits(
    network: Network, output: Output, activation: Activation, visit: Visit, shown: Tensor, shape: tuple[int, int]
) -> Tensor:
    """The estimate where `shown` words of each document come before the split."""
    like = network.embedding
    places = visit.documents * shape[1] + visit.words
    before = visit.positions < shown[visit.documents]
    # Whole numbers are added without rounding, so that the order of the additions does not matter on a GPU.
    counts = [like.new_zeros(shape).view(-1).index_add_(0, places, part.to(like)) for part in (before, ~before)]
    prefix, rest = (part.view(shape) for part in counts)
    hidden = activated(torch.addmm(network.hidden_bias, prefix, network.embedding), activation)
    log_p = output.of_counts(hidden, rest, network.output, network.output_bias)
    return -(log_p / (visit.lengths - shown)).mean()


class NADETrainer(Trainer):
    """Moves a network downhill on the mean over documents of −log p / length, by one mini-batch per update."""

    def __init__(
        self,
        network: Network,
        output: Output,
        activation: Activation,
        tokens: Tokens,
        rate: LearningRate,
        weight_decay: float,
        splits: int | None,
        generator: torch.Generator,
    ) -> None:
        super().__init__(DiversityTerm(0.0), rate)
        self.network = Network(*(part.requires_grad_() for part in network))
        self.output = output
        self.activation: Activation = activation
        self.tokens = tokens
        self.splits = splits
        self.generator = generator
        groups = [
            {"params": [part for part in self.network if part.ndim == 2], "weight_decay": weight_decay},
            {"params": [part for part in self.network if part.ndim == 1], "weight_decay": 0.0},
        ]
        self._optimizer = optimizer_for("adam", groups, lr=rate.first)

    def parameters(self) -> Sequence[Tensor]:
        return list(self.network)

    def components(self) -> Tensor:
        return self.network.embedding.T

    def step(self, rate: float, wants_loss: bool, *batch: Any) -> Tensor | None:
        (rows,) = batch
        part = self.group.part(len(rows))
        self._optimizer.zero_grad(set_to_none=True)
        if self.splits is None:
            loss = self._backward_of_all(rows, part)
        else:
            loss = self._backward_of_splits(rows, self.splits, part)
        self.group.average([parameter.grad for parameter in self.network if parameter.grad is not None], part.share)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        return part.weighed(loss) if wants_loss else None

    def progress(self) -> dict[str, Any]:
        return super().progress() | {
            "optimizer": optimizer_progress(self._optimizer),
            "draws": self.generator.get_state(),
        }

    def resume(self, progress: dict[str, Any]) -> None:
        super().resume(progress)
        resume_optimizer(self._optimizer, progress["optimizer"])
        self.generator.set_state(torch.from_numpy(progress["draws"].copy()))

    def _backward_of_splits(self, rows: NDArray[np.intp], splits: int, part: Part) -> Tensor:
        # Each process draws for all documents of the batch, so that all draw alike.
        visit = self.tokens.visit(np.repeat(rows, splits), self.generator)
        own = None if part.is_whole else slice(part.first * splits, part.last * splits)
        loss = split_loss(self.network, self.output, self.activation, visit, self.generator, own)
        loss.backward()
        return loss.detach()

    def _backward_of_all(self, rows: NDArray[np.intp], part: Part) -> Tensor:
        """The gradient of −log p / length itself, in one order per document."""
        visit = self.tokens.visit(rows, self.generator)
        visit = visit if part.is_whole else visit.of_documents(part.rows)
        hidden = hidden_before(self.network, visit, self.activation)
        shares = 1 / (len(visit.lengths) * visit.lengths[visit.documents]).to(hidden)
        # The output's gradient is found for some tokens after another, and goes on to the words from all of them.
        leaf = hidden.detach().requires_grad_()
        total = hidden.new_zeros(())
        for some, log_p in log_p_of_tokens(self.network, self.output, leaf, visit.words):
            loss = -(shares[some] * log_p).sum()
            loss.backward()
            total += loss.detach()
        hidden.backward(leaf.grad)
        return total
