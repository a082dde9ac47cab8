"""Search: a query's words in, documents out, by what a model learned and by the words themselves."""

from wideangle.searching.marking import marked_spans, shown_from
from wideangle.searching.ranking import SLOPE, WEIGHT, By, Ranking, WordIndex, rank_documents
from wideangle.searching.searcher import Found, Hit, Searcher, read_for

__all__ = [
    "SLOPE",
    "WEIGHT",
    "By",
    "Found",
    "Hit",
    "Ranking",
    "Searcher",
    "WordIndex",
    "marked_spans",
    "rank_documents",
    "read_for",
    "shown_from",
]
