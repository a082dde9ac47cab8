"""`wideangle demo`: its arguments."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.commands.arguments.options import add_force, add_path, finish
from wideangle.commands.arguments.types import positive
from wideangle.commands.files.writing import check_folder, check_output

if TYPE_CHECKING:
    from wideangle.commands.files.own_files import Kind
    from wideangle.commands.shell.output import Output

MODELS, PAGE = ("plain", "regularised"), "explorer.html"
FILES = (*(f"{name}.wideangle" for name in MODELS), PAGE)
HELP = "topics of a real corpus with and without the regulariser, in about a minute"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    default = Path("wideangle-demo")
    add_path(parser, "-o", "--output", folder=True, default=default, metavar="FOLDER", help="for a page and two models")
    count = f"how many topics (default {COMPONENTS})"
    parser.add_argument("-k", "--components", type=positive, default=COMPONENTS, metavar="K", help=count)
    parser.add_argument("--updates", type=positive, default=UPDATES, help=f"steps of training (default {UPDATES})")
    parser.add_argument("--seeds", type=positive, default=3, help="how many pairs of models (default 3)")
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Fit, measure, write and tell."""
    check_folder(options.output)
    if options.output.is_dir():
        for name in FILES:
            kind: Kind = "page" if name == PAGE else "model"
            check_output(options.output / name, "the demonstration", kind=kind, force=options.force)
    from wideangle.commands.work.demo.demonstration import run_demo
    from wideangle.commands.work.demo.demonstration_shown import show

    found = run_demo(
        options.output,
        components=options.components,
        updates=options.updates,
        seeds=options.seeds,
        output=output,
    )
    output.result(found, show)
