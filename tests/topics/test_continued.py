"""Topics that go on when documents join."""

import dataclasses

import numpy as np
import pytest
from planted_topics import made, vocabulary

from wideangle.exceptions import DataError
from wideangle.topics import find_topics
from wideangle.topics.continued import continue_topics
from wideangle.topics.found import Described
from wideangle.topics.given import checked_documents

OLD = 4  # groups of which there are documents before


@pytest.fixture(scope="module")
def planted():
    """Documents of five groups. The last group is not among the old documents."""
    rows, counts, which = made(700)
    return rows, counts, which


def before_of(planted, old, n_topics=OLD):
    rows, counts, _ = planted
    return find_topics(rows[old], counts[old], vocabulary(), n_topics=n_topics)


def after(planted, before, old, documents, *, turned=None, shaping=None):
    """The topics that go on; `documents` are the rows that are there afterwards, of which some are old."""
    rows, counts, _ = planted
    rows = rows if turned is None else rows @ turned
    place = np.full(len(rows), -1)
    place[old] = np.arange(len(old))
    corpus, written = checked_documents(
        rows[documents], np.zeros(5), counts[documents], vocabulary(), None, None, None, None
    )
    return continue_topics(
        before,
        Described(corpus, 10, 0.65),
        place[documents],
        written=written,
        shaping=written if shaping is None else written & shaping,
        has_moved=turned is not None,
        centre=np.zeros(5),
    )


def test_documents_of_known_subjects_join_their_topics(planted):
    which = planted[2]
    known = np.flatnonzero(which < OLD)
    old = known[:300]
    before = before_of(planted, old).rename(1, "mine")
    found = after(planted, before, old, known)
    topics = found.topics
    assert found.same == {number: number for number in range(OLD)}
    assert [topic.name for topic in topics] == [topic.name for topic in before]
    assert (topics.of_documents[:300] == before.of_documents).all()
    group = {number: set(which[known][topics.of_documents == number].tolist()) for number in range(OLD)}
    assert sorted(map(tuple, group.values())) == [(0,), (1,), (2,), (3,)]
    assert sum(topic.size for topic in topics) == len(known)


@pytest.mark.parametrize("turns", [False, True])
def test_a_new_subject_is_a_new_topic(planted, turns):
    which = planted[2]
    old = np.flatnonzero(which < OLD)[:300]
    every = np.arange(len(which))
    before = before_of(planted, old)
    turned = np.linalg.qr(np.random.default_rng(0).standard_normal((5, 5)))[0] if turns else None
    found = after(planted, before, old, every, turned=turned)
    topics = found.topics
    assert len(topics) == OLD + 1
    assert found.same == {number: number for number in range(OLD)}
    assert set(which[topics.of_documents == OLD].tolist()) == {4}
    assert topics[OLD].size == (which == 4).sum()
    assert {word[0] for word in topics[OLD].words[:8]} == {"e"}
    assert [topic.name for topic in topics[:OLD]] == [topic.name for topic in before]


def test_a_few_new_documents_are_no_topic(planted):
    which = planted[2]
    old = np.flatnonzero(which < OLD)[:300]
    few = np.flatnonzero(which == 4)[:9]
    assert len(after(planted, before_of(planted, old), old, np.concatenate([old, few])).topics) == OLD


def test_documents_that_shape_no_topics_make_no_new_one(planted):
    which = planted[2]
    old = np.flatnonzero(which < OLD)[:300]
    every = np.arange(len(which))
    found = after(planted, before_of(planted, old), old, every, shaping=which < OLD)
    assert len(found.topics) == OLD
    assert (found.topics.of_documents >= 0).all()


def test_a_topic_without_documents_is_gone(planted):
    which = planted[2]
    old = np.flatnonzero(which < OLD)[:300]
    before = before_of(planted, old)
    group = which[old][before.of_documents == 1][0]
    found = after(planted, before, old, old[which[old] != group], turned=np.eye(5))
    assert found.same == {0: 0, 2: 1, 3: 2}
    assert [topic.name for topic in found.topics] == [before[number].name for number in (0, 2, 3)]


def test_what_was_made_by_hand_goes_on_and_can_be_reset(planted):
    which = planted[2]
    old = np.flatnonzero(which < OLD)[:300]
    before = before_of(planted, old).merge([0, 2]).split(1).rename(2, "kept")
    found = after(planted, before, old, np.arange(len(which))).topics
    assert len(found) == len(before) + 1
    assert found[2].name == "kept"
    shared = found.of_documents[old]
    for number in range(len(before)):
        assert set(shared[before.of_documents == number].tolist()) == {number}
    back = found.reset()
    assert len(back) == OLD + 1
    for topic in back:
        assert len(set(which[back.of_documents == topic.number].tolist())) == 1


def test_one_topic_can_become_two(planted):
    which = planted[2]
    old = np.flatnonzero(which == 0)
    before = before_of(planted, old, n_topics=1)
    found = after(planted, before, old, np.flatnonzero((which == 0) | (which == 4)))
    assert len(found.topics) == 2


def test_without_words_there_are_no_topics(planted):
    rows, counts, which = planted
    old = np.flatnonzero(which < OLD)[:300]
    nothing = rows, np.zeros_like(counts), which
    with pytest.raises(DataError, match="a word"):
        after(nothing, before_of(planted, old), old, old)


def test_names_outlive_further_changes(planted):
    which = planted[2]
    old = np.flatnonzero(which < OLD)[:300]
    before = dataclasses.replace(before_of(planted, old))
    found = after(planted, before, old, np.arange(len(which))).topics
    assert found.merge([0, 1]).reset()[2].name == before[2].name
