"""Data sets by name, text to counts, labels to pairs, shards on disk. Knows nothing of models."""

from typing import TYPE_CHECKING, Any

from wideangle.data.corpus import Corpus, Dataset
from wideangle.data.docstrings import python_docs
from wideangle.data.pairs import Pairs, make_pairs
from wideangle.data.registry import load, names
from wideangle.data.reuters import read_reuters
from wideangle.data.shards import ShardedCounts, open_shards, write_shards
from wideangle.data.synthetic import SyntheticCorpus, synthetic_corpus
from wideangle.data.text import count_words
from wideangle.documents import Document

if TYPE_CHECKING:
    from wideangle.reading import TextSource

__all__ = [
    "Corpus",
    "Dataset",
    "Document",
    "Pairs",
    "ShardedCounts",
    "SyntheticCorpus",
    "TextSource",
    "count_words",
    "load",
    "make_pairs",
    "names",
    "open_shards",
    "python_docs",
    "read_reuters",
    "synthetic_corpus",
    "write_shards",
]


def __getattr__(name: str) -> Any:
    """The door up to the reading room, where `TextSource` lives: it reads what this package counts."""
    if name != "TextSource":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wideangle.reading import TextSource

    return TextSource
