"""The guess of a language, and stop words."""

import sys

import numpy as np
import pytest
from languages import SENTENCES
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from wideangle.data import Document, count_words, write_counts
from wideangle.data.languages import (
    MOST_TEXTS,
    Beginnings,
    guess_language,
    language_code,
    language_name,
    stop_words_of,
)
from wideangle.data.text import counted
from wideangle.exceptions import DataError, NoWordsError

# The package stop-words for Python 3.10 has fewer lists.
FEWER_LISTS = pytest.mark.skipif(sys.version_info < (3, 11), reason="stop-words has this list from Python 3.11 on")

CODE = ["x = compute(y)", "buf[i] += stride * n", "return foldr(acc)", "int main(void) { puts(argv); }"]
LOGS = ["2024-01-07 12:00:01 WARN net.eth0 link lost", "kernel: usb 1-1 reset", "nginx POST /index.html 200 512 curl"]
PRODUCTS = ["SKU-8842 bolt M8x40 zinc", "SKU-8843 nut M8 zinc", "SKU-1299 cable USB black 2m"]


@pytest.mark.parametrize("language", SENTENCES)
def test_languages_of_sentences(language):
    assert guess_language(SENTENCES[language]).languages == (language,)
    assert guess_language(reversed(SENTENCES[language] * 5)).languages == (language,)


@pytest.mark.parametrize("language", sorted(set(SENTENCES) - {"zh", "ja", "th"}))
def test_languages_of_titles(language):
    titles = [" ".join(text.split()[start : start + 5]) for text in SENTENCES[language] for start in (0, 4)]
    assert guess_language(titles).languages == (language,)


@pytest.mark.parametrize("texts", [CODE, LOGS, PRODUCTS], ids=["code", "logs", "products"])
def test_what_is_in_no_language(texts):
    assert guess_language(texts * 10).languages == ()
    assert counted(texts * 10)[1].words == ()


@pytest.mark.parametrize("texts", [[], [""], ["😀😀"], ["12 34", "5.6"], ["", " \n"]])
def test_texts_without_words(texts):
    guess = guess_language(texts)
    assert (guess.languages, guess.n_words, guess.is_sure) == ((), 0, False)
    with pytest.raises(NoWordsError):
        count_words(texts)


def test_collections_in_several_languages():
    many = [*SENTENCES["fr"] * 6, *SENTENCES["en"] * 3, *SENTENCES["zh"] * 2]
    for texts in (many, many[::-1]):
        assert guess_language(texts).languages == ("fr", "en", "zh")
    _, left_out = counted(many)
    assert set(left_out.words) == {*stop_words_of("fr"), *stop_words_of("en"), *stop_words_of("zh")}
    few = [*SENTENCES["fr"] * 20, *SENTENCES["de"]]
    assert guess_language(few).languages == ("fr",)


def test_latin_names_in_other_scripts_do_not_matter():
    texts = [f"{text} Python NumPy API" for text in SENTENCES["zh"] + SENTENCES["ru"]]
    assert set(guess_language(texts).languages) == {"zh", "ru"}


def test_little_text_is_taken_for_english():
    corpus, left_out = counted(["the wheat", "corn and barley"])
    assert corpus.vocabulary.tolist() == ["barley", "corn", "wheat"]
    assert (left_out.languages, left_out.is_sure) == (("en",), False)


@pytest.mark.parametrize(
    "language", [pytest.param(code, marks=FEWER_LISTS) if code == "ko" else code for code in SENTENCES]
)
@pytest.mark.parametrize("ngrams", [1, 2])
def test_stop_words_go_whether_before_or_after_counting(language, ngrams):
    found = count_words(SENTENCES[language], ngrams=ngrams)
    named = count_words(SENTENCES[language], ngrams=ngrams, stop_words=stop_words_of(language))
    assert found.vocabulary.tolist() == named.vocabulary.tolist()
    np.testing.assert_array_equal(found.counts.toarray(), named.counts.toarray())
    assert not set(found.vocabulary) & set(stop_words_of(language))
    assert len(found.vocabulary) < len(count_words(SENTENCES[language], ngrams=ngrams, stop_words=None).vocabulary)


@pytest.mark.parametrize("language", ["de", "zh"])
def test_counts_on_disk_leave_out_the_same(language, tmp_path):
    documents = [Document(text, None, "") for text in SENTENCES[language]]
    counts = write_counts(documents, tmp_path / "counts")
    assert counts.vocabulary.tolist() == count_words(SENTENCES[language]).vocabulary.tolist()


def test_lists():
    assert set(stop_words_of("en")) == ENGLISH_STOP_WORDS
    assert {"für", "über", "daß"} <= set(stop_words_of("de"))
    assert {"qu", "été", "même", "d"} <= set(stop_words_of("fr"))
    assert {"şey", "için", "altı"} <= set(stop_words_of("tr"))  # The package has them in a wrong encoding.
    assert {"και", "είναι", "στους"} <= set(stop_words_of("el"))  # The package has ancient Greek.
    assert {"我们", "可以", "還是"} <= set(stop_words_of("zh"))
    assert all(word == word.strip("\"', ") and " " not in word for word in stop_words_of("he") + stop_words_of("vi"))
    assert len(stop_words_of("cs")) > 100  # Its code has differed between versions of the package.


@FEWER_LISTS
def test_lists_of_newer_versions_of_the_package():
    assert "את" in stop_words_of("he")


def test_names_and_codes():
    assert (language_code("FR"), language_code("French"), language_code("thai")) == ("fr", "fr", "th")
    assert (language_name("zh"), language_name("xx")) == ("Chinese", "xx")
    assert (language_code("czech"), language_code("korean")) == ("cs", "ko")
    with pytest.raises(DataError, match="'klingon'.*auto, none.*zh"):
        language_code("klingon")


def test_beginnings_are_spread_over_all_texts():
    beginnings = Beginnings()
    texts = [f"{number} {'x' * 1000}" for number in range(5 * MOST_TEXTS)]
    assert list(beginnings.passed(texts)) == texts
    numbers = [int(text.split()[0]) for text in beginnings.kept]
    assert MOST_TEXTS // 2 <= len(numbers) <= MOST_TEXTS
    assert len(set(np.diff(numbers))) == 1
    assert numbers[-1] > 0.99 * len(texts)


def test_a_language_at_the_end_of_a_long_file_is_seen():
    texts = SENTENCES["en"] * 1000 + SENTENCES["de"] * 1000
    assert set(guess_language(texts).languages) == {"en", "de"}
