"""Static models of model2vec: averaged vectors of tokens, distilled from a sentence transformer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wideangle._optional import optional_import
from wideangle.encoders.checked import PROBE
from wideangle.encoders.local import local_model
from wideangle.exceptions import EncoderError

__all__ = ["Model2Vec", "make"]

USUAL = "minishlab/potion-base-8M"
EXTRA = "encoders"


class Model2Vec:
    """A model of a folder, or one of the hub that is on this computer; see https://github.com/MinishLab/model2vec."""

    def __init__(self, model: str = USUAL) -> None:
        package = optional_import("model2vec", extra=EXTRA, purpose="the encoder model2vec")
        folder, self.name = local_model(model, "model2vec", EXTRA)
        try:
            self._model: Any = package.StaticModel.from_pretrained(str(folder))
        except Exception as error:  # What a folder may lack raises errors of several packages.
            raise EncoderError(f"model2vec cannot read {folder} ({error}). Save or download the model anew.") from error
        self.dimension = int(self._encoded([PROBE]).shape[1])

    def encode(self, texts: Sequence[str]) -> Any:
        """One row per text, of all its tokens."""
        return self._encoded(list(texts))

    def _encoded(self, texts: list[str]) -> Any:
        return np.asarray(self._model.encode(texts, max_length=None, use_multiprocessing=False))


def make(argument: str) -> Model2Vec:
    """The encoder of a folder or model; of "" the usual one."""
    return Model2Vec(argument or USUAL)
