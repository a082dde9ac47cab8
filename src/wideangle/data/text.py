"""Text to counts, for words of any alphabet and with the paper's choices."""

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle import _arguments as rules
from wideangle._alphabets import WORDS, is_pair
from wideangle._arguments import checked, optional, shown
from wideangle._arrays import array_of
from wideangle.data.corpus import Corpus
from wideangle.data.counting.counter import WordCounter, with_pieces
from wideangle.data.counting.letters import TOKEN as TOKEN
from wideangle.data.counting.tally import Tally
from wideangle.data.languages import Beginnings, Guess, guess_language, stop_words_of
from wideangle.documents import NO_LABEL
from wideangle.exceptions import DataError, NoWordsError

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


def _number_or_share(value: Any, name: str) -> Any:
    rules.real()(value, name)
    return value  # 1 is one document, and 1.0 all of them.


# What `count_words` and `write_counts` take besides documents.
RULES_OF_WORDS: dict[str, Any] = {
    "n_words": optional(rules.word_or(rules.whole(least=1), "auto")),
    "stop_words": optional(rules.words),
    "token_pattern": rules.text,
    "ngrams": rules.whole(least=1),
    "min_df": _number_or_share,
    "max_df": _number_or_share,
}


@checked(**RULES_OF_WORDS, vocabulary=optional(rules.texts), keep_texts=rules.flag, source=rules.text)
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
    if not rules.is_several(texts):
        raise TypeError(f"texts must be a list of strings; got {shown(texts)}.")
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
        is_train=None if is_train is None else array_of(is_train, "is_train", "biu").astype(bool),
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
    counter = WordCounter(token_pattern, stop_words, ngrams, vocabulary=vocabulary)
    if vocabulary is not None:
        return Corpus(counts=counter.transform(_checked(texts)), vocabulary=_given(vocabulary)), left_out
    tally = counter.tally(_checked(texts))
    if not len(tally.frequency):
        raise NoWordsError(NO_WORD)
    numbers = within_limits(tally.frequency, min_df, max_df, tally.n_documents)
    if beginnings is not None:
        left_out = left_out_by(guess_language(beginnings.kept))
        gone = tally.terms.numbers_of(with_pieces(left_out.words, token_pattern))
        numbers = numbers[~np.isin(numbers, gone)]
        if not len(numbers):
            raise NoWordsError(NO_WORD)
    if n_words == "auto":
        n_words = _usual_number(_most_frequent_terms(tally, numbers, USUAL_WORDS)[1])
    numbers, words = _most_frequent_terms(tally, numbers, n_words)
    return Corpus(counts=tally.columns(numbers), vocabulary=np.asarray(words, dtype=np.str_)), left_out


def choose_words(
    words: Sequence[str],
    times: NDArray[np.int64],
    n_words: int | Literal["auto"] | None,
    min_df: float,
    max_df: float,
    n_documents: int,
) -> list[str]:
    """Those of some words that `count_words` keeps. They are in alphabetical order, and `times` documents have each."""
    kept = within_limits(times, min_df, max_df, n_documents)
    if n_words == "auto":
        n_words = _usual_number([words[place] for place in kept[most_frequent(times[kept], USUAL_WORDS)].tolist()])
    return [words[place] for place in kept[most_frequent(times[kept], n_words)].tolist()]


def _usual_number(most_frequent_words: Sequence[str]) -> int:
    """How many words are kept where nobody says it: more where most are pairs of characters."""
    return USUAL_PAIRS if np.mean([is_pair(word) for word in most_frequent_words]) > 0.5 else USUAL_WORDS


def within_limits(frequency: NDArray[np.int64], min_df: float, max_df: float, n_documents: int) -> NDArray[np.intp]:
    """Which terms as many documents have as `min_df` and `max_df` ask for."""
    fewest, most = _limit("min_df", min_df, n_documents), _limit("max_df", max_df, n_documents)
    found = np.flatnonzero((frequency >= fewest) & (frequency <= most))
    if not len(found):
        raise DataError(
            f"no word is left: none occurs in as many documents as min_df={min_df} and max_df={max_df} ask for. "
            "Take a smaller min_df or a larger max_df."
        )
    return found


def left_out_by(guess: Guess) -> LeftOut:
    """The stop words of the languages that were guessed; English ones where there was too little text to guess."""
    languages = guess.languages if guess.languages or guess.is_sure else ("en",)
    return LeftOut(all_stop_words(languages), languages, guess.is_sure)


def all_stop_words(languages: Iterable[str]) -> tuple[str, ...]:
    """The stop words of some languages together."""
    return tuple(sorted({word for language in languages for word in stop_words_of(language)}))


def most_frequent(frequency: NDArray[np.integer[Any]], n_words: int | None) -> NDArray[np.intp]:
    """Columns of the largest frequency, in their old order; of equal ones the earlier, which is the alphabet's."""
    if n_words is None or n_words >= len(frequency):
        return np.arange(len(frequency))
    return np.sort(np.argsort(-frequency, kind="stable")[:n_words])


def _limit(name: str, limit: Any, n_documents: int) -> float:
    """A number of documents. Whole numbers are that already, others are a share of all, as for scikit-learn."""
    is_number = isinstance(limit, Integral)
    if not (limit >= 1 if is_number else 0 <= limit <= 1):
        raise ValueError(
            f"{name} must be a whole number of documents from 1 on, or a share of them from 0.0 to 1.0; got {limit!r}."
        )
    return float(limit if is_number else limit * n_documents)


def _most_frequent_terms(
    tally: Tally, numbers: NDArray[np.intp], n_words: int | None
) -> tuple[NDArray[np.intp], list[str]]:
    """Those of some terms that most documents have, in alphabetical order."""
    if n_words is not None and n_words < len(numbers):  # Only what may be taken is sorted.
        frequency = tally.frequency[numbers]
        numbers = numbers[frequency >= np.partition(frequency, -n_words)[-n_words]]
    numbers, names = tally.terms.in_order(numbers)
    kept = most_frequent(tally.frequency[numbers], n_words)
    return numbers[kept], [names[place] for place in kept.tolist()]


def _given(vocabulary: Sequence[str]) -> NDArray[np.str_]:
    if any(letter.isupper() for word in vocabulary for letter in word):
        warnings.warn(
            "Some words of the vocabulary have capital letters. Texts are counted in lower case, so that these words "
            "are never found.",
            stacklevel=4,
        )
    return np.asarray(vocabulary, dtype=np.str_)


def number_labels(labels: Iterable[Any]) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Class numbers from 0 and the names they stand for, in sorted order. The number of None is `NO_LABEL`."""
    from wideangle._validation import labels_of

    if not rules.is_several(labels):
        raise TypeError(f"labels must be a list of names or numbers; got {shown(labels)}.")
    every = list(labels)
    known = np.array([label is not None for label in every], dtype=bool)
    names, found = np.unique(labels_of([label for label in every if label is not None], "labels"), return_inverse=True)
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
