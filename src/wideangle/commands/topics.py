"""`wideangle topics`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands._arguments import positive
from wideangle.commands._options import add_csv, add_model, csv_target, finish

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "the words of each component, and which are near-duplicates"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    parser.add_argument("-n", "--words", type=positive, default=10, help="words of each (default 10)")
    parser.add_argument("--sort", choices=("number", "angle"), default="number", help="order of the topics")
    words = "effect: the weight times how much the word varies (default); or the bare weight"
    parser.add_argument("--by", choices=("effect", "weight"), default="effect", help=words)
    add_csv(parser, "FILE.csv", "write them to a file; -: to stdout", required=False)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """List them."""
    from wideangle.commands._topic_list import check_csv, list_topics, show, show_file, write_topics

    in_csv = options.csv or options.output is not None
    to = csv_target(options) if in_csv else None
    if to is not None:
        check_csv(to, options.model)
    found = list_topics(options.model, options.words, options.sort, options.by)
    if in_csv:
        write_topics(found, to)
    if not in_csv or to is not None:  # Stdout must contain the CSV alone.
        output.result(found, show if to is None else lambda found, console: show_file(found, to, console))
