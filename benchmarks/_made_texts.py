"""Files of as many documents as wanted, made of pieces of real texts so that words are as frequent as in language."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wideangle.data import python_docs
from wideangle.data.locate import find_file

PIECES, WORDS = 4, 25  # Each document has so many pieces of so many words each, all of texts of one class.
SOURCE = "20news_bydate.jsonl.gz"


def write_texts(path: Path, n: int, *, words: int = WORDS, seed: int = 0) -> str:
    """Write n documents of 4 × `words` words as JSON lines, and say what they are made of.

    Pieces of one class are put together, so that there are topics to be found; two documents that share a piece differ
    in the others, so that few repeat another one.
    """
    name, texts = _texts()
    generator = np.random.default_rng(seed)
    labels = sorted(texts)
    bounds = {label: _word_starts(text, words) for label, text in texts.items()}
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, n, 10_000):
            size = min(10_000, n - first)
            for number, places in zip(
                generator.integers(len(labels), size=size), generator.random((size, PIECES)), strict=True
            ):
                label = labels[number]
                text, (starts, ends) = texts[label], bounds[label]
                chosen = (places * len(starts)).astype(np.intp)
                pieces = [text[starts[place] : ends[place]] for place in chosen.tolist()]
                file.write(json.dumps({"text": " ".join(pieces), "label": label}, ensure_ascii=False))
                file.write("\n")
    return name


def _texts() -> tuple[str, dict[str, str]]:
    """All texts of each class, one after the other, and where they are from."""
    found: dict[str, list[str]] = {}
    if path := find_file(SOURCE):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                found.setdefault(row["label"], []).append(row["text"])
        return "20 Newsgroups", {label: "\n".join(texts) for label, texts in found.items()}
    corpus = python_docs()
    assert corpus.texts is not None
    assert corpus.labels is not None
    assert corpus.label_names is not None
    for text, label in zip(corpus.texts, corpus.labels, strict=True):
        found.setdefault(str(corpus.label_names[label]), []).append(text)
    return "docstrings", {label: "\n".join(texts) for label, texts in found.items()}


def _word_starts(text: str, words: int) -> tuple[list[int], list[int]]:
    """Where each word starts, and where the piece of so many words that begins with it ends."""
    places: NDArray[np.intp] = np.array([found.span() for found in re.finditer(r"\S+", text)], dtype=np.intp)
    words = min(words, len(places))
    return places[: len(places) - words + 1, 0].tolist(), places[words - 1 :, 1].tolist()
