"""The documents that topics are found in, as they were given: whether they fit together, and how they begin."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._arguments import texts as strings
from wideangle._arrays import array_of
from wideangle._mapped import let_go
from wideangle.documents import NO_LABEL, Strings, snippet
from wideangle.exceptions import DataError
from wideangle.topics.describing import ANY_WORD, GroupedDocuments
from wideangle.topics.directions import DocumentDirections, row_giver, written_rows
from wideangle.topics.words_present import WordsOfLists, WordsPresent

__all__ = ["TextsOfDocuments", "checked_documents"]


class TextsOfDocuments:
    """Texts of documents that may be in a file, or only how they begin; each is made when it is asked for."""

    def __init__(self, texts: Strings, *, beginnings: bool) -> None:
        self._texts, self._beginnings = texts, beginnings

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, number: int) -> str:
        return snippet(self._texts[number]) if self._beginnings else self._texts[number]

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))

    def let_go(self) -> None:
        """Give back the memory of what was read of texts in a file."""
        let_go(self._texts.content, self._texts.ends)


def checked_documents(
    vectors: Any,
    middle: NDArray[np.float64],
    present: Any,
    vocabulary: Sequence[str],
    labels: Any,
    label_names: Sequence[str] | None,
    texts: Iterable[str] | None,
    token_pattern: str | None,
) -> tuple[GroupedDocuments, NDArray[np.bool_]]:
    """The documents, and which of them have words that the model knows."""
    vectors = row_giver(vectors)
    words = present if isinstance(present, WordsOfLists) else WordsPresent(present)
    n = vectors.shape[0]
    if len(vectors.shape) != 2 or words.shape != (n, len(vocabulary)):
        raise DataError(
            f"there are vectors of shape {vectors.shape} and {len(vocabulary)} words, but word counts of shape "
            f"{words.shape}."
        )
    has_words = words.entries > 0
    # A document of which the model knows no word has the vector 0. One that lies on the centre has no direction, but
    # it has words; and where all vectors are 0, the documents are alike.
    written = has_words & written_rows(vectors)
    written = written if written.any() else has_words
    rows = DocumentDirections(vectors, middle, written)
    if labels is not None:
        labels = array_of(labels, "labels", kinds=None)
        if labels.shape != (n,):
            raise DataError(f"there are {n} documents but labels of shape {labels.shape}.")
        if labels.dtype.kind not in "iu" or (len(labels) and labels.min() < (0 if label_names is None else NO_LABEL)):
            names, labels = np.unique(labels, return_inverse=True)
            label_names = [str(name) for name in names]
        labels = labels.astype(np.intp, copy=False)
        if label_names is not None and len(labels) and labels.max() >= len(label_names):
            raise DataError(f"label {labels.max()} has no name: there are {len(label_names)} label_names.")
    if texts is not None:
        texts = texts if isinstance(texts, TextsOfDocuments) else strings(texts, "texts")
        if len(texts) != n:
            raise DataError(f"there are {n} documents but {len(texts)} texts.")
    corpus = GroupedDocuments(rows, words, vocabulary, labels, label_names, texts, token_pattern or ANY_WORD)
    return corpus, written
