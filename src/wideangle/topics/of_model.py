"""The topics of a fitted model: of the documents that it carries, or of word counts."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.documents import Documents
from wideangle.exceptions import DataError
from wideangle.topics.describing import ANY_WORD, GroupedDocuments
from wideangle.topics.found import Topics, directions, find_topics
from wideangle.topics.words import EXCLUSIVE
from wideangle.view import ModelView, representation_of


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
    vocabulary = view.column_names if vocabulary is None else vocabulary
    lacking = why_no_topics(vocabulary, documents)
    if lacking or documents is None or documents.words is None or vocabulary is None:
        raise DataError(lacking)
    return find_topics(
        documents.vectors,
        documents.words.matrix(len(vocabulary)),
        vocabulary,
        n_topics=n_topics,
        n_words=n_words,
        exclusive=exclusive,
        labels=documents.labels,
        label_names=None if documents.label_names is None else list(documents.label_names),
        texts=documents.snippets,
        token_pattern=_token_pattern(view.model),
        is_train=documents.is_train,
        centre=_centre(view.model, documents.vectors, documents.is_train) if like is None else like.centre,
        random_state=random_state,
        like=like,
    )


def topics_of_counts(
    view: ModelView,
    X: Any,
    n_topics: int | None = None,
    *,
    vocabulary: Sequence[str] | None = None,
    labels: Any = None,
    texts: Iterable[str] | None = None,
    n_words: int = 10,
    exclusive: float = EXCLUSIVE,
    random_state: int = 0,
) -> Topics:
    """The topics of word counts, as the model represents them."""
    if vocabulary is None and view.column_names is None:
        raise DataError("the model does not know the word of each column. Give the vocabulary.")
    vectors = view.represent(X)
    return find_topics(
        vectors,
        X,
        view.columns if vocabulary is None else [str(word) for word in vocabulary],
        n_topics=n_topics,
        n_words=n_words,
        exclusive=exclusive,
        labels=labels,
        texts=texts,
        token_pattern=_token_pattern(view.model),
        centre=_centre(view.model, vectors, None),
        random_state=random_state,
    )


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
        directions(documents.vectors, topics.centre, topics.leaves >= 0),
        documents.words.matrix(len(vocabulary)),
        vocabulary,
        None if documents.labels is None else documents.labels.astype(np.intp),
        None if documents.label_names is None else list(documents.label_names),
        documents.snippets,
        _token_pattern(view.model) or ANY_WORD,
    )


def _centre(model: Any, vectors: NDArray[Any], is_train: Any) -> NDArray[np.float64] | None:
    """The mean of vectors that are not measured from the average document already."""
    if (representation_of(model) or "").startswith("centred"):
        return None
    seen = vectors if is_train is None or not np.any(is_train) else vectors[is_train]
    return np.asarray(seen.mean(axis=0, dtype=np.float64)) if len(seen) else None


def _token_pattern(model: Any) -> str | None:
    reading = getattr(model, "reading_", None)
    return None if reading is None else reading.token_pattern
