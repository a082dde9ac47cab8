"""Draws the first picture of the README, docs/images/effect.png: what the regulariser does to one model.

Two Bernoulli machines learn the words of the docstrings with the same settings, once without the regulariser and once
with it. On the left are the angles between all pairs of components, as the documents see them. On the right is the
share of a document's ten nearest that are of its class, for classes of every size. The numbers are printed too.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import torch
from numpy.typing import NDArray

from wideangle.data import python_docs
from wideangle.evaluation import precision_per_query
from wideangle.functional import pairwise_angles
from wideangle.models import BernoulliRBM

IMAGE = Path(__file__).parent / "images" / "effect.png"
NAMES = {0.0: "plain (λ = 0)", 0.1: "regularised (λ = 0.1, the default)"}
COLOURS = {0.0: "#999999", 0.1: "#D55E00"}  # told apart by colour-blind readers too
SEEDS, COMPONENTS, NEAREST, GROUPS = 3, 50, 10, 5


def measured(corpus: Any, weight: float, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The angles of the components in degrees, and the precision of each class, the largest class first."""
    train, test = corpus.train, corpus.test
    model = BernoulliRBM(COMPONENTS, diversity=weight, binarize=0.5, random_state=seed).fit(train.counts)
    said = model.hidden_logits(train.counts).astype(np.float64)
    # In the metric of the fit, cosines are correlations of what two components say of the documents.
    angles = np.rad2deg(pairwise_angles((said - said.mean(axis=0)).T))
    rows = (model.transform(test.counts), test.labels, model.transform(train.counts), train.labels)
    found = precision_per_query(*rows, k=NEAREST)
    sizes = np.bincount(train.labels)
    return angles, np.array([np.mean(found[test.labels == kind]) for kind in np.argsort(-sizes, kind="stable")])


def clustered(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same angles with components that are close to each other side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    order = leaves_list(linkage(squareform(angles, checks=False), "average"))
    return angles[np.ix_(order, order)]


def main() -> None:
    torch.set_num_threads(1)
    corpus = python_docs()
    runs = {weight: [measured(corpus, weight, seed) for seed in range(SEEDS)] for weight in NAMES}
    plt.rcParams |= {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    figure, axes = plt.subplot_mosaic(
        [["plain", "pushed", "bars"]], figsize=(10.5, 3.3), width_ratios=[1, 1, 1.5], layout="constrained"
    )
    pairs = np.triu_indices(COMPONENTS, 1)
    for weight, place in zip(NAMES, ("plain", "pushed"), strict=True):
        angles = runs[weight][0][0]
        image = axes[place].imshow(clustered(angles), cmap="viridis", vmin=0, vmax=90)
        axes[place].set(
            title=NAMES[weight].split(" (")[0], xticks=[], yticks=[], xlabel=f"{COMPONENTS} × {COMPONENTS} components"
        )
        means = [np.mean(found[pairs]) for found, _ in runs[weight]]
        print(f"{NAMES[weight]}: mean angle of two components {np.mean(means):.1f}°")
    figure.colorbar(image, ax=[axes["plain"], axes["pushed"]], ticks=[0, 30, 60, 90], shrink=0.85, label="angle (°)")
    parts = np.array_split(np.arange(len(runs[0.0][0][1])), GROUPS)
    for number, (weight, name) in enumerate(NAMES.items()):
        by_class = np.mean([precision for _, precision in runs[weight]], axis=0)
        heights = [np.mean(by_class[part]) for part in parts]
        axes["bars"].bar(np.arange(GROUPS) + 0.4 * number, heights, 0.4, color=COLOURS[weight], label=name)
        half = len(by_class) // 2
        print(f"{name}: P@10, mean over classes, {np.mean(by_class):.3f}, rarer half {np.mean(by_class[half:]):.3f}")
    axes["bars"].set(
        title="share of the ten nearest that are of the same class", ylim=(0, 0.95), xticks=np.arange(GROUPS) + 0.2
    )
    axes["bars"].set_xticklabels(["largest\nclasses", "", "", "", "rarest\nclasses"])
    axes["bars"].legend(frameon=False, loc="upper right")
    figure.savefig(IMAGE, dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    main()
