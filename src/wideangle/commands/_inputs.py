"""The reading room for the commands: what each model takes, and all that was found out is said."""

from pathlib import Path
from typing import Any

import numpy as np

from wideangle.commands._guard import CommandError
from wideangle.commands._models import column_names, name_of_model
from wideangle.commands._output import Output
from wideangle.commands._settings import ModelName
from wideangle.documents import Reading
from wideangle.reading import ReadingOptions, Rows, read
from wideangle.reading import read_new as read_new_rows
from wideangle.reading.rows import Weighting

COUNTED: dict[ModelName, Weighting] = {
    "replicated-softmax": "counts",
    "bernoulli-rbm": "presence",
    "distance": "tf-idf",
    "mlp": "tf-idf",
}


def read_training(
    path: Path, model: ModelName, how: ReadingOptions, output: Output, *, hold_out: float = 0.0, seed: int = 0
) -> tuple[Rows, Reading]:
    """Rows to fit a model on, as it sees them, and how new documents must be read."""
    rows = read(path, how, weighting=COUNTED[model], hold_out=hold_out, seed=seed)
    assert rows.reading is not None
    _tell(rows, output, _can_be_named(rows.reading, how))
    _check_values(rows, rows.reading, model, path)
    if model in ("distance", "mlp"):
        _require_classes(rows, model, path)
    return rows, rows.reading


def read_new(path: Path, model: Any, how: ReadingOptions, output: Output) -> Rows:
    """Rows of new documents as a fitted model sees them."""
    rows = read_new_rows(path, reading_of(model), column_names(model), how, n_features=model.n_features_in_)
    _tell(rows, output)
    return rows


def reading_of(model: Any) -> Reading:
    """How the model's rows were read; where its file does not say, from what the model takes."""
    known = getattr(model, "reading_", None)
    if isinstance(known, Reading):
        return known
    return Reading("counts" if name_of_model(model) == "replicated-softmax" else "numbers")


def _tell(rows: Rows, output: Output, more: str = "") -> None:
    output.note(f"{rows.description}.{more}")
    for note in rows.notes:
        output.note(note)


def _can_be_named(reading: Reading, how: ReadingOptions) -> str:
    """The options by which columns that were guessed can be named."""
    kinds = ("text", "label", "id", "split")
    guessed = [
        f"--{kind}-column"
        for kind in kinds
        if getattr(reading, f"{kind}_column") is not None and getattr(how, f"{kind}_column") is None
    ]
    return f" Name other columns with {', '.join(guessed)}." if guessed else ""


def _check_values(rows: Rows, reading: Reading, model: ModelName, path: Path) -> None:
    if model == "replicated-softmax" and reading.kind != "counts":
        raise CommandError(
            f"{path} holds numbers that count no words. Give counts, or take --model bernoulli-rbm, distance or mlp."
        )
    if model == "bernoulli-rbm" and reading.kind == "numbers":
        low, high = float(rows.X.min()), float(rows.X.max())
        if low < 0 or high > 1:
            raise CommandError(
                f"bernoulli-rbm takes values from 0 to 1, and {path} has {low:g} to {high:g}. Scale its columns first."
            )


def _require_classes(rows: Rows, model: ModelName, path: Path) -> None:
    if rows.labels is None:
        some = f"{rows.unlabelled} of {len(rows)} rows" if 0 < rows.unlabelled < len(rows) else "the rows"
        raise CommandError(
            f"{model} learns from labels, and {some} of {path} have none. Name the column with --label-column, put "
            "the files of each class into a folder of its own, or take --model replicated-softmax."
        )
    present = np.unique(rows.labels[rows.training])
    if len(present) < 2:
        raise CommandError(f"{model} learns from at least 2 classes, and {path} has {len(present)}. Add another class.")
