"""The distribution of the next word, given the hidden units: a softmax over all words, or a binary tree of words."""

from typing import Literal, Protocol

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

Softmax = Literal["full", "tree"]
SOFTMAXES: tuple[Softmax, ...] = ("full", "tree")


class Output(Protocol):
    """log p of words. `weights` has one row per word or inner node, `bias` one entry."""

    def of_tokens(self, hidden: Tensor, words: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        """log p of each word, given the hidden units of the same row; T×K and T to T."""

    def of_counts(self, hidden: Tensor, counts: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        """Σ_w n_w log p(w) of each row, given its hidden units; B×K and B×V to B."""

    def bias_of_frequencies(self, frequencies: Tensor) -> Tensor:
        """The bias with which the words have these frequencies where the hidden units have no weight."""

    def floats_per_token(self, n_components: int) -> int:
        """How many numbers `of_tokens` holds per token."""


class FullSoftmax:
    """p(w | h) = softmax(b + V h) (Larochelle and Lauly 2012, Section 4)."""

    def __init__(self, n_words: int) -> None:
        self.n_words = n_words

    def of_tokens(self, hidden: Tensor, words: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        logits = torch.addmm(bias, hidden, weights.T)
        return logits.gather(1, words[:, None])[:, 0] - logits.logsumexp(1)

    def of_counts(self, hidden: Tensor, counts: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        return (counts * torch.addmm(bias, hidden, weights.T).log_softmax(1)).sum(1)

    def bias_of_frequencies(self, frequencies: Tensor) -> Tensor:
        return frequencies.log()

    def floats_per_token(self, n_components: int) -> int:
        return self.n_words


class BinaryTree:
    """p(w | h) = Π σ(± (b_n + V_n h)) over the inner nodes n on the path to w; plus is right, minus is left.

    The tree is numbered as a heap: the root is 1, the children of n are 2n and 2n + 1, the inner nodes are 1 to V − 1,
    and the leaf of rank r is V + r. So no path is longer than ⌈log₂ V⌉, and parameters with one row per word have room
    for the nodes; row 0 is not used. `leaves` has the rank of each word's leaf, in random order as in the paper.
    """

    def __init__(self, leaves: Tensor) -> None:
        self.n_words = len(leaves)
        self.words_of_leaves = torch.argsort(leaves)
        node = self.n_words + leaves
        parents, turns = [], []
        while int(node.max()) > 1:
            below = node > 1
            turns.append(torch.where(below, 2 * (node % 2) - 1, 0))
            node = torch.where(below, node // 2, 0)
            parents.append(node)
        empty = leaves.new_empty((self.n_words, 0))
        self.paths = torch.stack(parents, 1) if parents else empty
        """V × depth: the inner nodes from each leaf up to the root, then zeros"""
        self.turns = torch.stack(turns, 1) if turns else empty
        """V × depth: 1 for right, −1 for left, 0 beyond the root"""

    def of_tokens(self, hidden: Tensor, words: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        nodes, turns = self.paths[words], self.turns[words]
        # A token needs the logits of ⌈log₂ V⌉ nodes alone.
        logits = bias[nodes] + torch.einsum("tmk,tk->tm", torch.nn.functional.embedding(nodes, weights), hidden)
        return torch.where(turns != 0, logsigmoid(turns * logits), 0.0).sum(1)

    def of_counts(self, hidden: Tensor, counts: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        below = self._tokens_below(counts)
        # One product with all nodes is faster than many paths, because words of a document share most of their nodes.
        logits = torch.addmm(bias, hidden, weights.T)[:, 1:]
        left, right = below[:, 2::2], below[:, 3::2]
        return (left * logsigmoid(-logits) + right * logsigmoid(logits)).sum(1)

    def bias_of_frequencies(self, frequencies: Tensor) -> Tensor:
        below = self._tokens_below(frequencies[None])[0]
        odds = torch.zeros_like(frequencies)
        odds[1:] = below[3::2].log() - below[2::2].log()
        return odds

    def floats_per_token(self, n_components: int) -> int:
        return max(1, self.paths.shape[1]) * n_components

    def _tokens_below(self, counts: Tensor) -> Tensor:
        """How many tokens are below each node; B × 2V."""
        V = self.n_words
        below = counts.new_zeros((len(counts), 2 * V))
        below[:, V:] = counts[:, self.words_of_leaves]
        end = V
        while end > 1:  # one level of the tree after another, from the deepest inner nodes to the root
            first = 1 << ((end - 1).bit_length() - 1)
            below[:, first:end] = below[:, 2 * first : 2 * end : 2] + below[:, 2 * first + 1 : 2 * end : 2]
            end = first
        return below


def output_for(softmax: Softmax, n_words: int, leaves: Tensor) -> Output:
    """The output of this name. `leaves` matters to the tree alone."""
    return FullSoftmax(n_words) if softmax == "full" else BinaryTree(leaves)
