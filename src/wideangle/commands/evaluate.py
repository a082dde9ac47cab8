"""`wideangle evaluate`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands._arguments import positive
from wideangle.commands._options import add_data, add_model, finish, how_from

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "precision, clustering, angles, diversity and coherence of a model"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_data(parser, "documents that query the model's (default: its own)", optional=True)
    parser.add_argument("--perplexity", action="store_true", help="of PATH; may be slow")
    parser.add_argument("--queries", type=positive, default=10_000, help="at most so many (default 10000)")
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Measure and tell."""
    from wideangle.commands._evaluating import evaluate_model, show

    found = evaluate_model(
        options.model,
        options.path,
        how_from(options),
        perplexity=options.perplexity,
        queries=options.queries,
        output=output,
    )
    output.result(found, show)
