"""What a word is in texts of any alphabet, and that documents and queries agree on it."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from languages import SENTENCES, WORDS_OF

from wideangle import _alphabets as alphabets
from wideangle._alphabets import WORDS, find_words, folded, is_pair
from wideangle.data import python_docs
from wideangle.data.text import count_words
from wideangle.documents import Reading
from wideangle.reading import read_query

EVERY = [text for sentences in SENTENCES.values() for text in sentences]
# Letters of many scripts, signs on them, digits and what stands between words.
PARTS = ["abc", "Ünd", "ab", "数", "据", "デ", "ก", "็", "가", "घर", "ि", "ن", "é", "e\u0301", "İ", "ẞ", "ﬁ", "Ａ"]
PARTS += ["12", "_", " ", "’", "-", "\n", "\xad", "\u200d", "😀", "\ufe0f", "²", "।", "。", "\u1112\u1161\u11ab", "Σ"]
mixed = st.lists(st.sampled_from(PARTS), max_size=20).map("".join)


def words_of(text):
    return find_words(WORDS)(folded(text))


@pytest.mark.parametrize(("text", "words"), WORDS_OF.items())
def test_words_of_many_scripts(text, words):
    assert words_of(text) == words


@settings(max_examples=500, deadline=None)
@given(mixed)
def test_the_quick_way_finds_what_the_pattern_finds(text):
    assert words_of(text) == re.findall(WORDS, folded(text))


@settings(max_examples=300, deadline=None)
@given(mixed)
def test_composed_and_decomposed_letters_give_the_same_words(text):
    assert words_of(unicodedata.normalize("NFD", text)) == words_of(unicodedata.normalize("NFC", text))


@settings(max_examples=300, deadline=None)
@given(mixed, mixed)
def test_words_do_not_depend_on_the_texts_beside(text, other):
    assert words_of(f"{text}\n{other}") == words_of(text) + words_of(other)


@settings(max_examples=200, deadline=None)
@given(mixed)
def test_folding_again_changes_no_word(text):
    assert words_of(folded(text)) == words_of(text)


@pytest.mark.parametrize("text", EVERY, ids=range(len(EVERY)))
def test_every_word_is_found_by_a_query_of_itself(text):
    vocabulary = sorted(set(words_of(text)))
    assert len(vocabulary) > 5
    for word in vocabulary:
        for written in (word, word.upper(), unicodedata.normalize("NFD", word)):
            found = read_query(written, Reading("counts", WORDS, stop_words=()), vocabulary)
            assert word in found.known


def test_the_embedded_corpus_has_the_papers_words():
    corpus = python_docs()
    assert all(re.fullmatch("[a-z]{3,}", word) for word in corpus.vocabulary)


def test_every_letter_and_every_sign_on_one_belongs_to_a_word():
    """Apart from signs for formulas, music and tones, and from the selectors of variants."""
    inside = re.compile(f"{alphabets.LETTER}|[{alphabets.ALONE}{alphabets.SIGNS}]")
    left_out = {
        block
        for code in range(0x110000)
        if unicodedata.category(chr(code))[0] in "LM" and not inside.match(chr(code))
        for block in [code >> 8]
    }
    assert left_out <= {0x0F, 0x17, 0x20, 0x21, 0x2E, 0x30, 0xFE, 0x1D1, 0x1D2, 0xE01}


def test_no_punctuation_of_living_scripts_belongs_to_a_word():
    letter = re.compile(alphabets.LETTER)
    signs = "।॥،؛؟۔·;«»„“”‘’…–—¿¡、。「」・٪№€₹©²½־׃։՞၊။៖។๏๚"
    assert [sign for sign in signs if letter.match(sign)] == []


def test_pairs_are_two_characters_of_a_script_without_spaces():
    assert all(map(is_pair, ["数据", "です", "데이", "ข้า"]))
    assert not any(map(is_pair, ["数", "数据库", "ab", "é", "घर", ""]))


def test_decomposed_documents_have_the_same_counts():
    composed, decomposed = (
        count_words([unicodedata.normalize(form, text) for text in EVERY]) for form in ("NFC", "NFD")
    )
    assert composed.vocabulary.tolist() == decomposed.vocabulary.tolist()
    assert (composed.counts != decomposed.counts).nnz == 0


def test_the_examples_of_the_page_are_true():
    page = (Path(__file__).parents[1] / "docs" / "languages.md").read_text(encoding="utf-8")
    rows = page.partition("| its words |\n")[2].partition("\n\n")[0].splitlines()[1:]
    assert len(rows) > 8
    for row in rows:
        _, _, text, words = [cell.strip() for cell in row.strip("|").split("|")]
        assert words_of(text) == words.replace(",", "").split()
