"""The reading room: whatever kind of file to rows, and new rows as the old ones were read."""

from wideangle.documents import Document, Reading
from wideangle.reading.catalogue import FORMATS
from wideangle.reading.html import text_of_html
from wideangle.reading.options import ReadingOptions
from wideangle.reading.reader import read, read_new
from wideangle.reading.rows import Rows
from wideangle.reading.source import TextSource
from wideangle.reading.words import Query, read_query, read_stop_words

__all__ = [
    "FORMATS",
    "Document",
    "Query",
    "Reading",
    "ReadingOptions",
    "Rows",
    "TextSource",
    "read",
    "read_new",
    "read_query",
    "read_stop_words",
    "text_of_html",
]
