"""`wideangle completion`: a script that teaches a shell the commands and their options."""

import argparse
import sys
from typing import TYPE_CHECKING

import shtab

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

HELP = "print a script that completes commands in a shell"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the argument."""
    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Print the script. Its first lines say where it belongs."""
    from wideangle.cli import build_parser  # The script covers all commands, and only cli.py lists them.

    sys.stdout.write(completion_script(build_parser(), options.shell) + "\n")


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for a shell. It is made from the parser, so that it always has the present options."""
    return shtab.complete(parser, shell=shell).rstrip()
