"""Text to counts, for words of any alphabet and with the paper's choices."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from wideangle._alphabets import WORDS, find_words, folded, is_pair
from wideangle.data.corpus import Corpus
from wideangle.data.languages import Beginnings, Guess, guess_language, stop_words_of
from wideangle.documents import NO_LABEL
from wideangle.exceptions import DataError, NoWordsError

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

TOKEN = r"\b[a-z]{3,}\b"
"""the paper's words: at least three letters from a to z"""

USUAL_WORDS, USUAL_PAIRS = 5000, 20_000
NO_WORD = "no document has a word left: they are empty, or all words are stop words or do not match token_pattern."

_SUBJECT = re.compile(r"^Subject:[ \t]*(.*(?:\n[ \t].*)*)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class LeftOut:
    """The stop words that were left out, and the languages that were guessed."""

    words: tuple[str, ...]
    languages: tuple[str, ...]
    """of `words`; empty where no language was recognised"""
    is_sure: bool = True
    """whether there was enough text to guess from"""


def count_words(
    texts: Iterable[str],
    *,
    n_words: int | Literal["auto"] | None = "auto",
    stop_words: str | Sequence[str] | None = "auto",
    token_pattern: str = WORDS,
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
    n_words : int, "auto" or None, default="auto"
        Size of the vocabulary, by document frequency; None keeps every word. "auto" is 5000, or 20000 where most words
        are pairs of characters, because such a pair says less than a word.
    stop_words : "auto", "english", list of str or None, default="auto"
        Words to leave out: those of the languages that a good share of the documents is in, scikit-learn's English
        list, your own, or none. Where there is too little text to tell the language, English is assumed.
    token_pattern : str
        What a word is, in lower-cased text. The default takes three letters of any alphabet or more, and pairs of
        characters where words are written without spaces; the paper's words are `wideangle.data.text.TOKEN`.
    ngrams : int, default=1
        The most words in a row that count as one: 2 counts pairs of neighbours besides single words. Stop words go
        before, so that neighbours may have had one between them.
    min_df, max_df : int or float
        Leave out words that occur in fewer, or in more, documents: a number of documents, or as a float a share of
        them. The defaults keep all. Not for a given vocabulary.
    vocabulary : list of str or None, default=None
        Count these words, in this order, instead of choosing: how new documents meet a trained model.
    labels : iterable or None, default=None
        Class of each document, names or numbers. Names are numbered in sorted order; None is no class, −1.
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
    kept = list(texts) if keep_texts else texts
    if vocabulary is not None and stop_words == "auto":
        stop_words = None  # The vocabulary says which words count.
    corpus, _ = counted(
        kept,
        n_words=n_words,
        stop_words=stop_words,
        token_pattern=token_pattern,
        ngrams=ngrams,
        min_df=min_df,
        max_df=max_df,
        vocabulary=vocabulary,
    )
    numbers, names = (None, None) if labels is None else number_labels(labels)
    return Corpus(
        counts=corpus.counts,
        vocabulary=corpus.vocabulary,
        labels=numbers,
        label_names=names,
        is_train=None if is_train is None else np.asarray(is_train, dtype=bool),
        texts=np.array(kept, dtype=object) if keep_texts else None,
        source=source,
    )


def counted(
    texts: Iterable[str],
    *,
    n_words: int | Literal["auto"] | None = "auto",
    stop_words: str | Sequence[str] | None = "auto",
    token_pattern: str = WORDS,
    ngrams: int = 1,
    min_df: float = 1,
    max_df: float = 1.0,
    vocabulary: Sequence[str] | None = None,
) -> tuple[Corpus, LeftOut | None]:
    """Counts and vocabulary as `count_words` has them, and what was left out where stop_words="auto" decides it."""
    if n_words not in (None, "auto") and (isinstance(n_words, str) or n_words < 1):
        raise ValueError(f'n_words must be at least 1, "auto", or None for all words; got {n_words!r}.')
    left_out: LeftOut | None = None
    beginnings: Beginnings | None = None
    if stop_words == "auto":
        stop_words = None
        if ngrams > 1:  # Stop words must be known before neighbours are counted.
            texts = list(_checked(texts))
            left_out = left_out_by(guess_language(texts))
            stop_words = left_out.words
        else:  # Single words can be left out after they were counted, when all documents were seen.
            beginnings = Beginnings()
            texts = beginnings.passed(_checked(texts))
    vectorizer = word_counter(token_pattern, stop_words, ngrams, min_df=min_df, max_df=max_df, vocabulary=vocabulary)
    try:
        counts = sp.csr_array(vectorizer.fit_transform(_checked(texts)))
    except ValueError as error:
        if "After pruning" in str(error) or "max_df corresponds" in str(error):
            raise DataError(
                f"no word is left: none occurs in as many documents as min_df={min_df} and max_df={max_df} ask for. "
                "Take a smaller min_df or a larger max_df."
            ) from error
        if "empty vocabulary" not in str(error):
            raise
        raise NoWordsError(NO_WORD) from error
    words = vectorizer.get_feature_names_out()
    columns = np.arange(len(words))
    if beginnings is not None:
        left_out = left_out_by(guess_language(beginnings.kept))
        place = vectorizer.vocabulary_
        gone = [place[word] for word in with_pieces(left_out.words, token_pattern) if word in place]
        columns = np.delete(columns, gone)
        if not len(columns):
            raise NoWordsError(NO_WORD)
    if vocabulary is None:
        frequency = np.bincount(counts.indices, minlength=len(words))[columns]
        if n_words == "auto":
            usual = words[columns[most_frequent(frequency, USUAL_WORDS)]]
            n_words = USUAL_PAIRS if np.mean([is_pair(word) for word in usual]) > 0.5 else USUAL_WORDS
        columns = columns[most_frequent(frequency, n_words)]
    if len(columns) < len(words):
        counts, words = counts[:, columns], words[columns]
    return Corpus(counts=counts, vocabulary=np.asarray(words, dtype=np.str_)), left_out


def left_out_by(guess: Guess) -> LeftOut:
    """The stop words of the languages that were guessed; English ones where there was too little text to guess."""
    languages = guess.languages if guess.languages or guess.is_sure else ("en",)
    return LeftOut(all_stop_words(languages), languages, guess.is_sure)


def all_stop_words(languages: Iterable[str]) -> tuple[str, ...]:
    """The stop words of some languages together."""
    return tuple(sorted({word for language in languages for word in stop_words_of(language)}))


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
    if stop_words is not None and not isinstance(stop_words, str):
        stop_words = with_pieces(stop_words, token_pattern)
    return CountVectorizer(
        preprocessor=folded,
        # The tokenizer knows a quicker way for the usual pattern only.
        tokenizer=find_words(WORDS) if token_pattern == WORDS else None,
        token_pattern=None if token_pattern == WORDS else token_pattern,
        stop_words=stop_words,
        ngram_range=(1, ngrams),
        min_df=min_df,
        max_df=max_df,
        vocabulary=vocabulary,
    )


def with_pieces(stop_words: Sequence[str], token_pattern: str) -> list[str]:
    """Stop words and what a pattern cuts them into: of "aujourd'hui" documents have "aujourd" and "hui"."""
    cut = find_words(token_pattern)
    return list(dict.fromkeys((*stop_words, *(part for word in stop_words for part in cut(folded(word))))))


def most_frequent(frequency: NDArray[np.integer[Any]], n_words: int | None) -> NDArray[np.intp]:
    """Columns of the largest frequency, in their old order; of equal ones the earlier, which is the alphabet's."""
    if n_words is None or n_words >= len(frequency):
        return np.arange(len(frequency))
    return np.sort(np.argsort(-frequency, kind="stable")[:n_words])


def number_labels(labels: Iterable[Any]) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Class numbers from 0 and the names they stand for, in sorted order. The number of None is `NO_LABEL`."""
    every = list(labels)
    known = np.array([label is not None for label in every], dtype=bool)
    names, found = np.unique(np.asarray([label for label in every if label is not None]), return_inverse=True)
    numbers = np.full(len(every), NO_LABEL, dtype=np.int64)
    numbers[known] = found.ravel()
    return numbers, names.astype(np.str_)


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
