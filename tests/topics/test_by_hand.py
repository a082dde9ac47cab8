"""Topics that a user merges and splits."""

import dataclasses

import numpy as np
import pytest
from planted_topics import made, vocabulary

from wideangle.topics import find_topics


@pytest.fixture(scope="module")
def topics():
    rows, counts, which = made()
    return find_topics(rows, counts, vocabulary(), n_topics=5, labels=which, label_names=list("ABCDE"))


def test_merged_topics_are_one(topics):
    found = topics.merge([3, 1])
    before, after = topics.of_documents, found.of_documents
    assert len(found) == 4
    assert set(after[np.isin(before, [1, 3])]) == {1}
    assert found[1].size == topics[1].size + topics[3].size
    # The others are as they were; the last one moved up.
    for old, new in ((0, 0), (2, 2), (4, 3)):
        assert set(after[before == old]) == {new}
        assert dataclasses.replace(found[new], number=old, node=0, nearest=0, angle=0.0) == dataclasses.replace(
            topics[old], node=0, nearest=0, angle=0.0
        )
    letters = {word[0] for word in found[1].words}
    assert letters == {topics[number].words[0][0] for number in (1, 3)}


def test_three_topics_are_merged_at_once(topics):
    found = topics.merge([0, 2, 4])
    assert [topic.size for topic in found] == [
        topics[0].size + topics[2].size + topics[4].size,
        topics[1].size,
        topics[3].size,
    ]


def test_a_split_topic_is_two(topics):
    found = topics.split(1)
    before, after = topics.of_documents, found.of_documents
    assert len(found) == 6
    assert set(after[before == 1]) == {1, 5}
    assert (after[before != 1] == before[before != 1]).all()
    assert found[1].size >= found[5].size > 0


def test_split_undoes_merge(topics):
    again = topics.merge([1, 3]).split(1)
    parts = {frozenset(np.flatnonzero(again.of_documents == topic.number)) for topic in again}
    assert parts == {frozenset(np.flatnonzero(topics.of_documents == topic.number)) for topic in topics}


def test_new_documents_follow_what_was_merged(topics):
    rows, _, _ = made(seed=5)
    found = topics.merge([1, 3])
    expected = np.array([0, 1, 2, 1, 3])[topics.assign(rows).topics]
    assert (found.assign(rows).topics == expected).all()


def test_names_stay(topics):
    found = topics.rename(2, "mine").rename(1, "one").merge([1, 3]).split(0)
    assert found[2].name == "mine"
    assert found[1].name != "one"
    assert found.split(1)[1].name == "one"


def test_reset_goes_back_to_what_was_found(topics):
    changed = topics.merge([1, 3]).split(0).rename(2, "mine").merge([0, 1])
    back = changed.reset()
    assert (back.of_documents == topics.of_documents).all()
    assert [topic.name for topic in back] == ["mine" if topic.number == 2 else topic.name for topic in topics]
    assert back.found is None
    assert topics.reset() is topics


def test_other_numbers_of_topics_start_from_what_was_made(topics):
    rows, counts, _ = made()
    changed = topics.merge([1, 3])
    same = find_topics(rows, counts, vocabulary(), like=changed)
    assert same.items == tuple(dataclasses.replace(topic, classes=()) for topic in changed)
    fewer = find_topics(rows, counts, vocabulary(), n_topics=3, like=changed)
    assert all(len(set(fewer.of_documents[changed.of_documents == number])) == 1 for number in range(4))


@pytest.mark.parametrize("numbers", [[], [1], [1, 1], [0, 5], [-1, 2]])
def test_numbers_that_are_not_there(topics, numbers):
    with pytest.raises(ValueError, match="two topics|topics 0 to 4"):
        topics.merge(numbers)


def test_the_smallest_groups_are_not_split():
    rows, counts, _ = made(40)
    topics = find_topics(rows, counts, vocabulary(), n_topics=5)
    while topics[0].node >= topics.tree.n_leaves:
        topics = topics.split(0)
    with pytest.raises(ValueError, match=r"one of the \d+ smallest groups"):
        topics.split(0)


def test_topics_of_a_file_say_what_to_do(topics):
    bare = dataclasses.replace(topics, described=None)
    for change in (lambda: bare.merge([0, 1]), lambda: bare.split(0), bare.reset):
        with pytest.raises(ValueError, match=r"Take model.topics\(\) instead"):
            change()
