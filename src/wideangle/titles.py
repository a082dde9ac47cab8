"""What a document without a title is called: its subject, its heading or its first sentence."""

import re

from wideangle._arguments import checked, text

__all__ = ["LONGEST_TITLE", "title_of"]

LONGEST_TITLE = 90  # characters
SHORTEST_SENTENCE = 12  # "No." and "Hi!" say nothing of what follows.
HEADERS_WITHIN = 25  # A subject stands among the first lines of a mail.

_HEADER = re.compile(r"[A-Z][A-Za-z-]{1,30}:\s")
_SUBJECT = re.compile(r"Subject:\s*(\S.*)", re.IGNORECASE)
_ANSWER = re.compile(r"(?:(?:re|aw|fwd?)(?:\[\d{1,3}\])?\s*:\s*)+(?=\S)", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}\s+(\S.*?)\s*#*$")  # as in Markdown
# A full stop behind one letter or before a small letter is part of a name or an abbreviation.
_END = re.compile(r"(?<![\s.][^\W\d_])[.!?…]+[\"'”’)\]]*(?=\s+[^a-z\s])|[。！？]+[」』”]?|[.!?]+$")
_WORDY = re.compile(r"[^\W\d_]")


@checked(text=text)
def title_of(text: str) -> str:
    """What a text says of itself: its `Subject:` line, heading or first sentence; empty where it has no letter.

    A heading is a line that begins as in Markdown, or a short first line that does not end as a sentence does and is
    followed by an empty line.

    Examples
    --------
    >>> from wideangle.titles import title_of
    >>> title_of("From: Ann\\nSubject: Re: rye bread\\n\\nIt needs time.")
    'rye bread'
    >>> title_of("## Installation\\nRun the setup."), title_of("Prices of wheat\\n\\nThey rose.")
    ('Installation', 'Prices of wheat')
    >>> title_of("Dr. J. Smith bakes bread. It is good.")
    'Dr. J. Smith bakes bread.'
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    start = next((number for number, line in enumerate(lines) if _WORDY.search(line)), None)
    if start is None:
        return ""
    lines = lines[start:]
    return _cut(_subject(lines) or _heading(lines) or _sentence(lines))


def _subject(lines: list[str]) -> str:
    """The subject, where the text begins with lines such as those of a mail."""
    if not _HEADER.match(lines[0]):
        return ""
    for line in lines[:HEADERS_WITHIN]:
        if not line:
            break
        if found := _SUBJECT.match(line):
            return _ANSWER.sub("", found[1])
    return ""


def _heading(lines: list[str]) -> str:
    first = lines[0]
    if found := _HEADING.match(first):
        return found[1]
    followed = len(lines) > 2 and not lines[1]
    underlined = len(lines) > 1 and len(lines[1]) > 2 and set(lines[1]) <= set("=-~")
    is_short = len(first) <= LONGEST_TITLE and first[-1] not in ".,;。，"
    return first if is_short and (followed or underlined) else ""


def _sentence(lines: list[str]) -> str:
    """The first sentence of the first paragraph."""
    end = lines.index("") if "" in lines else len(lines)
    paragraph = " ".join(lines[:end])
    for found in _END.finditer(paragraph):
        if found.end() >= SHORTEST_SENTENCE or found.group()[0] in "。！？":
            return paragraph[: found.end()]
    return paragraph


def _cut(title: str) -> str:
    if len(title) <= LONGEST_TITLE:
        return title
    cut = title[:LONGEST_TITLE]
    space = cut.rfind(" ")
    return f"{(cut[:space] if 2 * space > LONGEST_TITLE else cut).rstrip(' ,;:-')}…"
