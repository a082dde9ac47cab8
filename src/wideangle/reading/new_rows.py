"""New documents to rows as a fitted model sees them, read as its training documents were."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np
import scipy.sparse as sp

from wideangle import _arguments as rules
from wideangle._arguments import checked, optional
from wideangle._wording import number_of
from wideangle.data.corpus import Corpus
from wideangle.documents import Document, Reading
from wideangle.exceptions import DataError
from wideangle.reading.counted_texts import rows_of_texts
from wideangle.reading.npz_files import read_arrays
from wideangle.reading.numbers import read_numbers
from wideangle.reading.opened_documents import OpenedDocuments
from wideangle.reading.opening import Opened, open_path
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import PathLike
from wideangle.reading.rows import Rows, weighed
from wideangle.reading.said import notes_of
from wideangle.reading.unknown import WordTally
from wideangle.reading.vectors import Vectors, vectors_for, with_vectors
from wideangle.reading.watching import Watched
from wideangle.reading.words import counter_of

__all__ = ["as_cleaned_before", "read_new", "read_new_parts", "weighed_as_before"]


def read_new(
    path: PathLike,
    reading: Reading,
    vocabulary: Sequence[str] | None = None,
    options: ReadingOptions | None = None,
    *,
    n_features: int | None = None,
    tally: WordTally | None = None,
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
    tally : WordTally, optional
        Counts the words of texts that the model does not know.
    """
    # It checks the arguments.
    (rows,) = read_new_parts(path, reading, vocabulary, options, n_features=n_features, size=None, tally=tally)
    return rows


@checked(
    path=rules.path,
    reading=rules.a(Reading),
    vocabulary=optional(rules.texts),
    options=optional(rules.a(ReadingOptions)),
    n_features=optional(rules.whole(least=1)),
    size=optional(rules.whole(least=1)),
)
def read_new_parts(
    path: PathLike,
    reading: Reading,
    vocabulary: Sequence[str] | None = None,
    options: ReadingOptions | None = None,
    *,
    n_features: int | None = None,
    size: int | None = 5000,
    tally: WordTally | None = None,
) -> Iterator[Rows]:
    """What `read_new` reads, `size` documents at a time, so that a large file needs little memory.

    What is said of each part is of this part. Arrays and tables of numbers are in memory as a whole, and are one part.
    """
    options = options or ReadingOptions()
    words = None if vocabulary is None else list(vocabulary)
    watched = Watched.of(path, options)
    opened = open_path(path, options)
    if reading.kind == "vectors":
        yield from _new_vectors(opened, reading, options, width=n_features, size=size, tally=tally)
        watched.check_unchanged()
        return
    columns = opened.choose_columns(options, reading)
    vectors_for(options, None if columns is None else columns.every, reading)
    if opened.is_arrays:
        parts: Iterable[Rows] = [read_arrays(opened, options)]
    elif columns is not None and (columns.text is None or (reading.kind == "numbers" and words is not None)):
        wanted = words if reading.kind == "numbers" and words is not None else columns.features
        parts = [read_numbers(opened, replace(columns, text=None, title=None, features=tuple(wanted)), wanted, options)]
    elif reading.kind == "numbers" or words is None:
        what = "was fitted on numbers" if reading.kind == "numbers" else "has no vocabulary"
        raise DataError(f"{path} holds text, but the model {what}. Give it rows as it was fitted on.")
    else:
        counter = counter_of(reading, words)
        options = as_cleaned_before(options, reading)
        known = np.asarray(words, dtype=np.str_)
        parts = _parts(
            OpenedDocuments(opened, columns, options, reading.repeated),
            lambda texts: Corpus(
                counts=counter.transform(texts if tally is None else tally.watched(texts)), vocabulary=known
            ),
            size,
        )
    width = n_features if words is None else len(words)
    for rows in parts:
        rows = _aligned(rows, words, width, opened.name, all_needed=reading.kind == "numbers")
        if reading.kind != "numbers":
            _require_counts(rows, opened.name)
        yield weighed_as_before(rows, reading)
    watched.check_unchanged()


def _new_vectors(
    opened: Opened,
    reading: Reading,
    options: ReadingOptions,
    *,
    width: int | None,
    size: int | None,
    tally: WordTally | None,
) -> Iterator[Rows]:
    """Rows of new documents for a model of vectors, with the words that it knows of them."""
    known = replace(options, vectors=reading.vector_column) if reading.vector_column is not None else options
    columns = opened.choose_columns(options if options.vectors is not None else known, reading)
    vectors = vectors_for(options, None if columns is None else columns.every, reading, width)
    assert vectors is not None
    words = np.asarray(reading.words, dtype=np.str_)
    if opened.is_arrays:
        parts: Iterable[Rows] = [with_vectors(read_arrays(opened, options), opened, options, vectors)]
    elif columns is not None and columns.text is None:
        parts = [with_vectors(read_numbers(opened, columns, (), options), opened, options, vectors)]
    else:
        counter, options = counter_of(reading, reading.words), as_cleaned_before(options, reading)

        def count(texts: Iterator[str]) -> Corpus:
            return Corpus(
                counts=counter.transform(texts if tally is None else tally.watched(texts)),
                vocabulary=words if len(words) else None,
            )

        parts = _parts(OpenedDocuments(opened, columns, options, reading.repeated), count, size, vectors)
    for rows in parts:
        if rows.words is not None and rows.vocabulary is not None and rows.vocabulary != list(reading.words):
            counted = replace(rows, X=rows.words, counted=True)
            found = _aligned(counted, list(reading.words), len(words), opened.name, all_needed=False)
            rows = replace(rows, words=found.X, vocabulary=found.vocabulary)
        _aligned(replace(rows, vocabulary=None), None, width, opened.name, all_needed=True)
        yield weighed_as_before(rows, reading)


def _parts(
    documents: OpenedDocuments,
    count: Callable[[Iterator[str]], Corpus],
    size: int | None,
    vectors: Vectors | None = None,
) -> Iterator[Rows]:
    """All documents, `size` at a time; at least one part, which says so where there is no document."""
    stream = documents.read() if vectors is None else vectors.of(documents.read(), documents.opened.name)
    if size is not None and documents.options.drop_unlabelled:  # A part may have no label where others have some.
        stream = (document for document in stream if document.label)
    first: Document | None = next(stream, None)
    begins = [] if first is None else [first]
    rest = None if size is None else size - 1
    yield rows_of_texts(documents, chain(begins, islice(stream, rest)), count, vectors=vectors)
    for first in stream:
        yield rows_of_texts(documents, chain([first], islice(stream, rest)), count, vectors=vectors)


def as_cleaned_before(options: ReadingOptions, reading: Reading) -> ReadingOptions:
    """The options of a new file, with what was left out of the texts of the training documents."""
    return replace(
        options,
        strip_html=reading.strip_html,
        strip_mail=reading.strip_mail,
        keep_quotations=reading.keep_quotations,
    )


def weighed_as_before(rows: Rows, reading: Reading) -> Rows:
    """New rows as the model sees them, with notes on what one would not see."""
    notes = notes_of(rows, reading.kind) if reading.kind not in ("numbers", "vectors") else ()
    return replace(rows, X=weighed(rows.X, reading.kind, reading.rarity), notes=(*rows.notes, *notes))


def _require_counts(rows: Rows, name: str) -> None:
    """Refuse rows that count no words for a model of counts."""
    if not rows.counted and not rows.are_whole:
        raise DataError(f"{name} holds numbers that count no words, and the model was fitted on counts. Give counts.")


def _aligned(rows: Rows, vocabulary: list[str] | None, width: int | None, name: str, *, all_needed: bool) -> Rows:
    """Columns by their words where both know them; a word that is not there has count 0."""
    if rows.vocabulary is not None and vocabulary is not None and rows.vocabulary != vocabulary:
        column = {word: number for number, word in enumerate(rows.vocabulary)}
        known = [(column[word], place) for place, word in enumerate(vocabulary) if word in column]
        if not known or (all_needed and len(known) < len(vocabulary)):
            shared = f"{len(known):,} of {number_of(len(vocabulary), 'column')}" if known else "no column"
            raise DataError(f"{name} shares {shared} with the model. Give it rows as it was fitted on.")
        theirs, ours = map(np.asarray, zip(*known, strict=True))
        shape = (rows.X.shape[1], len(vocabulary))
        place = sp.csr_array((np.ones(len(known), rows.X.dtype), (theirs, ours)), shape=shape)
        return replace(rows, X=rows.X @ place, vocabulary=vocabulary)
    if width is not None and rows.X.shape[1] != width:
        raise DataError(
            f"{name} has {number_of(rows.X.shape[1], 'column')}, but the model {width}. Give it rows of its kind."
        )
    return rows
