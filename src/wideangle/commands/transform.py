"""`wideangle transform`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands._options import add_csv, add_data, add_model, csv_target, finish, how_from

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "represent new documents and write them to .npz, .parquet or .csv"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_data(parser, "documents or rows of the kind the model was fitted on")
    add_csv(parser, "FILE", "out.npz, out.parquet or out.csv; -: CSV to stdout", required=True)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Represent, write and tell."""
    from wideangle.commands._transforming import show, transform_documents

    to = csv_target(options)
    written = transform_documents(options.model, options.path, to, how_from(options), output=output)
    if to is not None:  # Stdout must contain the CSV alone.
        output.result(written, show)
