"""Options that several commands share. `parsed.py` says what they become."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shtab

from wideangle.catalogue import commands, entry_of
from wideangle.commands.arguments.types import (
    GRANULARITIES,
    data_path,
    encoding,
    frequency,
    granularity,
    granularity_or_auto,
    pattern,
    positive,
    seed,
    separator,
)
from wideangle.commands.files.tables import WRITERS

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

# The values of options. The rooms that define them import torch, so they are named again here; a test compares them.
FINISHES = ("halves", "spectrum")
WEIGHTINGS = ("counts", "log", "balanced", "tf-idf")
METRICS = ("identity", "scales", "covariance")
STARTS = ("svd", "random")
SURROGATES = (
    *("angle", "bound", "volume", "min-angle", "energy-0", "energy-1", "energy-2", "orthogonal"),
    *("coherence", "spectral", "evenness", "determinantal", "incoherence"),
)
ENCODERS = ("wordllama", "model2vec:NAME", "sentence-transformers:NAME")
# The model of documents that come with vectors.
OF_VECTORS = next(name for name in commands() if entry_of(name).takes_words)
Run = Callable[[argparse.Namespace, "Output"], None]


def add_path(parser: argparse.ArgumentParser, *names: str, folder: bool = False, **options: Any) -> None:
    """Add an argument that is a path."""
    completed_by_files(parser.add_argument(*names, type=Path, **options), folder)


def add_data_path(parser: argparse.ArgumentParser, *names: str, **options: Any) -> None:
    """Add an argument that is a path or a URL of data."""
    completed_by_files(parser.add_argument(*names, type=data_path, **options))


def add_dask(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the address of a Dask cluster that does some of the work."""
    parser.add_argument("--dask", metavar="ADDRESS", help=f"of a Dask scheduler whose workers {what}")


def add_table(parser: argparse.ArgumentParser, *, required: bool, also: Sequence[str] = ()) -> None:
    """Add the options for a table to write, or for CSV to stdout. `also` are further endings of the file."""
    help = f"out{listed_with_or((*also, *WRITERS))}; -: CSV to stdout"
    where = parser.add_mutually_exclusive_group(required=required)
    completed_by_files(where.add_argument("-o", "--output", type=Path, metavar="FILE", help=help))
    where.add_argument("--csv", action="store_true", help="write CSV to stdout")


def listed_with_or(names: Sequence[str]) -> str:
    """Names for a sentence, such as "a, b or c"."""
    return f"{', '.join(names[:-1])} or {names[-1]}"


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add the option that lets a command replace files that this program did not write."""
    parser.add_argument("--force", action="store_true", help="replace a file that wideangle did not write")


def completed_by_files(action: argparse.Action, folder: bool = False) -> None:
    """Let a shell complete the argument by names of files or folders."""
    action.complete = shtab.DIRECTORY if folder else shtab.FILE  # type: ignore[attr-defined]


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model file that a command works on."""
    add_path(parser, "model", metavar="MODEL", help="a file that fit wrote")


def add_data(parser: argparse.ArgumentParser, help: str, optional: bool = False) -> None:
    """Add the documents or rows that a command works on, and how to read them."""
    add_data_path(parser, "path", metavar="PATH", help=help, nargs="?" if optional else None)
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
    dates = "when documents were written (default: date, created_at, …, or the only column of dates); none: no dates"
    group.add_argument("--date-column", metavar="NAME", help=dates)
    vectors = (
        "documents by vectors that you have: a column of lists, or a file with a row for each (.npy, .npz, .parquet)"
    )
    completed_by_files(group.add_argument("--vectors", metavar="COLUMN|FILE", help=vectors))
    encoder = f"make the vectors of texts: {', '.join(ENCODERS)} (default: the model's own)"
    group.add_argument("--encoder", metavar="NAME", help=encoder)
    split = "marks rows as train or test (default: split, is_train, …); none: use no split"
    group.add_argument("--split-column", metavar="NAME", help=split)
    group.add_argument(
        "--separator", type=separator, metavar="SIGN", help="of a CSV file, as ';' or tab (default: found)"
    )
    group.add_argument("--encoding", type=encoding, help="of text files (default: found)")
    group.add_argument("--sheet", metavar="NAME|N", help="of a workbook (default: the first that is a table, and said)")
    kind = "of PATH, where neither its name nor its content says it"
    group.add_argument("--format", metavar="csv|jsonl|…", help=kind)
    unlabelled = "leave out rows without a label, where others have one"
    group.add_argument("--drop-unlabelled", action="store_true", default=None, help=unlabelled)
    files = "files of a folder to leave out, as in .gitignore: drafts/ or '*.old.txt'; may be repeated"
    group.add_argument("--exclude", action="append", metavar="PATTERN", help=files)
    size = "read compressed files even if they become more than 1 GiB and 200 times as large"
    group.add_argument("--any-size", action="store_true", default=None, help=size)


def add_granularity(parser: argparse.ArgumentParser, *, default: str, auto: bool = False) -> None:
    """Add how finely documents are told apart. The option of `fit` can also ask for a choice by labels."""
    values = [*GRANULARITIES, "NUMBER", *(("auto",) if auto else ())]
    said = "how finely documents are told apart: fine distinctions (details), broad groups, or from 0 to 1"
    by_labels = "; auto: labels choose it" if auto else ""
    kind = granularity_or_auto if auto else granularity
    help = f"{said}{by_labels} (default: {default})"
    parser.add_argument("--for", dest="granularity", type=kind, metavar="|".join(values), help=help)


def add_training(parser: argparse.ArgumentParser, *, default: str = "balance", auto: bool = False) -> None:
    """Add the options that say which model is fitted, how, and to which words."""
    names = commands()
    said = f"which model; they are listed below (default {names[0]}, or {OF_VECTORS} where there are vectors)"
    parser.add_argument("--model", dest="kind", choices=names, metavar="NAME", help=said)
    list_models(parser)
    add_granularity(parser, default=default, auto=auto)
    finished = "documents are compared by what their halves teach, by the spectrum, or as the model says them"
    parser.add_argument("--finish", choices=(*FINISHES, "none"), help=f"{finished} (default: the model's own)")
    weighting = "how the words of a document are counted (default: the model's own)"
    parser.add_argument("--weighting", choices=WEIGHTINGS, help=weighting)
    spread = f"what is spread: angles between components, or another of {', '.join(SURROGATES[1:])} (default angle)"
    parser.add_argument("--surrogate", choices=SURROGATES, metavar="NAME", help=spread)
    geometry = "how angles are measured: plainly, or as the spread or covariance of the data sees them"
    parser.add_argument("--metric", choices=METRICS, help=f"{geometry} (default: the model's own)")
    parser.add_argument("--init", choices=STARTS, help="where components start (default: the model's own)")
    parser.add_argument("--updates", type=positive, metavar="N", help="steps of training (default: the model's own)")
    parser.add_argument("--seed", type=seed, default=0, help="of all randomness (default 0)")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="where to compute")
    group = parser.add_argument_group("words")
    group.add_argument(
        "--words",
        dest="n_words",
        type=positive,
        metavar="N",
        help="how many at most (default 5000; 20000 pairs of characters)",
    )
    spoken = "whose stop words are left out: a code such as de, or none (default auto: guessed, and said)"
    group.add_argument("--language", metavar="CODE", help=spoken)
    left_out = "words to leave out: none, english, or a file of words (default: those of the language)"
    group.add_argument("--stop-words", metavar="WHICH", help=left_out)
    words = (
        "what a word is (default: 3 letters of any alphabet or more; of Chinese, Japanese, Thai, … pairs of characters)"
    )
    group.add_argument("--token-pattern", type=pattern, metavar="REGEX", help=words)
    group.add_argument("--ngrams", type=positive, metavar="N", help="also count up to N words in a row (default 1)")
    group.add_argument("--min-df", type=frequency, metavar="N", help="leave out words in fewer documents, as 5 or 0.01")
    group.add_argument("--max-df", type=frequency, metavar="N", help="leave out words in more documents, as 0.5")
    group.add_argument(
        "--strip-html", action="store_true", default=None, help="read the text of HTML, without its tags"
    )
    mail = "read mails without headers, quoted replies and signatures"
    group.add_argument("--strip-mail", action="store_true", default=None, help=mail)
    quotations = "with --strip-mail: read quoted replies too"
    group.add_argument("--keep-quotations", action="store_true", default=None, help=quotations)
    lines = "leave out lines that many documents share"
    group.add_argument("--strip-repeated", action="store_true", default=None, help=lines)


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
