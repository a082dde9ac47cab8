"""What a reader may be told about a file and its words; what is not said is guessed or has a default."""

from dataclasses import dataclass

from wideangle.data.text import TOKEN

__all__ = ["NO_COLUMN", "ReadingOptions"]

NO_COLUMN = "none"  # the name of a column that says that none is to be used


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a path, as far as the caller says it.

    The first group is about the file, the second about its words. Models keep what new documents need of the second in
    `wideangle.documents.Reading`, so that it is given once, when a model is fitted.
    """

    format: str | None = None
    """"csv", "jsonl" and so on; None takes the ending of the name, or for standard input the content"""
    separator: str | None = None
    """what stands between the fields of a CSV file; None finds it out from the first rows"""
    encoding: str | None = None
    """the encoding of text; None takes its byte-order mark, else UTF-8, else cp1252 where it is clearly not UTF-8"""
    text_column: str | None = None
    label_column: str | None = None
    """the column of classes; "none" uses no classes"""
    id_column: str | None = None
    """the column of names of documents; "none" calls each document by the number of its row"""
    split_column: str | None = None
    """the column that says which rows are for training; "none" trains on all rows"""
    title_column: str | None = None
    """the column of titles, which are shown and not counted; "none" shows none"""

    strip_html: bool = False
    """whether to read the text of HTML, without tags, scripts and styles"""
    n_words: int = 5000
    stop_words: str = "english"
    """"english", "none", a file of words, or a language of the package stop-words"""
    token_pattern: str = TOKEN
    ngrams: int = 1
    """the most words in a row that count as one; 2 counts pairs of neighbours besides single words"""
    min_df: int | float = 1
    """words in fewer documents are left out: a number of documents, or a share of them below 1"""
    max_df: int | float = 1.0
    """words in more documents are left out: a number of documents, or a share of them up to 1.0"""
