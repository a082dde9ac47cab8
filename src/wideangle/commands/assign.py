"""`wideangle assign`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands.arguments.checking import check_documents, check_model
from wideangle.commands.arguments.options import (
    add_dask,
    add_data,
    add_force,
    add_granularity,
    add_model,
    add_table,
    finish,
)
from wideangle.commands.arguments.parsed import csv_target, how_from
from wideangle.commands.arguments.types import count, positive
from wideangle.commands.files.tables import check_table

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

HELP = "the topic of each new document, how sure it is, and like documents"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_data(parser, "documents of the kind the model was fitted on; - is stdin")
    number = "how many topics; other numbers merge or split (default: those of MODEL)"
    parser.add_argument("-t", "--topics", type=positive, metavar="N", help=number)
    add_granularity(parser, default="that of the topics in MODEL")
    near = "documents of MODEL that are nearest to each (default 3)"
    parser.add_argument("--nearest", type=count, default=3, metavar="N", help=near)
    add_table(parser, required=True)
    add_dask(parser, "read and assign the documents")
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Assign, write and tell."""
    to, how = csv_target(options), how_from(options)
    if to is not None:
        check_table(to, "documents", "the documents", (options.model, options.path), force=options.force)
    check_model(options.model)
    check_documents(options.path, how)
    from wideangle.commands.work.assigning import assign_documents, show

    assigned = assign_documents(
        options.model,
        options.path,
        to,
        how,
        n_topics=options.topics,
        granularity=options.granularity,
        n_nearest=options.nearest,
        dask=options.dask,
        output=output,
    )
    if to is not None:  # Stdout must contain the CSV alone.
        output.result(assigned, show)
