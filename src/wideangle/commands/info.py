"""`wideangle info`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.commands.arguments.checking import check_model
from wideangle.commands.arguments.options import add_model, finish

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

HELP = "what a model file holds, and how the model was made"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Look into the file and tell."""
    check_model(options.model)
    from wideangle.commands.work.describing import describe_model, show

    output.result(describe_model(options.model), show)
