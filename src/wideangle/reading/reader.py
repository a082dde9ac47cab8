"""A path to the rows a model sees: the same way for training documents and for new ones."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, get_args

import numpy as np

from wideangle import _arguments as rules
from wideangle._arguments import checked, optional
from wideangle.data.corpus import Corpus
from wideangle.data.text import LeftOut, counted
from wideangle.documents import Document, KeptTexts, Reading, snippet
from wideangle.exceptions import DataError, NoWordsError
from wideangle.reading.alignment import aligned, require_counts, whole_numbers
from wideangle.reading.columns import Columns, choose_columns
from wideangle.reading.npz_files import read_arrays
from wideangle.reading.numbers import read_numbers
from wideangle.reading.opening import Opened, open_path
from wideangle.reading.options import NO_COLUMN, WORDS_OF_TEXTS, ReadingOptions, given, option_name
from wideangle.reading.repeated import find_repeated
from wideangle.reading.rows import Rows, Weighting, known_dates, numbered_labels, rarity, weighed
from wideangle.reading.said import described, notes_of, require_labels, said_of_dates, said_of_dropped
from wideangle.reading.signs import Signs, said_of_left_out
from wideangle.reading.source import OpenedDocuments, said_of_columns
from wideangle.reading.stop_words import languages_by, stop_words_by
from wideangle.reading.survey import survey_table
from wideangle.reading.unknown import WordTally
from wideangle.reading.vectors import Vectors, read_vectors, vectors_for
from wideangle.reading.watching import Watched
from wideangle.reading.words import WHAT_A_WORD_IS, counter_of, said_of_language

__all__ = ["read", "read_new", "read_new_parts"]

PathLike = str | os.PathLike[str]


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
    columns = chosen_columns(opened, options)
    vectors = vectors_for(options, None if columns is None else columns.every)
    if opened.is_arrays:
        _check_no_words(options, opened.name, "as arrays")
        rows, kept = _with_vectors(_arrays(opened, options), opened, columns, options, vectors), {}
    elif columns is not None and columns.text is None:
        _check_no_words(options, opened.name, "as a table of numbers")
        rows, kept = _numbers(opened, columns, columns.features, options), kept_columns(columns)
        rows = _with_vectors(rows, opened, columns, options, vectors)
    else:
        documents, said_of_lines = OpenedDocuments(opened, columns, options), ""
        if options.strip_repeated:
            found = find_repeated(
                document.text for document in documents.read() if document.label or not options.drop_unlabelled
            )
            documents, said_of_lines = replace(documents, repeated=found.lines), said_of_left_out(found)
        signs = Signs()
        rows, of_words = _counted(documents, options, signs, vectors)
        kept = kept_columns(columns) | of_words | {"repeated": documents.repeated}
        rows = replace(rows, notes=(*rows.notes, *signs.notes(), *filter(None, [said_of_lines])))
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
    kind: Any = weighting if rows.counted or (weighting == "counts" and whole_numbers(rows)) else "numbers"
    kind = "vectors" if "encoder" in kept else kind
    words = rarity(rows.X[rows.training]) if kind == "tf-idf" else None
    reading = Reading(kind, rarity=words, **kept)
    return replace(rows, X=weighed(rows.X, kind, words), reading=reading, notes=(*rows.notes, *notes_of(rows, kind)))


@checked(
    path=rules.path,
    reading=rules.a(Reading),
    vocabulary=optional(rules.texts),
    options=optional(rules.a(ReadingOptions)),
    n_features=optional(rules.whole(least=1)),
)
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
    columns = chosen_columns(opened, options, reading)
    vectors_for(options, None if columns is None else columns.every, reading)
    if opened.is_arrays:
        parts: Iterable[Rows] = [_arrays(opened, options)]
    elif columns is not None and (columns.text is None or (reading.kind == "numbers" and words is not None)):
        wanted = words if reading.kind == "numbers" and words is not None else columns.features
        parts = [_numbers(opened, replace(columns, text=None, title=None, features=tuple(wanted)), wanted, options)]
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
        rows = aligned(rows, words, width, opened.name, all_needed=reading.kind == "numbers")
        if reading.kind != "numbers":
            require_counts(rows, opened.name)
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
    columns = chosen_columns(opened, options if options.vectors is not None else known, reading)
    vectors = vectors_for(options, None if columns is None else columns.every, reading, width)
    assert vectors is not None
    words = np.asarray(reading.words, dtype=np.str_)
    if opened.is_arrays:
        parts: Iterable[Rows] = [_with_vectors(_arrays(opened, options), opened, columns, options, vectors)]
    elif columns is not None and columns.text is None:
        parts = [_with_vectors(_numbers(opened, columns, (), options), opened, columns, options, vectors)]
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
            found = aligned(counted, list(reading.words), len(words), opened.name, all_needed=False)
            rows = replace(rows, words=found.X, vocabulary=found.vocabulary)
        aligned(replace(rows, vocabulary=None), None, width, opened.name, all_needed=True)
        yield weighed_as_before(rows, reading)


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


def chosen_columns(
    opened: Opened, options: ReadingOptions, reading: Reading | None = None, most: int | None = None
) -> Columns | None:
    """The columns of a table; of a new one those of the training file, where it has them too.

    `most` rows are looked at, or all.
    """
    if opened.table is None:
        return None
    survey = survey_table(opened.table, most)
    for name in ("text_column", "label_column", "id_column", "split_column", "title_column", "date_column"):
        before = None if reading is None else getattr(reading, name)
        if getattr(options, name) is None and before in survey.columns:
            options = replace(options, **{name: before})
    if reading is not None and options.date_order is None:
        options = replace(options, date_order=reading.date_order)
    return choose_columns(survey, options, opened.name)


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


def _arrays(opened: Opened, options: ReadingOptions) -> Rows:
    assert opened.file is not None
    rows = read_arrays(opened.file)
    if options.label_column == NO_COLUMN:
        rows = replace(rows, labels=None, label_names=None)
    if options.split_column == NO_COLUMN:
        rows = replace(rows, is_train=None)
    dropped = 0
    if options.drop_unlabelled:
        dropped = int((~rows.labelled).sum())
        require_labels(len(rows) - dropped, dropped, opened.name)
        rows = rows.subset(rows.labelled)
    return replace(rows, description=described(opened.name, rows, ()), notes=said_of_dropped(dropped))


def _numbers(opened: Opened, columns: Columns, features: Sequence[str], options: ReadingOptions) -> Rows:
    assert opened.table is not None
    rows, dropped = read_numbers(opened.table, columns, features, drop_unlabelled=options.drop_unlabelled)
    parts = (*opened.table.taken_for, *said_of_columns(columns))
    notes = (*opened.notes, *columns.notes, *said_of_dropped(dropped))
    return replace(rows, description=described(opened.name, rows, parts, columns), notes=notes)


def _with_vectors(
    rows: Rows, opened: Opened, columns: Columns | None, options: ReadingOptions, vectors: Vectors | None
) -> Rows:
    """The rows by their vectors, where there are any and no text is read with them."""
    if vectors is None:
        return rows
    if vectors.encoder is not None:
        raise DataError(f"an encoder makes vectors of texts, and {opened.name} has none. Name their column.")
    if options.drop_unlabelled:
        raise DataError("--drop-unlabelled needs texts beside vectors. Leave it out, or drop the rows beforehand.")
    if vectors.file is not None:
        return rows.with_vectors(read_vectors(vectors.file))
    assert opened.table is not None
    assert vectors.column is not None
    found = [row.get(vectors.column) for row in opened.table.rows()]
    return rows.with_vectors(vectors.stacked(found, opened.name))


def _counted(
    documents: OpenedDocuments, options: ReadingOptions, signs: Signs, vectors: Vectors | None
) -> tuple[Rows, dict[str, Any]]:
    """The documents with their words counted, and what new documents must know about these words."""
    stop_words, languages = stop_words_by(options), languages_by(options)
    guessed: list[LeftOut] = []

    def count(texts: Iterator[str]) -> Corpus:
        corpus, left_out = counted(
            texts,
            n_words="auto" if options.n_words is None else options.n_words,
            stop_words="auto" if stop_words is None else stop_words,
            token_pattern=options.token_pattern,
            ngrams=options.ngrams,
            min_df=options.min_df,
            max_df=options.max_df,
        )
        guessed.extend([] if left_out is None else [left_out])
        return corpus

    stream = documents.read() if vectors is None else vectors.of(documents.read(), documents.opened.name)
    rows = rows_of_texts(documents, stream, count, signs, vectors)
    for left_out in guessed:
        stop_words, languages = left_out.words, left_out.languages
        if said := said_of_language(left_out):
            rows = replace(rows, notes=(*rows.notes, said))
    return rows, kept_words(options, stop_words, languages)


def kept_words(
    options: ReadingOptions, stop_words: tuple[str, ...] | None, languages: tuple[str, ...] | None
) -> dict[str, Any]:
    """What new documents must know about the words."""
    return {
        "token_pattern": options.token_pattern,
        "stop_words": stop_words,
        "stop_list": options.stop_words,
        "language": None if languages is None else ", ".join(languages) or "none",
        "ngrams": options.ngrams,
        "strip_html": options.strip_html,
        "strip_mail": options.strip_mail,
        "keep_quotations": options.keep_quotations,
    }


def rows_of_texts(
    documents: OpenedDocuments,
    stream: Iterable[Document],
    count: Callable[[Iterator[str]], Corpus],
    signs: Signs | None = None,
    vectors: Vectors | None = None,
) -> Rows:
    """Count the words of documents: they are gone through once, and only how each begins is kept."""
    names: list[str] = []
    kept = KeptTexts()
    titles: list[str | None] = []
    labels: list[str | None] = []
    is_train: list[bool | None] = []
    dates: list[int | None] = []
    of_documents: list[Any] = []
    empty = replaced = dropped = 0

    def texts() -> Iterator[str]:
        nonlocal empty, replaced, dropped
        for document in stream:
            if documents.options.drop_unlabelled and not document.label:
                dropped += 1
                continue
            names.append(document.name)
            kept.add(document.text)
            titles.append(document.title)
            labels.append(document.label or None)  # an empty label is none
            is_train.append(document.is_train)
            dates.append(document.date)
            if vectors is not None:
                of_documents.append(document.vector)
            if signs is not None:
                signs.look(document.text)
            empty += not document.text.strip()
            replaced += "\ufffd" in document.text
            yield document.text
        require_labels(len(names), dropped, documents.opened.name)
        if not names:
            raise DataError(documents.none_found)

    try:
        corpus = count(texts())
    except NoWordsError as error:
        raise NoWordsError(f"{error} {WHAT_A_WORD_IS}") from error
    numbers, label_names = numbered_labels(labels)
    columns = documents.columns
    rows = Rows(
        corpus.counts,
        counted=True,
        names=names,
        snippets=kept.texts,
        labels=numbers,
        label_names=label_names,
        is_train=None if None in is_train else np.asarray(is_train, dtype=bool),
        vocabulary=None if corpus.vocabulary is None else corpus.vocabulary.tolist(),
        notes=(*documents.opened.notes, *(() if columns is None else columns.notes), *said_of_dropped(dropped)),
        titles=[snippet(title or "") for title in titles] if any(titles) else None,
        dates=known_dates(dates),
    )
    if vectors is not None:
        rows = rows.with_vectors(vectors.stacked(of_documents, documents.opened.name))
    return replace(
        rows,
        description=described(documents.opened.name, rows, documents.taken_for, columns, empty),
        notes=(
            *rows.notes,
            *documents.said_of_replaced(replaced, len(rows)),
            *said_of_dates(rows.dates, columns, len(rows)),
        ),
    )
