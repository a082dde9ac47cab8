"""A path to the rows a model sees: the same way for training documents and for new ones."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from wideangle.commands._arrays import read_arrays
from wideangle.commands._guard import CommandError
from wideangle.commands._models import name_of_model
from wideangle.commands._output import Output
from wideangle.commands._rows import Kind, Rows, rarity, weighed
from wideangle.commands._settings import ModelName
from wideangle.commands._tables import Columns, columns_of, read_numbers
from wideangle.commands._texts import numbered, read_stop_words, read_texts, tell_other_letters
from wideangle.data.reading import TextSource
from wideangle.data.tables import TABLES, suffix
from wideangle.data.text import TOKEN
from wideangle.documents import Reading

ANY_WORD = r"(?u)\b\w+\b"  # where a vocabulary is given, it decides which words count
COUNTED: dict[ModelName, Kind] = {
    "replicated-softmax": "counts",
    "bernoulli-rbm": "presence",
    "distance": "tf-idf",
    "mlp": "tf-idf",
}


@dataclass(frozen=True)
class How:
    """How to read a path, as far as the caller says it."""

    text_column: str | None = None
    label_column: str | None = None
    encoding: str = "utf-8"
    n_words: int = 5000
    stop_words: str = "english"
    token_pattern: str = TOKEN


def read_training(
    path: Path, model: ModelName, how: How, output: Output, *, hold_out: float = 0.0, seed: int = 0
) -> tuple[Rows, Reading]:
    """Rows to fit a model on, as it sees them, and how new documents must be read."""
    rows = _read(path, how, output)
    if hold_out:
        if rows.is_train is not None:
            raise CommandError(f"{path} says itself which rows are held out (is_train). Leave out --hold-out.")
        rows = rows.holding_out(hold_out, seed)  # which words there are is known of all rows; all else is not
    if not rows.training.any():
        raise CommandError(f"no row of {path} is left to fit on. Hold out fewer.")
    kind = _kind(rows, model, path)
    if rows.vocabulary is None and kind in ("presence", "tf-idf"):
        output.note(
            f"whole numbers of a sparse matrix count words, here by {kind}. To use them as they are, save X dense."
        )
    _tell(rows, output)
    is_text = rows.snippets is not None and suffix(path) != ".npz"
    if is_text and how.token_pattern == TOKEN:
        tell_other_letters(rows.snippets or [], output)
    if model in ("distance", "mlp"):
        _require_classes(rows, model, path)
    words = rarity(rows.X[rows.training]) if kind == "tf-idf" else None
    reading = Reading(kind, how.token_pattern if is_text else None, rows.text_column, rows.label_column, words)
    return replace(rows, X=weighed(rows.X, kind, words)), reading


def read_new(path: Path, model: Any, how: How, output: Output) -> Rows:
    """Rows of new documents as a fitted model sees them."""
    reading, vocabulary = reading_of(model), getattr(model, "vocabulary_", None)
    rows = _read(path, how, output, reading, vocabulary)
    rows = _aligned(rows, vocabulary, model.n_features_in_, path, all_needed=reading.kind == "numbers")
    if reading.kind != "numbers":
        _require_counts(rows, path)
        _tell(rows, output)
    return replace(rows, X=weighed(rows.X, reading.kind, reading.rarity))


def reading_of(model: Any) -> Reading:
    """How the model's rows were read; where its file does not say, from what the model takes."""
    known = getattr(model, "reading_", None)
    if isinstance(known, Reading):
        return known
    return Reading("counts" if name_of_model(model) == "replicated-softmax" else "numbers")


def _read(
    path: Path, how: How, output: Output, reading: Reading | None = None, vocabulary: list[str] | None = None
) -> Rows:
    """Counts or numbers; of new documents (`reading` is known) by the words or columns of the model."""
    if not path.exists():
        raise CommandError(f"{path} does not exist. Check the path.")
    if path.is_file() and suffix(path) == ".npz":
        return read_arrays(path)
    if path.is_file() and suffix(path) not in (*TABLES, ".txt"):
        raise CommandError(
            f"{path.name} is of a kind that cannot be read. Give a folder of .txt files, or a .txt (a document a "
            f"line), {', '.join(TABLES)} or .npz file."
        )
    text, label = how.text_column, how.label_column
    if suffix(path) in TABLES and path.is_file():
        if reading is not None:
            text, label = text or reading.text_column, label or reading.label_column
            text, label = _still_there(path, text, label, how)
        columns = columns_of(path, text, label, how.encoding)
        wanted = vocabulary if reading is not None and reading.kind == "numbers" else None
        if columns.text is None or wanted is not None:
            if reading is None:
                _tell_columns(columns, how, output)
            return _table_of_numbers(path, columns.every, columns.label, wanted, how.encoding)
        if reading is None:
            _tell_columns(columns, how, output)
        text, label = columns.text, columns.label
    source = TextSource(path, text, label, how.encoding)
    if reading is None:
        stop_words = read_stop_words(how.stop_words)
        return read_texts(source, token_pattern=how.token_pattern, n_words=how.n_words, stop_words=stop_words)
    if reading.kind == "numbers" or vocabulary is None:
        what = "was fitted on numbers" if reading.kind == "numbers" else "has no vocabulary"
        raise CommandError(f"{path} holds text, but the model {what}. Give it rows as it was fitted on.")
    return read_texts(source, token_pattern=reading.token_pattern or ANY_WORD, vocabulary=vocabulary)


def _tell_columns(columns: Columns, how: How, output: Output) -> None:
    """What was guessed, in one note."""
    guesses = (("text", columns.text, how.text_column), ("label", columns.label, how.label_column))
    guessed = {what: column for what, column, named in guesses if column is not None and named is None}
    if guessed:
        taken = " and ".join(f"the {what} is taken from the column {column!r}" for what, column in guessed.items())
        options = " and ".join(f"--{what}-column" for what in guessed)
        output.note(f"{taken}; name {'others' if len(guessed) > 1 else 'another'} with {options}.")


def _still_there(path: Path, text: str | None, label: str | None, how: How) -> tuple[str | None, str | None]:
    """The training file's columns where the new file has them too; those named for this file must be there."""
    every = columns_of(path, how.text_column, how.label_column, how.encoding).every
    return (text if text in every else how.text_column), (label if label in every else how.label_column)


def _table_of_numbers(
    path: Path, columns: tuple[str, ...], label: str | None, wanted: list[str] | None, encoding: str
) -> Rows:
    features = [name for name in columns if name != label] if wanted is None else wanted
    missing = [name for name in features if name not in columns]
    if missing:
        raise CommandError(f"{path.name} lacks the columns {', '.join(missing[:5])}, which the model was fitted on.")
    X, labels = read_numbers(path, features, label, encoding)
    numbers, label_names = numbered(labels) if label is not None else (None, None)
    return Rows(
        X,
        counted=False,
        names=[f"row {number}" for number in range(1, len(X) + 1)],
        labels=numbers,
        label_names=label_names,
        vocabulary=features,
        unlabelled=labels.count(None),
        label_column=label,
    )


def _kind(rows: Rows, model: ModelName, path: Path) -> Kind:
    if model == "replicated-softmax":
        _require_counts(rows, path)
        return "counts"
    if rows.counted:
        return COUNTED[model]
    if model == "bernoulli-rbm":
        low, high = float(rows.X.min()), float(rows.X.max())
        if low < 0 or high > 1:
            raise CommandError(
                f"bernoulli-rbm takes values from 0 to 1, and {path} has {low:g} to {high:g}. Scale its columns first."
            )
    return "numbers"


def _require_counts(rows: Rows, path: Path) -> None:
    values = rows.X.data if sp.issparse(rows.X) else rows.X
    if not rows.counted and not ((values >= 0).all() and (values == np.round(values)).all()):
        raise CommandError(
            f"{path} holds numbers that count no words. Give counts, or take --model bernoulli-rbm, distance or mlp."
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


def _aligned(rows: Rows, vocabulary: list[str] | None, width: int, path: Path, all_needed: bool) -> Rows:
    """Columns in the model's order, by their words where both know them; a word that is not there has count 0."""
    if rows.vocabulary is not None and vocabulary is not None and rows.vocabulary != vocabulary:
        column = {word: number for number, word in enumerate(rows.vocabulary)}
        known = [(column[word], place) for place, word in enumerate(vocabulary) if word in column]
        if not known or (all_needed and len(known) < width):
            shared = f"{len(known)} of {width} columns" if known else "no column"
            raise CommandError(f"{path} shares {shared} with the model. Give it rows as it was fitted on.")
        theirs, ours = map(np.asarray, zip(*known, strict=True))
        place = sp.csr_array((np.ones(len(known), rows.X.dtype), (theirs, ours)), shape=(rows.X.shape[1], width))
        return replace(rows, X=rows.X @ place, vocabulary=vocabulary)
    if rows.X.shape[1] != width:
        raise CommandError(f"{path} has {rows.X.shape[1]} columns, but the model {width}. Give it rows of its kind.")
    return rows


def _tell(rows: Rows, output: Output) -> None:
    if 0 < rows.unlabelled < len(rows):
        output.note(f"{rows.unlabelled} of {len(rows)} rows have no label, so that no label is used.")
    if rows.counted:
        empty = len(rows) - int(np.count_nonzero(np.asarray(rows.X.sum(axis=1)).ravel()))
        if empty:
            output.note(f"{empty} of {len(rows)} documents have no word of the vocabulary; they are kept.")
