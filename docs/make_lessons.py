"""Draws the pictures of docs/how_it_works.md, and prints their numbers: `make figures`.

Each is computed: by Algorithm 1 on made-up directions, or by a model of the docstrings of scientific packages.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.patches import Arc
from numpy.typing import NDArray
from torch import Tensor

from wideangle.data import python_docs
from wideangle.evaluation import split_words
from wideangle.functional import mutual_angular_score, pair_angles, pairwise_angles
from wideangle.models import ReplicatedSoftmax
from wideangle.optim import fit_components

IMAGES = Path(__file__).parent / "images"
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"  # as in make_figures.py
SIZES = (640, 320, 160, 80, 40, 20, 10, 5)
"""documents of each made-up subject"""
SEEDS = 20
NEAR = 30
"""degrees within which a component counts as one of a subject"""


def panels() -> tuple[Any, Axes, Axes]:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.6), layout="constrained")
    return figure, left, right


def save(figure: Any, name: str) -> None:
    figure.savefig(IMAGES / name, dpi=130, metadata={"Software": None})


def draw_angle() -> None:
    """Two components of two words each, before and after Algorithm 1 pushes them apart."""
    figure, left, right = panels()
    before = torch.tensor([[3.0, 1.0], [2.2, 2.0]], dtype=torch.float64)

    def closeness(A: Tensor) -> Tensor:
        return -(A - before).square().sum() / before.square().sum()

    after = fit_components(closeness, before, 0.3, max_iterations=200).components
    for axes, rows, title in ((left, before, "nearly the same direction"), (right, after, "pushed apart")):
        angles = torch.rad2deg(pair_angles(rows))
        print(title, *(f"{angle:.0f}°" for angle in angles))
        for row, colour in zip(rows.tolist(), (BLUE, ORANGE), strict=True):
            axes.annotate("", row, (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 2.5})
        turned = np.sort(np.rad2deg(np.arctan2(*rows.numpy().T[::-1])))
        axes.add_patch(Arc((0, 0), 2.2, 2.2, theta1=turned[0], theta2=turned[-1], color="#444444"))
        middle = np.deg2rad((turned[0] + turned[-1]) / 2)
        axes.text(
            1.5 * np.cos(middle), 1.5 * np.sin(middle), f"{turned[-1] - turned[0]:.0f}°", ha="center", va="center"
        )
        axes.set(xlim=(-1, 4), ylim=(-1.2, 3), xlabel="weight of the word “matrix”", ylabel="weight of “graph”")
        axes.set(title=title, aspect="equal")
        axes.axhline(0, color=GREY, linewidth=0.6)
        axes.axvline(0, color=GREY, linewidth=0.6)
    save(figure, "lesson_angle.png")


def subjects_of(seed: int) -> tuple[Tensor, Tensor]:
    """Directions of subjects, and of documents around them; the first subject has most documents."""
    generator = torch.Generator().manual_seed(seed)
    subjects = torch.nn.functional.normalize(torch.randn(len(SIZES), 40, generator=generator, dtype=torch.float64))
    which = torch.repeat_interleave(torch.arange(len(SIZES)), torch.tensor(SIZES))
    noise = 0.11 * torch.randn(len(which), 40, generator=generator, dtype=torch.float64)
    return subjects, torch.nn.functional.normalize(subjects[which] + noise)


def learned(documents: Tensor, diversity: float, seed: int) -> Tensor:
    """As many components as subjects, each document explained by the nearest; they start at documents drawn by lot."""
    drawn = torch.randperm(len(documents), generator=torch.Generator().manual_seed(seed))[: len(SIZES)]

    A = documents[drawn].clone().requires_grad_()
    optimizer = torch.optim.Adam([A], lr=0.02)
    for _ in range(300):
        optimizer.zero_grad()
        cosines = documents @ torch.nn.functional.normalize(A).T
        explained = torch.logsumexp(20 * cosines, dim=1).mean() / 20  # close to the largest cosine of each document
        (-explained - diversity * mutual_angular_score(A)).backward()
        optimizer.step()
    return torch.nn.functional.normalize(A.detach())


def draw_rare() -> None:
    """What a subject weighs in the loss, and how near to it a component is, against the size of the subject."""
    figure, left, right = panels()
    share = 100 * np.array(SIZES) / sum(SIZES)
    left.bar(range(len(SIZES)), share, color=BLUE)
    left.set(xticks=range(len(SIZES)), xticklabels=SIZES, xlabel="documents of the subject")
    left.set(ylabel="share of what training looks at (%)", title="a mean over documents hardly sees the rare")
    print("share of the loss (%)", *(f"{one:.1f}" for one in share))
    for diversity, colour, style, name in ((0.0, GREY, "s--", "plain, λ = 0"), (0.1, ORANGE, "o-", "regularised")):
        found = []
        for seed in range(SEEDS):
            subjects, documents = subjects_of(seed)
            nearest = (subjects @ learned(documents, diversity, seed).T).max(dim=1).values
            found.append((nearest > np.cos(np.deg2rad(NEAR))).double().numpy())
        shares = 100 * np.mean(found, axis=0)
        right.plot(range(len(SIZES)), shares, style, color=colour, label=name)
        print(
            f"λ = {diversity}: draws of {SEEDS} with a component within {NEAR}° of a subject (%)",
            *(f"{s:.0f}" for s in shares),
        )
    right.set(xticks=range(len(SIZES)), xticklabels=SIZES, xlabel="documents of the subject", ylim=(0, 105))
    right.set(ylabel="subjects with a component (%)", title=f"8 subjects, 8 components, {SEEDS} draws")
    right.legend(frameon=False, loc="lower left")
    save(figure, "lesson_rare.png")


def fitted() -> tuple[Any, Any]:
    """A plain model of the docstrings, fitted briefly."""
    corpus = python_docs()
    model = ReplicatedSoftmax(50, diversity=0, max_updates=600, random_state=0, device="cpu", init="random")
    return model.fit(corpus.train.counts), corpus


def responses(model: Any, counts: Any) -> NDArray[np.float64]:
    """What each component says of each document: the logits, which no finish has changed."""
    asked = model.get_params() | {"finish": None, "representation": "logits"}
    own = {name: model.get_params()[name] for name in ("finish", "representation")}
    rows: NDArray[np.float64] = np.asarray(model.set_params(**{name: asked[name] for name in own}).transform(counts))
    model.set_params(**own)
    return rows.astype(np.float64)


def draw_seen(model: Any, corpus: Any) -> None:
    """Angles of weights against angles as the documents see them, and one pair for which they differ."""
    figure, left, right = panels()
    rows = responses(model, corpus.train.counts)
    of_weights = np.rad2deg(pairwise_angles(model.components_.astype(np.float64)))
    seen = np.rad2deg(np.arccos(np.minimum(np.abs(np.corrcoef(rows.T)), 1)))
    one, two = np.triu_indices(len(seen), 1)
    left.plot(of_weights[one, two], seen[one, two], ".", color=BLUE, markersize=3, alpha=0.5)
    left.plot([0, 90], [0, 90], color=GREY, linewidth=0.8)
    pair = np.argmax(of_weights[one, two] - seen[one, two])
    i, j = one[pair], two[pair]
    left.plot(of_weights[i, j], seen[i, j], "o", color=ORANGE)
    left.set(
        xlim=(0, 91), ylim=(0, 91), xlabel="angle of the weights (degrees)", ylabel="as documents see it (degrees)"
    )
    left.set(title=f"{len(one):,} pairs of components")
    right.plot(rows[:, i], rows[:, j], ".", color=ORANGE, markersize=2, alpha=0.4)
    right.set(xlabel="what one component says", ylabel="what the other says", xticks=[], yticks=[])
    right.set(title=f"the orange pair: {of_weights[i, j]:.0f}° by weights, {seen[i, j]:.0f}° as seen")
    print(
        "mean angle of weights and as documents see them",
        f"{of_weights[one, two].mean():.0f}° {seen[one, two].mean():.0f}°",
    )
    print("the marked pair", f"{of_weights[i, j]:.0f}° {seen[i, j]:.0f}°", "documents", len(rows))
    save(figure, "lesson_seen.png")


def draw_halves(model: Any, corpus: Any) -> None:
    """Halves of real documents in a noisy and in a clear direction, and how clear all directions are."""
    figure, left, right = panels()
    halves = [responses(model, part) for part in split_words(corpus.train.counts, seed=0)]
    whole = (halves[0] + halves[1]) / 2
    apart = halves[0] - halves[1]
    noise, total = apart.T @ apart / (2 * len(apart)), np.cov(whole.T)
    values, vectors = np.linalg.eigh(noise)
    whiten = vectors / np.sqrt(values)
    signal, turned = np.linalg.eigh(whiten.T @ total @ whiten)
    order = np.argsort(-signal)
    clear = [half @ whiten @ turned[:, order] for half in halves]
    names = [corpus.label_names[label] for label in corpus.train.labels]
    for subject, colour in (("scipy.stats", BLUE), ("networkx.algorithms", ORANGE), ("sympy.functions", GREY)):
        mine = [row for row, name in enumerate(names) if name == subject][:12]
        print(subject, len(mine))
        for row in mine:
            left.plot(*zip(*(half[row, [-1, 0]] for half in clear), strict=True), "o-", color=colour, markersize=3)
        left.plot([], [], "o-", color=colour, label=subject)
    left.set(xticks=[], yticks=[], xlabel="a direction that is mostly noise", ylabel="the clearest direction")
    left.set(title="both halves of 36 documents")
    left.legend(frameon=False, fontsize=8)
    right.bar(range(len(signal)), signal[order], color=BLUE)
    right.axhline(1, color=GREY, linewidth=0.8)
    right.set(
        xlabel="directions, clearest first",
        ylabel="signal over noise",
        yscale="log",
        title="not all directions tell as much",
    )
    print("signal over noise: clearest, median, last", *(f"{signal[order][k]:.1f}" for k in (0, len(signal) // 2, -1)))
    save(figure, "lesson_halves.png")


def main() -> None:
    torch.set_num_threads(1)  # more threads only wait for one another in what is so small
    plt.rcParams |= {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    wanted = sys.argv[1:] or ["angle", "rare", "seen", "halves"]
    if "angle" in wanted:
        draw_angle()
    if "rare" in wanted:
        draw_rare()
    if {"seen", "halves"} & set(wanted):
        model, corpus = fitted()
        draw_seen(model, corpus)
        draw_halves(model, corpus)


if __name__ == "__main__":
    main()
