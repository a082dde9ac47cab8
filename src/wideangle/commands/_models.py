"""Loads model files for the commands, and gives models their names on the command line."""

from pathlib import Path
from typing import Any

import wideangle
from wideangle.catalogue import commands, entry_of
from wideangle.commands._guard import CommandError
from wideangle.view import ModelView


def load_model(path: Path) -> ModelView:
    """The view of a model that `fit` or `model.save` wrote."""
    view = ModelView.of(wideangle.load(path))
    name_of_model(view.model)
    return view


def name_of_model(model: Any) -> str:
    """The name of a fitted estimator on the command line."""
    entry = entry_of(model)
    if entry.command is None:
        known = ", ".join(commands())
        raise CommandError(f"the commands know {known}, and the file holds a {entry.name}. Use it from Python.")
    return entry.command
