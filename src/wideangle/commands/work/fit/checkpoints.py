"""Checkpoints that `wideangle fit` keeps beside the model by itself, and goes on from after an interruption."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wideangle.commands.arguments.parsed import READING
from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import Output
from wideangle.exceptions import CheckpointError, DivergenceError
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.models._training.checkpoint_files import checkpoints_in
from wideangle.process_group.group import Group
from wideangle.reading import ReadingOptions

__all__ = ["checkpoints_beside", "said_options"]


def folder_beside(to: Path) -> Path:
    """Where the checkpoints of a model are until it is written."""
    return to.with_name(f"{to.name}.checkpoints")


@contextmanager
def checkpoints_beside(
    to: Path, group: Group, output: Output, *, every_seconds: float, about: Mapping[str, str]
) -> Iterator[Checkpoints]:
    """Keep the fits of a block in a folder beside the model, which is deleted when the block has ended.

    After an error it stays, and the same command goes on from it. A fit that diverged would only diverge again, so that
    nothing is kept of it.
    """
    folder = folder_beside(to)
    checkpoints = Checkpoints(folder, every_seconds, about)
    if group.rank > 0:  # The first process alone writes, tells and deletes.
        with checkpoints:
            yield checkpoints
        return
    if checkpoints_in(folder):
        output.note(f"this fit was interrupted, and goes on from {folder}. Begin anew with --fresh.")
    try:
        with checkpoints:
            yield checkpoints
    except DivergenceError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except BaseException as error:
        _tell(folder, output, error)
        if isinstance(error, CheckpointError) and error.different:
            raise CommandError(
                f"{folder} is of another fit, which was interrupted: {error.different}. Run the command of that fit to "
                "go on from it, or begin anew with --fresh."
            ) from error
        raise
    shutil.rmtree(folder, ignore_errors=True)


def forget(to: Path) -> None:
    """Delete what an interrupted fit has left beside the model."""
    shutil.rmtree(folder_beside(to), ignore_errors=True)


def said_options(how: ReadingOptions, others: Mapping[str, object]) -> dict[str, str]:
    """What was asked for besides the parameters of the model, by the names of the options, as far as it is unusual."""
    usual = ReadingOptions()
    asked = {option: getattr(how, name) for option, name in READING.items()}
    changed = {option: value for option, value in asked.items() if value != getattr(usual, READING[option])}
    given = {option: value for option, value in others.items() if value is not None}
    return {option: str(value) for option, value in (changed | given).items()}


def _tell(folder: Path, output: Output, error: BaseException) -> None:
    """Say what is kept after an error. A folder without a checkpoint is deleted."""
    if not checkpoints_in(folder):
        shutil.rmtree(folder, ignore_errors=True)
    elif isinstance(error, KeyboardInterrupt):
        output.when_interrupted = (
            f"interrupted; no model was written. The same command goes on from {folder}, or begins anew with --fresh."
        )
    elif not isinstance(error, CheckpointError):
        output.note(f"what was learned so far is kept in {folder}. The same command goes on from there.")
