"""What baselines share whose columns are the words themselves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.baselines.documents._base import DocumentBaseline


class WordsThemselves(DocumentBaseline):
    """A baseline without components: what `transform` gives has one column per word."""

    def _shown_components(self) -> NDArray[Any]:
        """None. Each word would be one, and they would be at right angles by definition."""
        return np.zeros((0, self.n_features_in_), dtype=np.float32)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_features_in_)
