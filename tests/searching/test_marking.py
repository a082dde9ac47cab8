"""Where the words of a query stand in a text."""

import pytest

from wideangle._alphabets import WORDS
from wideangle.documents import Reading
from wideangle.searching import marked_spans, shown_from

LETTERS = r"\b[a-z]{3,}\b"


@pytest.mark.parametrize(
    ("text", "words", "pattern", "marked"),
    [
        ("Random numbers, randomness", ["random"], LETTERS, ["Random"]),
        ("the matrix, MATRIX and matrices", ["matrix"], LETTERS, ["matrix", "MATRIX"]),
        ("a sparse but good matrix", ["sparse matrix"], LETTERS, ["sparse", "matrix"]),
        ("İstanbul and wheat", ["wheat"], r"\b\w+\b", ["wheat"]),
        ("x-ray and ray", ["ray"], r"x-(ray)", ["ray"]),
        ("zwölf Jahre", ["zwölf"], None, ["zwölf"]),
        ("连接数据库，数据很多", ["数据", "据库"], WORDS, ["数据库", "数据"]),
        ("Die GROẞE Straße", ["große", "straße"], WORDS, ["GROẞE", "Straße"]),
        ("Zu\u0308rich im Sommer", ["zürich", "sommer"], WORDS, ["Zu\u0308rich", "Sommer"]),
        ("l'été à İzmir", ["été", "izmir"], WORDS, ["été", "İzmir"]),
        ("Η ΟΔΟΣ και η οδός", ["οδος"], WORDS, ["ΟΔΟΣ"]),
        ("ﬁnal Ｐｙｔｈｏｎ", ["final", "python"], WORDS, ["ﬁnal", "Ｐｙｔｈｏｎ"]),
        ("soft\xadware, كِتَاب", ["software", "كتاب"], WORDS, ["soft\xadware", "كِتَاب"]),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", ["한글"], WORDS, ["\u1112\u1161\u11ab\u1100\u1173\u11af"]),
        ("nothing here", ["wheat"], LETTERS, []),
        ("", ["wheat"], LETTERS, []),
    ],
)
def test_words_are_found_as_documents_are_read(text, words, pattern, marked):
    assert [text[begin:end] for begin, end in marked_spans(text, words, Reading("counts", pattern))] == marked


def test_a_text_is_shown_from_its_beginning_where_a_word_is_there():
    assert shown_from("wheat and corn " * 9, [(0, 5)]) == 0
    assert shown_from("no word of the query is in this text", []) == 0


@pytest.mark.parametrize("length", [31, 60, 200])
def test_a_text_is_shown_from_a_whole_word_shortly_before_the_first_match(length):
    before = ("abcd " * length)[:length].rstrip() + " "
    text = f"{before}wheat"
    start = shown_from(text, [(len(before), len(text))])
    assert text[start:].endswith("wheat")
    assert len(before) - start <= 16
    assert text[start - 1] == " "


def test_a_match_in_a_text_without_spaces_is_where_it_is_shown_from():
    assert shown_from("x" * 50 + "-wheat", [(51, 56)]) == 51


def test_a_text_of_a_script_without_spaces_is_shown_from_shortly_before_the_match():
    text = "海" * 50 + "数据"
    assert shown_from(text, [(50, 52)]) == 34
