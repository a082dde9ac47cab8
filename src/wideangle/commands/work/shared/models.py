"""Loads model files for the commands, and gives models their names on the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import wideangle
from wideangle.catalogue import commands, entry_of
from wideangle.commands.shell.guard import CommandError, UsageError
from wideangle.commands.shell.output import Output
from wideangle.commands.work.shared.finishing import said_granularity
from wideangle.commands.work.shared.memory import reserve_for_algebra
from wideangle.topics import Topics
from wideangle.topics.of_model import topics_of_documents
from wideangle.view import ModelView


def load_model(path: Path, granularity: float | str | None = None) -> ModelView:
    """The view of a model that `fit` or `model.save` wrote, at its own granularity or at another."""
    reserve_for_algebra()
    view = ModelView.of(wideangle.load(path))
    name = name_of_model(view.model)
    if granularity is None:
        return view
    if "granularity" not in view.model.get_params(deep=False):
        raise UsageError(f"{path} is a {name}, which has no granularity. Leave out --for.")
    if not view.is_finished:
        raise CommandError(
            f"{path} has no granularity: it is a {name} whose documents are compared as it says them. Leave out --for, "
            f"or fit it again by wideangle fit --model {name} --for {granularity}."
        )
    view.model.set_params(granularity=granularity)
    return view


def check_unchanged(path: Path, is_unchanged: Callable[[], bool]) -> None:
    """Raise an error, before a model is written, where somebody has replaced the one that it was made of."""
    if not is_unchanged():
        raise CommandError(f"{path} was replaced by another program meanwhile, and is left as it is. Run this again.")


def regrouped(view: ModelView, output: Output, n_topics: int | None = None) -> bool:
    """Group the model's documents anew where its topics were found at another granularity; whether it was done."""
    topics: Topics | None = getattr(view.model, "topics_", None)
    if topics is None or topics.granularity == view.granularity:
        return False
    view.model.topics_ = topics_of_documents(view, view.model.documents_, n_topics)
    names = f" The {len(topics.renamed)} names that were given belong to the former topics." if topics.renamed else ""
    made = " What was merged and split by hand belongs to them too." if topics.found is not None else ""
    output.note(f"the documents were grouped anew, for {said_granularity(view.granularity)}.{names}{made}")
    return True


def name_of_model(model: Any) -> str:
    """The name of a fitted estimator on the command line."""
    entry = entry_of(model)
    if entry.command is None:
        known = ", ".join(commands())
        raise CommandError(f"the commands know {known}, and the file holds a {entry.name}. Use it from Python.")
    return entry.command
