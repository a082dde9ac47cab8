"""What the page needs of a fitted model, whatever its kind."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle.documents import Documents
from wideangle.exceptions import DataError
from wideangle.view import Directions, ModelView

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
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
    effects: Floats | None
    """what each component does to each column; None where the weight itself is that"""
    noun: str = "component"
    """what to call a component"""
    directions: Directions | None = None
    """what the angles are measured on; None: the components"""

    @property
    def angular(self) -> Directions:
        """What the angles are measured on."""
        return Directions(self.components, "of the weights") if self.directions is None else self.directions


def view_of(model: Any, name: str, vocabulary: Sequence[str] | None, documents: Documents | None) -> View:
    """The view of a fitted estimator. Vocabulary and documents that are not given are the estimator's own."""
    seen = ModelView.of(model)
    components = np.asarray(seen.components, dtype=np.float64)
    if not np.isfinite(components).all():
        raise DataError(f"the components of {type(model).__name__} are not all finite: fit it again.")
    words = seen.columns if vocabulary is None else [str(word) for word in vocabulary]
    D = components.shape[1]
    if len(words) != D:
        raise DataError(f"the vocabulary has {len(words)} words, but {type(model).__name__} has {D} columns.")
    if documents is None:
        documents = getattr(model, "documents_", None)
    if documents is not None and not isinstance(documents, Documents):
        raise DataError(
            f"documents must be wideangle.documents.Documents; got {type(documents).__name__}. "
            "Make them by Documents.of(model.transform(X), texts=...)."
        )
    directions = seen.directions(documents)
    if documents is not None:
        documents = replace(documents, vectors=seen.comparable(documents.vectors))
    columns: Literal["word", "feature"] = "word" if vocabulary is not None or seen.has_words else "feature"
    kind, noun = type(model).__name__, seen.entry.noun
    return View(name, kind, components, words, columns, documents, seen.effects, noun, directions)
