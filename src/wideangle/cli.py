"""The command line. It lists the commands and runs one of them. Each command knows its own arguments.

Nothing heavy is imported until a command does its work.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from wideangle import __version__
from wideangle.commands import (
    assign,
    completion,
    demo,
    evaluate,
    explore,
    fit,
    info,
    reproduce,
    search,
    topics,
    transform,
    tune,
    update,
)
from wideangle.commands.arguments.options import Run
from wideangle.commands.shell.guard import run_guarded
from wideangle.commands.shell.output import Output

# The order is that of --help. Each module has a line of HELP and a function `configure` that takes its parser.
COMMANDS = {
    "demo": demo,
    "fit": fit,
    "update": update,
    "info": info,
    "topics": topics,
    "assign": assign,
    "transform": transform,
    "search": search,
    "evaluate": evaluate,
    "tune": tune,
    "explore": explore,
    "reproduce": reproduce,
    "completion": completion,
}

LONGEST_START = 60.0  # A start that seems to take more seconds is a mistake of the clocks.


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong. argparse would print the usage first."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


class _Help(argparse.HelpFormatter):
    """Keeps the names of commands and what they do on one line."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=16)
        self._action_max_length = 14  # argparse does not count the indentation of the commands' names.


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """All commands and their options. Where it is known that a single command is meant, the others have none."""
    parser = _Parser(
        prog="wideangle",
        description="Latent variable models whose components spread out.",
        epilog="Run 'wideangle COMMAND --help' for a command's options.",
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"wideangle {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        its_parser = subparsers.add_parser(name, help=command.HELP)
        if only in (None, name):
            command.configure(its_parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 on success, 1 where the work failed, 2 on a mistake in the arguments."""
    began = time.perf_counter() - (process_age() if arguments is None else 0.0)
    if arguments is None:  # This program is ours alone.
        wait_passively()
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = build_parser(given[0] if given and given[0] in COMMANDS else None)
    options = parser.parse_args(given)
    if options.command is None:
        parser.print_help()
        return 0
    as_json, debug = getattr(options, "json", False), getattr(options, "debug", False)
    output = Output(options.command, as_json=as_json, quiet=getattr(options, "quiet", False), began=began)
    run: Run = options.run
    return run_guarded(output, lambda output: run(options, output), debug=debug)


def wait_passively() -> None:
    """Let threads of torch that wait for others leave the processor to them, which it takes up when it is imported.

    By default they keep it busy. Beside other busy programs a fit would then wait, at each small product, until the
    system takes the processor away from the thread that waits. Results have the same bits either way.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def process_age() -> float:
    """Seconds since this program was started, or 0 where the system does not say. Python itself takes time to start."""
    try:
        after_the_name = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        started = int(after_the_name[19]) / os.sysconf("SC_CLK_TCK")
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0
    return age if 0 <= age < LONGEST_START else 0.0  # The clocks in a container may not agree.


if __name__ == "__main__":
    sys.exit(main())
