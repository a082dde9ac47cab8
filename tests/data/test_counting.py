"""Words are counted as scikit-learn counts them by the regular expression, to the last word and the last count."""

import gzip
import json
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from languages import SENTENCES, WORDS_OF
from sklearn.feature_extraction.text import CountVectorizer

from wideangle._alphabets import WORDS, folded
from wideangle.data import Document, count_words, write_counts
from wideangle.data.counting import letters, tally, words
from wideangle.data.counting.counter import WordCounter
from wideangle.data.counting.letters import RULES, TOKEN, Alphabet, depends_on_context
from wideangle.data.counting.numbering import Numbering
from wideangle.data.text import newsgroup_text
from wideangle.exceptions import DataError

FILES = ["20news_bydate", "reuters_top9", "pydocs_fr", "pydocs_es", "pydocs_zh_cn"]
STOP = ["the", "und", "les", "数据", "für"]
# Parts of words of many scripts, in one form and in others, what stands between words, and what makes a name of a word.
PARTS = [
    "a",
    "bc",
    "The",
    "und",
    "FÜR",
    "é",
    "e\u0301",
    "Σ",
    "ΟΔΟΣ",
    "ß",
    "ẞ",
    "İ",
    "ı",
    "ж",
    "Объ",
    "ﬁ",
    "Ａ",
    "，",
    "ﾃ",
    "ﾞ",
]
PARTS += [
    "数",
    "据",
    "库",
    "の",
    "가",
    "\u1112\u1161\u11ab",
    "ก",
    "็",
    "ข้",
    "घ",
    "ि",
    "र",
    "ن",
    "ِ",
    "ש",
    "\U00020000",
    "𝐛",
    "😀",
]
PARTS += [
    "1",
    "٣",
    "_",
    "'",
    "’",
    "-",
    " ",
    "\n",
    "\t",
    "\0",
    "\x1c",
    "\x85",
    "\xa0",
    "\u2028",
    "\xad",
    "\u200d",
    "\ufeff",
]
PARTS += ["²", "½", "।", "。", "\ud800", "\u0307", "Å", "\u212b", "x" * 9, "y" * 45, "ü" * 30, "数a", "a数"]
some_text = st.lists(st.sampled_from(PARTS), max_size=25).map("".join) | st.text(max_size=30)
some_texts = st.lists(some_text, min_size=1, max_size=6)


def by_scikit_learn(texts, pattern, **settings):
    """Counts and words by the pattern itself, and nothing that is quicker."""
    counter = CountVectorizer(
        preprocessor=folded, tokenizer=re.compile(pattern).findall, token_pattern=None, lowercase=False, **settings
    )
    return counter.fit_transform(texts), counter.get_feature_names_out().tolist()


def assert_same(texts, pattern, ngrams=1, stop_words=None, **limits):
    """With all words, and with those that a few documents have."""
    settings = {"token_pattern": pattern, "ngrams": ngrams, "stop_words": stop_words, **limits}
    try:
        expected, names = by_scikit_learn(texts, pattern, ngram_range=(1, ngrams), stop_words=stop_words, **limits)
    except ValueError:
        with pytest.raises(DataError, match="no document has|no word is"):
            count_words(texts, n_words=None, **settings)
        return
    corpus = count_words(texts, n_words=None, **settings)
    assert corpus.vocabulary.tolist() == names
    assert corpus.counts.shape == expected.shape
    assert (corpus.counts != expected).nnz == 0
    # Of equally frequent words the first of the alphabet.
    few = max(len(names) // 3, 1)
    frequency = np.bincount(expected.indices, minlength=len(names))
    chosen = sorted(sorted(range(len(names)), key=lambda column: (-frequency[column], names[column]))[:few])
    corpus = count_words(texts, n_words=few, **settings)
    assert corpus.vocabulary.tolist() == [names[column] for column in chosen]
    assert (corpus.counts != expected[:, chosen]).nnz == 0


def texts_of(data_folder, name, step=1):
    with gzip.open(data_folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines][::step]
    return [newsgroup_text(text) for text in texts] if name.startswith("20news") else texts


@pytest.mark.parametrize("pattern", [WORDS, TOKEN], ids=["any alphabet", "a to z"])
@pytest.mark.parametrize("name", FILES)
def test_real_texts(name, pattern, data_folder):
    assert_same(texts_of(data_folder, name, 4), pattern)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [WORDS, TOKEN], ids=["any alphabet", "a to z"])
@pytest.mark.parametrize("name", FILES)
def test_all_real_texts(name, pattern, data_folder):
    assert_same(texts_of(data_folder, name), pattern)


@pytest.mark.parametrize("name", FILES)
def test_neighbours_in_real_texts(name, data_folder):
    assert_same(texts_of(data_folder, name, 40), WORDS, ngrams=3, stop_words=["the", "and", "les", "los"])
    assert_same(texts_of(data_folder, name, 20), WORDS, ngrams=2, min_df=3, max_df=0.5)


@pytest.mark.parametrize("pattern", [WORDS, TOKEN], ids=["any alphabet", "a to z"])
@settings(max_examples=300, deadline=None)
@given(texts=some_texts, ngrams=st.integers(1, 3), stops=st.booleans())
def test_texts_of_many_alphabets(pattern, texts, ngrams, stops):
    assert_same(texts, pattern, ngrams, STOP if stops else None)


@settings(max_examples=150, deadline=None)
@given(
    texts=some_texts,
    fewest=st.integers(1, 3) | st.floats(0, 1),
    most=st.integers(1, 6) | st.floats(0, 1),
    ngrams=st.integers(1, 2),
)
def test_limits_of_document_frequency(texts, fewest, most, ngrams):
    assert_same(texts, WORDS, ngrams, min_df=fewest, max_df=most)


@pytest.mark.parametrize("pattern", [WORDS, TOKEN, r"\b\w+\b"], ids=["any alphabet", "a to z", "of a user"])
@settings(max_examples=150, deadline=None)
@given(texts=some_texts, others=some_texts, ngrams=st.integers(1, 3), stops=st.booleans())
def test_a_given_vocabulary(pattern, texts, others, ngrams, stops):
    """Words in a row of the vocabulary are found, and those that no text can have stay empty."""
    stop_words = STOP if stops else None
    given_words = sorted(
        {"quite new", "new", "a  b", "c++", *WordCounter(pattern, stop_words, ngrams).terms(" ".join(texts))}
    )
    given_words = given_words[::-2]
    counter = WordCounter(pattern, stop_words, ngrams, vocabulary=given_words)
    for part in (others, texts, others):  # What is remembered of one call changes no other.
        expected, _ = by_scikit_learn(
            part, pattern, ngram_range=(1, ngrams), stop_words=stop_words, vocabulary=given_words
        )
        assert (counter.transform(part) != expected).nnz == 0


@settings(max_examples=100, deadline=None)
@given(texts=some_texts, block=st.integers(1, 60), tokens=st.integers(1, 30), keys=st.integers(0, 20))
def test_blocks_and_forgotten_tables_change_nothing(texts, block, tokens, keys):
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(tally, "BLOCK", block)
        changed.setattr(tally, "MOST_TOKENS", tokens)
        changed.setattr(words, "MOST_KEYS", keys)
        assert_same(texts * 2, WORDS, ngrams=2)


@settings(max_examples=50, deadline=None)
@given(texts=some_texts)
def test_more_letters_than_numbers(texts):
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(letters, "LAST", 10)
        assert_same([*texts, "жук лес"], WORDS)


@pytest.mark.slow
def test_every_character_of_unicode():
    """All in one document, which are too many letters, and in documents of their own, beside letters and alone."""
    every = [chr(code) for code in range(0x110000)]
    assert_same(["".join(every)], WORDS)
    few = every[:0x3400] + every[0xA000:0xAC40] + every[0xF8F0:0x1FC00:3]
    assert_same([f"abc{character} x{character}yz {character * 3}" for character in few], WORDS)
    assert_same([f"abc{character} x{character}yz {character * 3}" for character in few[::5]], TOKEN)


def test_characters_that_fold_alone_do_so_in_every_text():
    """None of them is the second of two that are composed, and none is folded by what stands beside it."""
    seconds = set()
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            seconds.add(chr(int(parts[1], 16)))
    assert len(seconds) > 50
    assert all(map(depends_on_context, seconds))
    alone = [chr(code) for code in range(0x110000) if not depends_on_context(chr(code))]
    assert len(alone) > 50_000
    assert folded("".join(alone)) == "".join(map(folded, alone))
    assert folded("".join(alone[::-1])) == "".join(map(folded, alone[::-1]))


def test_sentences_of_many_languages():
    texts = [text for sentences in SENTENCES.values() for text in sentences] + list(WORDS_OF)
    for form in ("NFC", "NFD", "NFKD"):
        assert_same([unicodedata.normalize(form, text) for text in texts], WORDS, ngrams=2)
    assert_same([text.upper() for text in texts], WORDS)


@pytest.mark.parametrize("length", [*range(1, 50), 5000])
def test_words_of_every_length(length):
    """Those that share a beginning are told apart."""
    short, wide = "ab" * length, "аб" * length
    texts = [
        short[:length],
        short[: length - 1] + "z",
        short[: length + 1],
        wide[:length],
        f"数据 {wide[: length + 1]}",
    ]
    assert_same([*texts, *texts[:2], "".join(texts)], WORDS)


@pytest.mark.parametrize("texts", [["", "", "abc"], ["abc def", ""], [" ", "\0abc\0", "abc"], ["abc"] * 3])
def test_empty_documents_keep_their_row(texts):
    assert_same(texts, WORDS, ngrams=2)


def test_counts_on_disk_and_new_documents_are_counted_alike(tmp_path):
    texts = [text for sentences in SENTENCES.values() for text in sentences] * 2
    expected, names = by_scikit_learn(texts, WORDS, ngram_range=(1, 2), stop_words=STOP, min_df=2)
    made = [Document(text, None, str(number)) for number, text in enumerate(texts)]
    options = {"n_words": 10**6, "stop_words": STOP, "ngrams": 2, "min_df": 2}
    counts = write_counts(made, tmp_path / "counts", **options)
    assert counts.vocabulary.tolist() == names
    assert (counts[:] != expected).nnz == 0
    again = count_words(texts, vocabulary=names, ngrams=2, stop_words=STOP)
    assert (again.counts != expected).nnz == 0


@pytest.mark.parametrize("limit", [0, -1, 1.5, -0.1])
@pytest.mark.parametrize("name", ["min_df", "max_df"])
def test_limits_that_make_no_sense(name, limit):
    with pytest.raises(ValueError, match=f"{name} must be a whole number of documents"):
        count_words(["cats chase mice"], **{name: limit})


def test_capital_letters_in_a_vocabulary():
    with pytest.warns(UserWarning, match="have capital letters"):
        corpus = count_words(["Cats chase cats"], vocabulary=["Cats", "cats"])
    assert corpus.counts.toarray().tolist() == [[0, 2]]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 300), max_size=200), max_size=8))
def test_keys_keep_their_numbers(parts):
    numbering, known = Numbering(), {}
    for part in parts:
        keys = np.array(part, dtype=np.uint64)
        assert numbering.find(keys).tolist() == [known.get(key, -1) for key in part]
        for key, number in zip(part, numbering.add(keys).tolist(), strict=True):
            assert known.setdefault(key, number) == number
        assert sorted(known.values()) == list(range(len(numbering)))
        assert [known[key] for key in numbering.keys.tolist()] == list(range(len(numbering)))


def test_letters_of_ascii_have_their_own_numbers():
    """So that words of a to z have one key, whatever else a document has."""
    alphabet = Alphabet(RULES[WORDS])
    numbers = alphabet.numbers("".join(map(chr, range(0x370, 0x600))) + "az", is_folded=True)
    assert numbers[-2:].tolist() == [ord("a"), ord("z")]
    assert len(set(numbers.tolist()) & set(range(ord("a"), ord("z") + 1))) == 2
