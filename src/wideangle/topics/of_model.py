"""The topics of a fitted model: of the documents that it carries, or of word counts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._mapped import let_go
from wideangle.documents import Documents
from wideangle.encoders import encode_halves
from wideangle.evaluation.halves import part_words
from wideangle.exceptions import DataError
from wideangle.reading.rows import weighed
from wideangle.reading.vectors import encoder_of_model
from wideangle.topics.continued import Continued, carry_over, continue_topics
from wideangle.topics.describing import ANY_WORD, GroupedDocuments
from wideangle.topics.directions import DocumentDirections, blocks_of
from wideangle.topics.finding import find_topics
from wideangle.topics.found import Described, Topics
from wideangle.topics.given import TextsOfDocuments, checked_documents
from wideangle.topics.held_out import held_out_sureness, is_known_by_heart
from wideangle.topics.telling_words import EXCLUSIVE
from wideangle.topics.words_present import WordsOfLists, as_rows_of_words, entries_of_rows
from wideangle.view import ModelView

HALVED, MOST_THROWS = 5000, 8  # So many documents are halved at most; fewer are halved several times.


@dataclass(frozen=True, eq=False)
class VectorsOfDocuments:
    """The vectors of documents as `transform` gives them, finished for the documents that are asked for."""

    view: ModelView
    documents: Documents
    granularity: float | None

    @property
    def shape(self) -> tuple[int, int]:
        """Documents × components."""
        n, n_components = self.documents.vectors.shape
        return n, n_components

    def __getitem__(self, rows: Any) -> NDArray[np.float32]:
        found = self.view.vectors_of(self.documents, rows, self.granularity)
        let_go(self.documents.vectors)
        return found


def topics_of_documents(
    view: ModelView,
    documents: Documents | None,
    n_topics: int | None = None,
    *,
    vocabulary: Sequence[str] | None = None,
    n_words: int = 10,
    exclusive: float = EXCLUSIVE,
    random_state: int = 0,
    like: Topics | None = None,
) -> Topics:
    """The topics of documents with their words. `like` are earlier topics of them, whose tree is kept."""
    vocabulary = view.vocabulary if vocabulary is None else vocabulary
    lacking = why_no_topics(vocabulary, documents)
    if lacking or documents is None or documents.words is None or vocabulary is None:
        raise DataError(lacking)
    vectors, once = VectorsOfDocuments(view, documents, view.granularity), documents.once
    like = like if like is not None and like.granularity == view.granularity else None
    words = WordsOfLists(documents.words, len(vocabulary))
    reading = view.reading
    halves: list[tuple[Any, Any]] = []
    sureness = None
    if not _is_taught(like, n_topics):
        used = np.flatnonzero(_in_all(len(documents), documents.is_train, once))
        if reading.kind == "vectors":
            halves = _halves_of_texts(view, documents, used)
        else:
            halves, sureness = _taught(
                view, words, used, lambda rows: weighed(rows, reading.kind, reading.rarity), random_state
            )
    return find_topics(
        vectors,
        words,
        vocabulary,
        n_topics=n_topics,
        n_words=n_words,
        exclusive=exclusive,
        labels=documents.labels,
        label_names=_label_names(documents),
        texts=_beginnings(documents),
        token_pattern=_token_pattern(view.model),
        is_train=documents.is_train,
        once=once,
        centre=_centre(view, vectors, documents.is_train, once) if like is None else like.centre,
        granularity=view.granularity,
        random_state=random_state,
        like=like,
        halves=halves,
        sureness=sureness,
    )


def continued_topics(
    view: ModelView,
    documents: Documents,
    before: Topics,
    rows_before: NDArray[np.intp],
    *,
    has_moved: bool,
    n_words: int = 10,
    exclusive: float = EXCLUSIVE,
    random_state: int = 0,
) -> Continued:
    """The topics of documents of which some had topics before, at the granularity of these. See `continue_topics`."""
    lacking = why_no_topics(view.vocabulary, documents)
    if lacking or documents.words is None:
        raise DataError(lacking)
    vectors, once = VectorsOfDocuments(view, documents, before.granularity), documents.once
    centre = before.centre
    if has_moved:
        moved = _centre(view, vectors, documents.is_train, once)
        centre = np.zeros_like(before.centre) if moved is None else moved
    corpus, written = checked_documents(
        vectors,
        centre,
        WordsOfLists(documents.words, len(view.vocabulary or ())),
        view.vocabulary or (),
        documents.labels,
        None if documents.label_names is None else list(documents.label_names),
        None if documents.snippets is None else TextsOfDocuments(documents.snippets, beginnings=False),
        _token_pattern(view.model),
    )
    return continue_topics(
        before,
        Described(replace(corpus, once=once), n_words, exclusive),
        rows_before,
        written=written,
        shaping=written & _in_all(len(documents), documents.is_train, once),
        has_moved=has_moved,
        centre=centre,
        granularity=before.granularity,
        random_state=random_state,
    )


def regrouped_topics(
    view: ModelView, documents: Documents, before: Topics, rows_before: NDArray[np.intp], *, random_state: int = 0
) -> Continued:
    """Topics that are found anew; those that are the same keep their names and numbers. See `carry_over`."""
    return carry_over(before, topics_of_documents(view, documents, random_state=random_state), rows_before)


def topics_of_counts(
    view: ModelView,
    X: Any,
    n_topics: int | None = None,
    *,
    words: Any = None,
    vocabulary: Sequence[str] | None = None,
    labels: Any = None,
    texts: Iterable[str] | None = None,
    n_words: int = 10,
    exclusive: float = EXCLUSIVE,
    random_state: int = 0,
) -> Topics:
    """The topics of word counts, as the model represents them; or of rows X that have these `words` besides."""
    vocabulary = view.vocabulary if vocabulary is None else [str(word) for word in vocabulary]
    if vocabulary is None:
        raise DataError("the model does not know the word of each column. Give the vocabulary.")
    vectors = view.represent(X)
    halves: list[tuple[Any, Any]] = []
    sureness = None
    if words is None:
        rows_of_X = as_rows_of_words(X)
        halves, sureness = _taught(view, rows_of_X, np.arange(rows_of_X.shape[0]), lambda rows: rows, random_state)
    return find_topics(
        vectors,
        X if words is None else words,
        vocabulary,
        n_topics=n_topics,
        n_words=n_words,
        exclusive=exclusive,
        labels=labels,
        texts=texts,
        token_pattern=_token_pattern(view.model),
        centre=_centre(view, vectors),
        granularity=view.granularity,
        random_state=random_state,
        halves=halves,
        sureness=sureness,
    )


def _is_taught(like: Topics | None, n_topics: int | None) -> bool:
    """Whether earlier topics have so many on their tree, and know how sure they are."""
    return like is not None and like.is_calibrated and (n_topics is None or n_topics <= like.tree.n_leaves)


def _taught(
    view: ModelView, counts: Any, used: NDArray[np.intp], as_rows: Callable[[Any], Any], random_state: int
) -> tuple[list[tuple[Any, Any]], NDArray[np.float64] | None]:
    """What the model says of both halves of documents, and how sure topics are, where a second model must tell it.

    `used` are the rows of the documents that may be halved. `as_rows` makes of counts what the model takes.
    """
    halves = _halves(counts, lambda half: view.represent(as_rows(half)), used)
    if not is_known_by_heart(view, len(used)):
        return halves, None
    return halves, held_out_sureness(view, counts[used], as_rows, _halves, random_state)


def _halves(X: Any, represent: Callable[[Any], Any], used: NDArray[np.intp] | None = None) -> list[tuple[Any, Any]]:
    """The representations of first halves and of second halves, for some throws of a coin for each word.

    Few documents are halved several times, because one throw of the coin is chance. `used` are the rows of the
    documents that may be halved; None: all.
    """
    entries = entries_of_rows(X)
    rows = np.flatnonzero(entries > 1) if used is None else used[entries[used] > 1]
    if not len(rows):
        return []
    some = X[rows[np.linspace(0, len(rows) - 1, min(len(rows), HALVED)).astype(np.intp)]]
    coin = np.random.default_rng(0)  # It is the same in every call, so that equal documents have equal topics.
    found = []
    for _ in range(min(MOST_THROWS, -(-HALVED // some.shape[0]))):
        first, second = part_words(some, coin)
        found.append((represent(first), represent(second)))
    return found


def _halves_of_texts(view: ModelView, documents: Documents, used: NDArray[np.intp]) -> list[tuple[Any, Any]]:
    """The representations of both halves of the documents' texts, as far as these are kept.

    There are none where the vectors came with the documents: nothing then makes vectors of halves.
    """
    texts = documents.snippets
    if view.reading.encoder is None or texts is None or not len(used):
        return []
    some = used[np.linspace(0, len(used) - 1, min(len(used), HALVED)).astype(np.intp)]
    first, second, _ = encode_halves(encoder_of_model(view.reading), [texts[row] for row in some.tolist()], 0)
    return [(view.represent(first), view.represent(second))]


def why_no_topics(vocabulary: Sequence[str] | None, documents: Documents | None) -> str:
    """A sentence that says why documents cannot be grouped into topics; empty where they can."""
    if documents is None:
        return "No documents came with the model, and topics are groups of documents."
    if documents.words is None or vocabulary is None:
        return "The documents came without their words, by which topics are named."
    if not len(documents.words.columns):
        return "No document has a word that the model knows."
    return ""


def corpus_of(view: ModelView, documents: Documents, vocabulary: Sequence[str], topics: Topics) -> GroupedDocuments:
    """The documents as `describe` needs them, to tell of all nodes of the tree."""
    assert documents.words is not None
    return GroupedDocuments(
        DocumentDirections(
            VectorsOfDocuments(view, documents, topics.granularity), np.asarray(topics.centre), topics.leaves >= 0
        ),
        WordsOfLists(documents.words, len(vocabulary)),
        vocabulary,
        None if documents.labels is None else documents.labels.astype(np.intp, copy=False),
        _label_names(documents),
        _beginnings(documents),
        _token_pattern(view.model) or ANY_WORD,
        documents.once,
    )


def _label_names(documents: Documents) -> list[str] | None:
    if documents.label_names is not None:
        return list(documents.label_names)
    return None if documents.labels is None else [str(label) for label in range(int(documents.labels.max()) + 1)]


def _beginnings(documents: Documents) -> TextsOfDocuments | None:
    """The texts in which phrases are looked for."""
    return None if documents.snippets is None else TextsOfDocuments(documents.snippets, beginnings=True)


def _centre(view: ModelView, vectors: Any, *masks: NDArray[np.bool_] | None) -> NDArray[np.float64] | None:
    """The mean of vectors that are not measured from the average document already, of documents that all masks have."""
    if view.is_centred:
        return None
    seen = np.flatnonzero(_in_all(vectors.shape[0], *masks))
    sums = np.zeros(vectors.shape[1])
    for block in blocks_of(len(seen), len(sums)):
        sums += vectors[seen[block]].sum(axis=0, dtype=np.float64)
    return sums / len(seen) if len(seen) else None


def _in_all(n: int, *masks: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Which of n documents all masks have; all documents where none is left."""
    kept = np.all([np.ones(n, dtype=bool), *(mask for mask in masks if mask is not None)], axis=0)
    return np.asarray(kept if kept.any() else ~kept)


def _token_pattern(model: Any) -> str | None:
    reading = getattr(model, "reading_", None)
    return None if reading is None else reading.token_pattern
