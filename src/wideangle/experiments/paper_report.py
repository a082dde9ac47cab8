"""The report: every table and figure in every format, from records alone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from wideangle._files import replacing
from wideangle.exceptions import DataError
from wideangle.experiments.chapters import chapters_of
from wideangle.experiments.figures import draw
from wideangle.experiments.formats import ENDINGS, FORMATS, PICTURES
from wideangle.experiments.html_page import html_page
from wideangle.experiments.in_words import remarks_of, verdicts_of
from wideangle.experiments.jobs import Record
from wideangle.experiments.kinds import KINDS
from wideangle.experiments.plan import Plan
from wideangle.experiments.records import RecordFolder
from wideangle.experiments.specs import Spec
from wideangle.experiments.tables_and_figures import Figure, Table, TopicWordTable
from wideangle.experiments.tally import by_row
from wideangle.experiments.verdict_box import PLAIN

__all__ = ["Report", "TableOrFigure", "table_or_figure", "write_report"]

TableOrFigure = Table | Figure | TopicWordTable

TITLE = "The paper's tables and figures, beside the published numbers"
README = "README.md"
BUILT = "Built by `wideangle reproduce --report` from the records; do not edit."
HOW = """\
Means over seeds ± their standard deviation. "As published" is within that deviation. "Better" and "worse" than λ = 0
are by t-tests (`wideangle.evaluation.compare_runs`), corrected for all comparisons of the table; what is left is "no
difference seen". Fits on different kinds of device are not compared. Each table tells how many versions of the code
and which devices its fits are of; "unknown code" is that of older records, which have no hash of it.
"""


@dataclass(frozen=True)
class Report:
    """What was written."""

    folder: Path
    tables: int
    figures: int


def table_or_figure(spec: Spec, records: Mapping[str, Record]) -> TableOrFigure:
    """What the spec asks for, from the records of its task alone."""
    module, function = KINDS[spec.kind].maker.split(":")
    made: TableOrFigure = getattr(import_module(f"wideangle.experiments.{module}"), function)(Plan(spec, records))
    return made


def write_report(
    specs: Sequence[Spec],
    records: Path,
    folder: Path,
    *,
    formats: Collection[str] = ENDINGS,
    index: bool = True,
    only_this_code: bool = False,
    force: bool = False,
) -> Report:
    """Write NAME.md, .csv, .tex and .html of each table, NAME.png and .svg of each figure, and all on one page.

    `formats` are the endings that are wanted. README.md is the page of "md", and index.html that of "html", which holds
    the pictures of "png".
    Figures and pages that are the same as before are written again with the same bytes. `index` is False where these
    are some specs of many: the pages with all of them are then left alone. With `only_this_code` records of other code
    than that which is here now are left out. README.md marks the folder of a report. In another folder no file is
    replaced without `force`.
    """
    known = RecordFolder(records)
    if known.is_empty:
        raise DataError(
            f"there are no records in {records}: run the specs first, or say where they are with --records."
        )
    specs = [spec for some in chapters_of(specs).values() for spec in some]
    tasks = dict.fromkeys(spec.task for spec in specs if spec.is_fitted)
    by_task = {task: known.read(task, only_this_code=only_this_code) for task in tasks}
    shown = [table_or_figure(spec, by_task.get(spec.task, {})) for spec in specs]
    if not force:
        _check_replaced(folder, shown, formats, index)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    for spec, each in zip(specs, shown, strict=True):
        if isinstance(each, Figure):
            png = folder / f"{each.name}.png"
            lacks_data = spec.kind == "class sizes" and not all(panel.curves for panel in each.panels)
            if not (lacks_data and png.exists()):  # A picture that was made with the data is better than one without.
                draw(each, folder, [ending for ending in PICTURES if ending in formats])
            pictures.append((each, png))
            continue
        for ending in (ending for ending in FORMATS if ending in formats):
            _write(folder / f"{each.name}.{ending}", FORMATS[ending](each))
    tables = [each for each in shown if not isinstance(each, Figure)]
    if index and "html" in formats:
        _write(folder / "index.html", html_page(TITLE, tables, pictures))
    if index and "md" in formats:
        _write(folder / README, _index(shown))
    elif not _is_report(folder) and not (folder / README).exists():
        _write(folder / README, f"# {TITLE}\n\n{BUILT}\n\nThese are some of them.\n")
    return Report(folder, len(tables), len(pictures))


def _is_report(folder: Path) -> bool:
    """Whether a folder is that of an earlier report, which its README.md says."""
    readme = folder / README
    return readme.is_file() and BUILT in readme.read_text(encoding="utf-8", errors="replace")[:1000]


def _check_replaced(folder: Path, shown: Sequence[TableOrFigure], formats: Collection[str], index: bool) -> None:
    """Raise an error where a file of another folder than that of a report would be replaced."""
    names = [name for name, ending in (("index.html", "html"), (README, "md")) if index and ending in formats]
    for each in shown:
        possible = PICTURES if isinstance(each, Figure) else FORMATS
        names += [f"{each.name}.{ending}" for ending in possible if ending in formats]
    there = [name for name in names if (folder / name).exists() and (folder / name).stat().st_size]
    if there and not _is_report(folder):
        raise DataError(
            f"{folder} is not the folder of a report, and {there[0]} is there, which wideangle did not write. "
            "Name another folder with -o, or replace such files with --force."
        )


def _index(shown: Sequence[TableOrFigure]) -> str:
    """All tables and figures, one below the other, as a site of source code shows them."""
    parts = [
        f"# {TITLE}\n\n{BUILT}\n",
        HOW,
        _in_short(shown),
        _summary(shown),
    ]
    for heading, some in chapters_of(shown).items():
        parts.append(f"## {heading}\n")
        for each in some:
            if isinstance(each, Figure):
                parts.append(f"### {each.title}\n\n![{each.title}]({each.name}.png)\n")
                parts += [f"{remark}\n" for remark in remarks_of(each)]
            else:
                parts.append(FORMATS["md"](each))
    return "\n".join(parts)


def _in_short(shown: Sequence[TableOrFigure]) -> str:
    """In how many cells each model with λ > 0 is better than with λ = 0, in all tables together."""
    counted = by_row(each for each in shown if isinstance(each, Table))
    if not counted:
        return ""
    lines = [
        "In how many cells of all tables λ > 0 is better than λ = 0:\n",
        f"| model | {' | '.join(part.title for part in PLAIN)} |",
        f"| --- |{' ---: |' * len(PLAIN)}",
    ]
    for name, counts in counted.items():
        lines.append(f"| {name} | {' | '.join(str(part.count(counts) or '') for part in PLAIN)} |")
    return "\n".join(lines) + "\n"


def _summary(shown: Sequence[TableOrFigure]) -> str:
    """How each model stands to the published numbers and to λ = 0, table by table."""
    lines = ["| table | model | beside the published numbers | beside λ = 0 |", "| --- | --- | --- | --- |"]
    for table in shown:
        if isinstance(table, Table):
            published = verdicts_of(table)
            for name in table.rows:
                beside = table.beside_plain.get(name, "")
                if name in published or beside:
                    lines.append(f"| [{table.name}]({table.name}.md) | {name} | {published.get(name, '')} | {beside} |")
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
