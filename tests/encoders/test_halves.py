"""Halves of texts: each word in one of them, by a fair coin, in all scripts."""

import re
from collections import Counter

import numpy as np
import pytest
from languages import SENTENCES
from own_encoder import Threes, some_texts

from wideangle.encoders import cached, encode_halves, encoder_of
from wideangle.encoders.halves import split_text


@pytest.mark.parametrize("language", SENTENCES)
def test_all_that_is_written_is_in_one_of_the_halves(language):
    text = SENTENCES[language] if isinstance(SENTENCES[language], str) else " ".join(SENTENCES[language])
    for seed in range(5):
        both = "".join(split_text(text, seed))
        assert Counter(re.sub(r"\s", "", both)) == Counter(re.sub(r"\s", "", text))


def test_words_keep_their_order_and_their_signs():
    text = "one, two three. Four (five) six-seven: eight"
    words = text.split()
    for seed in range(20):
        for half in split_text(text, seed):
            places = [words.index(word) for word in half.split()]
            assert places == sorted(places)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我爱北京天安门", {"我爱", "北京", "天安", "门"}),
        ("データベース", {"デー", "タベ", "ース"}),
        ("ภาษาไทย", {"ภา", "ษา", "ไท", "ย"}),
        ("한국어 배웁니다", {"한국", "어", "배웁", "니다"}),
    ],
)
def test_scripts_without_spaces_are_parted_between_pairs_of_characters(text, words):
    joined = "|".join(sorted(words, key=len, reverse=True))
    halves = {half for seed in range(40) for half in split_text(text, seed)}
    assert all(re.fullmatch(rf"(?:{joined}|\s)*", half) for half in halves)
    assert words <= halves | {word for half in halves for word in half.split()} | set().union(
        *(re.findall(joined, half) for half in halves)
    )
    assert len(halves) > 4


def test_words_of_other_scripts_do_not_run_together():
    halves = {half for seed in range(40) for half in split_text("Java 爱Python 语言", seed)}
    assert "Java Python" in halves
    assert not any("JavaPython" in half for half in halves)


def test_the_coin_is_fair():
    words = [str(number) for number in range(200)]
    first = np.zeros(200)
    for seed in range(400):
        first[[int(word) for word in split_text(" ".join(words), seed)[0].split()]] += 1
    assert abs(first.mean() - 200) < 4 * np.sqrt(0.25 * 400 / 200)
    assert np.all(abs(first - 200) < 5 * 10)  # five standard deviations of a fair coin thrown 400 times


def test_vectors_are_those_of_the_halves():
    texts = ["one", *some_texts(30), "", "a .", "two words"]
    encoder = encoder_of(Threes())
    first, second, which = encode_halves(encoder, texts, seed=1)
    assert set(range(1, 31)) <= set(which.tolist()) <= {*range(1, 31), 33}
    for one, other, number in zip(first, second, which, strict=True):
        halves = split_text(texts[number], 1)
        assert np.array_equal(np.vstack([one, other]), encoder.encode(halves))


def test_halves_do_not_depend_on_other_texts_but_on_the_seed(tmp_path):
    texts, own = some_texts(40), Threes()
    encoder = cached(own, tmp_path)
    first, _, which = encode_halves(encoder, texts, seed=0)
    assert len(which) == 40
    own.asked.clear()
    again, _, _ = encode_halves(encoder, texts[::-1], seed=0)
    assert np.array_equal(again, first[::-1])
    assert own.asked == []
    assert not np.array_equal(encode_halves(encoder, texts, seed=1)[0], first)


@pytest.mark.parametrize("seed", range(8))
def test_signs_alone_are_no_half(seed):
    assert encode_halves(encoder_of(Threes()), ["one ?!", ". a"], seed)[2].tolist() == []


def test_no_text_has_two_halves():
    first, second, which = encode_halves(encoder_of(Threes()), ["", "one", "?!"], seed=0)
    assert first.shape == second.shape == (0, 32)
    assert which.tolist() == []


@pytest.mark.parametrize(("texts", "seed"), [("one text", 0), (["a"], -1), (["a"], 0.5), ([None], 0)])
def test_wrong_arguments(texts, seed):
    with pytest.raises((TypeError, ValueError), match="must"):
        encode_halves(encoder_of(Threes()), texts, seed)
