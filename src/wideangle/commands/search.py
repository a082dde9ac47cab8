"""`wideangle search`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands.arguments.checking import check_documents, check_method, check_model
from wideangle.commands.arguments.options import add_columns, add_data_path, add_granularity, add_model, finish
from wideangle.commands.arguments.parsed import how_from
from wideangle.commands.arguments.types import positive

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

HELP = "the documents that say what some words say"
METHODS = ("exact", "faiss", "faiss-hnsw")
WAYS = ("both", "meaning", "words")
METRICS = ("auto", "euclidean", "cosine")


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    parser.add_argument("query", nargs="+", metavar="WORDS", help="what to look for")
    parser.add_argument("-n", "--count", type=positive, default=10, help="how many documents (default 10)")
    add_data_path(parser, "--in", dest="path", metavar="PATH", help="search these documents, not the model's")
    ways = "rank by what the model learned (meaning), by the words themselves, or by both (default)"
    parser.add_argument("--by", choices=WAYS, default="both", help=ways)
    parser.add_argument("--method", choices=METHODS, default="exact", help="how to search (default exact)")
    parser.add_argument("--metric", choices=METRICS, default="auto", help="auto: what suits the model")
    duplicates = "show all of the documents that are the same"
    parser.add_argument("--keep-duplicates", action="store_true", help=duplicates)
    add_granularity(parser, default="the model's own")
    add_columns(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Search and tell."""
    how = how_from(options)
    check_method(options.method)
    check_model(options.model)
    check_documents(options.path, how)
    from wideangle.commands.work.searching import search_documents, show

    found, reading = search_documents(
        options.model,
        " ".join(options.query),
        options.count,
        among=options.path,
        by=options.by,
        metric=options.metric,
        method=options.method,
        granularity=options.granularity,
        keep_duplicates=options.keep_duplicates,
        how=how,
        output=output,
    )
    output.result(found, lambda found, console: show(found, console, reading))
