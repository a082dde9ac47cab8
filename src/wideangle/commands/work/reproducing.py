"""What `wideangle reproduce` does, and how it tells."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wideangle._progress import in_words
from wideangle._wording import number_of
from wideangle.commands.shell.output import Output, new_table
from wideangle.commands.work.shared.memory import reserve_for_algebra
from wideangle.experiments.formats import ENDINGS
from wideangle.experiments.paper_report import Report, write_report
from wideangle.experiments.runner import Price, Result, price, run
from wideangle.experiments.specs import Spec, check, check_names
from wideangle.experiments.versions import Version

if TYPE_CHECKING:
    from rich.console import Console


def prices(specs: Sequence[Spec], records: Path, *, can_be_run: bool, only_this_code: bool) -> list[Price]:
    """What each spec needs, has and will cost; on demand, whether data and packages are there too."""
    for spec in specs if can_be_run else ():
        check(spec)
    return price(specs, records, only_this_code=only_this_code)


def reproduce(
    specs: Sequence[Spec],
    records: Path,
    *,
    jobs: int,
    dask: str | None,
    budget: float | None,
    only_this_code: bool,
    output: Output,
) -> Result:
    """Run what is missing."""
    reserve_for_algebra()
    output.when_interrupted = f"interrupted; the records of all finished fits are in {records}. Run again to go on."
    with output.progress("Fitting") as progress:
        how: dict[str, Any] = {"jobs": jobs, "dask": dask, "budget": budget, "only_this_code": only_this_code}
        return run(specs, records, **how, progress=progress)


def report(
    specs: Sequence[Spec],
    records: Path,
    folder: Path,
    *,
    formats: Sequence[str] | None,
    of_all: bool,
    only_this_code: bool,
    force: bool,
) -> Report:
    """Build tables and figures. No data is needed but for the sizes of classes."""
    for spec in specs:
        check_names(spec)
    how = {"index": of_all, "only_this_code": only_this_code, "force": force}
    return write_report(specs, records, folder, formats=formats or ENDINGS, **how)


def show_prices(found: list[Price], console: "Console") -> None:
    table = new_table("spec", "fits", "done", "costs", right=("fits", "done", "costs"), stretch="spec")
    for each in found:
        unknown = f" + {each.unpriced} unknown" if each.unpriced else ""
        cost = "–" if each.seconds is None else f"{in_words(each.seconds)}"
        table.add_row(each.spec, f"{each.fits}", f"{each.done}", f"{cost}{unknown}" if each.fits > each.done else "")
    console.print(table)
    console.print(
        "Fits on the test part are counted once the folds before them are run. Specs share fits. Costs are of one "
        "process."
    )


def show_versions(found: list[Version], console: "Console") -> None:
    table = new_table("spec", "code", "device", "folds", "tests", right=("folds", "tests"), stretch="spec")
    for each in found:
        code = f"{each.code}, this one" if each.is_this_code else each.code
        table.add_row(each.spec, code, each.device, f"{each.folds}", f"{each.tests}")
    console.print(table)
    console.print("Records of other code stay until --only-this-code has them run again.")


def show_result(result: Result, console: "Console") -> None:
    console.print(f"{result.done} fits in {in_words(result.seconds)}, {result.failed} failed, {result.left} left.")
    if result.failed:
        console.print("The records tell why; the next run tries them again.")


def show_report(made: Report, console: "Console") -> None:
    console.print(f"{number_of(made.tables, 'table')} and {number_of(made.figures, 'figure')} in {made.folder}.")
