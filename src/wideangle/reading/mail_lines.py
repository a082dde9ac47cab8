"""What a line of a mail is: a header, a quoted line, what stands above a quotation, a signature, an encoded file.

Long lines are told by how they begin, and patterns that search a line are tried on short ones alone. So the time grows
with the length of a text and no faster.
"""

import re
from collections.abc import Sequence

from wideangle.reading.mail_words import (
    ABOUT,
    CLOSING,
    FORWARDED,
    KNOWN,
    ONLY_IN_MAIL,
    OPENER,
    ORIGINAL,
    SENDER,
    SENT_FROM,
    WROTE,
)

__all__ = [
    "encoded_lines",
    "header_name",
    "is_forwarded",
    "is_original",
    "known_headers",
    "quoted_lines",
    "signature_start",
    "unquoted_lines",
]

LONGEST = 300  # Longer lines are text: headers and quotations are told by their first sign, all else is short.
HEADER = re.compile(r"([^\W\d_][\w.-]{0,39})[ \u00a0]?:(?:[ \t]|$)")

QUOTED = re.compile(r"[ \t]{0,8}[A-Z]{0,3}[a-z]?>")  # also "JG> …", with the initials of whom is quoted
SIGNS = re.compile(r"(?:[ \t]{0,8}(?:[A-Z]{0,3}[a-z]?>|[|:])){1,50}")
BAR = re.compile(r"[ \t]{0,8}\|")
COLON = re.compile(r":(?:[ \t>:]|$)")
ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}\.\w")
PHONE = re.compile(r"\+\d[\d ()/.-]{5,20}\d|\(?\b\d{2,5}\)?[ ./-]\d{3,4}[ ./-]?\d{3,5}\b|\b(?:tel|fax|phone|tél)\b[.:]")
RULE = re.compile(r"[ \t]*[-_=*~#+]{5,200}[ \t]*$")
LOWER_WORD = re.compile(r"(?<![\w@.-])[^\W\d_A-Z]\w*")
LINES_OF_SIGNATURE = 20
LINES_OF_BLOCK = 12
WORDS_OF_PROSE = 6  # A line with so many words in small letters is a sentence.

ARMOUR = re.compile(r"-----(BEGIN|END) PGP ([A-Z ]{3,30})-----")
UUENCODED = re.compile(r"M[ -`]{60}$")
UUENCODED_END = re.compile(r"(?:`|end|[!-L][ -`]{4,60})\s*$")
BASE64 = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}$")


def header_name(line: str) -> str | None:
    """The name of a header in small letters; None for other lines.

    Examples
    --------
    >>> from wideangle.reading.mail_lines import header_name
    >>> header_name("Nntp-Posting-Host: example.org"), header_name("Objet : un devis"), header_name("We said: no")
    ('nntp-posting-host', 'objet', None)
    """
    found = HEADER.match(line)
    return found.group(1).lower() if found else None


def known_headers(names: Sequence[str]) -> bool:
    """Whether names of headers are those of a mail: it has a sender or an id, or a subject and something else."""
    told = set(names)
    if told & ONLY_IN_MAIL or (told & SENDER and len(told & KNOWN) > 1):
        return True
    return bool(told & ABOUT) and len(told & KNOWN) > 1


def is_original(line: str) -> bool:
    """Whether an earlier mail follows, to which this one is an answer."""
    return len(line) <= LONGEST and ORIGINAL.match(line) is not None


def is_forwarded(line: str) -> bool:
    """Whether a mail follows that was passed on, so that it is the content."""
    return len(line) <= LONGEST and FORWARDED.match(line) is not None


def quoted_lines(lines: Sequence[str]) -> list[bool]:
    """Which lines are quoted, or name whom the next lines quote."""
    quoted = _marked_lines(lines)
    # Above a quotation comes who said it, often over two lines: "On Monday, Ann <ann@example.org>", "wrote:".
    follows = _quotation_follows(lines, quoted)
    for k, line in enumerate(lines):
        if quoted[k] or not _names_author(line, follows[k]):
            continue
        before = lines[k - 1] if k and not quoted[k - 1] else ""
        quoted[k] = True
        if before and not OPENER.match(line.lstrip()) and len(before) <= LONGEST and OPENER.match(before.lstrip()):
            quoted[k - 1] = True
    return quoted


def unquoted_lines(lines: Sequence[str]) -> list[str]:
    """Lines with their quotations, but without the signs of these and without who wrote them.

    Examples
    --------
    >>> from wideangle.reading.mail_lines import unquoted_lines
    >>> unquoted_lines(["Bob wrote:", "> >Which?", "> Rye.", "Yes, rye."])
    ['Which?', 'Rye.', 'Yes, rye.']
    """
    marked = _marked_lines(lines)
    kept = zip(lines, marked, quoted_lines(lines), strict=True)
    plain = [_without_signs(line) if mark else line for line, mark, quoted in kept if mark or not quoted]
    return [line for line in plain if not _names_author(line, False)]


def _marked_lines(lines: Sequence[str]) -> list[bool]:
    """Which lines have a sign of a quotation before them."""
    quoted = [QUOTED.match(line) is not None for line in lines]
    for sign in (BAR, COLON):
        # One line alone may begin so by chance, and rows of tables also end with a bar.
        marked = [sign.match(line) is not None and (sign is COLON or not _ends_with_bar(line)) for line in lines]
        for k, each in enumerate(marked):
            if each and ((k and marked[k - 1]) or (k + 1 < len(lines) and marked[k + 1])):
                quoted[k] = True
    return quoted


def _without_signs(line: str) -> str:
    found = SIGNS.match(line)
    return line[found.end() :].lstrip() if found else line


def _ends_with_bar(line: str) -> bool:
    return line.strip()[1:].endswith("|")


def _quotation_follows(lines: Sequence[str], quoted: Sequence[bool]) -> list[bool]:
    """Of each line, whether the next line that is not blank is quoted."""
    follows, quotation = [False] * len(lines), False
    for k in range(len(lines) - 1, -1, -1):
        follows[k] = quotation
        if lines[k].strip():
            quotation = quoted[k]
    return follows


def _names_author(line: str, quotation_follows: bool) -> bool:
    said = line.strip()
    ended = said.endswith((":", "...", "…", ":-", ">"))
    if not said or len(said) > LONGEST or not (ended or quotation_follows):
        return False
    wrote, addressed = WROTE.search(said) is not None, ADDRESS.search(said) is not None
    if quotation_follows:
        return (wrote and (ended or addressed or OPENER.match(said) is not None)) or (addressed and ended)
    return wrote and addressed


def encoded_lines(lines: Sequence[str]) -> list[bool]:
    """Which lines belong to an encoded file, a key or a cryptographic signature."""
    lump = [UUENCODED.match(line) is not None or _is_base64(line) for line in lines]
    ends: dict[str, int] = {}  # the next line that ends a block of each kind, going upwards
    for k in range(len(lines) - 1, -1, -1):
        found = ARMOUR.match(lines[k])
        if found is None:
            continue
        lump[k] = True
        limit, kind = found.groups()
        if limit == "END":
            ends[kind] = k
        elif kind == "SIGNED MESSAGE":  # The text itself follows.
            if k + 1 < len(lines) and lines[k + 1].startswith("Hash:"):
                lump[k + 1] = True
        elif kind in ends:
            last = ends.pop(kind)
            lump[k:last] = [True] * (last - k)
    for k in range(1, len(lines)):  # A uuencoded file begins and ends with short lines.
        if lump[k] and lines[k - 1].startswith("begin "):
            lump[k - 1] = True
        if lump[k - 1] and UUENCODED_END.match(lines[k]):
            lump[k] = True
    return lump


def _is_base64(line: str) -> bool:
    """Whether a line is part of a base64 lump: one long word in which capitals, small letters and digits are mixed."""
    if not BASE64.match(line):
        return False
    start = line[:200]
    return not (start.isalpha() or start.isdigit() or start.islower() or start.isupper())


def signature_start(lines: Sequence[str]) -> int:
    """The line from which on a text is its author's signature; the number of lines where it has none.

    A line "--" begins one. Otherwise it is a short end with an address or a telephone number and without sentences, or
    a greeting with a name. The first paragraph of a text is none.
    """
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    for k in range(max(0, end - LINES_OF_SIGNATURE), end):
        if lines[k].rstrip() in ("--", "- --", "—"):
            end = k
            break
    for _ in range(3):  # an address, a greeting above it, and a line of the mail program
        start = _block_start(lines, end)
        if start == end:
            break
        end = start
    return end


def _block_start(lines: Sequence[str], end: int) -> int:
    while end and not lines[end - 1].strip():
        end -= 1
    if not end:
        return end
    if len(lines[end - 1]) <= LONGEST and SENT_FROM.match(lines[end - 1].strip()):
        return end - 1
    first = end
    while first and lines[first - 1].strip() and end - first <= LINES_OF_BLOCK:
        first -= 1
    block = lines[first:end]
    if any(len(line) > LONGEST or len(LOWER_WORD.findall(line)) >= WORDS_OF_PROSE for line in block):
        return _closing_start(lines, end)
    above = any(line.strip() for line in lines[:first])
    if above and len(block) <= LINES_OF_BLOCK and any(ADDRESS.search(line) or PHONE.search(line) for line in block):
        return first
    if above and all(RULE.match(line) for line in block):
        return first
    return _closing_start(lines, end)


def _closing_start(lines: Sequence[str], end: int) -> int:
    """Where a greeting begins that only a name follows."""
    for k in range(end - 1, max(end - LINES_OF_BLOCK, 0), -1):
        line = lines[k].strip()
        if len(line) > 60:
            return end
        if CLOSING.fullmatch(line.rstrip(" ,.!:-")):
            return k
        if len(line.split()) > 4:
            return end
    return end
