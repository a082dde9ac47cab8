"""Averaged vectors of tokens that the package wordllama brings. Its files are read here, and its code is not run.

Its loader looks for the tokenizer in a folder of another name than its wheel has, and then asks a network for it. It
also changes the logging of the whole program when it is imported.
"""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._optional import optional_import
from wideangle.encoders.local import version_of
from wideangle.exceptions import EncoderError

__all__ = ["WordLlama", "make"]

USUAL, DIMENSION = "l2_supercat", 256  # what the wheel holds
DIMENSIONS = (64, 128, 256, 512, 1024)  # The first numbers of a vector were trained to be vectors themselves.
EXTRA, PURPOSE = "encoders", "the encoder wordllama"


class WordLlama:
    """The mean of the vectors of a text's tokens; see https://github.com/dleemiller/WordLlama."""

    def __init__(self, config: str = USUAL, dimension: int = DIMENSION) -> None:
        import_tokenizer = optional_import("tokenizers", extra=EXTRA, purpose=PURPOSE).Tokenizer.from_file
        from safetensors.numpy import load_file

        wider = [each for each in DIMENSIONS if each >= dimension]
        tokenizer = f"{config}_tokenizer_config.json"  # The folder is what the wheel has, or what its loader wants.
        weights = _first([f"weights/{config}_{each}.safetensors" for each in wider], config, dimension)
        tokens = _first([f"tokenizers/{tokenizer}", f"tokenizer/{tokenizer}"], config, dimension)
        try:
            vectors = load_file(weights)["embedding.weight"]
            self._tokenizer: Any = import_tokenizer(str(tokens))
        except Exception as error:  # Both packages have errors of their own, and tokenizers raises bare ones.
            raise EncoderError(
                f"the files of wordllama cannot be read ({error}). Install the package anew: {weights}, {tokens}."
            ) from error
        self._vectors = np.ascontiguousarray(vectors[:, :dimension], dtype=np.float32)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.name = f"wordllama:{config}/{dimension}@{version_of([weights, tokens])}"
        self.dimension = dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text: the sum of the vectors of its tokens, divided by their number."""
        import scipy.sparse as sp

        found = [each.ids for each in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
        lengths = np.array([len(ids) for ids in found], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=int(starts[-1]))
        np.minimum(tokens, len(self._vectors) - 1, out=tokens)  # as the package does with tokens without a vector
        # A product with counts needs no room for the vector of every token of a batch at once.
        ones = np.ones(len(tokens), dtype=np.float32)
        sums = sp.csr_array((ones, tokens, starts), shape=(len(found), len(self._vectors))) @ self._vectors
        return np.asarray(sums / np.maximum(lengths, 1)[:, None], dtype=np.float32)


def make(argument: str) -> WordLlama:
    """The encoder of "", "128", "l2_supercat" or "l2_supercat/128"."""
    found = re.fullmatch(r"(?:(?P<config>[A-Za-z]\w*)/?)?(?P<dimension>\d+)?", argument)
    dimension = int(found["dimension"] or DIMENSION) if found else 0
    if found is None or dimension not in DIMENSIONS:
        raise EncoderError(
            f"wordllama has no {argument!r}. Behind the colon stands a dimension ({', '.join(map(str, DIMENSIONS))}), "
            "a configuration, or both: wordllama:128, wordllama:l2_supercat/128."
        )
    return WordLlama(found["config"] or USUAL, dimension)


def _first(files: list[str], config: str, dimension: int) -> Path:
    """The first of some files that is in the package, or where the package keeps what it downloads."""
    package = find_spec("wordllama")
    places = package.submodule_search_locations if package is not None else None
    if places is None:
        raise ImportError(f"{PURPOSE} needs wordllama, which is not installed: pip install 'wideangle[{EXTRA}]'")
    for root in (*map(Path, places), Path.home() / ".cache" / "wordllama"):
        for name in files:
            if (root / name).is_file():
                return root / name
    raise EncoderError(
        f"wordllama's {config} of {dimension} numbers is not on this computer ({files[0]} is missing), and nothing is "
        "downloaded unasked. Get it where there is a network: "
        f"python -c \"from wordllama import WordLlama; WordLlama.load('{config}', dim={dimension})\"."
    )
