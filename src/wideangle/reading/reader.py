"""A path to the rows that a model is fitted on. New documents are read in `new_rows.py`, as these were."""

from dataclasses import replace
from typing import Any, get_args

from wideangle import _arguments as rules
from wideangle._arguments import checked, optional
from wideangle.documents import Reading
from wideangle.exceptions import DataError
from wideangle.reading.columns import Columns
from wideangle.reading.counted_texts import read_texts
from wideangle.reading.npz_files import read_arrays
from wideangle.reading.numbers import read_numbers
from wideangle.reading.opened_documents import OpenedDocuments
from wideangle.reading.opening import open_path
from wideangle.reading.options import WORDS_OF_TEXTS, ReadingOptions, given, option_name
from wideangle.reading.places import PathLike
from wideangle.reading.rows import Rows, Weighting, rarity, weighed
from wideangle.reading.said import notes_of
from wideangle.reading.vectors import vectors_for, with_vectors
from wideangle.reading.watching import Watched

__all__ = ["kept_columns", "read", "with_reading"]


@checked(
    path=rules.path,
    options=optional(rules.a(ReadingOptions)),
    weighting=rules.one_of(*get_args(Weighting)),
    hold_out=rules.real(least=0, below=1),
    seed=rules.seed,
)
def read(
    path: PathLike,
    options: ReadingOptions | None = None,
    *,
    weighting: Weighting = "counts",
    hold_out: float = 0.0,
    seed: int = 0,
) -> Rows:
    """Rows to fit a model on, and how new documents must be read.

    Parameters
    ----------
    path : path
        Whatever `TextSource` reads, a table of numbers, or an .npz file; "-" is standard input.
    options : ReadingOptions, optional
        What is known of the file and wanted of its words.
    weighting : {"counts", "presence", "tf-idf"}, default="counts"
        What becomes of counted words: `ReplicatedSoftmax` takes counts, `BernoulliRBM` presence, the others tf-idf.
        Tables of numbers stay as they are.
    hold_out : float, default=0.0
        Share of the rows not to be fitted on, drawn at random by `seed`; refused where the file has a split.

    Returns
    -------
    Rows
        `X`, `vocabulary`, `labels`, `names`, the split, `description`, what to save with a model (`reading`), and
        `notes` on what one would not see in the result.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wideangle.reading import read
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "reviews.csv"
    >>> _ = file.write_text("id;comment;stars\\nr1;late, and broken;1\\nr2;quick delivery;5\\n")
    >>> rows = read(file)
    >>> rows.description
    "reviews.csv: 2 rows, separated by ';', text from column 'comment', ids from column 'id'; not used: 'stars'"
    >>> rows.vocabulary, rows.names
    (['broken', 'delivery', 'late', 'quick'], ['r1', 'r2'])
    """
    options = options or ReadingOptions()
    watched = Watched.of(path, options)
    opened = open_path(path, options)
    columns = opened.choose_columns(options)
    vectors = vectors_for(options, None if columns is None else columns.every)
    if opened.is_arrays or (columns is not None and columns.text is None):
        if columns is None:
            _check_no_words(options, opened.name, "as arrays")
            rows = read_arrays(opened, options)
        else:
            _check_no_words(options, opened.name, "as a table of numbers")
            rows = read_numbers(opened, columns, columns.features, options)
        rows = rows if vectors is None else with_vectors(rows, opened, options, vectors)
        kept = kept_columns(columns)
    else:
        rows, of_words = read_texts(OpenedDocuments(opened, columns, options), vectors)
        kept = kept_columns(columns) | of_words
    watched.check_unchanged()
    if vectors is not None:
        name = None if vectors.encoder is None else vectors.encoder.name
        kept |= {"words": tuple(rows.vocabulary or ()), "vector_column": vectors.column}
        kept |= {"encoder": vectors.said, "encoder_name": name}
    return with_reading(rows, kept, weighting, hold_out, seed, path)


def with_reading(
    rows: Rows, kept: dict[str, Any], weighting: Weighting, hold_out: float, seed: int, path: PathLike
) -> Rows:
    """The rows as a model sees them, with the split and with all that must be known to read new documents."""
    if hold_out:
        if rows.is_train is not None:
            raise DataError(f"{path} says itself which rows are held out. Leave out --hold-out, or use no split.")
        # The vocabulary comes from all rows, everything else from the training rows.
        rows = rows.holding_out(hold_out, seed)
    if not rows.training.any():
        raise DataError(f"no row of {path} is left to fit on. Hold out fewer, or mark some for training.")
    kind: Any = weighting if rows.counted or (weighting == "counts" and rows.are_whole) else "numbers"
    kind = "vectors" if "encoder" in kept else kind
    words = rarity(rows.X[rows.training]) if kind == "tf-idf" else None
    reading = Reading(kind, rarity=words, **kept)
    return replace(rows, X=weighed(rows.X, kind, words), reading=reading, notes=(*rows.notes, *notes_of(rows, kind)))


def kept_columns(columns: Columns | None) -> dict[str, Any]:
    """What new documents must know about the columns."""
    if columns is None:
        return {}
    return {
        "text_column": columns.text,
        "label_column": columns.label,
        "id_column": columns.id,
        "split_column": columns.split,
        "title_column": columns.title,
        "date_column": columns.date,
        "date_order": columns.date_order,
    }


def _check_no_words(options: ReadingOptions, name: str, how: str) -> None:
    """Raise an error for an option about words where there are none."""
    for option in given(options, WORDS_OF_TEXTS):
        raise DataError(
            f"{option_name(option)} is about words of texts, and {name} is read {how}. Leave it out, or give texts, "
            "whose column --text-column names."
        )
