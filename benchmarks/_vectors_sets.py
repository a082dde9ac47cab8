"""The texts of the benchmark of vectors: whole, or only titles and first sentences; and draws of them."""

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.data import count_words, python_docs
from wideangle.data.locate import find_file, sha256_of
from wideangle.data.text import TOKEN
from wideangle.exceptions import DataError

FILES = {"20news": "20news_bydate.jsonl.gz", "reuters": "reuters_top9.jsonl.gz"}
SETS = ("docstrings", "reuters", "20news")
KINDS = ("whole", "short")
ASKED = 1000  # documents that ask, at most
FEW = 3000  # among so few documents the ten nearest are asked for

_SUBJECT = re.compile(r"^Subject:[ \t]*(?:re:[ \t]*)*(.*)$", re.IGNORECASE | re.MULTILINE)
_FIRST_SENTENCE = re.compile(r"\s*(.+?)(?:[.!?](?=\s)|\n\s*\n|$)", re.DOTALL)


@dataclass(frozen=True)
class Documents:
    """All documents of a set, those to train on and those to ask with."""

    texts: list[str]
    counts: sp.csr_array
    words: NDArray[np.str_]
    labels: NDArray[np.intp]
    is_train: NDArray[np.bool_]
    checksum: str | None


@lru_cache(1)
def documents(data: str, kind: str) -> Documents:
    """The documents of a set, whole or short; their words are counted as in the other benchmarks."""
    texts, labels, is_train, checksum = _read(data)
    if kind == "short":
        texts = [short(data, text) for text in texts]
    counted = count_words(
        texts, n_words=5000, stop_words="english", token_pattern=TOKEN, labels=labels, is_train=is_train
    )
    assert counted.labels is not None
    assert counted.vocabulary is not None
    counts = sp.csr_array(counted.counts)
    return Documents(texts, counts, counted.vocabulary, np.asarray(counted.labels), is_train, checksum)


def _read(data: str) -> tuple[list[str], list[str], NDArray[np.bool_], str | None]:
    if data == "docstrings":
        corpus = python_docs()
        assert corpus.texts is not None
        assert corpus.labels is not None
        assert corpus.label_names is not None
        names = [str(corpus.label_names[label]) for label in corpus.labels]
        return [str(text) for text in corpus.texts], names, np.asarray(corpus.is_train, dtype=bool), None
    path = find_file(FILES[data])
    if path is None:
        raise DataError(f"{FILES[data]} is not there. Name its folder in the environment variable WIDEANGLE_DATA.")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    is_train = np.array([row["split"] == "train" for row in rows])
    return [row["text"] for row in rows], [row["label"] for row in rows], is_train, sha256_of(path)


def short(data: str, text: str) -> str:
    """The subject of a post, the title of a piece of news, the first sentence of a docstring without its full name.

    Titles of news are in capitals, which an encoder may not know: they are made small.
    """
    if data == "20news":
        found = _SUBJECT.search(text)
        return found[1].strip() if found else ""
    if data == "reuters":
        return text.partition("\n")[0].strip().lower()
    found = _FIRST_SENTENCE.match(text.partition("\n")[2])
    return found[1].strip() if found else ""


@dataclass(frozen=True)
class Draw:
    """Rows of the documents to train on, rows to ask with, and k of P@k."""

    train: NDArray[np.intp]
    asked: NDArray[np.intp]
    k: int


def drawn(data: str, found: Documents, part: str, n: int | None, seed: int) -> Draw:
    """Random n training documents, or all; "folds" asks with training documents that were left out."""
    rng = np.random.default_rng(seed)
    train = np.flatnonzero(found.is_train)
    if part == "folds":
        order = rng.permutation(train)
        asked, train = order[:ASKED], order[ASKED:]
    else:  # the same documents ask in each seed
        asked = np.random.default_rng(0).permutation(np.flatnonzero(~found.is_train))[:ASKED]
    if n is not None:
        train = rng.permutation(train)[:n]
    k = 10 if data == "docstrings" or len(train) <= FEW else 100
    return Draw(np.sort(train), np.sort(asked), k)


def words_per_document(texts: Sequence[str]) -> float:
    """The median number of words."""
    return float(np.median([len(text.split()) for text in texts]))
