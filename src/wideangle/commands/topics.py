"""`wideangle topics`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands.arguments.checking import check_model
from wideangle.commands.arguments.options import add_force, add_granularity, add_model, add_table, finish
from wideangle.commands.arguments.parsed import csv_target
from wideangle.commands.arguments.types import positive, positives, up_to_one
from wideangle.commands.files.tables import check_table
from wideangle.commands.files.writing import check_output
from wideangle.commands.shell.guard import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from wideangle.commands.files.own_files import Kind
    from wideangle.commands.shell.output import Output

ABOUT_TOPICS = "--topics, --exclusive, --tree, --rename, --merge, --split, --reset and --for are about topics."
# The room that defines them imports NumPy, so they are named again; a test compares them.
PERIODS = ("auto", "decade", "year", "quarter", "month", "week", "day")
HELP = "the subjects of the documents: their words, sizes and examples"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    number = "how many topics; other numbers merge or split (default: the number that was found)"
    parser.add_argument("-t", "--topics", type=positive, metavar="N", help=number)
    add_granularity(parser, default="that of the topics in MODEL")
    parser.add_argument("-n", "--words", type=positive, default=10, help="words of each (default 10)")
    words = "from 0, words that most of its documents have, to 1, words that only it has (default 0.65)"
    parser.add_argument("--exclusive", type=up_to_one, metavar="NUMBER", help=words)
    orders = ("size", "name", "purity", "angle")
    parser.add_argument(
        "--sort", choices=orders, help="order (default: by number; the largest is 1 when topics are found)"
    )
    parser.add_argument("--tree", action="store_true", help="show how the topics merge into fewer")
    renamed = "give a topic a name of yours, which MODEL keeps; may be repeated"
    parser.add_argument("--rename", nargs=2, action="append", metavar=("NUMBER", "NAME"), help=renamed)
    merged = "make one topic of several, such as 3,7; may be repeated. MODEL keeps it, and what --split does"
    parser.add_argument("--merge", type=positives, action="append", metavar="N,N", help=merged)
    parser.add_argument("--split", type=positive, action="append", metavar="N", help="make two of a topic")
    parser.add_argument("--reset", action="store_true", help="undo all --merge and --split")
    named = "call topics by the class that most of their labelled documents have; MODEL keeps it"
    parser.add_argument("--name-by-labels", action="store_true", help=named)
    time = "how many documents of each topic were written when, by a period that fits or that is named"
    parser.add_argument(
        "--over-time", nargs="?", const="auto", choices=PERIODS, metavar="|".join(PERIODS[1:]), help=time
    )
    single = "list the words of the model's components, which are coordinates, instead of topics"
    parser.add_argument("--components", action="store_true", help=single)
    by = "with --components: effect, the weight times how much the word varies (default), or the bare weight"
    parser.add_argument("--by", choices=("effect", "weight"), help=by)
    add_table(parser, required=False)
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """List them."""
    _check_options(options)
    written = options.csv or options.output is not None
    to = csv_target(options) if written else None
    if to is not None:
        kind: Kind = "topics" if options.over_time is None else "topics over time"
        check_table(to, kind, "the topics", (options.model,), force=options.force)
    if _is_edited(options):
        check_output(options.model, "the model", kind="model")
    check_model(options.model)
    if options.over_time is not None:
        _show_over_time(options, written, to, output)
        return
    from wideangle.commands.work.topics.topic_edits import TopicEdits
    from wideangle.commands.work.topics.topic_list import TopicOptions, list_topics
    from wideangle.commands.work.topics.topic_table import show, show_file, write_topics

    edits = TopicEdits(
        tuple((number, name) for number, name in options.rename or ()),
        tuple(options.merge or ()),
        tuple(options.split or ()),
        options.reset,
        options.name_by_labels,
    )
    asked = TopicOptions(
        options.topics,
        options.words,
        options.exclusive,
        options.sort,
        options.tree,
        edits,
        options.components,
        options.by,
        options.granularity,
    )
    found = list_topics(options.model, asked, output)
    if written:
        write_topics(found, to)
    if not written or to is not None:  # Stdout must contain the CSV alone.
        output.result(found, show if to is None else lambda found, console: show_file(found, to, console))


def _is_edited(options: argparse.Namespace) -> bool:
    """Whether topics are changed, so that the model is written."""
    return bool(options.rename or options.merge or options.split or options.reset or options.name_by_labels)


def _show_over_time(options: argparse.Namespace, written: bool, to: "Path | None", output: "Output") -> None:
    from wideangle.commands.work.topics.topics_over_time import show_over_time, topics_in_time, write_over_time

    period = None if options.over_time == "auto" else options.over_time
    found = topics_in_time(options.model, options.topics, period)
    if written:
        write_over_time(found, to)
    if not written or to is not None:
        output.result(found, lambda found, console: show_over_time(found, console, to))


def _check_options(options: argparse.Namespace) -> None:
    about_topics = any(each is not None for each in (options.topics, options.exclusive, options.granularity))
    if (options.components or options.by) and (about_topics or options.tree or _is_edited(options)):
        raise UsageError(f"{ABOUT_TOPICS} Components are listed by --components and --by.")
    others = options.components or options.tree or options.by or options.granularity is not None
    if options.over_time is not None and (others or _is_edited(options)):
        raise UsageError("--over-time goes with -t, -o and --csv, and with no other option about topics.")
    for number, _ in options.rename or ():
        if not number.isdecimal() or int(number) < 1:
            raise UsageError(f"--rename takes the number of a topic, from 1 on; got {number!r}.")
