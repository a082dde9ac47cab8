"""`wideangle topics`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands._arguments import positive
from wideangle.commands._options import add_model, finish

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
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """List them."""
    from wideangle.commands._topic_list import list_topics, show

    output.result(list_topics(options.model, options.words, options.sort, options.by), show)
