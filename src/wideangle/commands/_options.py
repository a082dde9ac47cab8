"""Options that several commands share, and what they become. Imports nothing heavy, so that --help answers at once."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shtab

from wideangle.commands._arguments import encoding, pattern, positive, seed
from wideangle.commands._guard import UsageError
from wideangle.commands._settings import MODELS, Settings
from wideangle.commands._writing import is_stdout

if TYPE_CHECKING:
    from wideangle.commands._inputs import How
    from wideangle.commands._output import Output

Run = Callable[[argparse.Namespace, "Output"], None]


def add_path(parser: argparse.ArgumentParser, *names: str, folder: bool = False, **options: Any) -> None:
    """An argument that is a path."""
    completed_by_files(parser.add_argument(*names, type=Path, **options), folder)


def add_csv(parser: argparse.ArgumentParser, metavar: str, help: str, *, required: bool) -> None:
    """A file to write, or CSV to stdout."""
    where = parser.add_mutually_exclusive_group(required=required)
    completed_by_files(where.add_argument("-o", "--output", type=Path, metavar=metavar, help=help))
    where.add_argument("--csv", action="store_true", help="write CSV to stdout")


def completed_by_files(action: argparse.Action, folder: bool = False) -> None:
    """A shell completes the argument by what is on the disk."""
    action.complete = shtab.DIRECTORY if folder else shtab.FILE  # type: ignore[attr-defined]


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model file that a command works on."""
    add_path(parser, "model", metavar="MODEL", help="a file that fit wrote")


def add_data(parser: argparse.ArgumentParser, help: str, optional: bool = False) -> None:
    """The documents or rows that a command works on, and how to read them."""
    add_path(parser, "path", metavar="PATH", help=help, nargs="?" if optional else None)
    add_columns(parser)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """How to read documents or rows."""
    group = parser.add_argument_group("reading")
    group.add_argument("--text-column", metavar="NAME", help="of a table (default: guessed)")
    group.add_argument("--label-column", metavar="NAME", help="of a table (default: label, class, category, …)")
    group.add_argument("--encoding", type=encoding, help="of text files (default utf-8)")


def add_training(parser: argparse.ArgumentParser) -> None:
    """Which model is fitted, how, and to which words."""
    kinds = "topics of word counts (default), a machine of 0s and 1s, a distance or a network; the last two need labels"
    parser.add_argument("--model", dest="kind", choices=MODELS, default=MODELS[0], help=kinds)
    spread = "what is spread: angles between components, or the volume they span (default angle)"
    parser.add_argument("--surrogate", choices=("angle", "volume"), help=spread)
    parser.add_argument("--updates", type=positive, metavar="N", help="steps of training (default: the model's own)")
    parser.add_argument("--seed", type=seed, default=0, help="of all randomness (default 0)")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="where to compute")
    group = parser.add_argument_group("words")
    group.add_argument("--words", dest="n_words", type=positive, metavar="N", help="how many at most (default 5000)")
    group.add_argument("--stop-words", metavar="english|none|FILE", help="words to leave out (default english)")
    group.add_argument(
        "--token-pattern", type=pattern, metavar="REGEX", help="what a word is (default: 3 letters a–z or more)"
    )


def finish(parser: argparse.ArgumentParser, run: Run) -> None:
    """The options that every command has, and what it runs."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="one JSON document for machines")
    group.add_argument("-q", "--quiet", action="store_true", help="no progress and no notes")
    group.add_argument("--debug", action="store_true", help="a traceback where something fails")
    parser.set_defaults(run=run)


def csv_target(options: argparse.Namespace) -> Path | None:
    """The file of -o; None where CSV goes to stdout, by --csv, by "-" or by the system's name of stdout."""
    to_stdout = options.csv or is_stdout(options.output)
    if to_stdout and options.json:
        raise UsageError("CSV and JSON cannot both go to stdout. Name a file with -o, or leave out --json.")
    return None if to_stdout else options.output


def settings_from(options: argparse.Namespace, **more: Any) -> Settings:
    """What `add_training` asked for."""
    return Settings(
        model=options.kind,
        surrogate=options.surrogate,
        updates=options.updates,
        seed=options.seed,
        device=options.device,
        **more,
    )


def how_from(options: argparse.Namespace) -> "How":
    """What `add_columns` and `add_training` say of reading; what is not given keeps its default."""
    from wideangle.commands._inputs import How

    names = ("text_column", "label_column", "encoding", "n_words", "stop_words", "token_pattern")
    given = {name: getattr(options, name, None) for name in names}
    return How(**{name: value for name, value in given.items() if value is not None})
