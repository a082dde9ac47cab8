"""Regularise a model that is not in the paper: non-negative sparse coding of handwritten digits.

Learns 40 strokes by Algorithm 1, with and without the regulariser, and shows what they are worth on held-out digits.
With `--metric covariance`, angles of strokes are measured as the digits see them.
"""

import argparse

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from torch import Tensor

from wideangle import fit_components
from wideangle.functional import Covariance, Metric, pair_angles

K, SPARSITY, SEEDS = 40, 0.1, 3


def codes(X: Tensor, A: Tensor, steps: int = 40) -> Tensor:
    """argmin ½‖X − S A‖² + μ Σ S over S ≥ 0, by accelerated projected gradient."""
    rate = 1 / torch.linalg.matrix_norm(A @ A.T, 2)
    S = Y = X.new_zeros(len(X), len(A))
    for t in range(steps):
        previous, S = S, (Y - rate * ((Y @ A - X) @ A.T + SPARSITY)).clamp(min=0)
        Y = S + t / (t + 3) * (S - previous)
    return S


def fit(X: Tensor, diversity: float, seed: int, metric: Metric | None) -> Tensor:
    scale = X.square().sum(1).mean()  # an objective of order one: the same weights serve other data

    def objective(A: Tensor, batch: Tensor) -> Tensor:
        S = codes(batch, A.detach())  # at the best codes, the gradient in A is the one with codes held fixed
        return -((batch - S @ A).square().sum(1) / 2 + SPARSITY * S.sum(1)).mean() / scale

    start = X[torch.randperm(len(X), generator=torch.Generator().manual_seed(seed))[:K]]
    options = {"surrogate": "volume", "batches": X.split(100), "max_iterations": 20, "learning_rate": 0.02}
    return fit_components(objective, start, diversity, metric=metric, **options).directions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metric", choices=("identity", "covariance"), default="identity")
    arguments = parser.parse_args()
    images, labels = load_digits(return_X_y=True)
    X, test, y, y_test = train_test_split(torch.tensor(images / 16).float(), labels, test_size=0.4, random_state=0)
    # Some pixels are white in all digits; without shrinkage the metric would not see strokes there.
    metric = Covariance(X, shrinkage=0.1) if arguments.metric == "covariance" else None
    print(
        f"mean of {SEEDS} seeds\n{'diversity':>9} {'smallest angle':>15} {'held-out error':>15} {'3-NN accuracy':>14}"
    )
    for diversity in (0.0, 1e-4, 1e-3, 1e-2):
        rows = []
        for seed in range(SEEDS):
            W = fit(X, diversity, seed, metric)
            angle = torch.rad2deg(pair_angles(W if metric is None else metric.map(W)).min())
            error = (test - codes(test, W) @ W).square().sum() / test.square().sum()
            accuracy = KNeighborsClassifier(3).fit(codes(X, W), y).score(codes(test, W), y_test)
            rows.append([float(angle), float(error), accuracy])
        mean = torch.tensor(rows).mean(0).tolist()
        print(f"{diversity:9} {mean[0]:14.1f}° {mean[1]:15.4f} {mean[2]:14.4f}")


if __name__ == "__main__":
    main()
