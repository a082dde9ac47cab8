"""Draws the README's picture: `make figures`."""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import torch
from matplotlib.axes import Axes

from wideangle.demo import crowded_components, spread_components
from wideangle.exceptions import VanishedGradientWarning
from wideangle.functional import pairwise_angles, value_and_gradient

IMAGES = Path(__file__).parent / "images"
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"  # told apart by colour-blind readers too


def draw_angles(axes: Axes) -> None:
    A = crowded_components(40, 200, seed=0)
    sets = {
        "before": (A, GREY),
        "after, score Ω": (spread_components(A, "angle", 1.0), ORANGE),
        "after, volume": (spread_components(A, "volume", 1 / 40), BLUE),
    }
    for name, (components, colour) in sets.items():
        angles = torch.rad2deg(pairwise_angles(components)[tuple(torch.triu_indices(40, 40, 1))])
        axes.hist(angles, bins=45, range=(38, 90), histtype="stepfilled", color=colour, alpha=0.3)
        axes.hist(angles, bins=45, range=(38, 90), histtype="step", color=colour, linewidth=1.8, label=name)
    axes.set(xlabel="angle between two components (degrees)", ylabel="pairs", title="40 crowded components, spread")
    axes.legend(frameon=False, loc="upper left")


def draw_gradients(axes: Axes) -> None:
    generator = torch.Generator().manual_seed(0)
    sizes = [5, 10, 25, 50, 100, 200, 300]
    common = 0.3 * torch.randn(2000, generator=generator)
    rows = torch.nn.functional.normalize(torch.randn(max(sizes), 2000, generator=generator) + common)
    lines = {
        "volume": ("volume, its working form", BLUE),
        "angle": ("score Ω", ORANGE),
        "bound": ("bound Γ, as published", GREY),
    }
    for surrogate, (name, colour) in lines.items():
        norms = [float(value_and_gradient(rows[:K].double(), surrogate)[1].norm()) for K in sizes]
        print(name, *(f"K={K}: {norm:.1e}" for K, norm in zip(sizes, norms, strict=True)))
        axes.loglog(sizes, norms, "o-", color=colour, label=name)
    axes.set(xlabel="components K", ylabel="length of the gradient", title="What is left to push with (D = 2000)")
    axes.legend(frameon=False, loc="lower left")


def main() -> None:
    warnings.simplefilter("ignore", VanishedGradientWarning)  # it is what the right panel shows
    plt.rcParams |= {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.6), layout="constrained")
    draw_angles(left)
    draw_gradients(right)
    IMAGES.mkdir(exist_ok=True)
    figure.savefig(IMAGES / "spread.png", dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    main()
