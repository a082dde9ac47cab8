"""`wideangle transform`: its arguments."""

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
from wideangle.commands.files.tables import ARRAYS, check_table

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

HELP = "represent new documents and write them to .npz or a table"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_data(parser, "documents or rows of the kind the model was fitted on")
    add_granularity(parser, default="the model's own")
    add_table(parser, required=True, also=(ARRAYS,))
    add_dask(parser, "read and represent the documents")
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Represent, write and tell."""
    to, how = csv_target(options), how_from(options)
    if to is not None:
        inputs = (options.model, options.path)
        check_table(to, "vectors", "the representations", inputs, force=options.force, also=(ARRAYS,))
    check_model(options.model)
    check_documents(options.path, how)
    from wideangle.commands.work.transforming import show, transform_documents

    written = transform_documents(
        options.model, options.path, to, how, granularity=options.granularity, dask=options.dask, output=output
    )
    if to is not None:  # Stdout must contain the CSV alone.
        output.result(written, show)
