"""Longer words out of pairs of characters."""

import numpy as np
import pytest

from wideangle._alphabets import WORDS
from wideangle.topics import find_topics
from wideangle.topics.longer_words import LongerWords, readable
from wideangle.topics.telling_words import name_from_words

TEXTS = [
    "数据库连接很快，新的数据库也很快。",
    "打开数据库，读取数据，数据在表中。",
    "大量数据，保存数据，数据安全。",
    "正则表达式匹配字符，编写正则表达式。",
    "表达式的值，正则表达式很难，算术表达式不难。",
    "关闭数据库连接，再打开数据库连接。",
]


@pytest.mark.parametrize(
    ("pair", "word"),
    [
        ("据库", "数据库"),
        ("数据", "数据"),
        ("正则", "正则表达式"),
        ("则表", "正则表达式"),
        ("python", "python"),
        ("未见", "未见"),
    ],
)
def test_pairs_belong_to_longer_words(pair, word):
    assert LongerWords(TEXTS * 3).whole(pair) == word


def test_particles_are_no_part_of_a_word():
    rng = np.random.default_rng(0)
    words = [
        "数据",
        "文件",
        "线程",
        "模块",
        "列表",
        "对象",
        "字典",
        *(chr(0x5000 + n) + chr(0x6000 + n) for n in range(40)),
    ]
    texts = ["".join(word + "的" * int(rng.random() < 0.3) for word in rng.choice(words, 60)) for _ in range(60)]
    longer = LongerWords(texts)
    assert [longer.whole(word) for word in words] == words
    assert readable(["的数", "数据", "据的", "线程"], longer) == ["数据", "线程"]


def test_characters_that_meet_by_chance_are_no_word():
    rng = np.random.default_rng(0)
    characters = [chr(0x5000 + number) for number in range(30)]
    longer = LongerWords(["".join(rng.choice(characters, 300)) for _ in range(30)])
    pair = characters[3] + characters[7]
    assert longer.whole(pair) is None
    assert readable([pair, "python"], longer) == ["python"]
    assert readable([pair], longer) == [pair]  # better than nothing


def test_names_do_not_repeat_a_part_of_a_word():
    assert name_from_words(["数据库", "数据", "据库", "连接", "查询"]) == "数据库, 连接, 查询"


def test_topics_of_chinese_documents_have_readable_names():
    from wideangle.data import count_words

    texts = [*(["数据库连接很快，新的数据库也很快", "打开数据库，读取数据"] * 20), *(["正则表达式匹配字符串"] * 40)]
    corpus = count_words(texts, token_pattern=WORDS)
    vectors = np.eye(2)[[0] * 40 + [1] * 40]
    topics = find_topics(vectors, corpus.counts, corpus.vocabulary, texts=texts, token_pattern=WORDS, n_topics=2)
    names = {topic.name for topic in topics}
    assert any("数据库" in name for name in names)
    assert any("正则表达式" in name for name in names)
    assert not {"据库", "则表", "表达"} & {part for name in names for part in name.split(", ")}
    assert any("正则表达式" in phrase for topic in topics for phrase in topic.phrases)
