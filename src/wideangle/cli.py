"""The command line: parses arguments, then hands over. Imports nothing heavy until a command needs it."""

import argparse
import sys
from collections.abc import Sequence

from wideangle import __version__


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = argparse.ArgumentParser(
        prog="wideangle",
        description="Latent variable models whose components spread out.",
        epilog="Run 'wideangle COMMAND --help' for a command's options.",
    )
    parser.add_argument("--version", action="version", version=f"wideangle {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    demo = commands.add_parser("demo", help="spread crowded components and show their angles before and after")
    demo.add_argument("-k", "--components", type=int, default=40, help="how many components (default 40)")
    demo.add_argument("-d", "--dimensions", type=int, default=200, help="of how many dimensions (default 200)")
    demo.add_argument("--seed", type=int, default=0, help="of the random components (default 0)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 on success and 2 on a mistake in the arguments."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    from wideangle.demo import run_demo

    try:
        run_demo(options.components, options.dimensions, options.seed)
    except ValueError as error:
        print(f"wideangle {options.command}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
