"""Data sets by name, text to counts, labels to pairs, shards on disk. Knows nothing of models."""

from typing import TYPE_CHECKING

from wideangle._lazy import lazy_names

if TYPE_CHECKING:  # Type checkers cannot read the table below.
    from wideangle.data.corpus import Corpus as Corpus
    from wideangle.data.corpus import Dataset as Dataset
    from wideangle.data.docstrings import python_docs as python_docs
    from wideangle.data.duplicates import find_duplicates as find_duplicates
    from wideangle.data.pairs import Pairs as Pairs
    from wideangle.data.pairs import make_pairs as make_pairs
    from wideangle.data.registry import load as load
    from wideangle.data.registry import names as names
    from wideangle.data.reuters import read_reuters as read_reuters
    from wideangle.data.shards import ShardedCounts as ShardedCounts
    from wideangle.data.shards import open_shards as open_shards
    from wideangle.data.shards import write_shards as write_shards
    from wideangle.data.synthetic import SyntheticCorpus as SyntheticCorpus
    from wideangle.data.synthetic import synthetic_corpus as synthetic_corpus
    from wideangle.data.text import count_words as count_words
    from wideangle.documents import Document as Document
    from wideangle.reading import TextSource as TextSource

# The names are loaded on first use. Checks of arguments and files come first, and must not wait for NumPy and SciPy.
_HOMES = {
    "Corpus": "wideangle.data.corpus",
    "Dataset": "wideangle.data.corpus",
    "python_docs": "wideangle.data.docstrings",
    "find_duplicates": "wideangle.data.duplicates",
    "Pairs": "wideangle.data.pairs",
    "make_pairs": "wideangle.data.pairs",
    "load": "wideangle.data.registry",
    "names": "wideangle.data.registry",
    "read_reuters": "wideangle.data.reuters",
    "ShardedCounts": "wideangle.data.shards",
    "open_shards": "wideangle.data.shards",
    "write_shards": "wideangle.data.shards",
    "SyntheticCorpus": "wideangle.data.synthetic",
    "synthetic_corpus": "wideangle.data.synthetic",
    "count_words": "wideangle.data.text",
    "Document": "wideangle.documents",
    "TextSource": "wideangle.reading",  # the door up to the reading room, which reads what this package counts
}

__all__ = [
    "Corpus",
    "Dataset",
    "Document",
    "Pairs",
    "ShardedCounts",
    "SyntheticCorpus",
    "TextSource",
    "count_words",
    "find_duplicates",
    "load",
    "make_pairs",
    "names",
    "open_shards",
    "python_docs",
    "read_reuters",
    "synthetic_corpus",
    "write_shards",
]

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
