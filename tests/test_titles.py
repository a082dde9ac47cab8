"""What documents are called that have no title."""

import pytest

from wideangle.documents import Documents
from wideangle.titles import LONGEST_TITLE, title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("From: Ann\nSubject: Re: Fwd: rye bread\nLines: 3\n\nIt needs time.", "rye bread"),
        ("I said this.\nSubject: none of a mail", "I said this."),
        ("# Installing\nRun the setup.", "Installing"),
        ("Installing\n==========\nRun the setup.", "Installing"),
        ("Prices of wheat\n\nThey rose by 3.5 percent. So did corn.", "Prices of wheat"),
        (
            "They rose by 3.5 percent in the U.S. market. So did corn.",
            "They rose by 3.5 percent in the U.S. market.",
        ),
        ("Mr. B. Miller said no. He left.", "Mr. B. Miller said no."),
        ("Really? Nobody knew what it was. Then it went.", "Really? Nobody knew what it was."),
        ("小麦价格上涨。玉米也是。", "小麦价格上涨。"),
        ("Цены на пшеницу выросли. Кукуруза тоже.", "Цены на пшеницу выросли."),
        ("Les prix du blé ont monté ! Le maïs aussi.", "Les prix du blé ont monté !"),
        ("no sentence at all", "no sentence at all"),
        ("\n---\n\n  A line that\nbreaks off. And more.", "A line that breaks off."),
        ("12 + 13 = 25", ""),
        ("", ""),
        ("  \n ", ""),
    ],
)
def test_subject_heading_or_first_sentence(text, title):
    assert title_of(text) == title


def test_a_long_sentence_is_cut_at_a_word():
    title = title_of("wheat and barley " * 20)
    assert len(title) <= LONGEST_TITLE + 1
    assert title.endswith("…")
    assert title.removesuffix("…").split()[-1] in ("wheat", "and", "barley")


def test_a_title_that_is_given_goes_first():
    documents = Documents.of([[0.0], [1.0]], texts=["One. Two.", "Where wheat grows. Not here."], titles=["Mine", ""])
    assert [documents.title(row) for row in (0, 1)] == ["Mine", "Where wheat grows."]
    assert Documents.of([[0.0]]).title(0) is None
