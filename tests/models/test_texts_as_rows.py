"""Texts where an estimator takes rows of numbers: the error says how their words are counted."""

import numpy as np
import pandas as pd
import pytest
from small_models import small

from wideangle.catalogue import entries
from wideangle.data import count_words
from wideangle.exceptions import DataError
from wideangle.models import ReplicatedSoftmax

TEXTS = ["wheat corn wheat", "ship port harbour", "corn wheat barley", "port ship cargo"]
FORMS = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "array": np.array(TEXTS),
    "objects": np.array(TEXTS, dtype=object),
    "column": np.array(TEXTS)[:, None],
    "series": pd.Series(TEXTS),
    "series of strings": pd.Series(TEXTS, dtype="string"),
    "table": pd.DataFrame({"text": TEXTS}),
    "lists": [[text] for text in TEXTS],
    "after a gap": [None, *TEXTS],
    "other alphabets": ["пшеница и зерно", "小麦 玉米", "σιτάρι"],
}
SAID = r"from wideangle.data import count_words; corpus = count_words\(texts\); model.fit\(corpus.counts\)"
LATER = r"from wideangle.data import count_words; count_words\(texts, vocabulary=corpus.vocabulary\).counts"


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_estimator_says_what_to_write(entry):
    with pytest.raises(DataError, match=f"such as 'wheat corn wheat', and {entry.name} takes rows.*{SAID}"):
        small(entry).fit(TEXTS, np.array([0, 1, 0, 1]))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_texts(form):
    with pytest.raises(DataError, match=SAID):
        ReplicatedSoftmax(2).fit(FORMS[form])


def test_a_single_string():
    with pytest.raises(DataError, match=f"X is one string, 'wheat corn', .*Put documents into a list: {SAID}"):
        ReplicatedSoftmax(2).fit("wheat corn")


def test_a_long_text_is_cut():
    with pytest.raises(DataError, match="'wheat wheat .{20,40}…'"):
        ReplicatedSoftmax(2).fit(["wheat " * 1000])


@pytest.mark.parametrize("name", ["ReplicatedSoftmax", "LSI", "BernoulliRBM", "MLPClassifier", "DistanceLearner"])
def test_new_texts_need_the_vocabulary_of_the_fit(name):
    entry = next(entry for entry in entries() if entry.name == name)
    corpus = count_words(TEXTS)
    model = small(entry, 2).fit(np.minimum(corpus.counts.toarray(), 1), np.array([0, 1, 0, 1]))
    with pytest.raises(DataError, match=f"{name} takes rows of numbers.*{LATER}"):
        model.transform(TEXTS)
    counted = count_words(TEXTS, vocabulary=corpus.vocabulary).counts  # what the error says
    assert model.transform(np.minimum(counted.toarray(), 1)).shape[0] == 4


def test_what_the_error_says_works():
    corpus = count_words(TEXTS)
    model = ReplicatedSoftmax(2, max_updates=3, random_state=0)
    assert model.fit(corpus.counts).transform(corpus.counts).shape == (4, 2)


@pytest.mark.parametrize("X", [[["1", "2"], ["3", "4"]], np.array([["1", "2"], ["3", "4"]])], ids=["lists", "array"])
def test_digits_are_left_to_scikit_learn(X):
    assert ReplicatedSoftmax(1, max_updates=2, random_state=0).fit(X).n_features_in_ == 2
