"""
A machine of real numbers draws rows
====================================

A ``GaussianRBM`` is a mixture of Gaussians with shared parts. In a plane one can look at all of it.
"""

# %%
# 1,500 points in four clouds, which are the corners of a parallelogram. The machine has
# four hidden units, so that it is a mixture of 2⁴ Gaussians. Clouds that lie apart need
# ``persistent=True``: chains that start at the rows do not cross.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.mixture import GaussianMixture

from wideangle.models import GaussianRBM

rng = np.random.default_rng(0)
corners = np.array([[0, 0], [5, 1], [1, 4], [6, 5]])
which = rng.choice(4, size=2000, p=[0.4, 0.3, 0.2, 0.1])
rows = corners[which] + 0.6 * rng.standard_normal((2000, 2))
X, X_test = rows[:1500], rows[1500:]

models = {
    "contrastive divergence": GaussianRBM(
        4, diversity=0, max_updates=6000, random_state=0
    ),
    "persistent chains": GaussianRBM(
        4, diversity=0, max_updates=6000, persistent=True, random_state=0
    ),
}

# %%
# The log-likelihood of held-out rows is exact here, a sum over all hidden states. For
# comparison: a mixture of four free Gaussians, which is what the rows were made by, and
# one Gaussian.

for name, model in models.items():
    model.fit(X)
    likelihood = model.log_likelihood(X_test)
    print(f"{name:24} {likelihood.log_p.mean():7.3f} ± {likelihood.standard_error.mean():.3f}, doubt: "
          f"{likelihood.doubt or 'none'}")  # fmt: skip
for n in (4, 1):
    name = f"{n} free Gaussian{'s' if n > 1 else ''}"
    print(f"{name:24} {GaussianMixture(n, random_state=0).fit(X).score(X_test):7.3f}")

# %%
# Nothing doubts these numbers, and nothing should: they are exact. But a machine can be
# bad and its likelihood right. Without persistent chains the machine is worse here than
# one Gaussian. With them it is better, and not as good as the free mixture.
#
# The density of each machine, and 500 rows that it draws by Gibbs sampling.

grid = np.stack(np.meshgrid(np.linspace(-3, 9, 80), np.linspace(-3, 8, 80)), axis=-1)
figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True)
panels[0].scatter(*X.T, s=3, color="C2", linewidths=0)
panels[0].set(title="the rows")
for axes, (name, model) in zip(panels[1:], models.items(), strict=True):
    density = model.log_likelihood(grid.reshape(-1, 2)).log_p.reshape(80, 80)
    axes.contourf(
        grid[..., 0],
        grid[..., 1],
        density,
        levels=np.arange(-9, 0),
        cmap="Greys",
        extend="min",
        alpha=0.6,
    )
    axes.scatter(
        *model.sample(500, sweeps=200, random_state=0).T, s=3, color="C1", linewidths=0
    )
    axes.set(title=f"{name}:\ndensity and 500 draws")
plt.show()

# %%
# How many of the draws are near each of the four corners, beside the rows:

drawn = {
    name: model.sample(2000, sweeps=200, random_state=0)
    for name, model in models.items()
}
for name, points in {"rows": X, **drawn}.items():
    nearest = np.linalg.norm(points[:, None] - corners, axis=2).argmin(axis=1)
    print(
        f"{name:24}",
        *(f"{share:5.2f}" for share in np.bincount(nearest, minlength=4) / len(points)),
    )
