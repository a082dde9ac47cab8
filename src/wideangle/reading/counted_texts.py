"""Documents to rows: they are gone through once, their words are counted, and only how each begins is kept."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from wideangle.data.corpus import Corpus
from wideangle.data.text import LeftOut, counted
from wideangle.documents import Document, KeptTexts, snippet
from wideangle.exceptions import DataError, NoWordsError
from wideangle.reading.opened_documents import OpenedDocuments
from wideangle.reading.options import ReadingOptions
from wideangle.reading.repeated import find_repeated
from wideangle.reading.rows import Rows, known_dates, numbered_labels
from wideangle.reading.said import described, require_labels, said_of_dates, said_of_dropped
from wideangle.reading.signs import Signs, said_of_left_out
from wideangle.reading.stop_words import languages_by, stop_words_by
from wideangle.reading.vectors import Vectors
from wideangle.reading.words import WHAT_A_WORD_IS, said_of_language

__all__ = ["kept_words", "read_texts", "rows_of_texts", "told_of"]


def read_texts(documents: OpenedDocuments, vectors: Vectors | None) -> tuple[Rows, dict[str, Any]]:
    """The documents with their words counted, and what new documents must know about these words."""
    options, said_of_lines = documents.options, ""
    if options.strip_repeated:
        found = find_repeated(
            document.text for document in documents.read() if document.label or not options.drop_unlabelled
        )
        documents, said_of_lines = replace(documents, repeated=found.lines), said_of_left_out(found)
    signs = Signs()
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
    rows = replace(rows, notes=(*rows.notes, *signs.notes(), *filter(None, [said_of_lines])))
    return rows, kept_words(options, stop_words, languages) | {"repeated": documents.repeated}


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
    """The rows of some documents; `count` counts their words."""
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
    rows = Rows(
        corpus.counts,
        counted=True,
        names=names,
        snippets=kept.texts,
        labels=numbers,
        label_names=label_names,
        is_train=None if None in is_train else np.asarray(is_train, dtype=bool),
        vocabulary=None if corpus.vocabulary is None else corpus.vocabulary.tolist(),
        titles=[snippet(title or "") for title in titles] if any(titles) else None,
        dates=known_dates(dates),
    )
    if vectors is not None:
        rows = rows.with_vectors(vectors.stacked(of_documents, documents.opened.name))
    return told_of(rows, documents, dropped, empty, replaced)


def told_of(rows: Rows, documents: OpenedDocuments, dropped: int, empty: int, replaced: int) -> Rows:
    """The rows with what is to be told of them: what they were taken for, and how many texts are not as they were.

    Some were dropped for want of a label, some are empty, and of some letters were lost and replaced.
    """
    opened, columns = documents.opened, documents.columns
    notes = (
        *opened.notes,
        *(() if columns is None else columns.notes),
        *said_of_dropped(dropped),
        *documents.said_of_replaced(replaced, len(rows)),
        *said_of_dates(rows.dates, columns, len(rows)),
    )
    return replace(rows, description=described(opened.name, rows, documents.taken_for, columns, empty), notes=notes)
