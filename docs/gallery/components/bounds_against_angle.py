"""
Generalisation bounds against the angle
=======================================

The paper bounds the error of a network by the angle of its units. What do the bounds say, and what happens?
"""

# %%
# **What the bounds say.** Units that are further apart lower the bound of the
# estimation error (Theorem 5), which is about training on a sample, and raise that of
# the approximation error (Theorem 7), which is about what the network can express. Here
# for six sigmoid units and 100,000 samples.

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

from wideangle import MutualAngularRegularizer
from wideangle.theory import bounds_for, estimation_error_bound, trade_off, widest_theta

network = {"m": 6, "n": 10**5, "C1": 1.0, "C2": 1.0, "C3": 20.0, "C4": 5.0}
angles = np.linspace(0, np.pi / 2, 100)
curve = trade_off(np.linspace(0, widest_theta(6), 100), C=1.0, **network)
print(f"estimation: {estimation_error_bound(0, **network):.3f} at 0°, "
      f"{estimation_error_bound(np.pi / 2, **network):.3f} at 90°")  # fmt: skip
print(f"Theorem 7 admits angles up to {np.rad2deg(widest_theta(6)):.1f}°")

figure, axes = plt.subplots(figsize=(6.4, 3.6))
axes.semilogy(
    np.rad2deg(angles),
    estimation_error_bound(angles, **network),
    color="C0",
    label="estimation, Theorem 5",
)
axes.semilogy(
    np.rad2deg(curve.theta),
    curve.approximation**2,
    color="C1",
    label="approximation², Theorem 7",
)
axes.axvline(
    np.rad2deg(widest_theta(6)),
    color="C2",
    linestyle=":",
    label="Theorem 7 admits no wider angle",
)
axes.set(
    xlabel="θ (degrees)", ylabel="bound of the squared loss", xticks=range(0, 91, 15)
)
axes.legend()
plt.show()

# %%
# **What happens.** Small networks are trained on 200 digits with rising λ. Their gap,
# test loss less training loss, is measured, and so are the bound of the gap and the
# effective angle of the units.

images, labels = load_digits(return_X_y=True)
X, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels)
regularizer = MutualAngularRegularizer()


def trained(weight, seed):
    """Effective angle, gap and bound of a network with λ = weight."""
    torch.manual_seed(seed)
    order = torch.randperm(len(X))
    train, test = order[:200], order[200:]
    model = nn.Sequential(nn.Linear(64, 50), nn.ReLU(), nn.Linear(50, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(200):
        loss = nn.functional.cross_entropy(
            model(X[train]), y[train]
        ) + regularizer.penalty(model, weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        on_train, on_test = (
            float(nn.functional.cross_entropy(model(X[part]), y[part]))
            for part in (train, test)
        )
    bounds = bounds_for(model, X, loss="cross_entropy", n=len(train))
    return np.rad2deg(bounds.layers[0].effective_angle), on_test - on_train, bounds.gap


print(f"{'λ':>4} {'effective angle':>16} {'gap':>7} {'its bound':>10}")
for weight in (0, 0.1, 1, 10):
    angle, gap, bound = np.mean([trained(weight, seed) for seed in range(3)], axis=0)
    print(f"{weight:4} {angle:15.1f}° {gap:7.3f} {bound:10.0f}")

# %%
# The bounds are thousands of times larger than the gaps. Here the bound of trained
# networks even rises with λ, while the gap falls a little: the angle is not all that a
# bound depends on, and the lengths of the weights change too. So the bounds say in
# which direction an angle acts if all else stays the same, and nothing about how large
# the gap of your network will be.
