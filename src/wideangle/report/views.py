"""What the page needs of a fitted model, whatever its kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle.documents import Documents
from wideangle.exceptions import DataError
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.models._display import known_vocabulary, shown_components

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
    """what each component does to each column; None where its weight says that"""

    @property
    def noun(self) -> str:
        """What to call a component."""
        return "topic" if self.kind == "ReplicatedSoftmax" else "component"


def view_of(model: Any, name: str, vocabulary: Sequence[str] | None, documents: Documents | None) -> View:
    """Read a fitted estimator; what is not given is taken from what it carries."""
    components = np.asarray(shown_components(model), dtype=np.float64)
    if not np.isfinite(components).all():
        raise DataError(f"the components of {type(model).__name__} are not all finite: fit it again.")
    known = known_vocabulary(model) if vocabulary is None else vocabulary
    D = components.shape[1]
    words = [f"feature {number}" for number in range(1, D + 1)] if known is None else [str(word) for word in known]
    if len(words) != D:
        raise DataError(f"the vocabulary has {len(words)} words, but {type(model).__name__} has {D} columns.")
    if documents is None:
        documents = getattr(model, "documents_", None)
    if documents is not None and not isinstance(documents, Documents):
        raise DataError(
            f"documents must be wideangle.documents.Documents; got {type(documents).__name__}. "
            "Make them by Documents.of(model.transform(X), texts=...)."
        )
    is_text = vocabulary is not None or hasattr(model, "vocabulary_")
    effects = model.effects() if isinstance(model, BernoulliRBM | ReplicatedSoftmax) else None
    return View(name, type(model).__name__, components, words, "word" if is_text else "feature", documents, effects)
