"""Topics for people, of any estimator whose columns are words."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from wideangle._arguments import checked, one_of, optional, real, texts, whole
from wideangle.topics import Assignment, Topics
from wideangle.topics.of_model import topics_of_counts, topics_of_documents
from wideangle.topics.telling_words import EXCLUSIVE
from wideangle.view import ModelView


def _counts(X: Any, name: str) -> Any:
    if not hasattr(X, "shape") or len(X.shape) != 2 or 0 in X.shape:
        raise ValueError(
            f"{name} must be word counts, documents × words; got {type(X).__name__}. The words of components are in "
            "component_words()."
        )
    return X


class Topical:
    """`topics` and `assign`: groups of documents in what `transform` gives."""

    @checked(
        X=optional(_counts),
        words=optional(_counts),
        n_topics=optional(whole(least=1)),
        vocabulary=optional(texts),
        n_words=whole(least=1),
        exclusive=real(least=0, most=1),
        random_state=whole(least=0, most=2**32 - 1),
    )
    def topics(
        self,
        X: Any = None,
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
        """Group documents by their representation, and tell each group by what sets it apart.

        The result is kept as `topics_`, for `assign`, `save` and `explore`. The words of single components, which are
        coordinates rather than topics, are in `component_words`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words), optional
            Word counts. None takes the documents that the model carries, with their labels, texts and earlier topics.
        n_topics : int or None, default=None
            The number of topics. None takes the earlier number, or else finds one. Another number merges or splits.
        words : array or sparse matrix of shape (n_documents, n_words), optional
            The word counts, where X holds vectors of the same documents.
        vocabulary : sequence of str, optional
            The word of each column; by default `vocabulary_`, else `feature_names_in_`.
        labels : array, optional
            The class of each document.
        texts : iterable of str, optional
            The texts, to find phrases in.
        n_words : int, default=10
        exclusive : float, default=0.65
            From 0, words that most documents of the topic have, to 1, words that only this topic has.
        random_state : int, default=0
            The same seed gives the same topics.

        Returns
        -------
        Topics
            A sequence of `Topic`, the largest first: `name`, `size`, `words`, `phrases`, `classes`, `central`.
        """
        view = ModelView.of(self)
        named_by = {"n_words": n_words, "exclusive": exclusive}
        if X is not None:
            found = topics_of_counts(
                view,
                X,
                n_topics,
                words=words,
                vocabulary=vocabulary,
                labels=labels,
                texts=texts,
                random_state=random_state,
                **named_by,  # type: ignore[arg-type]
            )
        else:
            if any(given is not None for given in (words, vocabulary, labels, texts)):
                raise ValueError("words, vocabulary, labels and texts belong to X. Give the word counts too.")
            found = topics_of_documents(
                view,
                getattr(self, "documents_", None),
                n_topics,
                random_state=random_state,
                like=getattr(self, "topics_", None),
                **named_by,  # type: ignore[arg-type]
            )
        self.topics_ = found
        return found

    def assign(self, X: Any) -> Assignment:
        """The topic of each document of `topics_`, and how sure that is; `topics` must have been called.

        A document without words that the model knows has the topic −1.
        """
        topics: Topics | None = getattr(self, "topics_", None)
        if topics is None:
            raise ValueError("there are no topics yet. Call topics(X) with the documents to group.")
        said = ModelView.of(self).represent(X, topics.granularity)  # checks X
        written = np.asarray((X != 0).sum(axis=1)).ravel() > 0 if sp.issparse(X) else np.asarray(X).any(axis=1)
        return topics.assign(said, written)

    @checked(n_words=whole(least=1), vocabulary=optional(texts), by=one_of("effect", "weight"))
    def component_words(
        self, n_words: int = 10, vocabulary: Sequence[str] | None = None, *, by: str = "effect"
    ) -> list[list[str]]:
        """The words of largest effect, or of largest weight, of each component.

        A component is a coordinate: it is on in many documents. For subjects see `topics`. If no vocabulary is given,
        the words are those of `vocabulary_`, or else of `feature_names_in_`.
        """
        view = ModelView.of(self)
        words = view.column_names if vocabulary is None else [str(word) for word in vocabulary]
        D = view.components.shape[1]
        if words is None or len(words) != D:
            raise ValueError(f"the vocabulary has {len(words or ())} words, but the model has {D} columns.")
        return view.words_of(view.top_columns(n_words, by), words)  # type: ignore[arg-type]
