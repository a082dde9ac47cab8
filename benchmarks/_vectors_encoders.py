"""Vectors of texts: token vectors that the package wordllama brings, and LSI as a stand-in for other encoders."""

import json
import re
import time
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from wideangle.data.locate import cache_folder
from wideangle.evaluation.halves import split_words
from wideangle.exceptions import DataError

LSI_COMPONENTS = 300
COIN = 0
_SENTENCE_ENDS = re.compile(r"(?<=[.!?\n])\s+")
Floats = NDArray[np.floating[Any]]


class Encoded(NamedTuple):
    """Vectors of whole texts and of both their halves, zeros where there is no text; seconds for the whole texts."""

    whole: Floats
    first: Floats
    second: Floats
    seconds: float


def timed(function: Any, *arguments: Any) -> tuple[Any, float]:
    """What a function returns, and its seconds."""
    began = time.perf_counter()
    return function(*arguments), time.perf_counter() - began


class WordLlama:
    """The mean of the token vectors of a text, which the wheel of wordllama brings: 256 columns, no download."""

    def __init__(self) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer  # type: ignore[import-not-found, unused-ignore]

        spec = find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise DataError("wordllama is not installed: pip install wordllama tokenizers safetensors")
        folder = Path(spec.origin).parent
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        weights = load_file(folder / "weights" / "l2_supercat_256.safetensors")
        self.vectors = next(iter(weights.values())).astype(np.float32)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        out = np.zeros((len(texts), self.vectors.shape[1]), dtype=np.float32)
        for start in range(0, len(texts), 256):
            some = self.tokenizer.encode_batch(list(texts[start : start + 256]), add_special_tokens=False)
            for row, each in enumerate(some, start):
                if each.ids:
                    out[row] = self.vectors[np.minimum(each.ids, len(self.vectors) - 1)].mean(axis=0)
        return out


def has_wordllama() -> bool:
    """Whether its vectors and what reads them are installed."""
    return all(find_spec(name) is not None for name in ("wordllama", "tokenizers", "safetensors"))


def by_wordllama(texts: Sequence[str]) -> Encoded:
    """Texts and their halves, kept in the cache folder from one run to the next."""
    key = sha256(json.dumps(["wordllama-256", COIN, *texts]).encode()).hexdigest()[:16]
    path = cache_folder() / f"vectors-{key}.npz"
    if not path.exists():
        encoder = WordLlama()
        whole, seconds = timed(encoder.encode, texts)
        first, second = zip(*(halves_of(text, row) for row, text in enumerate(texts)), strict=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, whole=whole, first=encoder.encode(first), second=encoder.encode(second), seconds=seconds)
    with np.load(path) as kept:
        return Encoded(kept["whole"], kept["first"], kept["second"], float(kept["seconds"]))


def halves_of(text: str, seed: int) -> tuple[str, str]:
    """Two halves of a text: its sentences in random order, dealt out in turn; its words where it is one sentence."""
    parts = [part for part in _SENTENCE_ENDS.split(text) if part.strip()]
    parts = text.split() if len(parts) < 2 else parts
    first = np.random.default_rng((COIN, seed)).permutation(len(parts)) % 2 == 0
    sides = ([part for part, side in zip(parts, first, strict=True) if side == one] for one in (True, False))
    left, right = (" ".join(side) for side in sides)
    return (left, right) if right else ("", "")  # one word has no halves


def tf_idf(train: sp.csr_array, *others: sp.csr_array) -> list[sp.csr_matrix]:
    """Sublinear tf-idf at unit length, with the document frequencies of the training documents."""
    weigher = TfidfTransformer(sublinear_tf=True).fit(sp.csr_matrix(train))
    return [normalize(weigher.transform(sp.csr_matrix(each))) for each in (train, *others)]


def by_lsi(train: sp.csr_array, asked: sp.csr_array, seed: int) -> tuple[Floats, Floats, Floats, Floats]:
    """LSI of tf-idf of the training documents, of those that ask, and of both halves of the former."""
    halves = [sp.csr_array(half) for half in split_words(train, COIN)]
    for half in halves:
        half.eliminate_zeros()
    rows = tf_idf(train, asked, *halves)
    size = min(LSI_COMPONENTS, min(train.shape) - 1)
    svd = TruncatedSVD(size, random_state=seed).fit(rows[0])
    vectors = [np.asarray(svd.transform(each)) for each in rows]
    return vectors[0], vectors[1], vectors[2], vectors[3]
