"""
My torch model collapses
========================

Hidden units become copies of one another. How do you measure that, and what does one more line do about it?
"""

# %%
# A model that collapses
# ----------------------
#
# An autoencoder of handwritten digits: 50 hidden rectifiers between 64 pixels and 64
# pixels. Its learning rate is too high, which is a common reason for units that die or
# follow the same direction.

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

from wideangle import MutualAngularRegularizer
from wideangle.evaluation import angle_summary, redundant_pairs

images = torch.tensor(load_digits().data / 16).float()
X, X_test = train_test_split(images, test_size=0.4, random_state=0)


def train(weight, rate=0.03, unit=nn.ReLU, watch=None, seed=0):
    """An autoencoder that was trained with λ = weight."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(64, 50), unit(), nn.Linear(50, 64))
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.3)
    regularizer = MutualAngularRegularizer()
    for update in range(600):
        batch = X[torch.randint(len(X), (100,))]
        loss = (model(batch) - batch).square().sum(1).mean()
        loss = loss + regularizer.penalty(
            model, weight
        )  # the one line that is new; 0 is the plain model
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if watch is not None and update % 20 == 19:
            watch.append([update + 1, *measures(model)])
    return model


# %%
# Measure it
# ----------
#
# Four numbers tell a collapse. The **mean angle** of two units and the number of
# **pairs closer than 30°** look at pairs. The **effective rank** is how many directions
# the units take up together: the exponential of the entropy of the eigenvalues of their
# cosines, at most 50 here. A unit is **dead** if it says the same of all training
# digits. The **held-out error** tells whether any of this matters.


def effective_rank(A):
    """How many directions the rows of A take up, from 1 to as many as there are."""
    values = (
        np.linalg.svd(A / np.linalg.norm(A, axis=1, keepdims=True), compute_uv=False)
        ** 2
    )
    shares = values[values > 1e-12] / values.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def measures(model):
    """Held-out error, mean angle, close pairs, effective rank and dead units."""
    with torch.no_grad():
        error = float((model(X_test) - X_test).square().sum(1).mean())
        hidden = model[:2](X)
        dead = int((hidden.std(0) < 1e-6).sum())
    A = model[0].weight.detach().numpy()
    return (
        error,
        angle_summary(A).mean,
        len(redundant_pairs(A)),
        effective_rank(A),
        dead,
    )


def tell(name, model):
    """One line of the table."""
    error, angle, close, rank, dead = measures(model)
    print(f"{name:24} {error:8.3f} {angle:10.1f}° {close:11} {rank:15.1f} {dead:5}")


head = f"{'':24} {'error':>8} {'mean angle':>11} {'closer 30°':>11} {'effective rank':>15} {'dead':>5}"
print(head)
plain = train(0)
tell("plain", plain)

# %%
# Add one line, and watch
# -----------------------
#
# ``loss + regularizer.penalty(model, weight)`` is all. Every linear layer but the last
# is regularised, and each of its units is a component. The weight λ depends on the
# scale of the loss, so try some powers of ten.

curves, models = {}, {}
print(head)
for weight in (0, 0.1, 1, 10, 100):
    curves[weight] = []
    models[weight] = train(weight, watch=curves[weight])
    tell(f"λ = {weight:g}", models[weight])

# %%
# Watch the angles and the held-out error together. The angles grow with any λ, because
# that is what is asked for. Only the error says whether the model needed it.

figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.4))
for (weight, watched), colour in zip(
    curves.items(), ("C2", "C6", "C0", "C1", "C4"), strict=True
):
    updates, error, _, _, rank, _ = np.transpose(watched)
    left.plot(updates, rank, color=colour, label=f"λ = {weight:g}")
    right.plot(updates, error, color=colour)
left.set(xlabel="updates", ylabel="effective rank of 50 units", ylim=(0, 52))
right.set(xlabel="updates", ylabel="held-out error", yscale="log")
left.legend(fontsize=9, loc="center", bbox_to_anchor=(0.6, 0.34), ncols=2)
plt.show()

# %%
# First look for the cause
# ------------------------
#
# A regulariser treats a symptom. Here are the same model with a tenth of the learning
# rate, and with units that cannot die, with and without it.

print(head)
for name, changes in {
    "rate 0.003": {"rate": 0.003},
    "rate 0.003, ELU": {"rate": 0.003, "unit": nn.ELU},
}.items():
    for weight in (0, 1, 10, 100):
        tell(f"{name}, λ = {weight}", train(weight, **changes))

# %%
# With the smaller rate alone some units still die, and the regulariser still gains a
# lot. With units that cannot die the plain model is nearly as good as the best with the
# regulariser: the angles grow there too, and little is gained by it.
#
# When not to use it
# ------------------
#
# * **The angles are wide already**, or the held-out error does not follow them. Wide angles are no aim in themselves.
# * **The cause can be removed**: a smaller learning rate, another initialisation, units that cannot die, normalisation.
# * **λ is too large.** At the smaller rate the largest λ is worse than the one before it. Choose λ by a
#   held-out score, with 0 among the choices.
# * **Units are meant to be alike**: weights that are tied, or more units than the task has directions,
#   where it is simpler to take fewer.
#
# The regulariser can be made cheaper for wide layers: ``rows=512`` takes random rows,
# ``every=10`` some of the updates. With ``metric="covariance"`` angles are measured as
# the data sees them.
