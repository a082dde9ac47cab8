"""What `wideangle fit` does: it fits a model to documents or rows and writes a model file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wideangle._engines import DaskCluster, Engine, LocalProcesses
from wideangle._wording import number_of
from wideangle.commands._angles import Angles
from wideangle.commands._choosing import SearchTable, searched
from wideangle.commands._documents import documents_of, repeats_of
from wideangle.commands._estimators import check_scales, sized, unfitted
from wideangle.commands._finishing import Finishing, GranularityTable
from wideangle.commands._guard import CommandError
from wideangle.commands._inputs import checked_rows, read_training
from wideangle.commands._on_disk import is_large, kept_beside, read_training_to_disk, said_to_disk, sample_of
from wideangle.commands._output import Output, new_table, silent
from wideangle.commands._settings import Settings
from wideangle.commands._trust import said_of_few
from wideangle.models._parameters import used_value
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.places import DataPath
from wideangle.topics.of_model import topics_of_documents, why_no_topics
from wideangle.tuning import choose_granularity
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
    granularity: float | None
    """how finely documents are told apart, from 0 to 1; None where nothing finishes what the model says"""
    finish: str | None
    """how they are compared: by what halves teach, or by the spectrum"""
    halved_documents: int | None
    """how many documents were halved to learn the distance"""
    compared: str | None
    """these three in words; None for a model that cannot have a finish"""
    granularities: GranularityTable | None
    """what each granularity finds, where labels chose one"""
    weighting: str | None
    """None for a model that has no such parameter, like the next"""
    representation: str | None
    tuning: SearchTable | None
    angles: Angles
    topics: int | None
    """how many topics were found in the documents; None where they have no words or are not kept"""
    repeats: int
    """documents that repeat another one; 0 where nobody looked"""
    updates: int | None
    """None for a model that is not trained by updates"""
    stopped: str | None
    seconds: float
    settings: dict[str, Any]


def fit_model(
    path: DataPath,
    to: Path,
    settings: Settings | None = None,
    how: ReadingOptions | None = None,
    *,
    hold_out: float = 0.0,
    keep_documents: bool = True,
    keep_duplicates: bool = False,
    engine: Engine | None = None,
    output: Output | None = None,
) -> Fitted:
    """Read a path, choose λ where asked to, fit, and write one file with all that the other commands need.

    Large files are read in a stream, by one process per processor. An engine that is given reads files of any size.
    """
    settings, how, output = settings or Settings(), how or ReadingOptions(), output or silent()
    model = unfitted(settings)
    asked = _Asked(path, to, settings, how, hold_out, keep_documents, keep_duplicates)
    if isinstance(engine, DaskCluster) and not is_large(path, settings.entry, how, least=0):
        raise CommandError(
            f"--dask counts words of texts for models that read them from a disk, and {path} is not read so by "
            f"{settings.model}. Leave out --dask."
        )
    if engine is None and not is_large(path, settings.entry, how):
        rows, _ = read_training(path, settings.entry, how, output, hold_out=hold_out, seed=settings.seed)
        return _fitted(model, rows, asked, None, output)
    with kept_beside(to) as store:
        rows = read_training_to_disk(
            path, store, how, output, hold_out=hold_out, seed=settings.seed, engine=engine or LocalProcesses()
        )
        checked_rows(rows, path, settings.entry, how, output)
        return _fitted(model, rows, asked, store, output)


@dataclass(frozen=True)
class _Asked:
    """What was asked for: the parameters of `fit_model`."""

    path: DataPath
    to: Path
    settings: Settings
    how: ReadingOptions
    hold_out: float
    keep_documents: bool
    keep_duplicates: bool


def _fitted(model: Any, rows: Rows, asked: _Asked, store: Path | None, output: Output) -> Fitted:
    """Fit the model to rows, and write it. `store` is the folder of rows that are on the disk."""
    settings, entry, to = asked.settings, asked.settings.entry, asked.to
    check_scales(rows, entry, output)
    same_as = None if asked.keep_duplicates or not asked.keep_documents else repeats_of(rows, output)
    sized(model, settings, rows)
    train = rows.training
    X = rows.of(train)
    # What needs labels sees the rows that have one; the model itself all rows, if it does not learn from labels.
    labelled = rows.labelled & train
    y = None
    if labelled.any():  # Of many documents the numbers of classes serve, because their names would fill the memory.
        y = np.asarray(rows.classes if store is None else rows.labels)[labelled]
    X_labelled = rows.of(labelled if y is not None else train)
    if settings.granularity == "auto":
        _check_chosen_by_labels(y, asked.path)
    table = None
    if settings.diversity == "auto":
        table = searched(model, *sample_of(X_labelled, y, settings.seed, output), seed=settings.seed, output=output)
        model.set_params(**table.best.settings)
    set_known(model, verbose=not output.quiet)
    model.fit(X) if entry.target is None else model.fit(X_labelled, y)
    K, n = settings.n_components, int(X.shape[0])
    if entry.finds_components and K is not None and n // 2 < K:
        output.note(
            f"-k {K}: {number_of(n, 'document')} {'carries' if n == 1 else 'carry'} hardly more than "
            f"{number_of(max(1, n // 2), 'component')}, and the others mean "
            "little. Leave out -k, and as many are taken as they carry."
        )
    # The file may be loaded on another machine, so settings of this one are not kept.
    set_known(model, verbose=False, device="auto")
    view = ModelView.of(model)
    granularities = None
    if settings.granularity == "auto":
        choice = choose_granularity(model, *sample_of(X_labelled, y, settings.seed, output), seed=settings.seed)
        model.set_params(granularity=choice.best.granularity)
        granularities = GranularityTable.of(choice)
    finishing = Finishing.of(view)
    assert rows.reading is not None
    model.reading_ = rows.reading
    if rows.vocabulary is not None:
        model.vocabulary_ = rows.vocabulary
    documents = None
    if asked.keep_documents:
        said = None if store is None else said_to_disk(view, rows.X, store, output)
        documents = model.documents_ = documents_of(view, rows, same_as, said)
        if not why_no_topics(view.column_names, documents):
            model.topics_ = topics_of_documents(view, documents, random_state=settings.seed)
    if entry.takes == "counts" and (said_of := said_of_few(model, X)):
        output.note(said_of)
    model.save(to)
    return Fitted(
        to,
        settings.model,
        int(train.sum()),
        int((~train).sum()),
        int(X.shape[1]),
        None if y is None else len(np.unique(y)),
        rows.reading.kind,
        len(view.components),
        own_diversity(model) if hasattr(model, "diversity") else None,
        None if finishing is None else finishing.granularity,
        None if finishing is None else finishing.finish,
        None if finishing is None else finishing.halved_documents,
        None if finishing is None else str(finishing),
        granularities,
        used_value(model, "weighting"),
        used_value(model, "representation"),
        table,
        Angles.of(view.directions(documents)),
        len(model.topics_) if hasattr(model, "topics_") else None,
        0 if same_as is None else int((same_as != np.arange(len(rows))).sum()),
        getattr(model, "n_updates_", None),
        getattr(model, "stopped_", None),
        output.seconds(),
        model.get_params(deep=False),
    )


def _check_chosen_by_labels(y: Any, path: DataPath) -> None:
    """Raise an error before the fit where labels cannot choose a granularity."""
    if y is None or len(np.unique(y)) < 2:
        what = "none" if y is None else "one class only"
        raise CommandError(
            f"--for auto chooses by labels of two classes at least, and {path} has {what}. Name them with "
            "--label-column, or say --for details, balance, groups or a number from 0 to 1."
        )


def show(fitted: Fitted, console: "Console") -> None:
    """Print what was fitted for people."""
    if fitted.tuning is not None:
        fitted.tuning.show(console)
    if (tried := fitted.granularities) is not None:
        tried.show(console, "Granularity of the fit, chosen on its own documents", "usual")
        console.print()
    held = f", {fitted.held_out:,} held out" if fitted.held_out else ""
    labels = "" if fitted.classes is None else f", {number_of(fitted.classes, 'class', 'classes')}"
    table = new_table("", " ", stretch=" ")
    table.show_header = False
    weight = "" if fitted.diversity is None else f", λ = {fitted.diversity:g}"
    words = "" if fitted.weighting is None else f", weighting {fitted.weighting}"
    table.add_row("model", f"{fitted.model}, {number_of(fitted.n_components, 'component')}{weight}{words}")
    if fitted.compared is not None:
        table.add_row("for", fitted.compared)
    table.add_row("rows", f"{fitted.documents:,} × {fitted.features:,} ({fitted.reading}){labels}{held}")
    table.add_row("angles", str(fitted.angles))
    if fitted.topics is not None:
        table.add_row(
            "topics", f"{number_of(fitted.topics, 'subject')} found in the documents: wideangle topics {fitted.path}"
        )
    if fitted.updates is not None:
        table.add_row("training", f"{number_of(fitted.updates, 'update')}, {(fitted.stopped or '').split(':')[0]}")
    table.add_row("time", f"{fitted.seconds:.0f} s in all")
    table.add_row("file", str(fitted.path))
    console.print(table)
