"""What a reader may be told about a file and its words; what is not said is guessed or has a default."""

from dataclasses import dataclass

from wideangle._alphabets import WORDS
from wideangle.reading.dates import DateOrder

__all__ = ["COLUMNS", "NO_COLUMN", "WORDS_OF_TEXTS", "ReadingOptions", "given", "option_name"]

NO_COLUMN = "none"  # the name of a column that says that none is to be used
COLUMNS = ("text_column", "title_column", "label_column", "id_column", "split_column", "date_column")
# The options about words, which rows of numbers do not have.
WORDS_OF_TEXTS = (
    *("n_words", "language", "stop_words", "token_pattern", "ngrams", "min_df", "max_df"),
    *("strip_html", "strip_mail", "keep_quotations", "strip_repeated"),
)


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a path, as far as the caller says it.

    The first group is about the file, the second about its words. Models keep what new documents need of the second in
    `wideangle.documents.Reading`, so that it is given once, when a model is fitted.
    """

    format: str | None = None
    """"csv", "jsonl" and so on; None takes the ending of the name where the content agrees, else the content"""
    separator: str | None = None
    """what stands between the fields of a CSV file; None finds it out from the first rows"""
    encoding: str | None = None
    """the encoding of text; None takes its byte-order mark, else UTF-8, else the one that suits the bytes best"""
    sheet: str | None = None
    """the sheet of a workbook, by its name or its number from 1; None takes the first that looks like a table"""
    text_column: str | None = None
    """like the others, a column of a table; fields of nested objects are named by their path, as "payload.text\""""
    label_column: str | None = None
    """the column of classes; "none" uses no classes"""
    id_column: str | None = None
    """the column of names of documents; "none" calls each document by the number of its row"""
    split_column: str | None = None
    """the column that says which rows are for training; "none" trains on all rows"""
    title_column: str | None = None
    """the column of titles, which are shown and not counted; "none" shows none"""
    drop_unlabelled: bool = False
    """whether to leave out rows without a label, where others have one"""
    exclude: tuple[str, ...] = ()
    """patterns of files of a folder that are left out, as .gitignore has them: "drafts/", "*.old.txt", "/notes.txt\""""
    any_size: bool = False
    """whether to read compressed files that become very large, which are refused otherwise"""
    date_column: str | None = None
    """the column that says when documents were written; "none" uses none"""
    vectors: str | None = None
    """where the vectors of documents are: a column, or a file (.npy, .npz, .parquet) with one row per document"""
    encoder: str | None = None
    """what makes vectors of the texts, as `wideangle.encoders` calls it"""
    date_order: DateOrder | None = None
    """how dates such as 01/02/2024 are read where the file leaves it open; None: the month is first"""

    strip_html: bool = False
    """whether to read the text of HTML, without tags, scripts and styles"""
    strip_mail: bool = False
    """whether to read what the author of a mail wrote, without headers, quotations and signatures"""
    keep_quotations: bool = False
    """whether what mails quote stays where `strip_mail` takes the rest away"""
    strip_repeated: bool = False
    """whether to leave out lines that many documents share"""
    n_words: int | None = None
    """how many words at most; None: 5000, or 20000 where most words are pairs of characters"""
    language: str = "auto"
    """whose stop words are left out: the code of a language, "none", or "auto", which guesses it from the documents"""
    stop_words: str = "auto"
    """"auto" takes those of the language; else "english", "none", a file of words, or the name of a language"""
    token_pattern: str = WORDS
    ngrams: int = 1
    """the most words in a row that count as one; 2 counts pairs of neighbours besides single words"""
    min_df: int | float = 1
    """words in fewer documents are left out: a number of documents, or a share of them below 1"""
    max_df: int | float = 1.0
    """words in more documents are left out: a number of documents, or a share of them up to 1.0"""


def given(options: ReadingOptions, names: tuple[str, ...]) -> list[str]:
    """Which of some options say something. A column "none" says that nothing is wanted, which suits every input."""
    usual = ReadingOptions()
    said = [name for name in names if getattr(options, name) != getattr(usual, name)]
    return [name for name in said if name not in COLUMNS or getattr(options, name) != NO_COLUMN]


def option_name(field: str) -> str:
    """What an option is called on the command line, for messages."""
    return "--words" if field == "n_words" else f"--{field.replace('_', '-')}"
