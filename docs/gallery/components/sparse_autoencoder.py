"""
A sparse autoencoder whose atoms repeat one another
===================================================

Of 2,048 atoms many are near-duplicates of another one. How many, with the regulariser and without?
"""

# %%
# A top-k autoencoder of 8×8 patches from the two photographs in scikit-learn, with 32
# times as many atoms as pixels. Each patch has the mean 0 and the length 1, and the
# flattest ones are left out.

import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_sample_images
from torch import nn
from torch.nn import functional

from wideangle import MutualAngularRegularizer

ATOMS, ACTIVE, SIDE, BATCH, UPDATES = 2048, 8, 8, 128, 150


def patches(n, generator):
    """Grey patches of mean 0 and length 1."""
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
    """Each patch is the sum of a few atoms."""

    def __init__(self, atoms):
        super().__init__()
        self.encoder = nn.Linear(atoms.shape[1], len(atoms))
        self.encoder.weight.data.copy_(atoms)
        self.encoder.bias.data.zero_()
        self.atoms = nn.Parameter(atoms.clone())

    def codes(self, X):
        """The largest activations of each row; the others are 0."""
        active = functional.relu(self.encoder(X))
        largest, where = active.topk(ACTIVE, dim=1)
        return torch.zeros_like(active).scatter(1, where, largest)

    def forward(self, X):
        """The patches as the atoms rebuild them."""
        return self.codes(X) @ self.atoms


def train(X, start, weight, regularizer):
    """A trained autoencoder, with λ = weight."""
    generator = torch.Generator().manual_seed(0)
    atoms = (
        torch.randn(ATOMS, X.shape[1], generator=generator)
        if start == "random"
        else X[:ATOMS]
    )
    model = SparseAutoencoder(functional.normalize(atoms))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(UPDATES):
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


def nearest(atoms):
    """The largest |cos| of each atom with another."""
    return (atoms @ atoms.T).fill_diagonal_(0).abs().amax(1)


# %%
# Atoms that start at patches are nearly all in use, but many are near-duplicates from
# the start. The regulariser on a random subset of the atoms per update parts them. It
# costs some reconstruction. A random start has hardly any duplicates after training as
# short as this, but leaves more atoms unused.

X = patches(15_000, torch.Generator().manual_seed(0))
test, X = X[:2000], X[2000:]
settings = (  # start of the atoms, λ, regulariser
    ("patches", 0.0, MutualAngularRegularizer()),
    ("patches", 3.0, MutualAngularRegularizer("angle", rows=512)),
    (
        "patches",
        0.03,
        MutualAngularRegularizer("volume", rows=48),
    ),  # fewer rows than the 63 dimensions of the patches
    ("random", 0.0, MutualAngularRegularizer()),
)
closest = {"the starting patches": nearest(X[:ATOMS])}
n_close = int((nearest(X[:ATOMS]) > 0.9).sum())
print(
    f"{ATOMS} atoms, {UPDATES} updates; {n_close} of the starting patches have |cos| > 0.9"
)
print(
    f"{'start':>8} {'λ':>5} {'by':>7} {'|cos| > 0.9':>12} {'|cos| > 0.8':>12} {'in use':>7} {'test error':>11}"
)
for start, weight, regularizer in settings:
    model = train(X, start, weight, regularizer)
    with torch.no_grad():
        close, codes = nearest(model.atoms), model.codes(test)
        error = float((test - codes @ model.atoms).square().sum(1).mean())
    name = regularizer.surrogate if weight else "-"
    counts = [
        int((close > 0.9).sum()),
        int((close > 0.8).sum()),
        int((codes > 0).any(0).sum()),
    ]
    print(
        f"{start:>8} {weight:5} {name:>7} {counts[0]:12} {counts[1]:12} {counts[2]:7} {error:11.4f}"
    )
    if start == "patches":
        closest[f"λ = {weight:g}, {name}" if weight else "λ = 0"] = close

# %%
# How close the nearest other atom is, for all atoms that started at patches:

figure, axes = plt.subplots(figsize=(6.8, 3.6))
for (name, close), colour in zip(
    closest.items(), ("C2", "C5", "C1", "C0"), strict=True
):
    axes.plot(
        close.sort().values.flip(0), range(1, ATOMS + 1), color=colour, label=name
    )
axes.set(
    xlabel="|cos| with the nearest other atom",
    ylabel="atoms that are at least as close",
)
axes.set(xlim=(0.5, 1), yscale="log", title="lower is better: fewer near-duplicates")
axes.legend()
plt.show()
