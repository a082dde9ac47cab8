"""Tables in LaTeX. A document needs \\usepackage{booktabs} and nothing else."""

import re
from collections.abc import Iterable, Sequence

from wideangle.experiments.in_words import SaidCell, lines_of_words, one_line, remarks_of, said_rows, verdicts_of
from wideangle.experiments.tables_and_figures import Table, TopicWordTable

__all__ = ["table_in_latex", "words_in_latex"]

GREEK = (
    "α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu µ mu ν nu ξ xi π pi "
    "ρ rho σ sigma τ tau υ upsilon φ varphi χ chi ψ psi ω omega "
    "Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega"
)
RELATIONS = "± pm × times · cdot ≤ leq ≥ geq ≠ neq ≈ approx → to ∞ infty ∈ in ℓ ell √ surd"
NAMED = f"{GREEK} {RELATIONS}".split()
MATHS = {
    **{sign: f"$\\{name}$" for sign, name in zip(NAMED[::2], NAMED[1::2], strict=True)},
    **{sign: f"$_{place}$" for place, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{sign: f"$^{place}$" for place, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    "−": "$-$",
    "<": "$<$",  # The older font encoding has other signs at the places of these three.
    ">": "$>$",
    "|": "$|$",
}
PLAIN = {
    **{sign: f"\\{sign}" for sign in "%_&#${}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    '"': "''",
    "`": "\\textasciigrave{}",
    "–": "--",
    "-": "-{}",  # Two hyphens would become a dash.
    "[": "{[}",  # After the end of a line, [ and * would be read as its arguments.
    "*": "{*}",
}
SIGNS = str.maketrans(MATHS | PLAIN)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def table_in_latex(table: Table) -> str:
    """The published number and the difference stand in brackets on a second line, so that columns stay narrow."""
    notes: dict[str, str] = {}
    lines = []
    said = said_rows(table)
    for place, (name, cells) in enumerate(said.items()):
        if place:
            lines.append("\\addlinespace")
        first = [_measured(cell) + _mark(cell.note, notes) for cell in cells]
        lines.append(_line([escape(name), *first]))
        second = [_published(cell) if cell.mean else "" for cell in cells]
        if any(second):
            lines.append(_line(["", *second]))
    head = _line([escape(table.corner), *map(escape, table.columns)])
    below = [f"$^{{{mark}}}$ {escape(note)}" for note, mark in notes.items()]
    if any(cell.published for cells in said.values() for cell in cells):
        below.insert(0, "In brackets: the published number, and the mean less the published number.")
    below += [escape(remark) for remark in remarks_of(table)]
    below += [escape(f"{name}: {told}.") for name, told in verdicts_of(table).items()]
    return _floating(
        table.name, table.title, "l" + "r" * len(table.columns), ["\\toprule", head, "\\midrule", *lines], below
    )


def words_in_latex(words: TopicWordTable) -> str:
    width = max((len(topics) for topics in words.blocks.values()), default=0) or 1
    lines = ["\\toprule"]
    for place, (model, words_of_lines) in enumerate(lines_of_words(words).items()):
        if place:
            lines.append("\\midrule")
        topics = len(words.blocks[model])
        lines.append(f"\\multicolumn{{{width}}}{{@{{}}l@{{}}}}{{\\textbf{{{escape(model)}}}}} \\\\")
        if not topics:
            lines.append(_line(["no topics", *[""] * (width - 1)]))
            continue
        lines.append(_line(_filled([f"Topic {topic + 1}" for topic in range(topics)], width)))
        lines.append(f"\\cmidrule(r){{1-{topics}}}")
        lines += [_line(_filled([escape(word) for word in line], width)) for line in words_of_lines]
    return _floating(words.name, words.title, "l" * width, lines, [escape(remark) for remark in remarks_of(words)])


def escape(text: str) -> str:
    """Text that LaTeX shows as it is."""
    return re.sub(r"-\{\}(?!-)", "-", one_line(text).translate(SIGNS))


def _measured(cell: SaidCell) -> str:
    if not cell.mean:
        return _published(cell)
    mean = f"\\textbf{{{escape(cell.mean)}}}" if cell.best else escape(cell.mean)
    return f"{mean} $\\pm$ {escape(cell.deviation)}" if cell.deviation else mean


def _published(cell: SaidCell) -> str:
    inside = ", ".join(escape(part) for part in (cell.published, cell.difference) if part)
    return f"{{\\scriptsize ({inside})}}" if inside else ""


def _mark(note: str, notes: dict[str, str]) -> str:
    """A raised letter for a note, which stands below the table; the same note has the same letter."""
    if not note:
        return ""
    place = len(notes)
    return f"$^{{{notes.setdefault(note, LETTERS[place % 26] * (place // 26 + 1))}}}$"


def _filled(cells: Sequence[str], width: int) -> list[str]:
    return [*cells, *[""] * (width - len(cells))]


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\"


def _floating(name: str, title: str, columns: str, lines: Sequence[str], below: Sequence[str]) -> str:
    label = re.sub(r"[^A-Za-z0-9]+", "-", name)
    parts = ["\\begin{table}", "\\centering", f"\\caption{{{escape(title)}}}", f"\\label{{tab:{label}}}"]
    parts += [f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}", *lines, "\\bottomrule", "\\end{tabular}"]
    if below:
        parts += ["\\par\\medskip", "\\begin{minipage}{\\linewidth}", "\\footnotesize\\raggedright"]
        parts += [f"{sentence}\\par" for sentence in below]
        parts += ["\\end{minipage}"]
    return "\n".join([*parts, "\\end{table}"]) + "\n"
