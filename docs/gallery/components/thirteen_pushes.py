"""
Thirteen regularisers push the same forty rows
==============================================

All regularisers of the package, from the same crowded start, pushed by steps of the same length.
"""

# %%
# Forty components in fifty dimensions, most of them near one of three popular
# directions.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import torch

from wideangle.evaluation import angle_matrix, angle_summary
from wideangle.exceptions import VanishedGradientWarning
from wideangle.functional import REGULARIZERS, value_and_gradient

generator = torch.Generator().manual_seed(0)
popular = torch.randn(3, 50, generator=generator)
kind = (
    torch.multinomial(
        torch.tensor([0.5, 0.3, 0.2]), 40, replacement=True, generator=generator
    )
    .sort()
    .values
)
start = popular[kind] + 0.5 * torch.randn(40, 50, generator=generator)

# %%
# Each regulariser says by its gradient where the rows should go. Here they go there in
# twenty small steps of one length, so that the pushes differ in direction alone. After
# a step the rows are scaled to unit length again.


def push(A, name, steps=20, length=0.15):
    """The rows after some steps along the gradient of a regulariser."""
    for _ in range(steps):
        _, gradient = value_and_gradient(A, name)
        A = torch.nn.functional.normalize(A + length * gradient / gradient.norm())
    return A


start = torch.nn.functional.normalize(start.double())
pushed, vanished = {"start": start}, []
for name in REGULARIZERS:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VanishedGradientWarning)
        pushed[name] = push(start, name)
    if caught:
        vanished.append(name)

print(f"{'':14} {'smallest':>9} {'mean':>7}   what it measures")
for name, A in pushed.items():
    angles = angle_summary(A.numpy())
    what = REGULARIZERS[name].summary if name in REGULARIZERS else ""
    print(f"{name:14} {angles.smallest:8.1f}° {angles.mean:6.1f}°   {what}")
print("said that their gradient has vanished:", *vanished)

# %%
# The gradient of the bound Γ, as the paper prints it, had vanished here, and a warning
# said so: only because each step is made as long as the others does it move at all.
# ``"volume"`` pushes in the same direction and does not vanish.
#
# Each square has the angles of all pairs. Dark is close: the three blocks of the start
# are the popular directions.

figure, panels = plt.subplots(2, 7, figsize=(8.6, 3.3))
for axes, (name, A) in zip(panels.flat, pushed.items(), strict=True):
    angles = np.nan_to_num(angle_matrix(A.numpy()))
    picture = axes.imshow(angles, vmin=0, vmax=90, cmap="Greys_r")
    axes.set(xticks=[], yticks=[])
    axes.set_title(name, fontsize=9)
figure.colorbar(
    picture, ax=panels, shrink=0.8, label="angle (degrees)", ticks=[0, 30, 60, 90]
)
plt.show()

# %%
# Most of them clear both the blocks and the pairs within. ``"coherence"``, which pushes
# only the closest pair of each step, has hardly begun. What matters is what a push does
# beside an objective, which ``docs/which_regularizer.md`` compares. ``"angle"`` is the
# default, and works for more components than dimensions too.
