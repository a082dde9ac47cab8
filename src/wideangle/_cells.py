"""Foreign text in cells of tables: harmless to terminals and to spreadsheets."""

import re
import unicodedata

__all__ = ["harmless", "visible"]

# A spreadsheet takes a cell that begins so for a formula; the last four are their wide forms of East Asian keyboards.
FORMULA = tuple("=+-@＝＋－＠")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
TURNS_TEXT = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # They show letters in another order.
HIDDEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, ends of lines and of paragraphs


def visible(text: str) -> str:
    """The text with a space for each control character, so that it is one line and cannot speak to a terminal.

    Joiners inside words, as Persian and Hindi have them, stay.

    Examples
    --------
    >>> from wideangle._cells import visible
    >>> visible("red\\x1b[31m\\nwheat")
    'red [31m wheat'
    """
    if text.isprintable():  # most texts, at the speed of C
        return text
    return "".join(" " if sign in TURNS_TEXT or unicodedata.category(sign) in HIDDEN else sign for sign in text)


def harmless(text: str) -> str:
    """Visible text that no spreadsheet runs: an apostrophe stands before what looks like a formula. Numbers stay.

    Examples
    --------
    >>> from wideangle._cells import harmless
    >>> harmless("=HYPERLINK(A1)"), harmless("\\t@SUM(1)"), harmless("-5"), harmless("well-known")
    ("'=HYPERLINK(A1)", "' @SUM(1)", '-5', 'well-known')
    """
    shown = visible(text)
    runs = shown.lstrip().startswith(FORMULA) and not NUMBER.fullmatch(shown)
    return f"'{shown}" if runs else shown
