"""`wideangle fit`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.catalogue import COMPONENTS
from wideangle.commands._arguments import diversity, positive, share
from wideangle.commands._options import add_data, add_path, add_training, finish, how_from, settings_from

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "fit a model to documents or rows and write it to a file"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_data(
        parser, "a folder of .txt files, or a .txt, .csv, .tsv, .json, .jsonl, .parquet, .xlsx or .npz file; - is stdin"
    )
    add_path(parser, "-o", "--output", metavar="MODEL", help="the model file (default: named after PATH)")
    parser.add_argument(
        "-k", "--components", type=positive, metavar="K", help=f"how many components (default {COMPONENTS})"
    )
    weight = (
        "λ, how strongly components are spread; auto: a search chooses it, and with labels also what is left open of "
        "weighting and representation (default: the model's own)"
    )
    parser.add_argument("--diversity", type=diversity, metavar="auto|NUMBER", help=weight)
    add_training(parser)
    held = "of rows kept for evaluate, as 0.2"
    parser.add_argument("--hold-out", type=share, default=0.0, metavar="SHARE", help=held)
    parser.add_argument("--no-documents", action="store_true", help="leave names, snippets and vectors out of MODEL")
    parser.add_argument("--force", action="store_true", help="replace a file that is no model")
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Read, fit, write and tell."""
    from wideangle.commands._fitting import fit_model, show

    fitted = fit_model(
        options.path,
        options.output,
        settings_from(options, n_components=options.components, diversity=options.diversity),
        how_from(options),
        hold_out=options.hold_out,
        keep_documents=not options.no_documents,
        force=options.force,
        output=output,
    )
    output.result(fitted, show)
