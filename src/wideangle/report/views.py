"""What the page needs of a fitted model, whatever its kind."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle._rows import RowMatrix, made_rows
from wideangle.documents import Documents, Reading
from wideangle.exceptions import DataError
from wideangle.models._parameters import used_value
from wideangle.topics import Topics
from wideangle.topics.describing import GroupedDocuments
from wideangle.topics.of_model import corpus_of, topics_of_documents, why_no_topics
from wideangle.view import Directions, ModelView, first_columns

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PageView:
    """A model as the page sees it."""

    name: str
    kind: str
    """the estimator's class"""
    components: Floats
    vocabulary: list[str]
    """what each column is"""
    columns: Literal["word", "feature"]
    """what to call a column"""
    documents: Documents | None
    """as `transform` gives them, so that Euclidean distance compares them"""
    effects: Floats | None
    """what each component does to each column; None where the weight itself is that"""
    noun: str = "component"
    """what to call a component"""
    directions: Directions | None = None
    """what the angles are measured on; None: the components"""
    units: tuple[tuple[str, ...], ...] = ()
    """the words of each component"""
    diversity: float | None = None
    metric: str | None = None
    topics: Topics | None = None
    corpus: GroupedDocuments | None = None
    """the documents as the topics were found in them"""
    no_topics: str = ""
    """why there are no topics; empty where there are"""
    seen: ModelView | None = None
    """the model itself"""
    said: RowMatrix | None = None
    """what the model said of the documents before it was finished; None where only the finished vectors are known"""

    @property
    def angular(self) -> Directions:
        """What the angles are measured on."""
        return Directions(self.components, "of the weights") if self.directions is None else self.directions


UNIT_WORDS = 8


def view_of(
    model: Any,
    name: str,
    vocabulary: Sequence[str] | None,
    documents: Documents | None,
    *,
    n_topics: int | None = None,
) -> PageView:
    """The view of a fitted estimator. Vocabulary and documents that are not given are the estimator's own."""
    seen = ModelView.of(model)
    components = np.asarray(seen.components, dtype=np.float64)
    if not np.isfinite(components).all():
        raise DataError(f"the components of {type(model).__name__} are not all finite: fit it again.")
    own = documents is None
    if documents is None:
        documents = getattr(model, "documents_", None)
    if documents is not None and not isinstance(documents, Documents):
        raise DataError(
            f"documents must be wideangle.documents.Documents; got {type(documents).__name__}. "
            "Make them by ModelView.of(model).documents(X, texts=..., counts=X)."
        )
    responses = seen.responses_of_words(documents)
    if responses is not None:
        components = responses
    words = (seen.vocabulary if responses is not None else None) or seen.columns
    words = words if vocabulary is None else [str(word) for word in vocabulary]
    D = components.shape[1]
    if len(words) != D:
        raise DataError(f"the vocabulary has {len(words)} words, but {type(model).__name__} has {D} columns.")
    named = words if vocabulary is not None or seen.vocabulary is not None else None
    lacking = why_no_topics(named, documents)
    topics, corpus = None, None
    if not lacking and documents is not None:
        like: Topics | None = getattr(model, "topics_", None)
        fitting = own and like is not None and len(like.leaves) == len(documents)
        same = like is not None and like.granularity in (None, seen.granularity)  # It may have been changed since.
        if like is not None and fitting and same and n_topics in (None, len(like)):
            topics = like
        else:
            topics = topics_of_documents(seen, documents, n_topics, vocabulary=words, like=like if fitting else None)
        corpus = corpus_of(seen, documents, words, topics)
    directions = seen.directions(documents)
    if responses is None:
        units = seen.words_of(seen.top_columns(UNIT_WORDS), words)
    else:
        units = [[words[column] for column in row] for row in first_columns(responses, UNIT_WORDS)]
        directions = Directions(directions.rows[: len(responses)], directions.kind)
    said = None if documents is None or documents.finished else made_rows(documents.vectors)
    if documents is not None:
        # The page looks at some rows, and at all of them nowhere. Of many documents they are made when asked for.
        vectors: Any = seen.comparable(seen.rows(documents))
        documents = replace(documents, vectors=vectors, finished=True)
    return PageView(
        name=name,
        kind=type(model).__name__,
        components=components,
        vocabulary=words,
        columns="word" if vocabulary is not None or (seen.vocabulary and not _is_table(model)) else "feature",
        documents=documents,
        effects=seen.effects,
        noun=seen.entry.noun,
        directions=directions,
        units=tuple(map(tuple, units)),
        diversity=None if not hasattr(model, "diversity") else float(used_value(model, "diversity")),
        metric=getattr(model, "metric", None),
        topics=topics,
        corpus=corpus,
        no_topics=lacking,
        seen=seen,
        said=said,
    )


def _is_table(model: Any) -> bool:
    """Whether the model was fitted on a table of numbers, whose columns have names and are no words."""
    reading = getattr(model, "reading_", None)
    return isinstance(reading, Reading) and reading.kind == "numbers"
