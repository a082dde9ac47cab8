"""What `transform` gives: hidden units as probabilities or logits, as they are or centred at unit length.

People compare rows by Euclidean distance. At unit length it depends on the direction alone, as the cosine does. The
directions are seen from the average row, because units that are on in every row say nothing about any of them.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Representation = Literal["centred probabilities", "centred logits", "probabilities", "logits"]
REPRESENTATIONS: tuple[Representation, ...] = ("centred probabilities", "centred logits", "probabilities", "logits")


def represented(
    logits: NDArray[np.floating[Any]], centre: NDArray[np.floating[Any]], how: Representation
) -> NDArray[np.floating[Any]]:
    """Hidden logits, rows × components, as the representation asks for. `centre` are those of the average row."""
    if how == "logits":
        return logits
    if how == "probabilities":
        return np.asarray(expit(logits))
    moved = logits - centre if how == "centred logits" else expit(logits) - expit(centre)
    from sklearn.preprocessing import normalize

    return np.asarray(normalize(moved))  # A row that is like the average has no direction and stays at 0.
