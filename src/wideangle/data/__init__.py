"""Data sets by name, text to counts, labels to pairs, counts on disk. Knows nothing of models."""

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
    from wideangle.data.stored.counts import CountsOnDisk as CountsOnDisk
    from wideangle.data.stored.counts import open_counts as open_counts
    from wideangle.data.stored.writing import write_counts as write_counts
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
    "CountsOnDisk": "wideangle.data.stored.counts",
    "open_counts": "wideangle.data.stored.counts",
    "write_counts": "wideangle.data.stored.writing",
    "SyntheticCorpus": "wideangle.data.synthetic",
    "synthetic_corpus": "wideangle.data.synthetic",
    "count_words": "wideangle.data.text",
    "Document": "wideangle.documents",
    "TextSource": "wideangle.reading",  # the door up to the reading room, which reads what this package counts
}

__all__ = [
    "Corpus",
    "CountsOnDisk",
    "Dataset",
    "Document",
    "Pairs",
    "SyntheticCorpus",
    "TextSource",
    "count_words",
    "find_duplicates",
    "load",
    "make_pairs",
    "names",
    "open_counts",
    "python_docs",
    "read_reuters",
    "synthetic_corpus",
    "write_counts",
]

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
