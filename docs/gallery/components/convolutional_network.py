"""
The regulariser in a plain torch loop
=====================================

A convolutional network of handwritten digits, with the regulariser and without: one line more in the loop.
"""

# %%
# Each filter is a component. The two convolutions and the hidden linear layer are
# regularised, and the output layer is not.

import matplotlib.pyplot as plt
import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

from wideangle import MutualAngularRegularizer
from wideangle.evaluation import angle_matrix, angle_summary
from wideangle.regularizer import selected_layers

images, labels = load_digits(return_X_y=True)
X, X_test, y, y_test = map(
    torch.tensor, train_test_split(images / 16, labels, test_size=0.4, random_state=0)
)
X, X_test = (part.float().reshape(-1, 1, 8, 8) for part in (X, X_test))


def network():
    """Two convolutions that halve the side, a hidden layer, ten outputs."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def train(weight, seed):
    """A trained network, with λ = weight."""
    torch.manual_seed(seed)
    model = network()
    regularizer = MutualAngularRegularizer()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(200):
        rows = torch.randint(len(X), (64,))
        loss = nn.functional.cross_entropy(model(X[rows]), y[rows])
        loss = loss + regularizer.penalty(model, weight)  # the one line that is new
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


# %%
# The smallest angle of two units grows in each regularised layer.


def weights_of(model):
    """Of each regularised layer, one row per unit."""
    return [
        layer.weight.detach().flatten(1).numpy()
        for layer in selected_layers(model).values()
    ]


print(f"{len(X)} training images, {len(X_test)} test images, mean of 2 seeds")
print(f"{'λ':>5} {'test accuracy':>14}   smallest angle of two units, layer by layer")
models = {}
for weight in (0.0, 0.1):
    models[weight] = [train(weight, seed) for seed in range(2)]
    with torch.no_grad():
        accuracy = np.mean(
            [
                float((model(X_test).argmax(1) == y_test).double().mean())
                for model in models[weight]
            ]
        )
    angles = np.mean(
        [
            [angle_summary(rows).smallest for rows in weights_of(model)]
            for model in models[weight]
        ],
        axis=0,
    )
    print(
        f"{weight:5} {accuracy:14.4f}   "
        + "".join(f"{angle:8.1f}°" for angle in angles)
    )

# %%
# All angles of the second convolution and of the hidden layer. The accuracy hardly
# changes on data as easy as this: wider angles alone are no gain.

upper = [np.triu_indices(len(rows), 1) for rows in weights_of(models[0.0][0])]
figure, panels = plt.subplots(1, 2, figsize=(7.4, 3.2))
for axes, layer, name in zip(
    panels, (1, 2), ("second convolution", "hidden layer"), strict=True
):
    for weight, colour in ((0.0, "C2"), (0.1, "C1")):
        angles = angle_matrix(weights_of(models[weight][0])[layer])[upper[layer]]
        axes.hist(
            angles,
            bins=40,
            range=(50, 90),
            histtype="stepfilled",
            color=colour,
            alpha=0.3,
        )
        axes.hist(
            angles,
            bins=40,
            range=(50, 90),
            histtype="step",
            color=colour,
            linewidth=1.6,
            label=f"λ = {weight:g}",
        )
    axes.set(xlabel="angle of two units (degrees)", ylabel="pairs", title=name)
panels[0].legend(loc="upper left")
plt.show()
