"""What `wideangle fit` does: it fits a model to documents or rows and writes a model file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wideangle.commands._angles import Angles
from wideangle.commands._choosing import SearchTable, searched
from wideangle.commands._documents import documents_of
from wideangle.commands._estimators import check_scales, unfitted
from wideangle.commands._guard import UsageError
from wideangle.commands._inputs import read_training
from wideangle.commands._output import Output, new_table, silent
from wideangle.commands._settings import Settings
from wideangle.commands._writing import check_output
from wideangle.models._parameters import used_value
from wideangle.persistence import is_model_file
from wideangle.reading import ReadingOptions
from wideangle.reading.files import STANDARD_INPUT
from wideangle.topics.of_model import topics_of_documents, why_no_topics
from wideangle.tuning.grid import own_diversity, set_known
from wideangle.view import ModelView

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Fitted:
    """What was fitted and where the file is."""

    path: Path
    model: str
    documents: int
    held_out: int
    features: int
    classes: int | None
    reading: str
    n_components: int
    diversity: float | None
    """None for a model without the regulariser"""
    purpose: str | None
    """what the representation is for; this and the next two are None for a model that has no such parameter"""
    weighting: str | None
    representation: str | None
    tuning: SearchTable | None
    angles: Angles
    topics: int | None
    """how many topics were found in the documents; None where they have no words or are not kept"""
    updates: int | None
    """None for a model that is not trained by updates"""
    stopped: str | None
    seconds: float
    settings: dict[str, Any]


def fit_model(
    path: Path,
    to: Path | None = None,
    settings: Settings | None = None,
    how: ReadingOptions | None = None,
    *,
    hold_out: float = 0.0,
    keep_documents: bool = True,
    force: bool = False,
    output: Output | None = None,
) -> Fitted:
    """Read a path, choose λ where asked to, fit, and write one file with all that the other commands need."""
    settings, how, output = settings or Settings(), how or ReadingOptions(), output or silent()
    to = default_path(path) if to is None else to
    check_output(to, "the model", (path, Path(how.stop_words)))
    _check_replaced(to, force)
    entry = settings.entry
    rows, reading = read_training(path, entry, how, output, hold_out=hold_out, seed=settings.seed)
    check_scales(rows, entry, output)
    model = unfitted(settings, rows)
    train = rows.training
    X = rows.X[train]
    y = None if rows.classes is None else rows.classes[train]
    table = None
    if settings.diversity == "auto":
        table = searched(model, X, y, seed=settings.seed, output=output)
        model.set_params(**table.best.settings)
    set_known(model, verbose=not output.quiet)
    model.fit(X) if entry.target is None else model.fit(X, y)
    # The file may be loaded on another machine, so settings of this one are not kept.
    set_known(model, verbose=False, device="auto")
    view = ModelView.of(model)
    documents = documents_of(view, rows) if keep_documents else None
    model.reading_ = reading
    if rows.vocabulary is not None:
        model.vocabulary_ = rows.vocabulary
    if documents is not None:
        model.documents_ = documents
        if not why_no_topics(view.column_names, documents):
            model.topics_ = topics_of_documents(view, documents, random_state=settings.seed)
    model.save(to)
    return Fitted(
        to,
        settings.model,
        int(train.sum()),
        int((~train).sum()),
        int(X.shape[1]),
        None if y is None else len(np.unique(y)),
        reading.kind,
        len(view.components),
        own_diversity(model) if hasattr(model, "diversity") else None,
        used_value(model, "purpose"),
        used_value(model, "weighting"),
        used_value(model, "representation"),
        table,
        Angles.of(view.directions(documents)),
        len(model.topics_) if hasattr(model, "topics_") else None,
        getattr(model, "n_updates_", None),
        getattr(model, "stopped_", None),
        output.seconds(),
        model.get_params(deep=False),
    )


def _check_replaced(path: Path, force: bool) -> None:
    """Raise an error where a file exists that is neither empty nor a model file, unless `force` is given."""
    if force or not path.exists() or not path.stat().st_size or is_model_file(path):
        return
    raise UsageError(f"{path} exists and is no model file. Name another file with -o, or replace it with --force.")


def default_path(path: Path) -> Path:
    """A file in the present folder, named after the data."""
    if str(path) == STANDARD_INPUT:
        return Path("model.wideangle")
    name = path.resolve().name
    stem = name if path.is_dir() else name.split(".")[0]
    return Path(f"{stem or 'model'}.wideangle")


def show(fitted: Fitted, console: "Console") -> None:
    """Print what was fitted for people."""
    if fitted.tuning is not None:
        fitted.tuning.show(console)
    held = f", {fitted.held_out:,} held out" if fitted.held_out else ""
    labels = "" if fitted.classes is None else f", {fitted.classes} classes"
    table = new_table("", " ", stretch=" ")
    table.show_header = False
    weight = "" if fitted.diversity is None else f", λ = {fitted.diversity:g}"
    table.add_row("model", f"{fitted.model}, {fitted.n_components} components{weight}")
    if fitted.purpose is not None:
        table.add_row("for", f"{fitted.purpose}: weighting {fitted.weighting}, {fitted.representation}")
    table.add_row("rows", f"{fitted.documents:,} × {fitted.features:,} ({fitted.reading}){labels}{held}")
    table.add_row("angles", str(fitted.angles))
    if fitted.topics is not None:
        table.add_row("topics", f"{fitted.topics} subjects found in the documents: wideangle topics {fitted.path}")
    if fitted.updates is not None:
        table.add_row("training", f"{fitted.updates:,} updates, {(fitted.stopped or '').split(':')[0]}")
    table.add_row("time", f"{fitted.seconds:.0f} s in all")
    table.add_row("file", str(fitted.path))
    console.print(table)
