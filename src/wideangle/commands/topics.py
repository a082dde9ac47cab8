"""`wideangle topics`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands._arguments import positive, up_to_one
from wideangle.commands._options import add_csv, add_model, csv_target, finish

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "the subjects of the documents: their words, sizes and examples"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    number = "how many topics; other numbers merge or split (default: the number that was found)"
    parser.add_argument("-t", "--topics", type=positive, metavar="N", help=number)
    parser.add_argument("-n", "--words", type=positive, default=10, help="words of each (default 10)")
    words = "from 0, words that most of its documents have, to 1, words that only it has (default 0.65)"
    parser.add_argument("--exclusive", type=up_to_one, metavar="NUMBER", help=words)
    orders = ("size", "name", "purity", "angle")
    parser.add_argument("--sort", choices=orders, help="order (default size; components by number)")
    parser.add_argument("--tree", action="store_true", help="show how the topics merge into fewer")
    renamed = "give a topic a name of yours, which MODEL keeps; may be repeated"
    parser.add_argument("--rename", nargs=2, action="append", metavar=("NUMBER", "NAME"), help=renamed)
    single = "list the words of the model's components, which are coordinates, instead of topics"
    parser.add_argument("--components", action="store_true", help=single)
    by = "with --components: effect, the weight times how much the word varies (default), or the bare weight"
    parser.add_argument("--by", choices=("effect", "weight"), help=by)
    add_csv(parser, "FILE.csv", "write them to a file; -: to stdout", required=False)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """List them."""
    from wideangle.commands._topic_list import TopicOptions, check_csv, list_topics, show, show_file, write_topics

    in_csv = options.csv or options.output is not None
    to = csv_target(options) if in_csv else None
    if to is not None:
        check_csv(to, options.model)
    asked = TopicOptions(
        options.topics,
        options.words,
        options.exclusive,
        options.sort,
        options.tree,
        tuple((number, name) for number, name in options.rename or ()),
        options.components,
        options.by,
    )
    found = list_topics(options.model, asked, output)
    if in_csv:
        write_topics(found, to)
    if not in_csv or to is not None:  # Stdout must contain the CSV alone.
        output.result(found, show if to is None else lambda found, console: show_file(found, to, console))
