"""Which documents of a file repeat another one, by their counted words and, where these say little, by all words."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arguments import a, checked
from wideangle._mapped import let_go
from wideangle.data.duplicates import find_duplicates
from wideangle.documents import SNIPPET, Strings, snippet
from wideangle.reading.rows import Rows

__all__ = ["find_repeats"]

FEW_WORDS = 30  # Documents of fewer words of the vocabulary are also compared by the words they begin with.
FEWEST_WORDS = 10  # Without texts, documents of fewer words are not compared at all.
HASHED = 2**20


@checked(rows=a(Rows))
def find_repeats(rows: Rows) -> NDArray[np.int64] | None:
    """For each document the first one that it repeats, or itself; None where none repeats another.

    A vocabulary knows the frequent words alone. Two short texts with the same frequent words may differ in a name or a
    number, which is all that they tell. So documents of few words are compared by every word of how they begin as well.
    """
    if rows.counts is None:
        return None
    same_as = find_duplicates(ComparedWords(rows))
    return same_as if (same_as != np.arange(len(same_as))).any() else None


class ComparedWords:
    """The words that documents are compared by, of the documents that are asked for. Nothing is kept of them."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        # Counts may be on disk. Other matrices are made CSR once.
        counts = rows.counts
        self._counts = counts if hasattr(counts, "nnz") and not sp.issparse(counts) else sp.csr_array(counts)
        # Weights of tf-idf depend on the length of a document; which words it has does not.
        self._are_counts = rows.reading is not None and rows.reading.kind in ("counts", "vectors")
        n, n_words = self._counts.shape
        has_texts = rows.snippets is not None
        self.shape = (n, n_words + HASHED if has_texts else n_words)
        # By how much is read at once, memory is bounded; a beginning has hardly more than one word per two characters.
        self.nnz = int(self._counts.nnz) + (n * min(SNIPPET // 2, FEW_WORDS) if has_texts else 0)

    def __getitem__(self, chosen: Any) -> Any:
        counts = sp.csr_array(self._counts[chosen])
        if not self._are_counts:
            counts = sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
        known = np.diff(counts.indptr)
        if self._rows.snippets is None:
            return sp.diags_array((known >= FEWEST_WORDS).astype(np.float64)) @ counts
        beginnings = sp.csr_array((counts.shape[0], HASHED))
        few = np.flatnonzero((known < FEW_WORDS) & (known > 0))
        if len(few):
            beginnings = _spread(self._words_of_beginnings(np.arange(self.shape[0])[chosen][few]), few, len(known))
        return sp.hstack([counts, beginnings], format="csr")

    def _words_of_beginnings(self, numbers: NDArray[np.intp]) -> Any:
        """Words and numbers of titles and beginnings, by a hash of each."""
        from sklearn.feature_extraction.text import HashingVectorizer

        titles: Any = self._rows.titles  # lists or `Strings`, like the texts
        texts: Any = self._rows.snippets
        counter = HashingVectorizer(n_features=HASHED, token_pattern=r"(?u)\w+", alternate_sign=False, norm=None)
        found = counter.transform(
            f"{titles[number] if titles else ''} {snippet(texts[number])}" for number in numbers.tolist()
        )
        for strings in (titles, texts):
            if isinstance(strings, Strings):
                let_go(strings.content, strings.ends)
        return found


def _spread(found: Any, places: NDArray[np.intp], n: int) -> Any:
    """Rows put at places among n rows, of which the others are empty."""
    lengths = np.zeros(n, dtype=np.intp)
    lengths[places] = np.diff(found.indptr)
    return sp.csr_array((found.data, found.indices, np.append(0, np.cumsum(lengths))), shape=(n, found.shape[1]))
