"""`wideangle transform`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands._options import add_data, add_model, add_path, finish, how_from

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "represent new documents and write them to .npz or .parquet"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_data(parser, "documents or rows of the kind the model was fitted on")
    add_path(parser, "-o", "--output", required=True, metavar="FILE", help="out.npz or out.parquet")
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Represent, write and tell."""
    from wideangle.commands._transforming import show, transform_documents

    written = transform_documents(options.model, options.path, options.output, how_from(options), output=output)
    output.result(written, show)
