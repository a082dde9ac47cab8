"""What baselines share whose columns are the words themselves."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.baselines.documents._base import DocumentBaseline
from wideangle.catalogue import COMPONENTS


class WordsThemselves(DocumentBaseline):
    """A baseline without components: what `transform` gives has one column per word."""

    @abstractmethod
    def _most_frequent(self) -> NDArray[np.intp]:
        """All columns, those first that most documents have."""

    def _shown_components(self) -> NDArray[Any]:
        """The most frequent words, one per row. All words would be a large matrix that says nothing."""
        columns = self._most_frequent()[:COMPONENTS]
        shown = np.zeros((len(columns), self.n_features_in_), dtype=np.float32)
        shown[np.arange(len(columns)), columns] = 1
        return shown

    @property
    def _n_features_out(self) -> int:
        return int(self.n_features_in_)
