"""The regulariser in a plain torch loop: a convolutional network with and without it.

Trains on some images of MNIST where it is found (WIDEANGLE_DATA or the cache), else on scikit-learn's 8×8 digits, and
says which. Each filter is a component: the two convolutions and the hidden linear layer are regularised, the output
layer is not.
"""

import argparse

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn

from wideangle import MutualAngularRegularizer
from wideangle.data import load
from wideangle.evaluation import angle_summary
from wideangle.exceptions import DataError
from wideangle.regularizer import selected_layers


def digits(n: int) -> tuple[str, Tensor, Tensor, Tensor, Tensor]:
    """Name, training images and labels, test images and labels."""
    try:
        data = load("mnist", fetch=False)
    except DataError:
        images, labels = load_digits(return_X_y=True)
        parts = train_test_split(images / 16, labels, test_size=0.4, random_state=0)
        name, side = "scikit-learn's digits", 8
    else:
        train, test = data.train.subset(np.arange(n)), data.test.subset(np.arange(2000))
        parts, name, side = [train.X / 255, test.X / 255, train.labels, test.labels], "MNIST", 28
    X, X_test, y, y_test = (torch.tensor(part) for part in parts)
    shape = (-1, 1, side, side)
    return name, X.float().reshape(shape), y, X_test.float().reshape(shape), y_test


def network(side: int) -> nn.Module:
    """Two convolutions that halve the side, a hidden layer, ten outputs."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * (side // 4) ** 2, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def train(X: Tensor, y: Tensor, weight: float, seed: int, updates: int) -> nn.Module:
    torch.manual_seed(seed)
    model = network(X.shape[-1])
    regularizer = MutualAngularRegularizer()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(updates):
        rows = torch.randint(len(X), (64,))
        loss = nn.functional.cross_entropy(model(X[rows]), y[rows])
        loss = loss + regularizer.penalty(model, weight)  # the one line that is new
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    name, X, y, X_test, y_test = digits(arguments.images)
    print(
        f"{name}: {len(X)} training images, {len(X_test)} test images, {arguments.updates} updates, "
        f"mean of {arguments.seeds} seeds"
    )
    print(f"{'λ':>5} {'test accuracy':>14}   smallest angle of two units, layer by layer")
    for weight in (0.0, 0.1):
        rows = []
        for seed in range(arguments.seeds):
            model = train(X, y, weight, seed, arguments.updates)
            with torch.no_grad():
                accuracy = float((model(X_test).argmax(1) == y_test).double().mean())
            layers = selected_layers(model).values()
            weights = [layer.weight.detach().flatten(1).numpy() for layer in layers]  # type: ignore[operator]
            rows.append([accuracy, *(angle_summary(matrix).smallest for matrix in weights)])
        accuracy, *angles = np.mean(rows, axis=0)
        print(f"{weight:5} {accuracy:14.4f}   " + "".join(f"{angle:8.1f}°" for angle in angles))


if __name__ == "__main__":
    main()
