"""The words of each component of a model, and which components say the same."""

from typing import Literal

import numpy as np

from wideangle.commands._angles import Angles
from wideangle.commands._models import name_of_model
from wideangle.commands._topic_table import Listed, ListedTopic
from wideangle.evaluation import angle_matrix
from wideangle.evaluation.diversity import NEAR
from wideangle.topics.telling_words import name_from_words
from wideangle.view import By, ModelView

Order = Literal["number", "angle"]


def list_components(path: object, view: ModelView, n_words: int, order: Order = "number", by: By = "effect") -> Listed:
    """For each component, its words of largest effect or weight and its nearest other component."""
    directions = view.directions()
    words = view.top_words(n_words, by)
    nearest, degrees = _nearest(directions.rows)
    topics = [
        ListedTopic(
            k + 1,
            name_from_words(words[k]),
            None,
            tuple(words[k]),
            (),
            (),
            (),
            None if np.isnan(degrees[k]) else int(nearest[k]) + 1,
            None if np.isnan(degrees[k]) else float(degrees[k]),
            bool(degrees[k] < NEAR),
        )
        for k in range(len(words))
    ]
    if order == "angle":
        topics.sort(key=lambda topic: (topic.angle is None, topic.angle, topic.number))
    return Listed(str(path), name_of_model(view.model), "components", Angles.of(directions), None, None, tuple(topics))


def _nearest(rows: "np.ndarray[tuple[int, int], np.dtype[np.floating]]") -> tuple[np.ndarray, np.ndarray]:
    """For each component the nearest other and the angle in degrees; NaN for a single component or one of zeros."""
    angles = angle_matrix(rows)
    np.fill_diagonal(angles, np.nan)
    apart = np.nan_to_num(angles, nan=np.inf)
    smallest = apart.min(axis=1)
    return apart.argmin(axis=1), np.where(np.isinf(smallest), np.nan, smallest)
