"""`wideangle search`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands._arguments import positive
from wideangle.commands._options import add_columns, add_model, add_path, finish, how_from

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "the documents nearest to some words"
METHODS = ("exact", "faiss", "faiss-hnsw")
METRICS = ("auto", "euclidean", "cosine")


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    parser.add_argument("query", nargs="+", metavar="WORDS", help="what to look for")
    parser.add_argument("-n", "--count", type=positive, default=10, help="how many documents (default 10)")
    add_path(parser, "--in", dest="path", metavar="PATH", help="search these documents, not the model's")
    parser.add_argument("--method", choices=METHODS, default="exact", help="how to search (default exact)")
    parser.add_argument("--metric", choices=METRICS, default="auto", help="auto: what suits the model")
    add_columns(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Search and tell."""
    from wideangle.commands._searching import search_documents, show

    found = search_documents(
        options.model,
        " ".join(options.query),
        options.count,
        among=options.path,
        metric=options.metric,
        method=options.method,
        how=how_from(options),
        output=output,
    )
    output.result(found, show)
