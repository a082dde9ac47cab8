"""What `wideangle fit` does: it fits a model to documents or rows and writes a model file."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wideangle._engines import Engine, LocalProcesses
from wideangle._locks import exclusively
from wideangle._own_settings import own_diversity, set_known
from wideangle._wording import number_of
from wideangle.commands.arguments.settings import CHECKPOINT_EVERY, Settings
from wideangle.commands.shell.guard import CommandError, UsageError
from wideangle.commands.shell.output import Output, silent
from wideangle.commands.work.fit.checkpoints import checkpoints_beside, forget, said_options
from wideangle.commands.work.fit.choosing import searched
from wideangle.commands.work.fit.fitted import Fitted, Stages, said_of_few
from wideangle.commands.work.fit.on_disk import (
    forget_parts,
    kept_beside,
    read_training_to_disk,
    reads_in_stream,
    said_to_disk,
    sample_of,
)
from wideangle.commands.work.shared.angles import Angles
from wideangle.commands.work.shared.documents import documents_of, repeats_of
from wideangle.commands.work.shared.estimators import check_scales, suit, unfitted
from wideangle.commands.work.shared.finishing import Finishing, GranularityTable
from wideangle.commands.work.shared.inputs import check_rows, read_training
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


@dataclass(frozen=True)
class FitOptions:
    """What `wideangle fit` was asked for besides the model and how to read."""

    hold_out: float = 0.0
    """the share of rows that are kept for evaluate"""
    keep_documents: bool = True
    keep_duplicates: bool = False
    processes: int = 1
    stream: bool = False
    engine: Engine | None = None
    """who counts the words; None: processes of this computer, where a file is read in a stream"""
    checkpoint_every: float = CHECKPOINT_EVERY
    fresh: bool = False
    """whether to begin anew after an interruption"""


def fit_model(
    path: DataPath,
    to: Path,
    settings: Settings | None = None,
    how: ReadingOptions | None = None,
    asked: FitOptions | None = None,
    output: Output | None = None,
) -> Fitted | None:
    """Read a path, choose λ where asked to, fit, and write one file with all that the other commands need.

    After an interruption the same call goes on from the last checkpoint, unless it shall begin `fresh`.

    Large files are read in a stream; `stream` and an engine that is given read small ones so too. Of several processes
    that were started together all read and fit, and the first does the rest; others return None.
    """
    settings, how, asked = settings or Settings(), how or ReadingOptions(), asked or FitOptions()
    output, entry, group, stages = output or silent(), settings.entry, Group.current(), Stages()
    model = unfitted(settings)
    if asked.processes > 1 and not getattr(model, "_trains_in_processes", False):
        raise UsageError(
            f"{entry.command} is not trained by updates that processes could share. Leave out --processes."
        )
    if asked.fresh and group.rank == 0:
        forget(to)
        forget_parts(to)
    option = "--dask" if asked.engine is not None else "--stream" if asked.stream else ""
    with ExitStack() as beside:  # Folders beside the model are deleted when it is written. After an error they stay.
        store = beside.enter_context(kept_beside(to, group)) if reads_in_stream(path, entry, how, option) else None
        with stages("reading"):
            rows = _read(path, settings, how, asked, store, group, output)
        others = {"--hold-out": asked.hold_out or None, "--diversity": "auto" if settings.diversity == "auto" else None}
        checkpoints = beside.enter_context(
            checkpoints_beside(to, group, output, every_seconds=asked.checkpoint_every, about=said_options(how, others))
        )
        check_scales(rows, entry, output)
        suit(model, settings, rows)
        X, X_labelled, y = _to_fit_on(rows, settings, path, in_memory=store is None)
        table = None
        if settings.diversity == "auto":
            table = searched(model, *sample_of(X_labelled, y, settings.seed, output), seed=settings.seed, output=output)
            model.set_params(**table.best.settings)
        set_known(model, verbose=not output.quiet)
        with stages("training"):
            if entry.takes_words and rows.words is not None:
                model.fit(X, words=rows.words[rows.training])
            else:
                _train(model, (X,) if entry.target is None else (X_labelled, y), asked.processes, checkpoints)
        if not group.alone:
            leave()  # What follows may fit further models, which the first process does alone.
        if group.rank > 0:
            return None
        n, K = int(X.shape[0]), settings.n_components
        if entry.finds_components and K is not None and n // 2 < K:
            output.note(
                f"-k {K}: {number_of(n, 'document')} {'carries' if n == 1 else 'carry'} hardly more than "
                f"{number_of(max(1, n // 2), 'component')}, and the others mean "
                "little. Leave out -k, and as many are taken as they carry."
            )
        # The file may be loaded on another machine, so settings of this one are not kept.
        set_known(model, verbose=False, device="auto")
        granularities = None
        if settings.granularity == "auto":
            choice = choose_granularity(model, *sample_of(X_labelled, y, settings.seed, output), seed=settings.seed)
            model.set_params(granularity=choice.best.granularity)
            granularities = GranularityTable.of(choice)
        view = ModelView.of(model)
        repeats = _attach(view, rows, settings, asked, store, output, stages)
        if entry.takes == "counts" and (said_of := said_of_few(model, X)):
            output.note(said_of)
        with stages("writing"), exclusively(to):  # Who is changing the file that was there ends first.
            model.save(to)
        assert rows.reading is not None
        finishing = Finishing.of(view)
        return Fitted(
            path=to,
            model=settings.model,
            documents=int(rows.training.sum()),
            held_out=int((~rows.training).sum()),
            features=int(rows.X.shape[1]),
            classes=None if y is None else len(np.unique(y)),
            reading=rows.reading.kind,
            n_components=len(view.components),
            diversity=own_diversity(model) if hasattr(model, "diversity") else None,
            granularity=None if finishing is None else finishing.granularity,
            finish=None if finishing is None else finishing.finish,
            halved_documents=None if finishing is None else finishing.halved_documents,
            compared=None if finishing is None else str(finishing),
            granularities=granularities,
            weighting=used_value(model, "weighting"),
            representation=used_value(model, "representation"),
            tuning=table,
            angles=Angles.of(view.directions()),
            topics=len(model.topics_) if hasattr(model, "topics_") else None,
            repeats=repeats,
            updates=getattr(model, "n_updates_", None),
            stopped=getattr(model, "stopped_", None),
            seconds=output.seconds(),
            stages=stages.seconds,
            settings=model.get_params(deep=False),
        )


def _read(
    path: DataPath,
    settings: Settings,
    how: ReadingOptions,
    asked: FitOptions,
    store: Path | None,
    group: Group,
    output: Output,
) -> Rows:
    """The rows, in memory or in files of the folder `store`; only the first process says what they are."""
    entry, seed, share = settings.entry, settings.seed, asked.hold_out
    if store is None:
        with all_or_none(group, f"read {path}"):
            return read_training(path, entry, how, output, hold_out=share, seed=seed)
    engine = asked.engine or LocalProcesses()
    rows = read_training_to_disk(path, store, how, output, group, engine, hold_out=share, seed=seed)
    if group.rank == 0:
        check_rows(rows, path, entry, how, output)
    return rows


def _to_fit_on(rows: Rows, settings: Settings, path: DataPath, *, in_memory: bool) -> tuple[Any, Any, Any]:
    """All rows to fit on; those of them that labels choose settings by, and these labels, or None.

    What needs labels sees the rows that have one; the model itself all rows, if it does not learn from labels.
    """
    X, labelled = rows.of(rows.training), rows.labelled & rows.training
    X_labelled, y = X, None
    if labelled.any():  # Of many documents the numbers of classes serve, because their names would fill the memory.
        X_labelled, y = rows.of(labelled), np.asarray(rows.classes if in_memory else rows.labels)[labelled]
    if settings.granularity == "auto" and (y is None or len(np.unique(y)) < 2):
        what = "none" if y is None else "one class only"
        raise CommandError(
            f"--for auto chooses by labels of two classes at least, and {path} has {what}. Name them with "
            "--label-column, or say --for details, balance, groups or a number from 0 to 1."
        )
    return X, X_labelled, y


def _train(model: Any, data: tuple[Any, ...], processes: int, checkpoints: Checkpoints) -> None:
    if processes == 1:
        model.fit(*data)
        return
    kept, every = checkpoints.folder / "processes", checkpoints.every_seconds
    fit_in_processes(model, *data, processes=processes, checkpoints=kept, every_seconds=every)


def _attach(
    view: ModelView,
    rows: Rows,
    settings: Settings,
    asked: FitOptions,
    store: Path | None,
    output: Output,
    stages: Stages,
) -> int:
    """Give the model what the other commands need: how rows were read, their words, the documents and their topics.

    How many documents repeat another one comes back; 0 where nobody looked.
    """
    assert rows.reading is not None
    model = view.model
    model.reading_ = rows.reading
    if rows.vocabulary is not None and rows.reading.kind != "vectors":
        model.vocabulary_ = rows.vocabulary
    if not asked.keep_documents:
        return 0
    with stages("representing"):
        said = None if store is None else said_to_disk(view, rows.X, store, output)
    with stages("finding duplicates"):
        same_as = None if asked.keep_duplicates else repeats_of(rows, output)
    model.documents_ = documents_of(view, rows, same_as, said)
    if not why_no_topics(view.vocabulary, model.documents_):
        with stages("finding topics"):
            model.topics_ = topics_of_documents(view, model.documents_, random_state=settings.seed)
    return 0 if same_as is None else int((same_as != np.arange(len(rows))).sum())
