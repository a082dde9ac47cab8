"""Networks of sentence-transformers, which read whole sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wideangle._optional import optional_import
from wideangle.encoders.checked import PROBE
from wideangle.encoders.local import local_model
from wideangle.exceptions import EncoderError

__all__ = ["SentenceTransformers", "make"]

KIND = "sentence-transformers"
OWNERS = "sentence-transformers/"  # A name without an owner is one of theirs.


class SentenceTransformers:
    """A model of a folder, or one of the hub that is on this computer; see https://sbert.net."""

    def __init__(self, model: str) -> None:
        package = optional_import("sentence_transformers", extra=KIND, purpose=f"the encoder {KIND}")
        folder, self.name = local_model(model, KIND, KIND)
        try:
            self._model: Any = package.SentenceTransformer(str(folder), local_files_only=True)
        except Exception as error:  # What a folder may lack raises errors of several packages.
            raise EncoderError(f"{KIND} cannot read {folder} ({error}). Save or download the model anew.") from error
        self.dimension = int(self.encode([PROBE]).shape[1])

    def encode(self, texts: Sequence[str]) -> Any:
        """One row per text, of as many tokens as the model reads."""
        return np.asarray(self._model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False))


def make(argument: str) -> SentenceTransformers:
    """The encoder of a folder or model."""
    if not argument:
        raise EncoderError(f"which model? Name a folder or a model of the hub: {KIND}:all-MiniLM-L6-v2.")
    from pathlib import Path

    is_short = "/" not in argument and not Path(argument).is_dir()
    return SentenceTransformers(OWNERS + argument if is_short else argument)
