"""`wideangle fit`: documents or rows to a model file."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wideangle.commands._guard import CommandError
from wideangle.commands._inputs import How, read_training
from wideangle.commands._models import ModelName, check_writable, components_of, new_model, represent
from wideangle.commands._output import Output, new_table, number, silent
from wideangle.commands._rows import Rows
from wideangle.commands._tuning import TuningTable, tuned
from wideangle.documents import Documents, Strings
from wideangle.evaluation import angle_summary
from wideangle.tuning.grid import OF_THE_VOLUME

if TYPE_CHECKING:
    from rich.console import Console

COMPONENTS = 50
NEAR = 30.0  # degrees: components closer than this are near-duplicates
UNLIKE = 100.0  # columns whose spreads differ by more than this factor are of different units


@dataclass(frozen=True)
class Angles:
    """Of all pairs of components, in degrees."""

    mean: float
    smallest: float
    std: float
    near_duplicates: int
    """pairs closer than 30°"""

    @classmethod
    def of(cls, components: Any) -> "Angles":
        """Measured."""
        summary = angle_summary(components, NEAR)
        return cls(summary.mean, summary.smallest, summary.std, summary.redundant)


@dataclass(frozen=True)
class Settings:
    """What is asked of a model."""

    model: ModelName = "replicated-softmax"
    n_components: int | None = None
    """None: 50, of a distance no more than there are features"""
    diversity: float | Literal["auto"] | None = None
    """None: the model's default"""
    surrogate: str | None = None
    updates: int | None = None
    seed: int = 0
    device: str = "auto"


@dataclass(frozen=True)
class Fitted:
    """What was fitted and where it is."""

    path: Path
    model: str
    documents: int
    held_out: int
    features: int
    classes: int | None
    reading: str
    n_components: int
    diversity: float
    tuning: TuningTable | None
    angles: Angles
    updates: int
    stopped: str
    seconds: float
    settings: dict[str, Any]


def fit_model(
    path: Path,
    to: Path | None = None,
    settings: Settings | None = None,
    how: How | None = None,
    *,
    hold_out: float = 0.0,
    keep_documents: bool = True,
    output: Output | None = None,
) -> Fitted:
    """Read a path, choose λ where asked to, fit, and write one file with all that the other commands need."""
    settings, how, output = settings or Settings(), how or How(), output or silent()
    to = default_path(path) if to is None else to
    check_writable(to, "the model")
    began = time.perf_counter()
    rows, reading = read_training(path, settings.model, how, output, hold_out=hold_out, seed=settings.seed)
    check_scales(rows, settings.model, output)
    model = unfitted(settings, rows)
    train = rows.training
    X = rows.X[train]
    y = None if rows.classes is None else rows.classes[train]
    table = None
    if settings.diversity == "auto":
        table = tuned(model, X, y, seed=settings.seed, output=output)
        model.set_params(diversity=table.best.diversity)
    model.set_params(verbose=not output.quiet)
    model.fit(X, y) if settings.model in ("distance", "mlp") else model.fit(X)
    # The file serves other machines and other terminals than this one.
    model.set_params(verbose=False, device="auto")
    documents = documents_of(model, rows) if keep_documents else None
    model.save(to, vocabulary=rows.vocabulary, documents=documents, reading=reading)
    return Fitted(
        to,
        settings.model,
        int(train.sum()),
        int((~train).sum()),
        int(X.shape[1]),
        None if y is None else len(np.unique(y)),
        reading.kind,
        len(components_of(model)),
        float(model.diversity),
        table,
        Angles.of(components_of(model)),
        int(model.n_updates_),
        str(model.stopped_),
        time.perf_counter() - began,
        model.get_params(deep=False),
    )


def default_path(path: Path) -> Path:
    """Beside where we are, named after the data."""
    name = path.resolve().name
    stem = name if path.is_dir() else name.split(".")[0]
    return Path(f"{stem or 'model'}.wideangle")


def unfitted(settings: Settings, rows: Rows) -> Any:
    """The estimator asked for, of a size that suits the rows."""
    width = rows.X.shape[1]
    K = settings.n_components
    if K is None:
        K = min(COMPONENTS, width) if settings.model == "distance" else COMPONENTS
    if settings.surrogate in ("volume", "bound") and width < K:
        raise CommandError(f"--surrogate {settings.surrogate} needs -k ≤ {width}, the number of features; got {K}.")
    model = new_model(
        settings.model,
        K,
        diversity=None if settings.diversity == "auto" else settings.diversity,
        surrogate=settings.surrogate,
        max_updates=settings.updates,
        random_state=settings.seed,
        device=settings.device,
    )
    if settings.surrogate == "volume" and settings.diversity is None:
        model.set_params(diversity=model.diversity * OF_THE_VOLUME)  # the default is meant for the angle
    return model


def check_scales(rows: Rows, model: ModelName, output: Output) -> None:
    """Columns of different units let the largest decide: said, because nobody sees it in the result."""
    if rows.counted or model not in ("distance", "mlp") or not isinstance(rows.X, np.ndarray):
        return
    spread = rows.X.std(axis=0)
    spread = spread[spread > 0]
    if len(spread) and spread.max() > UNLIKE * spread.min():
        output.note(f"columns spread from {spread.min():.2g} to {spread.max():.2g}; standardise them for a fair fit.")


def documents_of(model: Any, rows: Rows) -> Documents:
    """All that search, evaluate and explore want to know of the rows."""
    return Documents(
        represent(model, rows.X),
        Strings.of(rows.names),
        None if rows.snippets is None else Strings.of(rows.snippets),
        rows.labels,
        None if rows.label_names is None else Strings.of(rows.label_names),
        rows.is_train,
    )


def show(fitted: Fitted, console: "Console") -> None:
    """For people."""
    if fitted.tuning is not None:
        fitted.tuning.show(console)
    held = f", {fitted.held_out:,} held out" if fitted.held_out else ""
    labels = "" if fitted.classes is None else f", {fitted.classes} classes"
    table = new_table("", " ", stretch=" ")
    table.show_header = False
    table.add_row("model", f"{fitted.model}, {fitted.n_components} components, λ = {fitted.diversity:g}")
    table.add_row("rows", f"{fitted.documents:,} × {fitted.features:,} ({fitted.reading}){labels}{held}")
    table.add_row(
        "angles",
        f"mean {number(fitted.angles.mean, 1, '°')}, smallest {number(fitted.angles.smallest, 1, '°')}; "
        f"{fitted.angles.near_duplicates} pairs closer than {NEAR:.0f}°",
    )
    table.add_row("training", f"{fitted.updates:,} updates, {fitted.stopped.split(':')[0]}")
    table.add_row("time", f"{fitted.seconds:.0f} s in all")
    table.add_row("file", str(fitted.path))
    console.print(table)
