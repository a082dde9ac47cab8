"""`wideangle tune`: its arguments."""

import argparse
from typing import TYPE_CHECKING

from wideangle.catalogue import COMPONENTS
from wideangle.commands._arguments import numbers, positive, positives
from wideangle.commands._options import add_data, add_path, add_training, finish, how_from, settings_from

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "choose λ and the number of components by cross-validation"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_data(parser, "as for fit")
    add_path(parser, "-o", "--output", metavar="FILE.png", help="draw the curve")
    parser.add_argument(
        "-k", "--components", type=positives, metavar="K,K,…", help=f"numbers to try (default {COMPONENTS})"
    )
    parser.add_argument("--diversity", type=numbers, metavar="λ,λ,…", help="weights to try (default: a grid)")
    parser.add_argument("--folds", type=positive, default=3, help="parts of the rows (default 3)")
    judge = "what to judge by, as 'P@10' or 'agreement of halves' (default: suits model and labels)"
    parser.add_argument("--measure", default="auto", help=judge)
    add_training(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Cross-validate and tell."""
    from wideangle.commands._tuning import show, tune_model

    tuned = tune_model(
        options.path,
        settings_from(options),
        how_from(options),
        diversity=options.diversity,
        n_components=options.components,
        folds=options.folds,
        measure=options.measure,
        curve=options.output,
        output=output,
    )
    output.result(tuned, show)
