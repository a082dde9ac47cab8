"""`wideangle evaluate`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands.arguments.checking import check_documents, check_model
from wideangle.commands.arguments.options import add_dask, add_data, add_granularity, add_model, finish
from wideangle.commands.arguments.parsed import how_from
from wideangle.commands.arguments.types import positive
from wideangle.commands.shell.guard import UsageError

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

HELP = "precision, clustering, angles, diversity and coherence of a model"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_data(parser, "documents that query the model's (default: its own)", optional=True)
    add_granularity(parser, default="the model's own")
    parser.add_argument("--perplexity", action="store_true", help="of PATH; may be slow")
    parser.add_argument("--queries", type=positive, default=10_000, help="at most so many (default 10000)")
    add_dask(parser, "read and represent the documents of PATH")
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Measure and tell."""
    if options.perplexity and options.path is None:
        raise UsageError("--perplexity needs documents: name their PATH.")
    if options.dask is not None and options.path is None:
        raise UsageError("--dask reads documents: name their PATH.")
    how = how_from(options)
    check_model(options.model)
    check_documents(options.path, how)
    from wideangle.commands.work.evaluate.evaluating import evaluate_model, show

    found = evaluate_model(
        options.model,
        options.path,
        how,
        perplexity=options.perplexity,
        queries=options.queries,
        granularity=options.granularity,
        dask=options.dask,
        output=output,
    )
    output.result(found, show)
