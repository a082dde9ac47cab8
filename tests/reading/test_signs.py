"""Users are told which option leaves out what is no content, where enough documents have it."""

import pytest

from wideangle.reading.signs import LOOK, Signs, has_tags

MAIL = "From: Ann <ann@example.org>\nSubject: bread {}\n\nRye is good."
REPLY = "From: Bob <bob@example.org>\nSubject: bread {}\n\n> Rye is good.\n> Or not?\n\nYes."
PAGE = "<p>Rye is <b>good</b> {}</p>"
PLAIN = "Rye is good {}"


def notes(*texts):
    signs = Signs()
    for text in texts:
        signs.look(text)
    return list(signs.notes())


def some(text, n):
    return [text.format(k) for k in range(n)]


def test_mails_pages_and_neither():
    assert notes(*some(MAIL, 30), *some(REPLY, 20), *some(PLAIN, 50)) == [
        "50 of 100 documents looked at have mail headers, 20 quoted replies: --strip-mail leaves them out."
    ]
    assert notes(*some(PAGE, 40), *some(PLAIN, 60)) == [
        "40 of 100 documents looked at have HTML tags: --strip-html reads their text alone."
    ]
    assert notes(*some(PLAIN, 100)) == []
    assert notes() == []


def test_what_less_than_a_tenth_has_is_not_told():
    assert notes(*some(MAIL, 9), *some(PAGE, 9), *some(PLAIN, 82)) == []
    assert len(notes(*some(MAIL, 10), *some(PAGE, 10), *some(PLAIN, 80))) == 2


def test_quotations_alone():
    assert notes(*some("> Which?\n> And how?\n\nRye {}.", 20)) == [
        "20 of 20 documents looked at have quoted replies: --strip-mail leaves them out."
    ]


def test_lines_that_documents_share_are_told_with_an_example():
    shared = [f"{'x' * n} is the word of the day\nClick here to unsubscribe from our newsletter" for n in range(30)]
    assert notes(*shared, *("y" * n for n in range(70))) == [
        "1 line stands in 30 or more of 100 documents, such as 'click here to unsubscribe from our newsletter': "
        "--strip-repeated leaves it out."
    ]


def test_headers_are_no_shared_lines():
    told = notes(*(f"From: Ann\nOrganization: our own small mill\nSubject: rye\n\n{'x' * n} flour" for n in range(50)))
    assert told == ["50 of 50 documents looked at have mail headers: --strip-mail leaves them out."]


def test_only_the_first_documents_are_looked_at():
    signs = Signs()
    for text in [*some(PLAIN, LOOK), *some(MAIL, LOOK)]:
        signs.look(text)
    assert signs.looked_at == LOOK
    assert signs.notes() == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>one</p>", True),
        ("<DIV CLASS='x'>a<BR/>", True),
        ("a <b and c> d, if x < y > z", False),
        ("write to <ann@example.org> or <bob@example.org>", False),
        ("List<String> and Map<K, V>", False),
        ("<p> once", False),
        ("<p " * 500_000, False),
        ("", False),
    ],
)
def test_tags(text, expected):
    assert has_tags(text) == expected
