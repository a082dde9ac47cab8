"""A path to the rows a model sees: the same way for training documents and for new ones."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wideangle.data.corpus import Corpus
from wideangle.data.text import TOKEN, count_words
from wideangle.documents import Reading, snippet
from wideangle.exceptions import DataError, NoWordsError
from wideangle.reading.alignment import aligned, require_counts, whole_numbers
from wideangle.reading.catalogue import Opened, open_path
from wideangle.reading.columns import Columns, choose_columns
from wideangle.reading.npz_files import read_arrays
from wideangle.reading.numbers import read_numbers
from wideangle.reading.options import ReadingOptions
from wideangle.reading.rows import Rows, Weighting, numbered_labels, rarity, weighed
from wideangle.reading.said import described, notes_of
from wideangle.reading.source import OpenedDocuments, said_of_columns
from wideangle.reading.survey import survey_table
from wideangle.reading.words import ANY_ALPHABET, counter_of, other_letters, read_stop_words

__all__ = ["read", "read_new"]

PathLike = str | os.PathLike[str]


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
    opened = open_path(path, options)
    columns = _chosen(opened, options)
    if opened.is_arrays:
        rows, kept = _arrays(opened), {}
    elif columns is not None and columns.text is None:
        rows, kept = _numbers(opened, columns, columns.features), _kept(columns)
    else:
        stop_words = read_stop_words(options.stop_words)

        def count(texts: Iterator[str]) -> Corpus:
            return count_words(
                texts,
                n_words=options.n_words,
                stop_words=stop_words,
                token_pattern=options.token_pattern,
                ngrams=options.ngrams,
                min_df=options.min_df,
                max_df=options.max_df,
            )

        rows = _texts(OpenedDocuments(opened, columns, options), count)
        kept = _kept(columns) | {"token_pattern": options.token_pattern, "stop_words": stop_words}
        kept |= {"stop_list": options.stop_words, "ngrams": options.ngrams, "strip_html": options.strip_html}
        if options.token_pattern == TOKEN and (said := other_letters(rows.snippets or [])):
            rows = replace(rows, notes=(*rows.notes, said))
    if hold_out:
        if rows.is_train is not None:
            raise DataError(f"{path} says itself which rows are held out. Leave out --hold-out, or use no split.")
        rows = rows.holding_out(
            hold_out, seed
        )  # the vocabulary comes from all rows, everything else from the training rows
    if not rows.training.any():
        raise DataError(f"no row of {path} is left to fit on. Hold out fewer, or mark some for training.")
    kind = weighting if rows.counted or (weighting == "counts" and whole_numbers(rows)) else "numbers"
    words = rarity(rows.X[rows.training]) if kind == "tf-idf" else None
    reading = Reading(kind, rarity=words, **kept)
    return replace(rows, X=weighed(rows.X, kind, words), reading=reading, notes=(*rows.notes, *notes_of(rows, kind)))


def read_new(
    path: PathLike,
    reading: Reading,
    vocabulary: Sequence[str] | None = None,
    options: ReadingOptions | None = None,
    *,
    n_features: int | None = None,
) -> Rows:
    """Rows of new documents as a fitted model sees them.

    Parameters
    ----------
    path : path
        Documents or rows of the kind the model was fitted on, in whatever kind of file.
    reading : Reading
        How the model's rows were read: `model.reading_`, or `rows.reading` of the training rows.
    vocabulary : sequence of str, optional
        The word of each column: `model.vocabulary_`, or `rows.vocabulary`.
    options : ReadingOptions, optional
        What is known of this file. What concerns words is taken from `reading`.
    n_features : int, optional
        How many columns the model has, where it has no vocabulary.
    """
    options = options or ReadingOptions()
    words = None if vocabulary is None else list(vocabulary)
    opened = open_path(path, options)
    columns = _chosen(opened, options, reading)
    if opened.is_arrays:
        rows = _arrays(opened)
    elif columns is not None and (columns.text is None or (reading.kind == "numbers" and words is not None)):
        wanted = words if reading.kind == "numbers" and words is not None else columns.features
        rows = _numbers(opened, replace(columns, text=None, title=None, features=tuple(wanted)), wanted)
    elif reading.kind == "numbers" or words is None:
        what = "was fitted on numbers" if reading.kind == "numbers" else "has no vocabulary"
        raise DataError(f"{path} holds text, but the model {what}. Give it rows as it was fitted on.")
    else:
        counter = counter_of(reading, words)
        documents = OpenedDocuments(opened, columns, replace(options, strip_html=reading.strip_html))
        rows = _texts(
            documents,
            lambda texts: Corpus(counts=counter.transform(texts), vocabulary=np.asarray(words, dtype=np.str_)),
        )
    width = n_features if words is None else len(words)
    rows = aligned(rows, words, width, opened.name, all_needed=reading.kind == "numbers")
    if reading.kind != "numbers":
        require_counts(rows, opened.name)
    notes = notes_of(rows, reading.kind) if reading.kind != "numbers" else ()
    return replace(rows, X=weighed(rows.X, reading.kind, reading.rarity), notes=(*rows.notes, *notes))


def _chosen(opened: Opened, options: ReadingOptions, reading: Reading | None = None) -> Columns | None:
    """The columns of a table; of a new one those of the training file, where it has them too."""
    if opened.table is None:
        return None
    survey = survey_table(opened.table)
    for name in ("text_column", "label_column", "id_column", "split_column", "title_column"):
        before = None if reading is None else getattr(reading, name)
        if getattr(options, name) is None and before in survey.columns:
            options = replace(options, **{name: before})
    return choose_columns(survey, options, opened.name)


def _kept(columns: Columns | None) -> dict[str, Any]:
    if columns is None:
        return {}
    return {
        "text_column": columns.text,
        "label_column": columns.label,
        "id_column": columns.id,
        "split_column": columns.split,
        "title_column": columns.title,
    }


def _arrays(opened: Opened) -> Rows:
    assert opened.file is not None
    rows = read_arrays(opened.file)
    return replace(rows, description=described(opened.name, rows, ()))


def _numbers(opened: Opened, columns: Columns, features: Sequence[str]) -> Rows:
    assert opened.table is not None
    rows = read_numbers(opened.table, columns, features)
    parts = (*opened.table.taken_for, *said_of_columns(columns))
    return replace(rows, description=described(opened.name, rows, parts, columns), notes=columns.notes)


def _texts(documents: OpenedDocuments, count: Callable[[Iterator[str]], Corpus]) -> Rows:
    """Count the words of every document: they are gone through once, and only how each begins is kept."""
    names: list[str] = []
    snippets: list[str] = []
    titles: list[str | None] = []
    labels: list[str | None] = []
    is_train: list[bool | None] = []
    empty = replaced = 0

    def texts() -> Iterator[str]:
        nonlocal empty, replaced
        for document in documents.read():
            names.append(document.name)
            snippets.append(snippet(document.text))
            titles.append(document.title)
            labels.append(document.label or None)  # an empty label is none
            is_train.append(document.is_train)
            empty += not document.text.strip()
            replaced += "\ufffd" in document.text
            yield document.text
        if not names:
            raise DataError(documents.none_found)

    try:
        corpus = count(texts())
    except NoWordsError as error:
        raise NoWordsError(f"{error} {ANY_ALPHABET}") from error
    numbers, label_names = numbered_labels(labels)
    assert corpus.vocabulary is not None
    columns = documents.columns
    rows = Rows(
        corpus.counts,
        counted=True,
        names=names,
        snippets=snippets,
        labels=numbers,
        label_names=label_names,
        is_train=None if None in is_train else np.asarray(is_train, dtype=bool),
        vocabulary=corpus.vocabulary.tolist(),
        unlabelled=labels.count(None),
        notes=() if columns is None else columns.notes,
        titles=[snippet(title or "") for title in titles] if any(titles) else None,
    )
    return replace(
        rows,
        description=described(documents.opened.name, rows, documents.taken_for, columns, empty),
        notes=(*rows.notes, *documents.said_of_replaced(replaced, len(rows))),
    )
