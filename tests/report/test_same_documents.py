"""Whether two models carry the same documents, and what is said where they do not."""

from dataclasses import replace

import numpy as np
import pytest

from wideangle.documents import Documents, snippet
from wideangle.report.map_documents import neighbours, shown_documents
from wideangle.report.same_documents import differing_parts, documents_told, same_documents
from wideangle.report.views import PageView

TEXTS = [f"wheat and corn, part {number}" for number in range(12)]
UNRELATED = [f"ships of the port, part {number}" for number in range(12)]
CLASSES = np.arange(12) % 3


def documents(texts=TEXTS, labels=CLASSES, seed=0, **more):
    vectors = np.random.default_rng(seed).random((len(texts), 3))
    return Documents.of(vectors, texts=texts, labels=labels, **more)


def views(*carried):
    names = ("plain", "diverse")
    return [
        PageView(name, "ReplicatedSoftmax", np.eye(3), ["a", "b", "c"], "word", each, None)
        for name, each in zip(names, carried, strict=False)
    ]


def test_the_same_file_twice_is_the_same_whatever_the_models_make_of_it():
    one, other = documents(seed=0), documents(seed=1)
    assert differing_parts(one, other) == []
    both = views(one, other)
    assert same_documents(both)
    assert documents_told(both) == ""
    shown = shown_documents(both)
    assert shown.documents is both[1].documents
    assert all(neighbours(view, shown)["nearest"] is not None for view in both)


@pytest.mark.parametrize(
    ("other", "phrases"),
    [
        (documents(UNRELATED), ["12 of 12 texts differ (the first is that of 'row 1': 'wheat and corn, part 0' and "]),
        (documents([*TEXTS[:11], "x" * 90]), ["1 of 12 texts differs (the first is that of 'row 12': "]),
        (documents(TEXTS[::-1], CLASSES[::-1]), ["12 of 12 texts differ", "8 of 12 labels differ"]),
        (documents(labels=(CLASSES + 1) % 3), ["12 of 12 labels differ (the first is that of 'row 1': '0' and '1')"]),
        (documents(labels=np.append(CLASSES[:11], 0)), ["1 of 12 labels differs"]),
        (documents(labels=None), ["only one has labels"]),
        (Documents.of(np.eye(12), labels=CLASSES), ["only one has texts"]),
        (documents(names=[f"file{n}" for n in range(12)]), ["12 of 12 names differ (the first: 'row 1' and 'file0')"]),
        (documents(TEXTS[:5], CLASSES[:5]), ["their numbers differ, 12 and 5"]),
    ],
    ids=["unrelated", "one", "order", "labels", "label", "unlabelled", "no texts", "names", "fewer"],
)
def test_what_differs_is_said_and_the_map_is_that_of_the_first(other, phrases):
    one = documents()
    found = differing_parts(one, other)
    assert len(found) == len(phrases)
    assert all(said.startswith(phrase) for said, phrase in zip(found, phrases, strict=True))
    both = views(one, other)
    assert not same_documents(both)
    told = documents_told(both)
    assert told.startswith("plain and diverse do not carry the same documents: ")
    assert all(said in told for said in found)
    assert len(told) < 400
    shown = shown_documents(both)
    assert shown.documents is both[0].documents
    assert [shown.holds(view) for view in both] == [True, False]
    assert neighbours(both[1], shown) == {"nearest": None, "found": None}


def test_classes_are_compared_by_name_and_by_number():
    one, other = (documents(labels=CLASSES, label_names=names) for names in (["x", "y", "z"], ["x", "y", "w"]))
    assert differing_parts(one, other)[0].startswith(
        "4 of 12 labels differ (the first is that of 'row 3': 'z' and 'w')"
    )
    renumbered = documents(labels=2 - CLASSES, label_names=["z", "y", "x"])
    assert differing_parts(one, renumbered) == ["their classes have other numbers"]


@pytest.mark.parametrize("first", [True, False])
def test_a_model_without_documents_leaves_the_map_to_the_other(first):
    carried = (documents(), None) if first else (None, documents())
    both = views(*carried)
    name, other = ("plain", "diverse") if first else ("diverse", "plain")
    assert not same_documents(both)
    assert documents_told(both) == f"{other} carries no documents: the map shows those of {name}, as {name} sees them."
    shown = shown_documents(both)
    assert [shown.holds(view) for view in both] == [first, not first]


def test_one_model_or_no_documents_leave_nothing_to_say():
    assert documents_told(views(documents())) == documents_told(views(None, None)) == ""
    assert shown_documents(views(None, None)) is None


def test_rows_of_which_only_names_are_known_are_taken_for_the_same_and_it_is_said():
    both = views(*(Documents.of(np.random.default_rng(seed).random((9, 3))) for seed in (0, 1)))
    assert same_documents(both)
    assert documents_told(both).startswith("The rows of both models have neither texts nor labels.")
    labelled = [replace(view.documents, labels=np.zeros(9, np.int64)) for view in both]
    assert documents_told(views(*labelled)) == ""


def test_a_file_that_keeps_less_of_each_text_has_the_same_documents():
    long = [f"{text} {'and so on ' * 100}" for text in TEXTS]
    new, old = documents(long), documents([snippet(text) for text in long])
    assert len(new.snippets[0]) > len(old.snippets[0])
    assert differing_parts(new, old) == []
    assert differing_parts(new, documents([*long[:11], "another"])) != []
