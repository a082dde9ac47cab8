"""`wideangle tune`: its arguments."""

import argparse
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.catalogue import COMPONENTS
from wideangle.commands.arguments.checking import check_training
from wideangle.commands.arguments.options import add_data, add_force, add_path, add_training, finish
from wideangle.commands.arguments.parsed import how_from, settings_from
from wideangle.commands.arguments.types import numbers, positive, positives
from wideangle.commands.files.writing import check_output
from wideangle.commands.fit import default_path
from wideangle.commands.shell.guard import CommandError, UsageError

if TYPE_CHECKING:
    from wideangle.commands.arguments.settings import Settings
    from wideangle.commands.shell.output import Output

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
    add_training(parser, default="with labels chosen, else balance")
    fresh = "begin anew where an interrupted run would go on with the fits that are left"
    parser.add_argument("--fresh", action="store_true", help=fresh)
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Cross-validate and tell."""
    largest = None if options.components is None else max(options.components)
    settings, how = settings_from(options, n_components=largest), how_from(options)
    _check_judged(options, settings)
    if options.output is not None:
        _check_drawable(options.output, (options.path, Path(how.stop_words)), options.force)
    check_training(options.path, settings, how)
    from wideangle.commands.work.tune.tuning import show, tune_model

    tuned = tune_model(
        options.path,
        settings,
        how,
        diversity=options.diversity,
        n_components=options.components,
        folds=options.folds,
        measure=options.measure,
        curve=options.output,
        journal=_journal(options, output),
        output=output,
    )
    output.result(tuned, show)


def _journal(options: argparse.Namespace, output: "Output") -> Path | None:
    """Where the scores of finished fits are kept: beside the curve, or in the present folder, named after the data."""
    name = default_path(options.path).with_suffix(".png") if options.output is None else options.output
    journal = name.with_name(f"{name.stem}.tuning.jsonl")
    if not os.access(journal.parent, os.W_OK):
        output.note(f"{journal.parent} may not be written to, so that nothing is kept if this is interrupted.")
        return None
    if options.fresh:
        journal.unlink(missing_ok=True)
    return journal


def _check_judged(options: argparse.Namespace, settings: "Settings") -> None:
    """Check by what, and on how many parts of the rows, the settings are to be judged."""
    known = settings.entry.all_measures
    if options.measure not in ("auto", *known):
        suits = ", ".join(("auto", *map(repr, known)))
        raise UsageError(f"--measure {options.measure!r} is no measure for this model. Take {suits}.")
    if options.folds < 2:
        raise UsageError("--folds 1 leaves nothing to judge by. Take 2 or more.")


def _check_drawable(curve: Path, inputs: Sequence[Path], force: bool) -> None:
    """Check before the work, which may take hours, that the curve can be drawn and written."""
    if curve.suffix.lower() != ".png":
        raise UsageError(f"the curve is a PNG, and {curve.name} does not end in .png. Name such a file with -o.")
    check_output(curve, "the curve", inputs, kind="curve", force=force)
    if find_spec("matplotlib") is None:
        raise CommandError("drawing the curve needs matplotlib: pip install 'wideangle[plot]', or leave out -o.")
