"""`wideangle reproduce`: its arguments."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.catalogue.entry import did_you_mean
from wideangle.commands.arguments.options import add_force, add_path, finish
from wideangle.commands.arguments.types import number, positive
from wideangle.commands.files.writing import check_folder
from wideangle.commands.shell.guard import UsageError

if TYPE_CHECKING:
    from wideangle.commands.shell.output import Output
    from wideangle.experiments.specs import Spec

HELP = "run the paper's experiments and build its tables"
RECORDS, REPORT = Path("results/reproduction"), Path("build/reproduction")


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("specs", nargs="*", metavar="SPEC", help="names, or files of your own (default: all)")
    parser.add_argument("--list", action="store_true", help="tell which there are, and what of them is run")
    parser.add_argument("--dry-run", action="store_true", help="tell what is missing and what it will cost")
    parser.add_argument("--versions", action="store_true", help="tell which code and device made the records")
    parser.add_argument("--report", action="store_true", help="build tables and figures from the records; fit nothing")
    parser.add_argument(
        "--only-this-code",
        action="store_true",
        help="take records of other code as missing: run those fits again, or leave them out of lists and report",
    )
    add_path(parser, "--records", folder=True, default=RECORDS, metavar="DIR", help=f"(default {RECORDS})")
    add_path(
        parser, "-o", "--output", folder=True, default=REPORT, metavar="DIR", help=f"of the report (default {REPORT})"
    )
    parser.add_argument(
        "--formats",
        type=_formats,
        metavar="md,png,…",
        help="of the report: md, csv, tex, html with png, and svg (default: all)",
    )
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler whose workers run the fits")
    parser.add_argument("--budget", type=number, metavar="MINUTES", help="begin no fit after that")
    add_force(parser)
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Run what is missing, price it, or tell and report what is there."""
    specs, code = _find(options.specs), {"only_this_code": options.only_this_code}
    if options.report:
        check_folder(options.output)
    elif not (options.list or options.dry_run or options.versions):
        check_folder(options.records, option="--records")
    from wideangle.commands.work import reproducing as work
    from wideangle.experiments.versions import versions

    if options.list or options.dry_run:
        output.result(work.prices(specs, options.records, can_be_run=options.dry_run, **code), work.show_prices)
    elif options.versions:
        output.result(versions(specs, options.records), work.show_versions)
    elif options.report:
        made = work.report(
            specs,
            options.records,
            options.output,
            formats=options.formats,
            of_all=not options.specs,
            force=options.force,
            **code,
        )
        output.result(made, work.show_report)
    else:
        how = {"jobs": options.jobs, "dask": options.dask, "budget": options.budget}
        output.result(work.reproduce(specs, options.records, **how, **code, output=output), work.show_result)


def _formats(text: str) -> list[str]:
    """Endings of files, separated by commas."""
    from wideangle.experiments.formats import ENDINGS

    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in ENDINGS:
            raise argparse.ArgumentTypeError(f"{name!r} is no format of a report: take some of {', '.join(ENDINGS)}")
    return [*names, "png"] if "html" in names else names  # Its page holds the pictures.


def _find(names: Sequence[str]) -> "list[Spec]":
    """Specs by name or by file; all, if none is named."""
    from wideangle.experiments.specs import find_specs, read_spec

    known = find_specs()
    paths = []
    for name in names or known:
        if name in known:
            paths.append(known[name])
        elif name.endswith(".toml"):
            paths.append(Path(name))
        else:
            raise UsageError(f"there is no spec {name!r}.{did_you_mean(name, known) or ' See --list.'}")
    return [read_spec(path) for path in paths]
