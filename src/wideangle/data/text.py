"""Text to counts, with the paper's choices."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from wideangle.data.corpus import Corpus
from wideangle.exceptions import DataError, NoWordsError

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

TOKEN = r"\b[a-z]{3,}\b"
"""lower-case words of at least three letters"""

_SUBJECT = re.compile(r"^Subject:[ \t]*(.*(?:\n[ \t].*)*)", re.MULTILINE | re.IGNORECASE)


def count_words(
    texts: Iterable[str],
    *,
    n_words: int | None = 5000,
    stop_words: str | Sequence[str] | None = "english",
    token_pattern: str = TOKEN,
    ngrams: int = 1,
    min_df: float = 1,
    max_df: float = 1.0,
    vocabulary: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    is_train: ArrayLike | None = None,
    keep_texts: bool = False,
    source: str = "",
) -> Corpus:
    """Count the words of each document: the `n_words` that occur in most documents, stop words left out.

    A document without a known word keeps its row, all zeros: nothing is lost. Words that occur in equally many
    documents are taken in alphabetical order, and columns are ordered so.

    Parameters
    ----------
    texts : iterable of str
        The documents, which are read once.
    n_words : int or None, default=5000
        Size of the vocabulary, by document frequency; None keeps every word.
    stop_words : "english", list of str or None, default="english"
        Words to leave out: scikit-learn's English list, your own, or none.
    token_pattern : str
        What a word is, in lower-cased text. The default takes a–z, at least three letters; for other scripts pass
        scikit-learn's ``r"(?u)\\b\\w\\w+\\b"``.
    ngrams : int, default=1
        The most words in a row that count as one: 2 counts pairs of neighbours besides single words. Stop words go
        before, so that neighbours may have had one between them.
    min_df, max_df : int or float
        Leave out words that occur in fewer, or in more, documents: a number of documents, or as a float a share of
        them. The defaults keep all. Not for a given vocabulary.
    vocabulary : list of str or None, default=None
        Count these words, in this order, instead of choosing: how new documents meet a trained model.
    labels : iterable or None, default=None
        Class of each document, names or numbers. Names are numbered in sorted order.
    is_train : array of bool or None, default=None
        The split.
    keep_texts : bool, default=False
        Keep the documents in `Corpus.texts`.

    Returns
    -------
    Corpus

    References
    ----------
    Xie, Deng and Xing (2015), Section 6.1.1: "a vocabulary of 5000 words with the largest document frequency".
    """
    if isinstance(texts, str):
        raise DataError("texts must be a collection of documents, not one string: pass [text].")
    if n_words is not None and n_words < 1:
        raise ValueError(f"n_words must be at least 1, or None for all words; got {n_words}.")
    vectorizer = word_counter(token_pattern, stop_words, ngrams, min_df=min_df, max_df=max_df, vocabulary=vocabulary)
    kept = list(texts) if keep_texts else texts
    try:
        counts = sp.csr_array(vectorizer.fit_transform(_checked(kept)))
    except ValueError as error:
        if "After pruning" in str(error) or "max_df corresponds" in str(error):
            raise DataError(
                f"no word is left: none occurs in as many documents as min_df={min_df} and max_df={max_df} ask for. "
                "Take a smaller min_df or a larger max_df."
            ) from error
        if "empty vocabulary" not in str(error):
            raise
        raise NoWordsError(
            "no document has a word left: they are empty, or all words are stop words or do not match token_pattern."
        ) from error
    words: NDArray[np.str_] = np.asarray(vectorizer.get_feature_names_out(), dtype=np.str_)
    if vocabulary is None:
        columns = most_frequent(np.bincount(counts.indices, minlength=len(words)), n_words)
        counts, words = counts[:, columns], words[columns]
    numbers, names = (None, None) if labels is None else number_labels(labels)
    return Corpus(
        counts=counts,
        vocabulary=words,
        labels=numbers,
        label_names=names,
        is_train=None if is_train is None else np.asarray(is_train, dtype=bool),
        texts=np.array(kept, dtype=object) if keep_texts else None,
        source=source,
    )


def word_counter(
    token_pattern: str,
    stop_words: str | Sequence[str] | None,
    ngrams: int = 1,
    *,
    min_df: float = 1,
    max_df: float = 1.0,
    vocabulary: Sequence[str] | None = None,
) -> "CountVectorizer":
    """scikit-learn's counter with these choices, checked: what a word is, for documents and queries alike."""
    from sklearn.feature_extraction.text import CountVectorizer

    if ngrams < 1:
        raise ValueError(f"ngrams must be at least 1; got {ngrams}.")
    return CountVectorizer(
        token_pattern=token_pattern,
        stop_words=stop_words if stop_words is None or isinstance(stop_words, str) else list(stop_words),
        ngram_range=(1, ngrams),
        min_df=min_df,
        max_df=max_df,
        vocabulary=vocabulary,
    )


def most_frequent(frequency: NDArray[np.integer[Any]], n_words: int | None) -> NDArray[np.intp]:
    """Columns of the largest frequency, in their old order; of equal ones the earlier, which is the alphabet's."""
    if n_words is None or n_words >= len(frequency):
        return np.arange(len(frequency))
    return np.sort(np.argsort(-frequency, kind="stable")[:n_words])


def number_labels(labels: Iterable[Any]) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Class numbers from 0 and the names they stand for, in sorted order."""
    values = np.asarray(list(labels))
    names, numbers = np.unique(values, return_inverse=True)
    return numbers.astype(np.int64).ravel(), names.astype(np.str_)


def newsgroup_text(raw: str) -> str:
    """Subject line and body of a newsgroup message; the other headers give the group away."""
    head, _, body = raw.partition("\n\n")
    subject = _SUBJECT.search(head)
    return f"{subject.group(1) if subject else ''}\n{body}"


def _checked(texts: Iterable[Any]) -> Iterable[str]:
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise DataError(
                f"document {number} is {type(text).__name__}, not text; fill or drop missing documents first."
            )
        yield text
