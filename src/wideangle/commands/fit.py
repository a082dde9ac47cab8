"""`wideangle fit`: its arguments."""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle._locks import sole_writer
from wideangle.catalogue import COMPONENTS
from wideangle.commands.arguments.checking import check_training
from wideangle.commands.arguments.options import (
    add_dask,
    add_data,
    add_force,
    add_path,
    add_training,
    finish,
    listed_with_or,
)
from wideangle.commands.arguments.parsed import how_from, settings_from
from wideangle.commands.arguments.settings import CHECKPOINT_EVERY
from wideangle.commands.arguments.types import diversity, number, positive, share
from wideangle.commands.files.writing import check_output
from wideangle.commands.shell.guard import UsageError
from wideangle.process_group.environment import place_in
from wideangle.reading.catalogue import USUAL_ENDINGS
from wideangle.reading.files import STANDARD_INPUT
from wideangle.reading.places import DataPath

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output

HELP = "fit a model to documents or rows and write it to a file"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    add_data(
        parser,
        f"a folder of .txt files, or a {listed_with_or(USUAL_ENDINGS)} file; - is stdin; many "
        "files of one kind by their folder or a pattern; all may be URLs",
    )
    add_path(parser, "-o", "--output", metavar="MODEL", help="the model file (default: named after PATH)")
    parser.add_argument(
        "-k",
        "--components",
        type=positive,
        metavar="K",
        help=f"how many components (default {COMPONENTS}, fewer for few documents)",
    )
    weight = (
        "λ, how strongly components are spread; auto: a search chooses it, and with labels also what is left open of "
        "weighting and granularity (default: the model's own)"
    )
    parser.add_argument("--diversity", type=diversity, metavar="auto|NUMBER", help=weight)
    add_training(parser, auto=True)
    held = "of rows kept for evaluate, as 0.2"
    parser.add_argument("--hold-out", type=share, default=0.0, metavar="SHARE", help=held)
    parser.add_argument("--no-documents", action="store_true", help="leave names, snippets and vectors out of MODEL")
    stream = "read documents part by part, as files of more than 200 MB are, so that they need not fit into memory"
    parser.add_argument("--stream", action="store_true", help=stream)
    several = "fit in so many processes of this computer, which share the rows of each update (default 1)"
    parser.add_argument("--processes", type=positive, default=1, metavar="N", help=several)
    duplicates = "treat documents that repeat another one as any other"
    parser.add_argument("--keep-duplicates", action="store_true", help=duplicates)
    fresh = "begin anew where an interrupted fit would go on from what it left beside MODEL"
    parser.add_argument("--fresh", action="store_true", help=fresh)
    often = f"time between two checkpoints, from which an interrupted fit goes on (default {CHECKPOINT_EVERY:g})"
    parser.add_argument("--checkpoint-every", type=number, default=CHECKPOINT_EVERY, metavar="SECONDS", help=often)
    add_dask(parser, "count the words")
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Read, fit, write and tell."""
    settings = settings_from(options, n_components=options.components, diversity=options.diversity)
    how, to = how_from(options), options.output or default_path(options.path)
    place = place_in()
    if place is not None and options.processes > 1:
        raise UsageError(
            f"--processes {options.processes}: this command is already one of {place.size} processes that were started "
            "together. Leave out --processes."
        )

    def check() -> None:
        check_output(to, "the model", (options.path, Path(how.stop_words)), kind="model", force=options.force)

    with ExitStack() as held:  # Who makes the same model at the same time is told at once, before hours of work.
        if place is None:
            check()
            held.enter_context(sole_writer(to))
        else:  # The first process alone writes and prints. If it may not, the others must not wait for it.
            output.quiet = output.quiet or place.rank > 0
            from wideangle.process_group.agreement import all_or_none
            from wideangle.process_group.group import Group

            with all_or_none(Group.current(), f"write {to}"):
                if place.rank == 0:
                    check()
                    held.enter_context(sole_writer(to))
        check_training(options.path, settings, how)
        from wideangle._engines import DaskCluster
        from wideangle.commands.work.fit.fitted import show
        from wideangle.commands.work.fit.fitting import FitOptions, fit_model

        asked = FitOptions(
            hold_out=options.hold_out,
            keep_documents=not options.no_documents,
            keep_duplicates=options.keep_duplicates,
            processes=options.processes,
            stream=options.stream,
            engine=None if options.dask is None else DaskCluster(options.dask),
            checkpoint_every=options.checkpoint_every,
            fresh=options.fresh,
        )
        fitted = fit_model(options.path, to, settings, how, asked, output)
        if fitted is not None:
            output.result(fitted, show)


def default_path(path: DataPath) -> Path:
    """A file in the present folder, named after the data. What a pattern names is called by its folder."""
    if str(path) == STANDARD_INPUT:
        return Path("model.wideangle")
    if isinstance(path, str) or not path.exists():
        names = [part for part in str(path).split("://")[-1].split("?")[0].split("/") if part and "*" not in part]
        return Path(f"{names[-1].split('.')[0] if names else 'model'}.wideangle")
    name = path.resolve().name
    stem = name if path.is_dir() else name.split(".")[0]
    return Path(f"{stem or 'model'}.wideangle")
