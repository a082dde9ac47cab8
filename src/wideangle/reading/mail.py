"""The text of mails and posts: what their author wrote, without headers, quotations, signatures and encoded files."""

import contextlib
import email
import email.errors
import email.header
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message

from wideangle.reading.html import text_of_html
from wideangle.reading.mail_lines import (
    encoded_lines,
    header_name,
    is_forwarded,
    is_original,
    known_headers,
    quoted_lines,
    signature_start,
    unquoted_lines,
)
from wideangle.reading.mail_words import ABOUT

__all__ = ["MailSigns", "mail_signs", "text_of_mail"]

ANSWER = re.compile(r"\s*(?:re|aw|fwd?|wg|tr|rv|sv|antw|odp|res|enc)(?:\[\d{1,3}\])?\s*:", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]{2}")
FROM_LINE = re.compile(r"From \S{1,200} .{0,60}\d{4}$")  # what parts the mails of an mbox file
LONGEST_SUBJECT = 2000  # Longer ones are not decoded, which would take long.
FEWEST_HEADERS, MOST_HEADERS = 3, 30  # of a mail within another
FEWEST = 2  # So many quoted lines are a quotation.


@dataclass(frozen=True)
class MailSigns:
    """What a text has of a mail."""

    headers: bool
    quotations: bool

    def __bool__(self) -> bool:
        return self.headers or self.quotations


def text_of_mail(text: str, *, keep_quotations: bool = False) -> str:
    """What the author of a mail wrote, and what its subject, summary and keywords say.

    A text that is no mail stays as it is. Where no word would be left, quotations stay; and where that is not enough
    either, the whole text does. `keep_quotations` keeps what is quoted, without its signs and who wrote it.

    Examples
    --------
    >>> from wideangle.reading.mail import text_of_mail
    >>> text_of_mail("From: Ann <a@example.org>\\nSubject: Re: bread\\n\\nBob wrote:\\n> Which?\\n\\nRye.\\n-- \\nAnn")
    'bread\\n\\nRye.'
    """
    if "\n" not in text and "\r" not in text:
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    start, end = _head(lines)
    subject = _about(lines[start:end])
    body = _decoded(lines[start:], end - start) if end else lines
    own = _own_lines(body, keep_quotations)
    if own == lines:
        return text
    for kept in (own, body):
        found = "\n\n".join(filter(None, ("\n".join(subject), "\n".join(kept).strip())))
        if WORD.search(found):
            return found
    return text


def mail_signs(text: str) -> MailSigns:
    """Which signs of a mail a text has.

    Examples
    --------
    >>> from wideangle.reading.mail import mail_signs
    >>> mail_signs("From: Ann\\nSubject: bread\\n\\nHello"), mail_signs("> a\\n> b\\nNo.")
    (MailSigns(headers=True, quotations=False), MailSigns(headers=False, quotations=True))
    """
    if "\n" not in text:
        return MailSigns(False, False)
    lines = text.replace("\r\n", "\n").split("\n")
    _, end = _head(lines)
    body = lines[end:]
    return MailSigns(end > 0, sum(quoted_lines(body)) >= FEWEST or any(map(is_original, body)))


def _head(lines: Sequence[str]) -> tuple[int, int]:
    """Where headers begin and where they end; 0 and 0 where a text does not begin with those of a mail."""
    start = 0
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start < len(lines) and FROM_LINE.match(lines[start][:300]):
        start += 1
    names: list[str] = []
    end = start
    while end < len(lines) and lines[end].strip():
        name = header_name(lines[end])
        if name is not None:
            names.append(name)
        elif not names or lines[end][0] not in " \t":  # Long headers go on in lines that begin with a space.
            break
        end += 1
    alone = len(names) == 1 and names[0] in ABOUT and (end == len(lines) or not lines[end].strip())
    return (start, end) if alone or known_headers(names) else (0, 0)


def _about(head: Sequence[str]) -> list[str]:
    """What subject, summary and keywords say, one line for each."""
    said: list[str] = []
    taken = False
    for line in head:
        name = header_name(line)
        if name is not None:
            taken = name in ABOUT
            line = line.split(":", 1)[1]
            if taken:
                said.append("")
        if taken:
            said[-1] = f"{said[-1]} {line.strip()}"
    return [shown for shown in (_subject(line.strip()) for line in said) if shown]


def _subject(line: str) -> str:
    if len(line) <= LONGEST_SUBJECT and "=?" in line:
        with contextlib.suppress(LookupError, ValueError, email.errors.HeaderParseError):  # Then it stays as it is.
            line = str(email.header.make_header(email.header.decode_header(line)))
    while found := ANSWER.match(line):
        line = line[found.end() :]
    return line.strip()


def _decoded(mail: Sequence[str], head: int) -> Sequence[str]:
    """The lines of a body, of which MIME may have made parts or another encoding."""
    named = {header_name(line): line.split(":", 1)[1].strip().lower() for line in mail[:head] if header_name(line)}
    encoding = named.get("content-transfer-encoding", "")
    if not named.get("content-type", "").startswith("multipart/") and encoding not in ("base64", "quoted-printable"):
        return mail[head:]
    try:
        message = email.message_from_string("\n".join(mail))
    except RecursionError:  # Parts within parts, a thousand times, are no mail.
        return mail[head:]
    parts = [part for part in message.walk() if part.get_content_maintype() == "text" and not part.get_filename()]
    plain = [_content(part) for part in parts if part.get_content_subtype() == "plain"]
    pages = [text_of_html(_content(part)) for part in parts if part.get_content_subtype() == "html"]
    return "\n\n".join(plain or pages).replace("\r\n", "\n").split("\n") if plain or pages else mail[head:]


def _content(part: "Message[str, str]") -> str:
    encoding = str(part.get("content-transfer-encoding", "")).strip().lower()
    if encoding in ("base64", "quoted-printable"):
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            try:
                return content.decode(part.get_content_charset() or "utf-8", errors="replace")
            except LookupError:  # There is no such charset.
                return content.decode("utf-8", errors="replace")
    content = part.get_payload()
    return content if isinstance(content, str) else ""


def _own_lines(body: Sequence[str], keep_quotations: bool) -> list[str]:
    """The lines that the author wrote, and those that are quoted where these are kept."""
    lines = _without_earlier_mails(body, keep_quotations)
    lines = [line for line, lump in zip(lines, encoded_lines(lines), strict=True) if not lump]
    if keep_quotations:
        lines = unquoted_lines(lines)
    else:
        lines = [line for line, quoted in zip(lines, quoted_lines(lines), strict=True) if not quoted]
    return lines[: signature_start(lines)]


def _without_earlier_mails(body: Sequence[str], keep: bool) -> list[str]:
    """What stands above the mail that is answered. A mail that was passed on, or is kept, stays without its headers."""
    kept: list[str] = []
    k, forwarded = 0, False
    while k < len(body):
        if is_original(body[k]) and not keep:
            return kept
        if is_forwarded(body[k]) or is_original(body[k]):
            forwarded, k = True, k + 1
            continue
        begins = header_name(body[k]) is not None and (not k or header_name(body[k - 1]) is None)
        _, end = _head(body[k : k + MOST_HEADERS]) if begins else (0, 0)
        if end >= FEWEST_HEADERS:
            if not (forwarded or keep):
                return kept
            kept += _about(body[k : k + end])
            k, forwarded = k + end, False
            continue
        kept.append(body[k])
        k += 1
    return kept
