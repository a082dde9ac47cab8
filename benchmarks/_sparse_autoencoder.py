"""A sparse autoencoder as dictionary_quality.py compares it: untied, the largest activations kept, Adam, unit atoms."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from wideangle import MutualAngularRegularizer

Array = np.ndarray[Any, Any]


class SparseAutoencoder(nn.Module):
    """Codes are the `active` largest activations of each row; each atom has length 1."""

    def __init__(self, atoms: Tensor, active: int) -> None:
        super().__init__()
        self.active = active
        self.encoder = nn.Linear(atoms.shape[1], len(atoms))
        self.encoder.weight.data.copy_(atoms)
        self.encoder.bias.data.zero_()
        self.atoms = nn.Parameter(atoms.clone())

    def codes(self, X: Tensor) -> Tensor:
        active = functional.relu(self.encoder(X))
        largest, where = active.topk(self.active, dim=1)
        return torch.zeros_like(active).scatter(1, where, largest)

    def transform(self, X: Array) -> Array:
        with torch.no_grad():
            return self.codes(torch.as_tensor(X).float()).double().numpy()

    @property
    def components_(self) -> Array:
        return self.atoms.detach().double().numpy()


def autoencoder(
    X: Array, K: int, active: int, diversity: float, surrogate: str, updates: int, seed: int
) -> SparseAutoencoder:
    """Trained on the rows, starting at rows; the loss is the mean squared error of a row − λ Ω of the atoms."""
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)  # `nn.Linear` draws from the global generator.
    rows = torch.as_tensor(X).float()
    start = rows[torch.randperm(len(rows), generator=generator)[:K]]
    start = functional.normalize(start + 0.1 * functional.normalize(torch.randn(start.shape, generator=generator)))
    model = SparseAutoencoder(start, active)
    regularizer = MutualAngularRegularizer(surrogate)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for update in range(updates):
        batch = rows[torch.randint(len(rows), (100,), generator=generator)]
        loss = (batch - model.codes(batch) @ model.atoms).square().sum(1).mean() / 2
        if diversity:
            loss = loss + regularizer.penalty(model.atoms, diversity)
        for group in optimizer.param_groups:
            group["lr"] = 5e-3 * (1 - update / updates)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model.atoms.copy_(functional.normalize(model.atoms))
    return model
