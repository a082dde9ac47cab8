"""`wideangle explore`: its arguments."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.commands._options import add_model, add_path, finish

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "write a page to look at a model, or at two side by side"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_model(parser)
    add_path(parser, "--compare", metavar="OTHER", help="another model file")
    add_path(parser, "-o", "--output", metavar="PAGE", help="the page (default: MODEL's name.html)")
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Write the page and say where it is."""
    from wideangle.commands._exploring import explore_model, show

    page = options.output or Path(f"{options.model.stem}.html")
    output.result(explore_model(options.model, page, compare=options.compare, open_it=options.open), show)
