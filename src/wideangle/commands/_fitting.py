"""What `wideangle fit` does: it fits a model to documents or rows and writes a model file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wideangle._engines import Engine, LocalProcesses
from wideangle._locks import exclusively
from wideangle._own_settings import own_diversity, set_known
from wideangle._wording import number_of
from wideangle.commands._angles import Angles
from wideangle.commands._checkpoints import checkpoints_beside, forget, said_options
from wideangle.commands._choosing import SearchTable, searched
from wideangle.commands._documents import documents_of, repeats_of
from wideangle.commands._estimators import check_scales, sized, unfitted
from wideangle.commands._finishing import Finishing, GranularityTable
from wideangle.commands._guard import CommandError, UsageError
from wideangle.commands._inputs import checked_rows, read_training
from wideangle.commands._on_disk import (
    forget_parts,
    kept_beside,
    read_training_to_disk,
    reads_in_stream,
    said_to_disk,
    sample_of,
)
from wideangle.commands._output import Output, new_table, silent
from wideangle.commands._settings import CHECKPOINT_EVERY, Settings
from wideangle.commands._stages import Stages, said_stages
from wideangle.commands._trust import said_of_few
from wideangle.distributed import fit_in_processes
from wideangle.models._parameters import used_value
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.process_group.agreement import all_or_none
from wideangle.process_group.group import Group
from wideangle.process_group.joining import leave
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.places import DataPath
from wideangle.topics.of_model import topics_of_documents, why_no_topics
from wideangle.tuning import choose_granularity
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
    stages: dict[str, float]
    """the seconds of reading, fitting and so on"""
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
    processes: int = 1,
    stream: bool = False,
    engine: Engine | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    fresh: bool = False,
    output: Output | None = None,
) -> Fitted | None:
    """Read a path, choose λ where asked to, fit, and write one file with all that the other commands need.

    After an interruption the same call goes on from the last checkpoint, unless it shall begin `fresh`.

    Large files are read in a stream; `stream` and an engine that is given read small ones so too. Of several processes
    that were started together all read and fit, and the first does the rest; others return None.
    """
    settings, how, output = settings or Settings(), how or ReadingOptions(), output or silent()
    entry, model = settings.entry, unfitted(settings)
    group = Group.current()
    if processes > 1 and not getattr(model, "_trains_in_processes", False):
        raise UsageError(
            f"{entry.command} is not trained by updates that processes could share. Leave out --processes."
        )
    if fresh and group.rank == 0:
        forget(to)
        forget_parts(to)
    others = {"--hold-out": hold_out or None, "--diversity": "auto" if settings.diversity == "auto" else None}
    about = said_options(how, others)
    asked = _Asked(path, to, settings, keep_documents, keep_duplicates, processes, checkpoint_every, about)
    stages = Stages()
    if not reads_in_stream(path, entry, how, "--dask" if engine is not None else "--stream" if stream else ""):
        with stages("reading"), all_or_none(group, f"read {path}"):
            rows, _ = read_training(path, entry, how, output, hold_out=hold_out, seed=settings.seed)
        return _fitted(model, rows, asked, None, output, stages)
    with kept_beside(to, group) as store:
        with stages("reading"):
            rows = read_training_to_disk(
                path, store, how, output, group, engine or LocalProcesses(), hold_out=hold_out, seed=settings.seed
            )
        if group.rank == 0:
            checked_rows(rows, path, entry, how, output)
        return _fitted(model, rows, asked, store, output, stages)


@dataclass(frozen=True)
class _Asked:
    """What was asked for: parameters of `fit_model`."""

    path: DataPath
    to: Path
    settings: Settings
    keep_documents: bool
    keep_duplicates: bool
    processes: int
    checkpoint_every: float
    about: dict[str, str]


def _fitted(model: Any, rows: Rows, asked: _Asked, store: Path | None, output: Output, stages: Stages) -> Fitted | None:
    """Fit the model to rows, and write it; after an interruption go on from its last checkpoint."""
    every, group = asked.checkpoint_every, Group.current()
    with checkpoints_beside(asked.to, group, output, every_seconds=every, about=asked.about) as checkpoints:
        return _fitted_and_written(model, rows, asked, store, checkpoints, output, stages)


def _fitted_and_written(
    model: Any,
    rows: Rows,
    asked: _Asked,
    store: Path | None,
    checkpoints: Checkpoints,
    output: Output,
    stages: Stages,
) -> Fitted | None:
    """`store` is the folder of rows that are on the disk."""
    settings, entry, to, group = asked.settings, asked.settings.entry, asked.to, Group.current()
    check_scales(rows, entry, output)
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
    data = (X,) if entry.target is None else (X_labelled, y)
    with stages("training"):
        if entry.takes_words and rows.words is not None:
            model.fit(*data, words=rows.words[train])
        elif asked.processes == 1:
            model.fit(*data)
        else:
            kept, every = checkpoints.folder / "processes", checkpoints.every_seconds
            fit_in_processes(model, *data, processes=asked.processes, checkpoints=kept, every_seconds=every)
    if not group.alone:
        leave()  # What follows may fit further models, which the first process does alone.
    if group.rank > 0:
        return None
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
    if rows.vocabulary is not None and rows.reading.kind != "vectors":
        model.vocabulary_ = rows.vocabulary
    documents = same_as = None
    if asked.keep_documents:
        with stages("representing"):
            said = None if store is None else said_to_disk(view, rows.X, store, output)
        with stages("finding duplicates"):
            same_as = None if asked.keep_duplicates else repeats_of(rows, output)
        documents = model.documents_ = documents_of(view, rows, same_as, said)
        if not why_no_topics(view.vocabulary, documents):
            with stages("finding topics"):
                model.topics_ = topics_of_documents(view, documents, random_state=settings.seed)
    if entry.takes == "counts" and (said_of := said_of_few(model, X)):
        output.note(said_of)
    with stages("writing"), exclusively(to):  # Who is changing the file that was there ends first.
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
        stages.seconds,
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
    table.add_row("time", f"{fitted.seconds:.0f} s in all{said_stages(fitted.stages, fitted.seconds)}")
    table.add_row("file", str(fitted.path))
    console.print(table)
