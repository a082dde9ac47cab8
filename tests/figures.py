"""Figures in documents, checked against the record or the command that they come from.

A comment that no reader of the page sees says where the figures below it come from, up to an empty line or a comment:

    <!-- figures: results/rbm_speed/cpu.txt -->                            a record
    <!-- figures: python benchmarks/rbm_quality.py --table FILE -->        a quick command, most often of records
    <!-- figures: results/rbm_speed/cpu.txt | LDA -->                      only the lines of it that hold "LDA"
    <!-- figures, cell by cell: ... -->                                    of a table whose rows gather several lines
    <!-- claim: tests/theory/test_angle_bound.py::test_name -->            the test that shows an "always" or a "never"

Several comments may stand above one block. In prose each figure must occur in their output, and figures joined by ±, →
or – must do so in one line and in this order. So must the figures of a row of a table. Of a console's text each line
must occur.
"""

import ast
import contextlib
import functools
import io
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from unittest import mock

from wideangle._json_lines import packed_name

ROOT = Path(__file__).parents[1]

COMMENT = re.compile(r"\s*<!-- (figures|claim)(, cell by cell)?: (.+?) -->\s*$")
NUMBER = re.compile(
    r"(?<![\w.,@/#^])(?:(?<![\d)])[−+-])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?(?![\w,]*\d|\.\d|[₀-₉⁰-⁹²³])"
)
UNITS = r"\s?(?:%|°|s\b|ms\b|seconds?\b|minutes?\b|MB\b|GB\b|nats\b|points?\b|times\b|docstrings\b)"
JOINED = r"\s?(?:±|→|–)\s?"
PARAMETER = re.compile(r"(?:\b|(?<=[^\w]))[A-Zλγτδθμmnh][₀-₉']*\s?(?:[=≥≤<>≈∈]|from)\s?$|(?:torch|Python) $")
"""what stands before a number that somebody chose: "λ = ", "K ≥ ", or before a version"""
UNIVERSAL = re.compile(r"\b(?:never|always|no two|at every|for every)\b", re.IGNORECASE)


ALLOWED = {
    "texts of up to 200 MB": "a constant of the code",
    "at least 0.02 of it": "a constant of the code",
    "from 1e-12 to 1e12": "a constant of the code",
    "Files of more than 200 MB of text": "a constant of the code",
    "# 3 GB: read part by part": "an example of a size",
    "parts of about 32 MB": "a constant of the code",
    "for 200 cores that count": "an assumption",
    "training sees 200,000 documents by default": "2,000 updates of 100 documents",
    "first 16 MiB": "a constant of the code",
    "The default is 0.65": "a constant of the code",
    "closer than 30°": "near-duplicates are defined so",
    "below 30°": "near-duplicates are defined so",
    "at most 1.25 · `max_updates`": "a constant of the code",
    "callbacks from 1.9 on": "a version of scikit-learn",
    "(0.415 to 0.45 at": "the paper's figures",
    "turned by 0.01 rad": "a constant of the code",
    "under 1e-4 of the volume's": "a constant of the code",
    "(θ under 4° in float32, 0.14° in float64)": "constants of the code",
    "in float64, at 1e-6 rad, the value of Ω is good to 1e-9": "a bound that tests/functional/test_laws.py holds",
    "in float32, at 1e-3 rad, both are good to 1e-3": "a bound that tests/functional/test_laws.py holds",
    "are below 1e-7 over thread counts": "a bound that tests/threads_processes/test_determinism.py holds",
    "whose bound is 1e-2": "a bound that the same file holds",
    "(bound 1e-3)": "the same",
    "(bound 1e-4)": "the same",
    "less than 20 kB of memory per fit": "a bound that tests/threads_processes/test_growth.py holds",
    "known to 5e-4 in float32": "the square root of float32's rounding",
    "0.6, 0.6 and 1.2 rad": "angles of a stationary point",
    "Lemmas 12–14": "numbers of lemmas",
    "√2 times": "a constant of a proof",
}
"""Phrases of the documents whose numbers are no measured figures, and what they are instead."""


@dataclass(frozen=True)
class Block:
    """Lines of a document that belong together, and the sources named above them."""

    line: int
    """number of the first line"""
    text: str
    kind: str
    """"prose", "table", "cells" (a table that is compared cell by cell), "console" or "code" """
    figures: tuple[str, ...]
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """A number as it is printed."""

    text: str
    start: int
    """where it stands in its text"""
    value: Decimal
    step: Decimal
    """what its last digit counts"""
    signed: bool
    share: bool
    """whether it may be a hundred times the recorded one: it is followed by % or "points" """


def blocks_of(document: str) -> list[Block]:
    """The blocks of a Markdown document; comments that name sources are no blocks."""
    blocks: list[Block] = []
    sources: dict[str, list[str]] = {"figures": [], "claim": []}
    lines: list[str] = []
    first, fence, table = 0, "", "table"

    def close() -> None:
        if lines:
            kind = fence or (table if all(line.lstrip().startswith("|") for line in lines) else "prose")
            blocks.append(Block(first, "\n".join(lines), kind, *(tuple(named) for named in sources.values())))
            lines.clear()
            for named in sources.values():
                named.clear()

    for number, line in enumerate(document.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            close()
            fence = "" if fence else "console" if "console" in line else "code"
        elif fence and lines:
            lines.append(line)
        elif not fence and (comment := COMMENT.match(line)):
            close()
            sources[comment[1]].append(comment[3])
            table = "cells" if comment[2] else "table"
        elif line.strip():
            first = first if lines else number
            lines.append(line)
        else:
            close()
    close()
    return blocks


def figures_in(text: str, everything: bool = False) -> list[Figure]:
    """The numbers of a text that were measured, by their looks; or all that are no parameters' values or names."""
    for phrase in () if everything else ALLOWED:
        text = text.replace(phrase, " " * len(phrase))
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|\*\*", lambda found: " " * len(found[0]), text)
    figures = []
    for found in NUMBER.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        measured = (
            set(found[0]) & set(".e")
            or re.match(UNITS, after)
            or re.match(JOINED + r"[−+-]?\d", after)
            or re.search(r"\d" + JOINED + "$", before)
        )
        if everything or (measured and not PARAMETER.search(before)):
            figures.append(_figure(found, share=bool(re.match(r"(?:\s(?:to|and)\s[\d.]+)?\s?(?:%|points?\b)", after))))
    return figures


def occurs(figure: Figure, recorded: Figure) -> bool:
    """Whether a figure is what was recorded, rounded to the digits printed."""
    if figure.signed and recorded.value and (figure.value < 0) != (recorded.value < 0):
        return False
    value, found = (figure.value, recorded.value) if figure.signed else (abs(figure.value), abs(recorded.value))
    for factor in (1, 100) if figure.share else (1,):
        step = recorded.step * factor
        # A record may be rounded itself, and what is half a step away in it may have been rounded either way.
        slack = (figure.step + step) / 2 if step < figure.step else Decimal(0)
        if step <= figure.step and abs(value - found * factor) <= slack:
            return True
    return False


def missing_figures(block: Block, output: str) -> list[str]:
    """What of a block the output does not hold: figures, rows of a table, or lines of a console's text."""
    if block.kind == "console":
        recorded = {line.strip() for line in output.splitlines()}
        lines = [line.strip() for line in block.text.splitlines()]
        shows_nothing = {a for a, b in pairwise([*lines, "$"]) if a.startswith("$") and b.startswith("$")}
        return [line for line in lines if line and line not in recorded | shows_nothing | {"…"}]
    rows = block.text.splitlines()[2:]
    if block.kind == "table":
        wanted = [(row, figures_in(row, everything=True)) for row in rows]
    elif block.kind == "cells":
        wanted = [(cell, figures_in(cell, everything=True)) for row in rows for cell in row.split("|")]
    else:
        wanted = [(" ".join(f.text for f in joined), joined) for joined in _joined_figures(block.text)]
    by_line = _figures_by_line(output)
    return [text for text, joined in wanted if joined and not any(_in_order(joined, line) for line in by_line)]


@functools.cache
def _figures_by_line(output: str) -> list[list[Figure]]:
    return [figures_in(line, everything=True) for line in output.splitlines()]


def _joined_figures(text: str) -> list[list[Figure]]:
    """The figures of prose, those together that only ±, → or – stands between."""
    joined: list[list[Figure]] = []
    for figure in figures_in(text):
        before = joined[-1][-1] if joined else figure
        if joined and re.fullmatch(UNITS + "?" + JOINED, text[before.start + len(before.text) : figure.start]):
            joined[-1].append(figure)
        else:
            joined.append([figure])
    return joined


def _in_order(wanted: list[Figure], line: list[Figure]) -> bool:
    """Whether a line of output has all these figures, one after the other."""
    rest = iter(line)
    return all(any(occurs(figure, recorded) for recorded in rest) for figure in wanted)


def wrong_in(block: Block) -> Iterator[str]:
    """What is wrong with a block's figures and claims, in words."""
    if block.kind == "code":
        return
    found = [figure.text for figure in figures_in(block.text)]
    if found and not block.figures:
        yield f"figures without a source ({', '.join(found[:5])})"
    lacking = [s for s in block.figures if not s.startswith("python ") and not (ROOT / s.partition(" | ")[0]).is_file()]
    if lacking:
        yield f"there is no record {' and '.join(lacking)}"
    elif block.figures:
        output = "\n".join(output_of(source) for source in block.figures)
        yield from (f"not in {' and '.join(block.figures)}: {what}" for what in missing_figures(block, output))
    if block.kind == "prose" and not block.claims and (word := UNIVERSAL.search(block.text)):
        yield f"{word[0]!r} without a test that shows it"
    yield from (f"there is no test {claim}" for claim in block.claims if not _is_test(claim))


def is_record(name: str) -> bool:
    """Whether a file of the repository has this name, be it packed or not."""
    return (ROOT / name).is_file() or packed_name(ROOT / name).is_file()


@functools.cache
def output_of(source: str) -> str:
    """The lines of a record, or of what a Python script of ours prints, that a source names."""
    command, _, pattern = source.partition(" | ")
    if command.startswith("python "):
        script, *arguments = shlex.split(command)[1:]
        printed = io.StringIO()
        arguments = [str(ROOT / a) if is_record(a) else a for a in arguments]
        # In this process, for a process of its own would spend seconds on importing torch.
        with (
            mock.patch.object(sys, "argv", [script, *arguments]),
            mock.patch.object(sys, "path", [str((ROOT / script).parent), *sys.path]),
            contextlib.redirect_stdout(printed),
        ):
            runpy.run_path(str(ROOT / script), run_name="__main__")
        text = printed.getvalue()
    else:
        text = (ROOT / command).read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if re.search(pattern, line))


def _figure(found: re.Match[str], share: bool) -> Figure:
    text = found[0]
    value = Decimal(text.replace(",", "").replace("−", "-"))
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)  # the pattern knows no infinities
    return Figure(text, found.start(), value, Decimal(1).scaleb(exponent), text[0] in "+-−", share)


def _is_test(name: str) -> bool:
    path, _, function = name.partition("::")
    file = ROOT / path
    return file.is_file() and any(
        isinstance(node, ast.FunctionDef) and node.name == function
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    )
