"""The one counter of words, for documents, new documents and queries alike."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from wideangle._alphabets import WORDS, find_words, folded
from wideangle.data.counting.letters import RULES
from wideangle.data.counting.tally import Reader, Tally, count_terms
from wideangle.data.counting.terms import Terms

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

__all__ = ["WordCounter", "with_pieces"]


class WordCounter:
    """Counts words, and up to `ngrams` words in a row, as scikit-learn's `CountVectorizer` does.

    Parameters
    ----------
    token_pattern : str
        What a word is in folded text. `WORDS` and `TOKEN` are counted fast, others by scikit-learn.
    stop_words : "english", list of str or None, default=None
        Words that are left out before words in a row are looked at.
    ngrams : int, default=1
        The most words in a row that count as one term.
    vocabulary : list of str or None, default=None
        Count only these terms, by `transform`.

    Examples
    --------
    >>> from wideangle._alphabets import WORDS
    >>> from wideangle.data.counting.counter import WordCounter
    >>> WordCounter(WORDS, vocabulary=["mice", "cats"]).transform(["Cats and cats", "no dogs"]).toarray().tolist()
    [[0, 2], [0, 0]]
    >>> tally = WordCounter(WORDS, ["and"]).tally(["Cats and cats", "no cats"])
    >>> tally.terms.words, tally.frequency.tolist()
    (['cats'], [2])
    """

    def __init__(
        self,
        token_pattern: str,
        stop_words: str | Sequence[str] | None = None,
        ngrams: int = 1,
        *,
        vocabulary: Sequence[str] | None = None,
    ) -> None:
        if ngrams < 1:
            raise ValueError(f"ngrams must be at least 1; got {ngrams}.")
        if stop_words is not None and not isinstance(stop_words, str):
            stop_words = with_pieces(stop_words, token_pattern)
        self._pattern = token_pattern
        self._stop_words = stop_words
        self._ngrams = ngrams
        self._vocabulary = vocabulary

    def words(self, text: str) -> list[str]:
        """The words of a text, stop words among them."""
        found: list[str] = self._vectorizer.build_tokenizer()(folded(text))
        return found

    def terms(self, text: str) -> list[str]:
        """The terms of a text as they are counted."""
        found: list[str] = self._vectorizer.build_analyzer()(text)
        return found

    def tally(self, texts: Iterable[str]) -> Tally:
        """Count all terms that the documents have."""
        if self._pattern not in RULES:
            return self._tally_by_pattern(texts)
        terms = self._empty_terms()
        return count_terms(texts, Reader(self._pattern, terms), terms)

    def transform(self, texts: Iterable[str]) -> sp.csr_array:
        """Documents × the given vocabulary."""
        if self._pattern not in RULES:
            return sp.csr_array(self._vectorizer.transform(texts))
        terms, reader, columns = self._known
        return count_terms(texts, reader, terms).columns(columns)

    @cached_property
    def _vectorizer(self) -> "CountVectorizer":
        """scikit-learn's counter with these choices, which checks them."""
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(
            preprocessor=folded,
            # The tokenizer knows a quicker way for the usual pattern only.
            tokenizer=find_words(WORDS) if self._pattern == WORDS else None,
            token_pattern=None if self._pattern == WORDS else self._pattern,
            stop_words=self._stop_words,
            ngram_range=(1, self._ngrams),
            vocabulary=self._vocabulary,
        )

    @cached_property
    def _known(self) -> tuple[Terms, Reader, "np.ndarray[tuple[int], np.dtype[np.intp]]"]:
        """The terms of the vocabulary, their reader, and their numbers."""
        terms = self._empty_terms()
        numbers = terms.only([str(word) for word in self._vectorizer.get_feature_names_out()])
        return terms, Reader(self._pattern, terms), numbers

    def _empty_terms(self) -> Terms:
        self._vectorizer.build_analyzer()  # It warns of stop words that the pattern would never find.
        return Terms(self._ngrams, self._vectorizer.get_stop_words() or ())

    def _tally_by_pattern(self, texts: Iterable[str]) -> Tally:
        try:
            counts = sp.csc_array(self._vectorizer.fit_transform(texts))
        except ValueError as error:
            if "empty vocabulary" not in str(error):
                raise
            return Tally([], Terms())
        terms = Terms()
        terms.codes(self._vectorizer.get_feature_names_out().tolist())
        return Tally([(counts,)], terms)


def with_pieces(stop_words: Sequence[str], token_pattern: str) -> list[str]:
    """Stop words and what a pattern cuts them into: of "aujourd'hui" documents have "aujourd" and "hui"."""
    cut = find_words(token_pattern)
    return list(dict.fromkeys((*stop_words, *(part for word in stop_words for part in cut(folded(word))))))
