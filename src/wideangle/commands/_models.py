"""Model files as the commands take them: the model as people look at it, and what the command line calls it."""

from pathlib import Path
from typing import Any

import wideangle
from wideangle.catalogue import commands, entry_of
from wideangle.commands._guard import CommandError
from wideangle.view import ModelView


def load_model(path: Path) -> ModelView:
    """What `fit` or `model.save` wrote."""
    view = ModelView.of(wideangle.load(path))
    name_of_model(view.model)
    return view


def name_of_model(model: Any) -> str:
    """What the command line calls a fitted estimator."""
    entry = entry_of(model)
    if entry.command is None:
        known = ", ".join(commands())
        raise CommandError(f"the commands know {known}, and the file holds a {entry.name}. Use it from Python.")
    return entry.command
