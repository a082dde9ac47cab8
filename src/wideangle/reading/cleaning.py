"""What is taken out of texts before their words are counted, in training documents, new ones and queries alike."""

from collections.abc import Callable, Sequence

from wideangle.reading.html import text_of_html
from wideangle.reading.mail import text_of_mail
from wideangle.reading.repeated import without_lines

__all__ = ["cleaner"]


def cleaner(
    *,
    mail: bool = False,
    keep_quotations: bool = False,
    html: bool = False,
    repeated: Sequence[str] = (),
    keep_lines: bool = False,
) -> Callable[[str], str]:
    """A function from texts to what is read of them. `keep_lines` keeps lines where HTML would be put on one.

    Mails come first, because the text of a page has no lines by which to tell a quotation. Lines that many documents
    share come last, so that they are found without tags.

    Examples
    --------
    >>> from wideangle.reading.cleaning import cleaner
    >>> cleaner(mail=True, html=True)("Subject: flour\\nTo: Ann\\n\\n<p>Rye &amp; wheat</p>")
    'flour Rye & wheat'
    """
    lines = frozenset(repeated)

    def clean(text: str) -> str:
        text = text_of_mail(text, keep_quotations=keep_quotations) if mail else text
        text = text_of_html(text, keep_lines=keep_lines or bool(lines)) if html else text
        return without_lines(text, lines) if lines else text

    return clean
