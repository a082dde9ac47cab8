"""`wideangle reproduce`: its arguments."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.commands._arguments import number, positive
from wideangle.commands._options import add_path, finish

if TYPE_CHECKING:
    from wideangle.commands._output import Output

HELP = "run the paper's experiments and build its tables"
RECORDS, REPORT = Path("results/reproduction"), Path("docs/reproduction")


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("specs", nargs="*", metavar="SPEC", help="names, or files of your own (default: all)")
    parser.add_argument("--list", action="store_true", help="tell which there are, and what of them is run")
    parser.add_argument("--dry-run", action="store_true", help="tell what is missing and what it will cost")
    parser.add_argument("--report", action="store_true", help="build tables and figures from the records; fit nothing")
    add_path(parser, "--records", folder=True, default=RECORDS, metavar="DIR", help=f"(default {RECORDS})")
    add_path(
        parser, "-o", "--output", folder=True, default=REPORT, metavar="DIR", help=f"of the report (default {REPORT})"
    )
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler whose workers run the fits")
    parser.add_argument("--budget", type=number, metavar="MINUTES", help="begin no fit after that")
    finish(parser, run)


def run(options: argparse.Namespace, output: "Output") -> None:
    """Run what is missing, price it, or report what is there."""
    from wideangle.commands._reproducing import find, prices, report, reproduce, show_prices, show_report, show_result

    specs = find(options.specs)
    if options.list or options.dry_run:
        output.result(prices(specs, options.records, can_be_run=options.dry_run), show_prices)
    elif options.report:
        output.result(report(specs, options.records, options.output, of_all=not options.specs), show_report)
    else:
        result = reproduce(
            specs, options.records, jobs=options.jobs, dask=options.dask, budget=options.budget, output=output
        )
        output.result(result, show_result)
