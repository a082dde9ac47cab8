"""What the second model changed for each class."""

import json
from dataclasses import replace

import numpy as np
import pytest

from wideangle.documents import Documents
from wideangle.evaluation import class_table, head_and_tail
from wideangle.report import longtail
from wideangle.report.change import change_of
from wideangle.report.longtail import long_tail
from wideangle.report.page import as_json
from wideangle.report.views import PageView


def documents(n=120, seed=0, *, noise=0.5, names="abcdefg", split=True):
    """Classes of falling size around centres of their own; the noise decides how well they are found."""
    labels = np.minimum(np.random.default_rng(0).geometric(0.35, n) - 1, len(names) - 1)
    centres = np.random.default_rng(1).standard_normal((len(names), 4))
    vectors = centres[labels] + noise * np.random.default_rng(seed).standard_normal((n, 4))
    is_train = np.arange(n) % 3 > 0 if split else None
    return Documents.of(vectors, labels=labels, label_names=list(names), is_train=is_train)


def view(documents, name="a"):
    return PageView(name, "ReplicatedSoftmax", np.eye(4), list("wxyz"), "word", documents, None)


def changed(*each, topics=None):
    views = [view(documents) for documents in each]
    tails = [long_tail(documents) for documents in each]
    return change_of(views, tails, [None] * len(each) if topics is None else topics)


def test_each_class_has_its_precision_in_both_models():
    before, after = documents(noise=2.0), documents(noise=0.3)
    found = changed(before, after)
    for which, each in enumerate((before, after)):
        tail = {row.number: row.precision for row in long_tail(each).classes}
        assert {row["class"]: row["precision"][which] for row in found.classes} == tail
    assert [row["name"] for row in found.classes] == ["abcdefg"[row["class"]] for row in found.classes]
    sizes = [row["size"] for row in found.classes]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes == [int((before.labels == row["class"]).sum()) for row in found.classes]
    assert sum(sizes) == 120
    written = json.loads(as_json(found))["classes"]
    assert [{**row, "verdict": None} for row in written] == [{**row, "verdict": None} for row in found.classes]
    assert [row["verdict"] and row["verdict"]["word"] for row in written] == [
        row["verdict"] and row["verdict"].word for row in found.classes
    ]


def test_halves_are_those_of_the_evaluation():
    before, after = documents(noise=2.0), documents(noise=0.3)
    found = changed(before, after)
    for which, each in enumerate((before, after)):
        held_out = ~each.is_train
        apart = ((each.vectors[held_out, None] - each.vectors[None, ~held_out]) ** 2).sum(2)
        stored = each.labels[~held_out]
        same = stored[np.argsort(apart, axis=1)[:, :10]] == each.labels[held_out][:, None]
        table = class_table(each.labels[held_out], same.mean(1), stored, k=10)
        halves = head_and_tail(table)
        assert found.larger[which] == pytest.approx(halves.head.precision, abs=2e-4)
        assert found.rarer[which] == pytest.approx(halves.tail.precision, abs=2e-4)
        assert found.all[which] == pytest.approx(same.mean(), abs=2e-4)
        assert found.rare == halves.tail.classes == sum(row["rare"] for row in found.classes)


def test_precision_over_all_queries_does_not_depend_on_how_many_were_drawn(monkeypatch):
    """Each class counts with all its documents, though of large classes few are drawn."""
    labels = np.repeat([0, 1, 2], [150, 10, 150])
    vectors = np.where(labels == 1, 9.0, 0.0)[
        :, None
    ]  # Classes 0 and 2 lie on one point: half of their nearest are wrong.
    whole = Documents.of(vectors, labels=labels)
    expected = np.average([149 / 299, 0.9], weights=[300, 10])  # The tenth neighbour of class 1 is from afar.
    assert long_tail(whole).precision == pytest.approx(expected, abs=1e-3)
    monkeypatch.setattr(longtail, "MOST_QUERIES", 60)
    assert sum(row.queries for row in long_tail(whole).classes) <= 60
    assert long_tail(whole).precision == pytest.approx(expected, abs=1e-3)


def test_one_model_is_told_in_a_sentence():
    found = changed(documents())
    tail = long_tail(documents())
    assert found.all == [tail.precision]
    assert found.how == tail.how
    larger, rarer = found.larger[0], found.rarer[0]
    assert found.headline == (
        f"Precision at 10: {tail.precision:.2f} over all queries; "
        f"larger half of the classes {larger:.2f}, rarer half {rarer:.2f}"
    )
    assert all(len(row["precision"]) == len(row["own"]) == 1 for row in found.classes)


def test_own_topics_of_rare_classes_are_counted():
    each = documents()
    by_class = each.labels.copy()  # every class has a topic of its own
    together = np.zeros(120, dtype=int)  # one topic of all
    found = changed(each, each, topics=[together, by_class])
    assert found.own == [0, found.rare]
    assert (found.verdict_own.gained, found.verdict_own.lost) == (found.rare, 0)
    assert found.verdict_own.word == "unclear"  # Three of three may be chance.
    assert all(row["own"][1] is True for row in found.classes)
    assert changed(each, each).own == [None, None]
    assert changed(each, each).classes[0]["own"] == [None, None]
    mixed = changed(each, each, topics=[None, np.full(120, -1)])
    assert mixed.own == [None, 0]


def test_topics_of_other_documents_are_refused():
    with pytest.raises(ValueError, match="120 entries"):
        changed(documents(), topics=[np.zeros(3, dtype=int)])


def test_classes_meet_by_name_though_their_numbers_differ():
    before = documents()
    turned = replace(before, labels=6 - before.labels, label_names=list(before.label_names)[::-1])
    found = changed(before, turned)
    assert all(row["precision"][0] == row["precision"][1] for row in found.classes)
    assert [row["name"] for row in found.classes] == ["abcdefg"[row["class"]] for row in found.classes]
    assert found.verdict is None  # The page numbers classes as one model does.


def test_a_class_of_one_model_alone_stays_on_the_list():
    found = changed(documents(), documents(names="abcdefX"))
    rows = {row["name"]: row for row in found.classes}
    assert rows["g"]["precision"][1] is None
    assert (rows["X"]["class"], rows["X"]["precision"][0]) == (None, None)
    assert not rows["g"]["rare"]
    assert not rows["X"]["rare"]
    assert found.rare == 3  # of the six that both have


def test_two_classes_of_one_name_stay_two():
    found = changed(documents(names="abb"), documents(names="abb"))
    assert sorted(row["class"] for row in found.classes) == [0, 1, 2]


def test_where_one_model_has_no_labels_the_other_is_told_alone():
    bare = replace(documents(), labels=None, label_names=None)
    found = changed(bare, documents())
    assert found.all[0] is None
    assert found.rarer[0] is None
    assert found.headline.startswith("Precision at 10")
    assert all(row["precision"][0] is None and row["class"] is not None for row in found.classes)
    assert changed(bare, bare) is None
    assert changed(bare) is None


@pytest.mark.parametrize("names", ["a", "ab"])
def test_few_classes(names):
    found = changed(documents(names=names), documents(names=names))
    assert len(found.classes) == len(names)
    assert found.rare == len(names) - 1
    assert (found.rarer == [None, None]) == (len(names) == 1)


@pytest.mark.parametrize("sizes", [[20, 20, 20, 20], [24, 22, 20, 18]])
def test_classes_of_about_equal_size_have_no_rarer_half(sizes):
    labels = np.repeat(np.arange(4), sizes)
    each = Documents.of(np.random.default_rng(0).standard_normal((len(labels), 4)), labels=labels)
    for found in (changed(each), changed(each, each)):
        assert found.rare == 0
        assert set(found.rarer + found.larger) == {None}
        assert not any(row["rare"] for row in found.classes)
        assert "half" not in found.headline
    assert changed(each).headline == f"Precision at 10: {found.all[0]:.2f} over all queries"


def test_the_headline_counts_the_verdicts_of_the_classes():
    found = changed(documents(noise=3.0), documents(noise=0.3))
    words = [row["verdict"].word for row in found.classes if row["verdict"] is not None]
    better, unclear = words.count("better"), words.count("unclear")
    assert better
    assert unclear  # a class of few documents is not called better, whatever its mean
    assert f"Of {len(words)} classes, {better} {'is' if better == 1 else 'are'} better and {unclear} " in found.headline
    assert found.headline.startswith(f"Precision at 10: {found.all[0]:.2f} → {found.all[1]:.2f}, better (p < 0.001).")
    for row in found.classes:
        before, after = row["precision"]
        if row["verdict"] is not None and row["verdict"].word == "better":
            assert before < after


def test_other_documents_are_not_compared_by_chance():
    before = documents()
    others = replace(documents(noise=3.0), labels=before.labels[::-1])
    found = changed(before, others)
    assert found.verdict is None
    assert all(row["verdict"] is None for row in found.classes)
    assert found.headline.endswith("Not the same documents query both models, so that this may be chance.")
