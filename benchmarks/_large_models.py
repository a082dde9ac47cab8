"""Model files of as many documents as wanted, made of those of a small model without fitting so many."""

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import wideangle
from wideangle._mapped import let_go
from wideangle._packed import ArrayFile, StringsFile, WordListsFile
from wideangle.data import python_docs
from wideangle.documents import KEPT_IN_ALL, SNIPPET, Documents, kept_text

COMPONENTS = 50
AT_ONCE = 20_000  # documents that are made together
BLURRED = 0.2  # how far copies are from their document, as a share of the spread of all documents


def small_model(folder: Path, components: int = COMPONENTS, updates: int | None = None) -> Path:
    """The file of a model of the docstrings, fitted by the command line."""
    corpus, path = folder / "docs.npz", folder / "small.wideangle"
    python_docs().save(corpus)
    fit = [sys.executable, "-m", "wideangle", "fit", str(corpus), "-k", str(components), "-o", str(path), "--quiet"]
    fit += [] if updates is None else ["--updates", str(updates)]
    subprocess.run(fit, check=True, stdout=subprocess.DEVNULL)
    return path


def enlarge(small: Path, to: Path, n: int, seed: int = 0) -> None:
    """Write a model file of n documents: those of a small model again and again, each copy a little elsewhere.

    Texts are as long as `fit` keeps them of so many documents. Nothing is in memory but the small model and a part of
    the large one.
    """
    model = wideangle.load(small)
    old, topics, generator = model.documents_, model.topics_, np.random.default_rng(seed)
    counts = old.words.counts(len(model.vocabulary_))
    spread = old.vectors.std(axis=0)
    length = max(SNIPPET, min(len(max(old.snippets, key=len)), KEPT_IN_ALL // n))
    texts, names = [kept_text(text, length) for text in old.snippets], list(old.names)
    with tempfile.TemporaryDirectory(dir=to.parent) as name:
        folder = Path(name)
        vectors = ArrayFile(folder / "vectors", np.float32, old.vectors.shape[1])
        labels, trained, leaves = (
            ArrayFile(folder / each, kind) for each, kind in (("labels", "i8"), ("train", "?"), ("leaves", "i4"))
        )
        all_names, all_texts = StringsFile(folder / "names"), StringsFile(folder / "texts")
        words = WordListsFile(folder / "words", counts.shape[1])
        for start in range(0, n, AT_ONCE):
            numbers = np.arange(start, min(start + AT_ONCE, n))
            rows = numbers % len(old)
            noise = generator.standard_normal((len(rows), len(spread))) * (BLURRED * spread)
            vectors.add(old.vectors[rows] + np.where(numbers[:, None] < len(old), 0.0, noise))
            labels.add(old.labels[rows])
            trained.add(old.is_train[rows])
            leaves.add(topics.leaves[rows])
            all_names.add(f"{names[row]} {number // len(old)}" for row, number in zip(rows, numbers, strict=True))
            all_texts.add(texts[row] for row in rows)
            words.add(counts[rows])
        model.documents_ = Documents(
            vectors.array(),
            all_names.strings(),
            all_texts.strings(),
            labels.array(),
            old.label_names,
            trained.array(),
            words=words.words(),
            finished=old.finished,
        )
        of_leaves = topics.topic_of_leaf
        sizes = np.bincount(of_leaves[leaves.array()[leaves.array() >= 0]], minlength=len(topics))
        items = tuple(replace(topic, size=int(sizes[topic.number])) for topic in topics)
        model.topics_ = replace(topics, items=items, leaves=leaves.array())
        let_go(labels.array())
        model.save(to)
