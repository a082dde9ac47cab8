"""What the first documents of a file have that is no content, so that users are told which option leaves it out."""

import re
from dataclasses import dataclass, field

from wideangle._wording import number_of
from wideangle.reading.mail import mail_signs, text_of_mail
from wideangle.reading.repeated import RepeatedLines, find_repeated

__all__ = ["Signs", "has_tags", "said_of_left_out"]

LOOK = 1000  # documents that are looked at
SHARE = 0.1  # of them must have a sign
SHARE_OF_LINES = 0.05  # of them must have a line, so that it is worth telling
TAG = re.compile(
    r"</?(?:p|div|span|a|br|b|i|em|strong|table|tr|td|th|ul|ol|li|h[1-6]|html|body|head|font|img|script|style)\b[^<>]{0,500}>",
    re.IGNORECASE,
)
FEWEST_TAGS = 2
LONGEST_EXAMPLE = 60
LOOKED_AT = 20_000  # characters of each document in which shared lines are looked for


def has_tags(text: str) -> bool:
    """Whether a text has tags of HTML.

    Examples
    --------
    >>> from wideangle.reading.signs import has_tags
    >>> has_tags("<p>Fish<br>chips</p>"), has_tags("if a < b and c > d, then <a@example.org>")
    (True, False)
    """
    found = TAG.finditer(text)
    return sum(1 for _ in zip(range(FEWEST_TAGS), found, strict=False)) == FEWEST_TAGS


@dataclass(eq=False)
class Signs:
    """Signs of mails, of HTML and of lines that many documents share, counted while documents are read."""

    looked_at: int = 0
    headers: int = 0
    quotations: int = 0
    tags: int = 0
    texts: list[str] = field(default_factory=list)
    """how documents begin, without what is a mail's"""

    def look(self, text: str) -> None:
        """Take one more document. After the first thousand none is looked at."""
        if self.looked_at >= LOOK:
            return
        self.looked_at += 1
        found = mail_signs(text)
        self.headers += found.headers
        self.quotations += found.quotations
        self.tags += has_tags(text)
        self.texts.append((text_of_mail(text) if found else text)[:LOOKED_AT])

    def notes(self) -> tuple[str, ...]:
        """One sentence for each kind of sign that at least a tenth of the documents have."""
        many, of_all = SHARE * self.looked_at, f"{number_of(self.looked_at, 'document')} looked at"
        if not self.looked_at:
            return ()
        notes = []
        kinds = ((self.headers, "mail headers"), (self.quotations, "quoted replies"))
        mail = [(count, kind) for count, kind in kinds if count >= many]
        if mail:
            (first, kind), *more = mail
            others = "".join(f", {count:,} {kind}" for count, kind in more)
            notes.append(f"{first:,} of {of_all} have {kind}{others}: --strip-mail leaves them out.")
        if self.tags >= many:
            notes.append(f"{self.tags:,} of {of_all} have HTML tags: --strip-html reads their text alone.")
        found = find_repeated(self.texts, SHARE_OF_LINES)
        if found.lines:
            notes.append(f"{_said_of_repeated(found)}: --strip-repeated leaves {_them(found)} out.")
        return tuple(notes)


def said_of_left_out(found: RepeatedLines) -> str:
    """What `--strip-repeated` left out."""
    if not found.lines:
        return "--strip-repeated found no line that many documents share."
    return f"{_said_of_repeated(found)}. {'It is' if len(found.lines) == 1 else 'They are'} left out."


def _said_of_repeated(found: RepeatedLines) -> str:
    """What lines many documents share, as the beginning of a sentence."""
    n, line = len(found.lines), found.example
    shown = line if len(line) <= LONGEST_EXAMPLE else f"{line[:LONGEST_EXAMPLE].rsplit(' ', 1)[0]} …"
    lines = "1 line stands" if n == 1 else f"{n:,} lines stand"
    return f"{lines} in {found.counts[-1]:,} or more of {number_of(found.looked_at, 'document')}, such as {shown!r}"


def _them(found: RepeatedLines) -> str:
    return "it" if len(found.lines) == 1 else "them"
