"""Lines that many documents share are found whatever their numbers are, and what documents say stays."""

import time

import pytest

from wideangle.reading import ReadingOptions, read, read_new, read_query
from wideangle.reading.cleaning import cleaner
from wideangle.reading.repeated import LONGEST, MOST_KEPT, find_repeated, without_lines

DISCLAIMER = "This e-mail is confidential and meant for its reader alone."
WORDS = ["wheat", "corn", "barley", "ship", "harbour", "tanker", "credit", "loan", "mortgage", "bond"]


def letters(n=40, line=DISCLAIMER):
    """Letters of different content that end alike."""
    return [f"Dear reader {n},\n{WORDS[n % 10]} and {WORDS[n // 10]} prices\n{line}" for n in range(n)]


def test_a_line_is_found_whatever_its_capitals_spaces_and_numbers_are():
    texts = [
        f"{word} prices are up\n{'ORDER' if n % 2 else 'Order'}   {n} was sent by our  shop"
        for n, word in enumerate(WORDS)
    ]
    found = find_repeated(texts)
    assert found.lines == ("order 0 was sent by our shop",)
    assert found.counts == (10,)
    assert [without_lines(text, found.lines) for text in texts] == [f"{word} prices are up" for word in WORDS]


@pytest.mark.parametrize(("having", "of"), [(4, 10), (9, 1000)])
def test_lines_of_few_documents_are_kept(having, of):
    texts = [f"{n * 'x'} text\n{DISCLAIMER if n < having else 'the end'}" for n in range(of)]
    assert find_repeated(texts).lines == ()


@pytest.mark.parametrize(
    "line", ["Yes, I do", "Page 3", "* * * * * * * * * * *", "1 2 3 4 5 6 7", "Net 12 mln vs 13 mln, 4 pct"]
)
def test_short_lines_and_rows_of_numbers_are_kept(line):
    assert find_repeated(letters(line=line)).lines == ()


def test_documents_of_one_line_and_equal_documents_share_nothing():
    assert find_repeated([DISCLAIMER] * 50).lines == ()
    assert find_repeated([f"first line of a letter\n{DISCLAIMER}"] * 50).lines == ()
    assert find_repeated([]).lines == ()


def test_a_text_keeps_what_it_has_where_no_word_would_be_left():
    lines = find_repeated(letters()).lines
    assert without_lines(f"12\n{DISCLAIMER}", lines) == f"12\n{DISCLAIMER}"
    assert without_lines(DISCLAIMER, lines) == DISCLAIMER


def test_lines_and_memory_are_bounded():
    many = [f"start {n * 'x'}\n" + "\n".join(f"shared line with word {k * 'y'}" for k in range(1500)) for n in range(6)]
    assert len(find_repeated(many).lines) == MOST_KEPT
    long = "word " * LONGEST
    assert find_repeated(f"{n * 'x'}\n{long}" for n in range(9)).lines == ()
    start = time.process_time()
    text = "a " * 2_000_000
    find_repeated(f"{n}{text}\nend" for n in range(3))
    without_lines(f"{text}\nend", frozenset({"x"}))
    assert time.process_time() - start < 10


def test_rare_lines_that_are_forgotten_change_nothing(monkeypatch):
    whole = find_repeated(letters())
    monkeypatch.setattr("wideangle.reading.repeated.MOST_COUNTED", 60)
    assert find_repeated(letters()).lines == whole.lines


def test_new_documents_and_queries_are_read_as_the_old(tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    for number, text in enumerate(letters()):
        (folder / f"{number:02}.txt").write_text(text)
    rows = read(folder, ReadingOptions(strip_repeated=True))
    assert "confidential" not in rows.vocabulary
    assert "wheat" in rows.vocabulary
    assert any("1 line stands in 40 or more of 40 documents, such as 'this e-mail" in note for note in rows.notes)
    assert rows.reading.repeated == ("this e-mail is confidential and meant for its reader alone.",)
    (folder / "40.txt").write_text(f"wheat or\n{DISCLAIMER.upper()}")
    new = read_new(folder, rows.reading, rows.vocabulary)
    assert new.snippets[-1] == "wheat or"
    asked = read_query(f"wheat\n{DISCLAIMER}", rows.reading, rows.vocabulary)
    assert (asked.known, asked.unknown) == (("wheat",), ())


def test_lines_of_pages_are_found_without_their_tags(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, text in enumerate(letters()):
        first, second, third = text.split("\n")
        page = f"<p>{first}</p><p>{second}</p><footer class='n{number}'>{third}</footer>"
        (folder / f"{number:02}.txt").write_text(page)
    rows = read(folder, ReadingOptions(strip_repeated=True, strip_html=True))
    assert rows.reading.repeated
    assert "confidential" not in rows.vocabulary
    assert "footer" not in rows.vocabulary


def test_without_anything_to_leave_out_a_text_stays_as_it_is():
    text = "From: a\nTo: b\n\n> c\n\n<b>d</b>\r\n"
    assert cleaner()(text) == text
