"""The reading room: whatever kind of file to rows, and new rows as the old ones were read."""

from typing import TYPE_CHECKING

from wideangle._lazy import lazy_names

if TYPE_CHECKING:  # Type checkers cannot read the table below.
    from wideangle.documents import Document as Document
    from wideangle.documents import Reading as Reading
    from wideangle.reading.catalogue import FORMATS as FORMATS
    from wideangle.reading.html import text_of_html as text_of_html
    from wideangle.reading.new_rows import read_new as read_new
    from wideangle.reading.new_rows import read_new_parts as read_new_parts
    from wideangle.reading.options import ReadingOptions as ReadingOptions
    from wideangle.reading.reader import read as read
    from wideangle.reading.repeats import find_repeats as find_repeats
    from wideangle.reading.rows import Rows as Rows
    from wideangle.reading.source import TextSource as TextSource
    from wideangle.reading.stop_words import read_stop_words as read_stop_words
    from wideangle.reading.words import Query as Query
    from wideangle.reading.words import read_query as read_query

# The names are loaded on first use. Checks of arguments and files come first, and must not wait for NumPy and SciPy.
_HOMES = {
    "Document": "wideangle.documents",
    "Reading": "wideangle.documents",
    "FORMATS": "wideangle.reading.catalogue",
    "text_of_html": "wideangle.reading.html",
    "ReadingOptions": "wideangle.reading.options",
    "read": "wideangle.reading.reader",
    "read_new": "wideangle.reading.new_rows",
    "read_new_parts": "wideangle.reading.new_rows",
    "find_repeats": "wideangle.reading.repeats",
    "Rows": "wideangle.reading.rows",
    "TextSource": "wideangle.reading.source",
    "read_stop_words": "wideangle.reading.stop_words",
    "Query": "wideangle.reading.words",
    "read_query": "wideangle.reading.words",
}

__all__ = [
    "FORMATS",
    "Document",
    "Query",
    "Reading",
    "ReadingOptions",
    "Rows",
    "TextSource",
    "find_repeats",
    "read",
    "read_new",
    "read_new_parts",
    "read_query",
    "read_stop_words",
    "text_of_html",
]

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
