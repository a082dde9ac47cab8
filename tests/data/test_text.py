"""Text to counts, against naive counting and against the prepared corpora."""

import gzip
import json
import re
from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from wideangle._alphabets import WORDS
from wideangle.data import count_words, load, python_docs
from wideangle.data.registry import newsgroups_corpus
from wideangle.data.text import TOKEN, newsgroup_text
from wideangle.exceptions import DataError

TEXTS = ["The cats chase MICE, mice!", "", "cheese: cats' cheese & 42 mice", "an ox is too short"]


def naive_counts(texts):
    return [Counter(w for w in re.findall(r"\b[a-z]{3,}\b", t.lower()) if w not in ENGLISH_STOP_WORDS) for t in texts]


def test_counts_equal_naive_counting():
    corpus = count_words(TEXTS)
    assert corpus.vocabulary.tolist() == sorted({w for c in naive_counts(TEXTS) for w in c})
    for row, naive in zip(corpus.counts.toarray(), naive_counts(TEXTS), strict=True):
        assert {w: n for w, n in zip(corpus.vocabulary, row, strict=True) if n} == naive


def test_empty_documents_keep_their_row():
    corpus = count_words(TEXTS)
    assert len(corpus) == 4
    assert corpus.lengths[1] == 0


def test_vocabulary_is_by_document_frequency_not_by_count():
    texts = ["rare rare rare rare", "common", "common also", "also common"]
    assert count_words(texts, n_words=1, stop_words=None).vocabulary.tolist() == ["common"]
    ties = count_words(["bbb aaa", "aaa bbb", "ddd ccc"], n_words=3)
    assert ties.vocabulary.tolist() == ["aaa", "bbb", "ccc"]


def test_given_vocabulary_in_its_order():
    corpus = count_words(["mice cats dogs"], vocabulary=["dogs", "birds", "mice"])
    assert corpus.vocabulary.tolist() == ["dogs", "birds", "mice"]
    assert corpus.counts.toarray().tolist() == [[1, 0, 1]]


def test_labels_are_numbered_in_sorted_order():
    corpus = count_words(["cats"] * 3, labels=["b", "a", "b"], keep_texts=True)
    assert corpus.labels.tolist() == [1, 0, 1]
    assert corpus.label_names.tolist() == ["a", "b"]
    assert corpus.texts.tolist() == ["cats"] * 3


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["", "the of and"], "no document has a word left"),
        ("one string", r"pass \[text\]"),
        (["fine", None], "document 1 is NoneType"),
        (["fine", float("nan")], "document 1 is float"),
    ],
)
def test_bad_texts(texts, message):
    with pytest.raises(DataError, match=message):
        count_words(texts)


def test_newsgroup_text_keeps_subject_and_body():
    raw = "From: someone@there\nSubject: Re: about\n  wrapped lines\nOrganization: secret\n\nbody one\n\nbody two"
    assert newsgroup_text(raw) == "Re: about\n  wrapped lines\nbody one\n\nbody two"
    assert newsgroup_text("no headers at all") == "\n"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("name", "file"), [("reuters", "reuters_top9"), ("20news", "20news_bydate")])
def test_prepared_counts_are_reproduced_from_the_texts(name, file, data_folder):
    """The prepared files' stop words differ by a few, and so do a few words at the end of the vocabulary."""
    prepared = load(name)
    with gzip.open(data_folder / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts, labels = [row["text"] for row in rows], np.array([row["label"] for row in rows])
    if name == "20news":
        names = sorted(set(labels))
        numbers = np.searchsorted(names, labels)
        n_train = sum(row["split"] == "train" for row in rows)
        ours = newsgroups_corpus(
            [(texts[:n_train], numbers[:n_train], names), (texts[n_train:], numbers[n_train:], names)]
        )
    else:
        ours = count_words(texts, labels=labels, is_train=[row["split"] == "train" for row in rows])
    assert ours.is_train.tolist() == prepared.is_train.tolist()
    assert (ours.label_names[ours.labels] == prepared.label_names[prepared.labels]).all()
    ours_at, theirs_at = (
        {word: column for column, word in enumerate(corpus.vocabulary)} for corpus in (ours, prepared)
    )
    shared = sorted(ours_at.keys() & theirs_at)
    assert len(shared) > 4980
    difference = ours.counts[:, [ours_at[w] for w in shared]] - prepared.counts[:, [theirs_at[w] for w in shared]]
    assert abs(difference).sum() < 5e-4 * prepared.counts.sum()


def test_of_equally_frequent_words_the_first_of_the_alphabet_are_kept():
    words = sorted({f"{a}{b}{c}" for a in "bcdfghjkl" for b in "mnpqrstvw" for c in "xyzbcdfgh"})
    shuffled = np.random.default_rng(0).permutation(words)
    corpus = count_words([" ".join(shuffled), " ".join(shuffled[:5])], n_words=40, stop_words=None)
    kept = sorted(shuffled[:5])
    assert sorted(corpus.vocabulary.tolist()) == sorted(kept + [word for word in words if word not in kept][:35])


def test_words_of_english_texts_are_the_papers(data_folder):
    """That is, of texts without accents."""
    with gzip.open(data_folder / "20news_bydate.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"].lower() for line in lines][::4]
    texts += [text.lower() for text in python_docs().texts]
    old, new = re.compile(TOKEN), re.compile(WORDS)
    plain = [text for text in texts if text.isascii()]
    assert len(plain) > 5000
    assert all(new.findall(text) == old.findall(text) for text in plain)


def test_stop_words_that_the_pattern_cuts():
    """Documents have the pieces. scikit-learn would warn where they were not left out too."""
    corpus = count_words(["Aujourd'hui l'été commence", "demain aussi"], stop_words=["aujourd'hui", "Aussi"])
    assert corpus.vocabulary.tolist() == ["commence", "demain", "été"]
