"""Topics of documents: found, described, renamed, assigned."""

import numpy as np
import pytest
import scipy.sparse as sp
from planted_topics import GROUPS, WORDS, made, vocabulary

from wideangle.exceptions import DataError
from wideangle.topics import find_topics, group_documents


@pytest.fixture(scope="module")
def topics():
    rows, counts, which = made()
    return find_topics(rows, counts, vocabulary(), n_topics=5, labels=which, label_names=list("ABCDE"))


def test_planted_groups_are_found_with_their_words_and_classes(topics):
    _, _, which = made()
    assert [topic.size for topic in topics] == sorted(np.bincount(which).tolist(), reverse=True)
    for topic in topics:
        (label, count), *others = topic.classes
        assert count == topic.size
        assert not others
        assert {word[0] for word in topic.words[:WORDS]} == {label.lower()}
        assert topic.name == ", ".join(topic.words[:3])


def test_documents_belong_to_the_topics_that_count_them(topics):
    numbers = topics.of_documents
    assert np.bincount(numbers).tolist() == [topic.size for topic in topics]
    for topic in topics:
        assert (numbers[list(topic.central)] == topic.number).all()


def test_central_documents_are_the_closest(topics):
    rows, _, _ = made()
    for topic in topics:
        members = np.flatnonzero(topics.of_documents == topic.number)
        centre = rows[members].mean(axis=0)
        assert topic.central[0] == members[(rows[members] @ centre).argmax()]


def test_of_documents_that_are_alike_one_is_an_example():
    rows, counts, _ = made()
    rows, counts = np.vstack([rows] * 3), np.vstack([counts] * 3)
    for topic in find_topics(rows, counts, vocabulary(), n_topics=5):
        assert len({tuple(rows[row]) for row in topic.central}) == len(topic.central) == 5


def test_without_halves_the_number_is_the_root_of_half_the_documents():
    rows, counts, _ = made(800)
    assert len(find_topics(rows, counts, vocabulary())) == 20


def test_rare_subjects_keep_a_topic_of_their_own():
    rows, counts, which = made(2000, 5, weights=[0.4, 0.3, 0.2, 0.09, 0.01])
    smallest = find_topics(rows, counts, vocabulary(), n_topics=5)[-1]
    assert smallest.size == (which == 4).sum()
    assert {word[0] for word in smallest.words[:5]} == {"e"}


def test_other_numbers_merge_and_split_the_same_tree(topics):
    rows, counts, _ = made()
    three = find_topics(rows, counts, vocabulary(), n_topics=3, like=topics)
    nine = find_topics(rows, counts, vocabulary(), n_topics=9, like=topics)
    assert three.tree is nine.tree is topics.tree
    assert (len(three), len(nine)) == (3, 9)
    assert sum(topic.size for topic in three) == sum(topic.size for topic in nine) == 400
    merged = {(a, b) for a, b in zip(topics.of_documents.tolist(), three.of_documents.tolist(), strict=True)}
    assert len(merged) == 5  # each of the five is in one of the three


def test_a_name_stays_with_its_documents_at_every_level(topics):
    rows, counts, _ = made()
    named = topics.rename(1, "  my\n topic ")
    assert named[1].name == "my topic"
    assert topics[1].name != "my topic"
    again = find_topics(rows, counts, vocabulary(), n_topics=7, like=named)
    back = find_topics(rows, counts, vocabulary(), n_topics=5, like=again)
    assert [topic.name for topic in back] == [topic.name for topic in named]


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_a_name_must_be_one(topics, name):
    with pytest.raises(ValueError, match="1 to 200 letters"):
        topics.rename(0, name)


def test_topics_of_one_name_are_told_apart():
    rows = np.eye(2).repeat(50, axis=0)
    found = find_topics(rows, np.ones((100, 1), int), ["only"], n_topics=2)
    assert [topic.name for topic in found] == ["topic 1", "topic 2"]  # no word speaks for either


def test_new_documents_are_assigned_and_old_ones_stay(topics):
    rows, _, _ = made()
    found = topics.assign(rows)
    assert np.array_equal(found.topics, topics.of_documents)
    assert ((found.sure >= 0) & (found.sure <= 1)).all()
    new, _, which = made(seed=7)
    classes = [topic.classes[0][0] for topic in topics]
    assert [classes[number] for number in topics.assign(new).topics] == ["ABCDE"[group] for group in which]


def test_on_the_border_nothing_is_sure_and_at_a_centre_it_is(topics):
    leaves = topics.tree.centres
    first, second = leaves[topics.tree.cut(5) == topics[0].node], leaves[topics.tree.cut(5) == topics[1].node]
    unit = first[0] / np.linalg.norm(first[0])
    between = first.mean(axis=0) / np.linalg.norm(first.mean(axis=0)) + second.mean(axis=0) / np.linalg.norm(
        second.mean(axis=0)
    )
    sure = topics.assign(np.stack([unit, between, np.zeros(5)])).sure
    assert sure[0] > 0.8 > 0.2 > sure[1] >= sure[2] == 0
    assert topics.assign(np.zeros((1, 5))).topics.tolist() == [-1]


def test_one_topic_is_sure_of_everything():
    rows, counts, _ = made()
    one = find_topics(rows, counts, vocabulary(), n_topics=1)
    assert len(one) == 1
    assert (one[0].size, one[0].nearest, one[0].angle) == (400, None, None)
    assert one[0].words  # the frequent ones
    assert (one.assign(rows).sure == 1).all()


def test_documents_without_words_have_no_topic():
    rows, counts, _ = made()
    rows[:7] = 0
    counts[5:9] = 0
    found = find_topics(rows, counts, vocabulary(), n_topics=4)
    assert (found.of_documents[:9] == -1).all()
    assert sum(topic.size for topic in found) == 391


def test_held_out_documents_do_not_make_groups():
    rows, counts, which = made(1000)
    is_train = which < 4
    found = find_topics(rows, counts, vocabulary(), n_topics=4, is_train=is_train)
    assert found.tree.sizes.sum() == is_train.sum()
    assert sum(topic.size for topic in found) == 1000


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_tiny_corpora(n):
    rows, counts, _ = made(n)
    found = find_topics(rows, counts, vocabulary())
    assert 1 <= len(found) <= n
    assert sum(topic.size for topic in found) == n
    assert len(find_topics(rows, counts, vocabulary(), n_topics=n)) == n


def test_documents_that_are_all_alike_are_one_topic():
    found = find_topics(np.tile([[1.0, 0]], (30, 1)), np.tile([[1, 0, 1]], (30, 1)), ["a", "b", "c"], n_topics=4)
    assert len(found) == 1
    assert set(found[0].words) == {"a", "c"}


def test_other_alphabets():
    rows, counts, _ = made()
    words = [f"слово{number}" if number % 2 else f"文字{number}" for number in range(GROUPS * WORDS)]
    texts = [" ".join(words[w] for w in np.flatnonzero(row)) for row in counts]
    found = find_topics(rows, counts, words, n_topics=5, texts=texts)
    assert all(set(topic.words) <= set(words) for topic in found)
    assert any(topic.phrases for topic in found)


def test_the_same_seed_gives_the_same_topics():
    rows, counts, _ = made()
    first, second = (find_topics(rows, counts, vocabulary(), random_state=3) for _ in range(2))
    assert first.items == second.items


def test_sparse_and_dense_counts_of_any_kind_give_the_same(topics):
    rows, counts, which = made()
    for given in (sp.csr_matrix(counts), sp.csc_array(3.0 * counts), counts.astype(np.float32), counts > 0):
        again = find_topics(rows, given, vocabulary(), n_topics=5, labels=which, label_names=list("ABCDE"))
        assert again.items == topics.items


@pytest.mark.parametrize("value", [0.0, 0.25, 1 / 3])
@pytest.mark.parametrize("centred", [True, False])
def test_documents_that_lie_on_the_centre_are_one_topic(value, centred):
    """Their direction from the centre is 0, or what rounding leaves of it, and yet they have words."""
    rows, counts = np.full((30, 4), value), np.tile([1, 0, 2], (30, 1))
    found = find_topics(rows, counts, ["corn", "bank", "wheat"], centre=rows.mean(axis=0) if centred else None)
    assert [topic.size for topic in found] == [30]
    if value:
        assert (found.assign(rows[:3]).topics == 0).all()


def test_labels_may_be_names():
    rows, counts, which = made()
    found = find_topics(rows, counts, vocabulary(), n_topics=5, labels=np.array(list("ABCDE"))[which])
    assert {topic.classes[0][0] for topic in found} == set("ABCDE")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"counts": np.zeros((400, 40), int)}, "a word"),
        ({"vectors": np.full((400, 5), np.nan)}, "finite numbers"),
        (
            {"vectors": np.ones((399, 5))},
            r"vectors of shape \(399, 5\) and 40 words, but word counts of shape \(400, 40",
        ),
        ({"words": ["a"]}, "1 words, but word counts"),
        ({"n_topics": 0}, "n_topics .*got 0"),
        ({"n_topics": 401}, "1 to 400 topics .*got 401"),
        ({"labels": [0, 1]}, r"400 documents but labels of shape \(2,\)"),
        ({"texts": ["one"]}, "400 documents but 1 texts"),
    ],
)
def test_bad_input_is_named(changes, message):
    rows, counts, _ = made()
    given = {"vectors": rows, "counts": counts, "words": vocabulary()} | changes
    options = {key: given[key] for key in changes if key not in ("vectors", "counts", "words")}
    with pytest.raises(ValueError, match=message):
        find_topics(given["vectors"], given["counts"], given["words"], **options)


def test_vectors_of_another_model_are_not_assigned(topics):
    with pytest.raises(DataError, match=r"5 components.* \(2, 3\)"):
        topics.assign(np.ones((2, 3)))


def test_groups_without_words_are_those_of_the_topics(topics):
    rows, _, _ = made()
    rows[0] = 0
    groups = group_documents(rows, 5)
    assert groups[0] == -1
    pairs = {(a, b) for a, b in zip(groups[1:].tolist(), topics.of_documents[1:].tolist(), strict=True)}
    assert len(pairs) == 5


def test_a_notebook_shows_them_as_text_only():
    rows = np.eye(2).repeat(50, axis=0)
    found = find_topics(rows, np.eye(2, dtype=int).repeat(50, axis=0), ["<img src=x>", "b"], n_topics=2)
    assert "<img" not in found._repr_html_()
    assert "&lt;img" in found._repr_html_()
    assert repr(found).startswith("<2 topics: ")


@pytest.mark.slow
def test_a_hundred_thousand_documents():
    rows, counts, which = made(100_000)
    found = find_topics(rows, sp.csr_array(counts), vocabulary(), n_topics=5, labels=which)
    assert sorted(topic.size for topic in found) == sorted(np.bincount(which).tolist())


def with_repeats(n_copies=300):
    """The planted groups, and many copies of one document of the first of them that has a word of its own."""
    rows, counts, which = made()
    one = int(np.flatnonzero(which == 0)[0])
    counts = np.column_stack([counts, np.arange(len(counts)) == one])
    copied = np.concatenate([np.arange(len(rows)), np.full(n_copies, one)])
    once = np.arange(len(copied)) < len(rows)
    return rows[copied], counts[copied], [*vocabulary(), "copied"], once, one


def test_documents_that_repeat_another_do_not_shape_topics_but_are_counted():
    rows, counts, words, once, one = with_repeats()
    alone = find_topics(rows[once], counts[once], words, n_topics=5)
    found = find_topics(rows, counts, words, n_topics=5, once=once)
    assert np.array_equal(found.tree.centres, alone.tree.centres)
    assert {topic.words for topic in found} == {topic.words for topic in alone}
    sizes = {topic.words: topic.size for topic in alone}
    holds = found.of_documents[one]
    assert [topic.size - sizes[topic.words] for topic in found] == [300 * (topic.number == holds) for topic in found]
    assert (found.of_documents[~once] == holds).all()
    assert all(once[list(topic.central)].all() for topic in found)
    kept = find_topics(rows, counts, words, n_topics=5)
    assert any("copied" in topic.words for topic in kept)
    assert not any("copied" in topic.words[:3] for topic in found)


def test_the_number_of_topics_is_found_without_repeats():
    rows, counts, words, once, _ = with_repeats()
    assert len(find_topics(rows, counts, words, once=once)) == len(find_topics(rows[once], counts[once], words))


def test_there_are_no_more_topics_than_different_documents():
    rows, counts, _ = made(12)
    once = np.arange(12) < 4
    with pytest.raises(DataError, match="there can be 1 to 4 topics"):
        find_topics(rows, counts, vocabulary(), n_topics=5, once=once)
    assert sum(topic.size for topic in find_topics(rows, counts, vocabulary(), n_topics=4, once=once)) == 12
