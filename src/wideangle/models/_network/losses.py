"""Losses of networks that classify. They take outputs and class numbers and give one loss per sample."""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

ClassifierLoss = Literal["cross_entropy", "logistic", "hinge", "squared"]


def n_outputs(n_classes: int) -> int:
    """One output decides between two classes. With more classes, each has its own output."""
    return 1 if n_classes == 2 else n_classes


def signs(classes: Tensor, outputs: Tensor) -> Tensor:
    """+1 at a sample's class and −1 elsewhere; with one output, +1 for class 1 and −1 for class 0."""
    if outputs.shape[1] == 1:
        return (2 * classes[:, None] - 1).to(outputs)
    return (2 * functional.one_hot(classes, outputs.shape[1]) - 1).to(outputs)


def cross_entropy(outputs: Tensor, classes: Tensor) -> Tensor:
    """−log p(class) of a softmax, or of a sigmoid where there is one output."""
    if outputs.shape[1] == 1:
        return logistic(outputs, classes)
    return functional.cross_entropy(outputs, classes, reduction="none")


def logistic(outputs: Tensor, classes: Tensor) -> Tensor:
    """Σ log(1 + exp(−y f)), each class against the rest."""
    return functional.softplus(-signs(classes, outputs) * outputs).sum(1)


def hinge(outputs: Tensor, classes: Tensor) -> Tensor:
    """max(0, 1 − y f); for several classes Crammer and Singer's, max(0, 1 + max of the others − the right one)."""
    if outputs.shape[1] == 1:
        return functional.relu(1 - signs(classes, outputs) * outputs).sum(1)
    own = classes[:, None]
    others = outputs.scatter(1, own, -torch.inf).amax(1)
    return functional.relu(1 + others - outputs.gather(1, own)[:, 0])


def squared(outputs: Tensor, classes: Tensor) -> Tensor:
    """¼ Σ (y − f)²: the squared distance of (f + 1)/2 to the class's code of zeros and a one."""
    return (signs(classes, outputs) - outputs).square().sum(1) / 4


LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "cross_entropy": cross_entropy,
    "logistic": logistic,
    "hinge": hinge,
    "squared": squared,
}


def probabilities(outputs: Tensor, loss: ClassifierLoss) -> Tensor:
    """The probability of each class, as the best outputs for the loss give it. The hinge's outputs give none."""
    if loss == "cross_entropy" and outputs.shape[1] > 1:
        return torch.softmax(outputs, 1)
    # The best squared-error output is the mean of y, which is 2p − 1.
    each = ((outputs + 1) / 2).clamp(0, 1) if loss == "squared" else torch.sigmoid(outputs)
    if outputs.shape[1] == 1:
        return torch.cat([1 - each, each], 1)
    total = each.sum(1, keepdim=True)
    # Where all probabilities are 0, every class is equally likely.
    return torch.where(total > 0, each / total.clamp_min(torch.finfo(each.dtype).tiny), 1 / outputs.shape[1])
