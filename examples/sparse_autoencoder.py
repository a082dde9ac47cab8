"""A sparse autoencoder with 4096 atoms: how many nearly repeat another, with the regulariser and without?

Top-k autoencoder of 8×8 patches from the two photographs in scikit-learn, 64 times as many atoms as pixels, a plain
torch loop. Atoms that start at patches are nearly all in use, but many are near-duplicates from the start and stay so.
The regulariser on a random subset of atoms an update parts them, at some cost in reconstruction. A random start has
hardly any duplicates after training as short as this, but leaves more atoms unused.
"""

import argparse

import torch
from sklearn.datasets import load_sample_images
from torch import Tensor, nn
from torch.nn import functional

from wideangle import MutualAngularRegularizer

ATOMS, ACTIVE, SIDE, BATCH = 4096, 8, 8, 128
SETTINGS = (  # start of the atoms, λ, regulariser
    ("patches", 0.0, MutualAngularRegularizer()),
    ("patches", 3.0, MutualAngularRegularizer("angle", rows=512)),
    ("patches", 0.03, MutualAngularRegularizer("volume", rows=48)),  # fewer rows than the patches' 63 dimensions
    ("random", 0.0, MutualAngularRegularizer()),
)


def patches(n: int, generator: torch.Generator) -> Tensor:
    """Grey patches of mean 0 and length 1, the flattest left out."""
    found = []
    for image in load_sample_images().images:
        grey = torch.tensor(image).float().mean(2)
        windows = grey.unfold(0, SIDE, 1).unfold(1, SIDE, 1).flatten(0, 1).flatten(1)
        chosen = windows[torch.randint(len(windows), (n,), generator=generator)]
        found.append(chosen - chosen.mean(1, keepdim=True))
    rows = torch.cat(found)
    lengths = rows.norm(dim=1)
    rows = rows[lengths > lengths.median() / 2]
    return functional.normalize(rows)[torch.randperm(len(rows), generator=generator)]


class SparseAutoencoder(nn.Module):
    def __init__(self, atoms: Tensor) -> None:
        super().__init__()
        self.encoder = nn.Linear(atoms.shape[1], len(atoms))
        self.encoder.weight.data.copy_(atoms)
        self.encoder.bias.data.zero_()
        self.atoms = nn.Parameter(atoms.clone())

    def codes(self, X: Tensor) -> Tensor:
        """The largest activations of each row; the others are 0."""
        active = functional.relu(self.encoder(X))
        largest, where = active.topk(ACTIVE, dim=1)
        return torch.zeros_like(active).scatter(1, where, largest)

    def forward(self, X: Tensor) -> Tensor:
        return self.codes(X) @ self.atoms


def train(X: Tensor, start: str, weight: float, regularizer: MutualAngularRegularizer, steps: int) -> SparseAutoencoder:
    generator = torch.Generator().manual_seed(0)
    atoms = torch.randn(ATOMS, X.shape[1], generator=generator) if start == "random" else X[:ATOMS]
    model = SparseAutoencoder(functional.normalize(atoms))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(steps):
        batch = X[torch.randint(len(X), (BATCH,), generator=generator)]
        loss = (batch - model(batch)).square().sum(1).mean()
        if weight:
            loss = loss + regularizer.penalty(model.atoms, weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model.atoms.copy_(functional.normalize(model.atoms))
    return model


def nearest(atoms: Tensor) -> Tensor:
    """The largest |cos| of each atom with another."""
    return (atoms @ atoms.T).fill_diagonal_(0).abs().amax(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    steps = parser.parse_args().steps
    X = patches(15_000, torch.Generator().manual_seed(0))
    test, X = X[:2000], X[2000:]
    close = nearest(X[:ATOMS])
    print(f"{ATOMS} atoms, {steps} updates; {int((close > 0.95).sum())} of the starting patches have |cos| > 0.95")
    print(f"{'start':>8} {'λ':>5} {'by':>7} {'|cos| > 0.9':>12} {'|cos| > 0.95':>13} {'in use':>7} {'test error':>11}")
    for start, weight, regularizer in SETTINGS:
        model = train(X, start, weight, regularizer, steps)
        with torch.no_grad():
            close = nearest(model.atoms)
            codes = model.codes(test)
            error = float((test - codes @ model.atoms).square().sum(1).mean())
        name = regularizer.surrogate if weight else "-"
        counts = [int((close > 0.9).sum()), int((close > 0.95).sum()), int((codes > 0).any(0).sum())]
        print(f"{start:>8} {weight:5} {name:>7} {counts[0]:12} {counts[1]:13} {counts[2]:7} {error:11.4f}")


if __name__ == "__main__":
    main()
