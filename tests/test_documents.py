from dataclasses import replace

import numpy as np
import pytest

import wideangle
from wideangle._alphabets import WORDS as ANY_ALPHABET
from wideangle._encoding import Decoder
from wideangle.documents import Documents, Reading, Strings, snippet
from wideangle.exceptions import DataError

WORDS = ["", "plain", "zwölf Boxkämpfer", "文字", "line\nbreak", "\x00"]


def test_strings_come_back_and_count_from_the_end():
    packed = Strings.of(WORDS)
    assert list(packed) == WORDS
    assert packed[-1] == WORDS[-1]
    assert list(Strings.of([])) == []
    with pytest.raises(IndexError):
        packed[len(WORDS)]


def test_a_lone_surrogate_is_replaced_rather_than_lost_or_fatal():
    assert list(Strings.of(["a\ud800b"])) == ["a?b"]


@pytest.mark.parametrize("text", ["", "short", "word " * 1000, "x" * 5000])
def test_snippets_are_short_single_lines(text):
    short = snippet(text)
    assert len(short) <= 301
    assert "\n" not in short
    assert text.split()[:1] == [] or short.rstrip("…").startswith(text.split()[0][:300])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": [0, 1]}, "there are 3 documents but 2 labels"),
        ({"labels": [0, 1, -2]}, "numbers from 0, or -1 for none; got -2 to 1"),
        ({"labels": [0, 1, 2], "label_names": ["a", "b"]}, "from 0 to 1, or -1 for none; got 0 to 2"),
        ({"texts": ["a"]}, "there are 3 documents but 1 snippets"),
        ({"logits": [[0.5]]}, "there are 3 documents but 1 logits"),
        ({"same_as": [0, 0]}, "there are 3 documents but 2 same_as"),
        ({"same_as": [1, 1, 1]}, "same_as must name"),
        ({"same_as": [0, 0, 1]}, "same_as must name"),
        ({"same_as": [0, -1, 2]}, "same_as must name"),
        ({"same_as": [0, 1, 3]}, "same_as must name"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes, message):
    with pytest.raises(DataError, match=message):
        Documents.of(np.zeros((3, 2)), **changes)


def test_documents_travel_with_the_model_until_it_is_fitted_anew(tmp_path):
    X = np.random.default_rng(0).random((20, 6))
    model = wideangle.BernoulliRBM(3, max_updates=5, random_state=0).fit(X)
    documents = Documents.of(
        model.transform(X),
        texts=["text"] * 20,
        labels=[0, 1] * 10,
        label_names=["a", "b"],
        is_train=[True] * 20,
        same_as=[0, 0, *range(2, 20)],
    )
    reading = Reading("tf-idf", ANY_ALPHABET, rarity=np.arange(1.0, 7.0), language="fr, en", strip_mail=True)
    model.save(tmp_path / "model", documents=documents, reading=replace(reading, repeated=("click here",)))
    again = wideangle.load(tmp_path / "model")
    again.save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "model").read_bytes()
    assert np.array_equal(again.documents_.vectors, documents.vectors)
    assert list(again.documents_.snippets) == ["text"] * 20
    assert list(again.documents_.label_names) == ["a", "b"]
    assert again.documents_.same_as.tolist() == [0, 0, *range(2, 20)]
    assert again.documents_.once.tolist() == [True, False, *[True] * 18]
    assert (again.reading_.kind, again.reading_.token_pattern) == ("tf-idf", ANY_ALPHABET)
    assert (again.reading_.language, again.reading_.strip_mail) == ("fr, en", True)
    assert again.reading_.repeated == ("click here",)
    assert np.array_equal(again.reading_.rarity, np.arange(1.0, 7.0))
    again.fit(X)
    assert not hasattr(again, "documents_")
    assert not hasattr(again, "reading_")


def test_a_reading_of_an_older_file_has_the_choices_of_its_time():
    old = {"kind": "counts", "token_pattern": r"\b[a-z]{3,}\b", "text_column": "text", "label_column": None}
    found = Decoder({}, (Reading,)).decode({"record": "Reading", "fields": {**old, "rarity": None}}, "reading_")
    assert (found.kind, found.ngrams, found.stop_words, found.strip_html) == ("counts", 1, None, False)
    assert found.language is None
    assert (found.strip_mail, found.repeated) == (False, ())


def test_classes_by_name_by_number_or_none():
    vectors = np.eye(3)
    named = Documents.of(vectors, labels=[1, 0, 1], label_names=["grain", "money"])
    assert named.classes.tolist() == ["money", "grain", "money"]
    assert (named.class_of(1), named.class_name(1)) == ("grain", "money")
    numbered = Documents.of(vectors, labels=[1, 0, 7])
    assert (numbered.classes.tolist(), numbered.class_of(2)) == (["1", "0", "7"], "7")
    assert (Documents.of(vectors).classes, Documents.of(vectors).class_of(0)) == (None, None)


def test_a_text_without_spaces_is_cut_at_the_length():
    assert snippet("SQLite " + "数据库" * 200, 100) == ("SQLite " + "数据库" * 200)[:100] + "…"
    assert snippet("word " * 100, 22) == "word word word word…"


def test_of_documents_that_are_the_same_one_that_was_fitted_on_is_chosen():
    same_as = [0, 0, 2, 2, 2, 5]
    assert Documents.of(np.eye(6)).once is None
    assert Documents.of(np.eye(6), same_as=same_as).once.tolist() == [True, False, True, False, False, True]
    held_out = Documents.of(np.eye(6), same_as=same_as, is_train=[False, True, False, False, True, False])
    assert held_out.once.tolist() == [False, True, False, False, True, True]
