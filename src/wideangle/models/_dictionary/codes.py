"""Sparse codes of rows: argmin over z of ½‖x − zA‖² + α‖z‖₁."""

import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle._quiet import silenced

STEPS = 50  # of training; the objective of its codes is then within a hundredth of the least
# Coordinate descent for the codes that users get: at most so many cycles, and this duality gap per squared length.
CYCLES, GAP = 10_000, 1e-6
DOUBTED = 1e-4  # Codes are warned of where the gap that is left after all cycles is larger than this.


def quick_codes(X: Tensor, A: Tensor, alpha: float, positive: bool, steps: int = STEPS) -> Tensor:
    """Codes after a number of accelerated proximal gradient steps (Beck and Teboulle, 2009), on the device of A.

    For the mini-batches of training these take a fifth of the time of coordinate descent, which finds exact codes.
    The codes of a row depend on that row alone, so that processes can divide a mini-batch.
    """
    G, answers = A @ A.mT, X @ A.mT
    rate = 1 / torch.linalg.eigvalsh(G)[-1]  # Components have length 1, so that this eigenvalue is at least 1.
    S = Y = torch.zeros_like(answers)
    for step in range(steps):
        before, S = S, _shrunk(Y - rate * (Y @ G - answers), rate * alpha, positive)
        Y = S + step / (step + 3) * (S - before)
    return S


def _shrunk(Z: Tensor, by: Tensor, positive: bool) -> Tensor:
    """The proximal map of the penalty: argmin over S of ½‖S − Z‖² + by · ‖S‖₁."""
    if positive:
        return (Z - by).clamp(min=0)
    return Z - torch.minimum(torch.maximum(Z, -by), by)


def exact_codes(X: NDArray[Any], A: NDArray[Any], alpha: float, positive: bool) -> NDArray[np.float64]:
    """Codes by scikit-learn's coordinate descent, in double precision.

    Where many components are nearly dependent, the last digits take more cycles than anybody wants to wait for. A
    `ConvergenceWarning` says where more than the last digits are open.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import Lasso

    # Lasso divides the squared error by the number of columns. `sparse_encode` would ask for a gap of 1e-8 and warn of
    # codes that miss it by no more than rounding.
    lasso = Lasso(
        alpha=alpha / A.shape[1],
        fit_intercept=False,
        precompute=True,
        max_iter=CYCLES,
        tol=GAP,
        positive=positive,
        random_state=0,  # Cycles need no random numbers, but Lasso would draw one from NumPy's global generator.
    )
    rows = X.astype(np.float64)
    with silenced(ConvergenceWarning):  # It knows one gap only, and is told below where the gap matters.
        lasso.fit(A.astype(np.float64).T, rows.T)
    # The gaps are of Lasso's objective, in which the squared error is divided by twice the number of columns.
    open_rows = np.atleast_1d(lasso.dual_gap_) * A.shape[1] > DOUBTED * np.square(rows).sum(axis=1)
    if open_rows.any():
        warnings.warn(
            f"the codes of {np.count_nonzero(open_rows)} of {len(rows)} rows are not exact after {CYCLES:,} cycles: "
            "many components are nearly the same. Take fewer components, or a larger alpha.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return np.asarray(lasso.coef_, dtype=np.float64).reshape(len(X), len(A))


def loss_of(X: Tensor, S: Tensor, A: Tensor, alpha: float) -> Tensor:
    """Mean over rows of ½‖x − zA‖² + α‖z‖₁."""
    return ((X - S @ A).square().sum(1) / 2 + alpha * S.abs().sum(1)).mean()
