"""Options that several commands share, and what they become. Nothing heavy is imported: --help answers at once."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shtab

from wideangle.catalogue import commands, entry_of
from wideangle.commands._arguments import encoding, frequency, pattern, positive, seed, separator
from wideangle.commands._guard import UsageError
from wideangle.commands._settings import Settings
from wideangle.commands._writing import is_stdout

if TYPE_CHECKING:
    from wideangle.commands._output import Output
    from wideangle.reading import ReadingOptions

# The options that say how to read, and the fields of ReadingOptions that they set.
READING = {
    "--format": "format",
    "--separator": "separator",
    "--encoding": "encoding",
    "--text-column": "text_column",
    "--title-column": "title_column",
    "--label-column": "label_column",
    "--id-column": "id_column",
    "--split-column": "split_column",
    "--words": "n_words",
    "--stop-words": "stop_words",
    "--token-pattern": "token_pattern",
    "--ngrams": "ngrams",
    "--min-df": "min_df",
    "--max-df": "max_df",
    "--strip-html": "strip_html",
}
# The values of options. The rooms that define them import torch, so they are named again here; a test compares them.
PURPOSES = ("balance", "groups", "details")
WEIGHTINGS = ("counts", "log", "balanced", "tf-idf")
METRICS = ("identity", "scales", "covariance")
STARTS = ("svd", "random")
Run = Callable[[argparse.Namespace, "Output"], None]


def add_path(parser: argparse.ArgumentParser, *names: str, folder: bool = False, **options: Any) -> None:
    """Add an argument that is a path."""
    completed_by_files(parser.add_argument(*names, type=Path, **options), folder)


def add_csv(parser: argparse.ArgumentParser, metavar: str, help: str, *, required: bool) -> None:
    """Add the options for a file to write, or for CSV to stdout."""
    where = parser.add_mutually_exclusive_group(required=required)
    completed_by_files(where.add_argument("-o", "--output", type=Path, metavar=metavar, help=help))
    where.add_argument("--csv", action="store_true", help="write CSV to stdout")


def completed_by_files(action: argparse.Action, folder: bool = False) -> None:
    """Let a shell complete the argument by names of files or folders."""
    action.complete = shtab.DIRECTORY if folder else shtab.FILE  # type: ignore[attr-defined]


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model file that a command works on."""
    add_path(parser, "model", metavar="MODEL", help="a file that fit wrote")


def add_data(parser: argparse.ArgumentParser, help: str, optional: bool = False) -> None:
    """Add the documents or rows that a command works on, and how to read them."""
    add_path(parser, "path", metavar="PATH", help=help, nargs="?" if optional else None)
    add_columns(parser)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to read documents or rows."""
    group = parser.add_argument_group("reading")
    group.add_argument("--text-column", metavar="NAME", help="of a table (default: guessed, and said)")
    titles = "shown, not counted (default: title, headline, …, where each row has its own); none: no titles"
    group.add_argument("--title-column", metavar="NAME", help=titles)
    labels = "of a table (default: label, class, category, …); none: no labels"
    group.add_argument("--label-column", metavar="NAME", help=labels)
    group.add_argument("--id-column", metavar="NAME", help="what documents are called (default: id, uuid, …, or row 7)")
    split = "marks rows as train or test (default: split, is_train, …); none: use no split"
    group.add_argument("--split-column", metavar="NAME", help=split)
    group.add_argument(
        "--separator", type=separator, metavar="SIGN", help="of a CSV file, as ';' or tab (default: found)"
    )
    group.add_argument("--encoding", type=encoding, help="of text files (default: found)")
    group.add_argument("--format", metavar="csv|jsonl|…", help="of PATH, where its name does not say it")


def add_training(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which model is fitted, how, and to which words."""
    names = commands()
    said = f"which model; they are listed below (default {names[0]})"
    parser.add_argument("--model", dest="kind", choices=names, default=names[0], metavar="NAME", help=said)
    list_models(parser)
    purpose = "what the representation is for: broad groups, fine distinctions (details), or a balance (default)"
    parser.add_argument("--for", dest="purpose", choices=PURPOSES, help=purpose)
    weighting = "how the words of a document are counted (default: suits --for)"
    parser.add_argument("--weighting", choices=WEIGHTINGS, help=weighting)
    spread = "what is spread: angles between components, or the volume they span (default angle)"
    parser.add_argument("--surrogate", metavar="NAME", help=spread)
    geometry = "how angles are measured: plainly, or as the spread or covariance of the data sees them"
    parser.add_argument("--metric", choices=METRICS, help=f"{geometry} (default: the model's own)")
    parser.add_argument("--init", choices=STARTS, help="where components start (default: the model's own)")
    parser.add_argument("--updates", type=positive, metavar="N", help="steps of training (default: the model's own)")
    parser.add_argument("--seed", type=seed, default=0, help="of all randomness (default 0)")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="where to compute")
    group = parser.add_argument_group("words")
    group.add_argument("--words", dest="n_words", type=positive, metavar="N", help="how many at most (default 5000)")
    left_out = "words to leave out: english (default), none, a file, or a language of the package stop-words"
    group.add_argument("--stop-words", metavar="WHICH", help=left_out)
    group.add_argument(
        "--token-pattern", type=pattern, metavar="REGEX", help="what a word is (default: 3 letters a–z or more)"
    )
    group.add_argument("--ngrams", type=positive, metavar="N", help="also count up to N words in a row (default 1)")
    group.add_argument("--min-df", type=frequency, metavar="N", help="leave out words in fewer documents, as 5 or 0.01")
    group.add_argument("--max-df", type=frequency, metavar="N", help="leave out words in more documents, as 0.5")
    group.add_argument(
        "--strip-html", action="store_true", default=None, help="read the text of HTML, without its tags"
    )


def list_models(parser: argparse.ArgumentParser) -> None:
    """Add one line per model to the end of --help."""
    width = max(map(len, commands()))
    lines = [f"  {name:{width}}  {entry_of(name).summary}".rstrip() for name in commands()]
    parser.epilog = "\n".join(["models:", *lines])
    parser.formatter_class = argparse.RawDescriptionHelpFormatter  # It keeps the lines of the epilog.


def finish(parser: argparse.ArgumentParser, run: Run) -> None:
    """Add the options that every command has, and set what it runs."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="one JSON document for machines")
    group.add_argument("-q", "--quiet", action="store_true", help="no progress and no notes")
    group.add_argument("--debug", action="store_true", help="a traceback where something fails")
    parser.set_defaults(run=run)


def csv_target(options: argparse.Namespace) -> Path | None:
    """The file of -o. None where CSV goes to stdout, by --csv, by "-" or by the system's name of stdout."""
    to_stdout = options.csv or is_stdout(options.output)
    if to_stdout and options.json:
        raise UsageError("CSV and JSON cannot both go to stdout. Name a file with -o, or leave out --json.")
    return None if to_stdout else options.output


def settings_from(options: argparse.Namespace, **more: Any) -> Settings:
    """The settings from the options that `add_training` adds."""
    return Settings(
        model=options.kind,
        surrogate=options.surrogate,
        purpose=options.purpose,
        weighting=options.weighting,
        metric=options.metric,
        init=options.init,
        updates=options.updates,
        seed=options.seed,
        device=options.device,
        **more,
    )


def how_from(options: argparse.Namespace) -> "ReadingOptions":
    """The reading options that `add_columns` and `add_training` add. Those that are not given keep their defaults."""
    from wideangle.reading import FORMATS, ReadingOptions

    given = {field: getattr(options, field, None) for field in READING.values()}
    if given["format"] is not None and given["format"] not in FORMATS:
        raise UsageError(f"--format {given['format']!r} cannot be read. Take {', '.join(FORMATS)}.")
    return ReadingOptions(**{field: value for field, value in given.items() if value is not None})


def said_of_reading(how: "ReadingOptions") -> list[str]:
    """The command-line options that give the same reading again."""
    usual = type(how)()
    said: list[str] = []
    for option, field in READING.items():
        value = getattr(how, field)
        if value != getattr(usual, field):
            said += [option] if value is True else [option, str(value)]
    return said
