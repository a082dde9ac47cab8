"""
What an angle between components is
===================================

Components are directions. Crowded components say the same thing several times; the regulariser turns them apart.
"""

# %%
# Three components in a plane. An angle is measured between lines, so that a component
# and its opposite have the angle 0, and no angle is larger than 90°.

import numpy as np

from wideangle import fit_components, mutual_angular_score, pairwise_angles

components = np.array([[2.0, 0.2], [1.5, 0.6], [-1.2, 1.0]])
print(np.rad2deg(pairwise_angles(components)).round(1))

# %%
# The score Ω is the mean of the angles less their variance, in radians. It does not
# depend on lengths or signs. Nothing is wider than orthogonal components, where it is
# π/2.

print(f"these three: {mutual_angular_score(components):.3f}")
print(
    f"other lengths and signs: {mutual_angular_score(components * [[-3], [1], [0.1]]):.3f}"
)
print(
    f"orthogonal components: {mutual_angular_score(np.eye(2)):.3f}, π/2 = {np.pi / 2:.3f}"
)

# %%
# Now seven components in space, six of them near two popular directions. An objective
# would keep each of them near to where it is. Algorithm 1 of the paper maximises the
# objective plus λ times the score.

import torch

torch.manual_seed(1)
popular = torch.tensor([[1.0, 0.2, 0.3], [0.1, 1.0, 0.3]])
start = torch.cat(
    [
        popular.repeat_interleave(3, dim=0) + 0.15 * torch.randn(6, 3),
        torch.tensor([[0.2, 0.1, 1.0]]),
    ]
)


def closeness(A):
    """How near the components are to where they were."""
    return -(A - start).square().sum() / start.square().sum()


fitted = {0: start}
for diversity in (0.2, 5.0):
    fitted[diversity] = fit_components(closeness, start, diversity).components
for diversity, A in fitted.items():
    angles = np.rad2deg(pairwise_angles(A.numpy()))[np.triu_indices(7, 1)]
    print(f"λ = {diversity:<4} smallest angle {angles.min():4.1f}°, mean {angles.mean():4.1f}°, "
          f"closeness {closeness(A):.3f}")  # fmt: skip

# %%
# A larger λ parts them further, and takes them further away from what the objective
# wants. Seven lines in space cannot all be orthogonal. Blue and orange lines start near
# the two popular directions, and the green one is apart from the start.

import matplotlib.pyplot as plt

figure, panels = plt.subplots(1, 3, figsize=(8.4, 3.0), subplot_kw={"projection": "3d"})
names = ("λ = 0: crowded", "λ = 0.2", "λ = 5")
for axes, name, A in zip(panels, names, fitted.values(), strict=True):
    rows = torch.nn.functional.normalize(A)
    rows = rows * torch.where(
        rows.sum(1, keepdim=True) < 0, -1, 1
    )  # The signs mean nothing.
    for row, colour in zip(rows, ["C0"] * 3 + ["C1"] * 3 + ["C3"], strict=True):
        axes.plot(*zip((0, 0, 0), row, strict=True), color=colour, linewidth=2)
        axes.scatter(*row, color=colour, s=18)
    axes.set(
        xlim=(-1, 1),
        ylim=(-1, 1),
        zlim=(-1, 1),
        xticklabels=[],
        yticklabels=[],
        zticklabels=[],
    )
    axes.set_title(name, y=0.98)
    axes.set_box_aspect(None, zoom=1.25)
    axes.view_init(elev=28, azim=38)
plt.show()
