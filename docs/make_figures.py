"""Draws the pictures of the README and docs: `make figures`; `python docs/make_figures.py granularity` draws one."""

import sys
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.axes import Axes
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from torch import Tensor, nn

from wideangle import MutualAngularRegularizer
from wideangle._json_lines import read_lines
from wideangle.exceptions import VanishedGradientWarning
from wideangle.functional import pair_angles, value_and_gradient
from wideangle.functional.regularizers import Surrogate
from wideangle.optim import fit_components
from wideangle.theory import Bounds, bounds_for, estimation_error_bound, trade_off, widest_theta

IMAGES = Path(__file__).parent / "images"
RESULTS = Path(__file__).parents[1] / "results"
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"  # told apart by colour-blind readers too
TERMS = {"identity": ("angles of weights", BLUE), "covariance": ("angles as the data sees them", ORANGE)}


def crowded_components(components: int, dimensions: int, seed: int) -> Tensor:
    """Components as an ordinary model leaves them: most near one of three popular directions, a few apart."""
    generator = torch.Generator().manual_seed(seed)
    popular = torch.randn(3, dimensions, generator=generator)
    share = torch.tensor([0.5, 0.25, 0.15, 0.1])
    kind = torch.multinomial(share, components, replacement=True, generator=generator)
    noise = torch.randn(components, dimensions, generator=generator)
    return torch.cat([popular, torch.zeros(1, dimensions)])[kind] + 0.7 * noise


def spread_components(A: Tensor, surrogate: Surrogate, diversity: float) -> Tensor:
    """Algorithm 1 on an objective that keeps each component near where it was."""

    def closeness(B: Tensor) -> Tensor:
        return -(B - A).square().sum() / A.square().sum()

    result = fit_components(closeness, A, diversity, surrogate=surrogate, max_iterations=100)
    components: Tensor = result.components
    return components


def draw_angles(axes: Axes) -> None:
    A = crowded_components(40, 200, seed=0)
    sets = {
        "before": (A, GREY),
        "after, score Ω": (spread_components(A, "angle", 1.0), ORANGE),
        "after, volume": (spread_components(A, "volume", 1 / 40), BLUE),
    }
    for name, (components, colour) in sets.items():
        angles = torch.rad2deg(pair_angles(components))
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


def draw_trade_off(axes: Axes) -> None:
    network = {"m": 6, "n": 10**5, "C1": 1.0, "C2": 1.0, "C3": 20.0, "C4": 5.0}
    wide, admitted = np.linspace(0, np.pi / 2, 200), np.concatenate([[0], np.geomspace(1e-4, widest_theta(6), 400)])
    printed, sharp = (trade_off(admitted, C=1.0, sharp=sharp, **network) for sharp in (False, True))
    axes.semilogy(np.rad2deg(wide), estimation_error_bound(wide, **network), color=BLUE, label="estimation, Theorem 5")
    for curve, style, name in ((printed, "-", "Theorem 7"), (sharp, "--", "sharpened")):
        degrees = np.rad2deg(curve.theta)
        axes.semilogy(degrees, curve.approximation**2, style, color=ORANGE, label=f"approximation², {name}")
        axes.semilogy(degrees, curve.total, style, color=GREY, linewidth=3.5, alpha=0.6, zorder=0)
        first, *_, last = zip(curve.estimation, curve.approximation**2, curve.total, strict=True)
        print(f"trade-off, {name}, at 0° and 30°: estimation, approximation², total")
        print(*(f"{value:.4g}" for value in (*first, *last)))
    axes.plot([], [], color=GREY, linewidth=3.5, alpha=0.6, label="total")
    axes.annotate("Theorem 7 admits\nno wider θ", (31, 2e4), fontsize=9, color=GREY)
    axes.set(xlabel="θ (degrees)", ylabel="bound of the squared loss", title="What the bounds say (6 sigmoid units)")
    axes.set(ylim=(0.8, 3e5), xticks=range(0, 91, 15))
    axes.legend(frameon=False, loc="lower right", fontsize=9)


def draw_gaps(axes: Axes) -> None:
    images, labels = load_digits(return_X_y=True)
    X, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels)
    weights, seeds = [0, 0.01, 0.1, 0.3, 1, 3, 10], range(5)
    for name, activation, colour in (("rectifiers", nn.ReLU, BLUE), ("sigmoids", nn.Sigmoid, ORANGE)):
        points = []
        print(f"{name}: λ, effective and smallest angle, training and test loss, gap, its bound, max |f|, √J, C3, C4")
        for weight in weights:
            runs = [trained_gap(activation, weight, seed, X, y) for seed in seeds]
            rows = np.array([measures(*run) for run in runs])
            points.append(rows[:, [0, 4]])
            print(f"{weight:<5}", *(f"{value:.4g}" for value in rows.mean(axis=0)))
        angle, gap = np.moveaxis(np.array(points), 2, 0)
        paired = gap - gap.mean(axis=0)  # every seed has its own split, and so its own level
        error = paired.std(axis=1, ddof=1) / len(seeds) ** 0.5
        axes.errorbar(angle.mean(axis=1), gap.mean(axis=1), error, fmt="o-", color=colour, capsize=2, label=name)
        for weight, away, side in ((0, (0, -16), "center"), (0.01, (8, 4), "left"), (10, (-8, -11), "right")):
            point = points[weights.index(weight)].mean(axis=0)
            axes.annotate(f"λ={weight}", point, away, textcoords="offset points", ha=side, fontsize=8)
    axes.set(xlabel="effective angle of the trained network (degrees)", ylabel="test loss − training loss (nats)")
    axes.set(title="What networks do (50 units, 200 digits)")
    axes.legend(frameon=False, loc="center left")


def trained_gap(
    activation: type[nn.Module], weight: float, seed: int, X: torch.Tensor, y: torch.Tensor
) -> tuple[float, float, Bounds]:
    """Training and test loss, and the bounds, of a network trained on 200 samples with λ = weight."""
    torch.manual_seed(seed)
    order = torch.randperm(len(X))
    train, test = order[:200], order[200:]
    model = nn.Sequential(nn.Linear(X.shape[1], 50), activation(), nn.Linear(50, 10))
    regularizer = MutualAngularRegularizer()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(300):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(X[train]), y[train]) + regularizer.penalty(model, weight)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        on_train, on_test = (float(nn.functional.cross_entropy(model(X[part]), y[part])) for part in (train, test))
    return on_train, on_test, bounds_for(model, X, loss="cross_entropy", n=len(train))


def measures(on_train: float, on_test: float, bounds: Bounds) -> list[float]:
    (layer,) = bounds.layers
    angles = np.rad2deg([layer.effective_angle, layer.smallest_angle])
    network = [bounds.largest_output, bounds.output_bound, layer.C3, bounds.C4]
    return [*angles, on_train, on_test, on_test - on_train, bounds.gap, *network]


def records_of(name: str, **settings: Any) -> list[dict[str, Any]]:
    """The records in a file under results/ that have these settings."""
    records = read_lines(RESULTS / name, check=bool)
    return [r for r in records if all(r.get(key) == value for key, value in settings.items())]


def draw_curves(axes: Axes, data: str, title: str) -> None:
    """P@100 of folds against the budget of updates, from the records of `benchmarks/rbm_quality.py --curves`."""
    terms = (({"diversity": 0.0}, "plain", GREY), *(({"metric": m}, *TERMS[m]) for m in ("identity", "covariance")))
    for (term, name, colour), (init, style) in product(terms, (("svd", "o-"), ("random", "o--"))):
        mine = records_of("rbm_quality/curves.jsonl", data=data, init=init, **term)
        budgets = sorted({r["max_updates"] for r in mine})
        found = [[r["own, centred probabilities"] for r in mine if r["max_updates"] == n] for n in budgets]
        means = np.mean(found, axis=1)
        start = "SVD start" if init == "svd" else "random start"
        fill = colour if init == "svd" else "white"
        axes.plot(budgets, means, style, color=colour, markerfacecolor=fill, markersize=4, label=f"{name}, {start}")
        print(title, f"{name}, {start}", *(f"{n}: {p:.3f}" for n, p in zip(budgets, means, strict=True)))
    axes.set(xscale="log", xlabel="updates", ylabel="precision at 100", title=title)
    if data == "reuters":  # The other panel has the same lines and no room.
        axes.legend(frameon=False, loc="lower right", fontsize=8)


def draw_weights(axes: Axes, file: str, measure: str, title: str, label: str, **settings: Any) -> None:
    """A measure on folds against λ, for angles of the weights and angles as the data sees them."""
    plain = np.mean([r[measure] for r in records_of(file, diversity=0.0, **settings)])
    axes.axhline(plain, color=GREY, linestyle=":", label="plain, λ = 0")
    for metric, (name, colour) in TERMS.items():
        mine = records_of(file, metric=metric, **settings)
        weights = sorted({r["diversity"] for r in mine})
        means = [np.mean([r[measure] for r in mine if r["diversity"] == weight]) for weight in weights]
        axes.plot(weights, means, "o-", color=colour, label=name)
        print(title, name, f"0: {plain:.3f}", *(f"{w:g}: {p:.3f}" for w, p in zip(weights, means, strict=True)))
    axes.set(xscale="log", xlabel="λ", ylabel=label, title=title)
    axes.legend(frameon=False)


def halves_of_documents(seed: int) -> tuple[NDArray[np.float64], ...]:
    """Halves of documents of three subjects: across, what differs is mostly noise; upwards it is mostly the subject."""
    rng = np.random.default_rng(seed)
    subjects = np.repeat(np.arange(3), 6)
    whole = np.column_stack([0.5 * rng.standard_normal(18), subjects - 1 + 0.15 * rng.standard_normal(18)])
    noise = rng.standard_normal((2, 18, 2)) * (0.9, 0.12)
    return subjects, whole + noise[0], whole + noise[1]


def draw_halves(axes: Axes) -> None:
    """What halves teach: each line joins the halves of a document, before and after the noise is made equal."""
    subjects, *halves = halves_of_documents(seed=3)
    apart = halves[0] - halves[1]
    noise = apart.T @ apart / (2 * len(apart))
    values, vectors = np.linalg.eigh(noise)
    whitened = [half @ (vectors / np.sqrt(values)) @ vectors.T * 0.22 for half in halves]
    for shift, (first, second) in ((0.0, halves), (4.6, whitened)):
        for subject, colour in enumerate((BLUE, ORANGE, GREY)):
            mine = subjects == subject
            for one, other in zip(first[mine], second[mine], strict=True):
                axes.plot([one[0] + shift, other[0] + shift], [one[1], other[1]], "o-", color=colour, markersize=4)
    axes.set(xticks=[0, 4.6], xticklabels=["as the model says it", "noise made equal"], yticks=[], ylabel="")
    axes.set(title="halves of documents: what differs is noise")


def draw_granularity(axes: Axes) -> None:
    """The gain in P@k over the plain model against the granularity, from the records of `benchmarks/granularity.py`."""
    panels = (
        ("docstrings", "own", "docstrings, 101 classes", BLUE, "o-"),
        ("20news", "own", "20-News, 20 classes", BLUE, "s--"),
        ("tdt2", "own", "TDT2, 30 classes", BLUE, "^:"),
        ("docstrings", "broad", "docstrings, 6 packages", ORANGE, "o-"),
        ("20news/4", "broad", "20-News, 4 groups", ORANGE, "s--"),
        ("reuters", "broad", "Reuters, 3 classes", ORANGE, "^:"),
    )
    records = records_of("granularity/test.jsonl", K=50)
    for data, kind, name, colour, style in panels:
        mine = [r for r in records if r["data"] == data]
        plain = np.mean([r["found"][f"{kind}, plain"][0] for r in mine if r["settings"]["diversity"] == 0])
        ours = [r["found"] for r in mine if r["settings"]["diversity"] == 0.1]
        numbers = (0, 0.25, 0.5, 0.75, 1)
        gains = [100 * (np.mean([found[f"{kind}, halves {g:g}"][0] for found in ours]) - plain) for g in numbers]
        axes.plot(numbers, gains, style, color=colour, markersize=4, label=name)
        print("granularity", name, *(f"{g:g}: {gain:+.1f}" for g, gain in zip(numbers, gains, strict=True)))
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set(xlabel="granularity", ylabel="points of P@k over the plain model", title="one fit, five granularities")
    axes.set(xticks=[0, 0.5, 1], xticklabels=["0\ndetails", "0.5\nbalance", "1\ngroups"])
    axes.set(ylim=(-1.4, 4.6))
    axes.legend(frameon=False, fontsize=8, ncol=2, loc="upper center")


def save(name: str, draw_left: Callable[[Axes], None], draw_right: Callable[[Axes], None]) -> None:
    if len(sys.argv) > 1 and Path(name).stem not in sys.argv[1:]:
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.6), layout="constrained")
    draw_left(left)
    draw_right(right)
    figure.savefig(IMAGES / name, dpi=130, metadata={"Software": None})


def main() -> None:
    warnings.simplefilter("ignore", VanishedGradientWarning)  # it is what the right panel of the first shows
    torch.set_num_threads(1)  # small networks: more threads only wait for one another
    plt.rcParams |= {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    IMAGES.mkdir(exist_ok=True)
    save("spread.png", draw_angles, draw_gradients)
    save("bounds.png", draw_trade_off, draw_gaps)
    save(
        "curves.png",
        partial(draw_curves, data="reuters", title="Reuters, 50 topics"),
        partial(draw_curves, data="20news", title="20-News, 50 topics"),
    )
    save("granularity.png", draw_halves, draw_granularity)
    bernoulli = {"file": "bernoulli_quality/tune.jsonl", "data": "docstrings", "init": "random", "learning_rate": 5e-3}
    softmax = {"file": "rbm_quality/tune.jsonl", "data": "reuters", "weighting": "counts"}
    save(
        "metrics.png",
        partial(
            draw_weights,
            measure="own, centred logits",
            title="Bernoulli RBM, words of docstrings",
            label="precision at 10",
            **bernoulli,
        ),
        partial(
            draw_weights,
            measure="own, rarer half, centred probabilities",
            title="Replicated Softmax, Reuters, rarer classes",
            label="precision at 100",
            **softmax,
        ),
    )


if __name__ == "__main__":
    main()
