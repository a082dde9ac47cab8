"""Tables in Markdown, as GitHub and most sites read it."""

import re
from collections.abc import Sequence

from wideangle.experiments.in_words import SaidCell, lines_of_words, one_line, remarks_of, said_rows, verdicts_of
from wideangle.experiments.tables_and_figures import Table, TopicWordTable

__all__ = ["table_in_markdown", "words_in_markdown"]

SIGNS = re.compile(r"[\\`*\[\]<>|~$&]|(?<![^\W_])_|_(?![^\W_])")  # An underscore inside a word is only an underscore.
START_OF_BLOCK = re.compile(r"^(#|[-+=](?=[-+=\s]|$)|\d+(?=[.)]))")


def table_in_markdown(table: Table) -> str:
    rows = [[escape(name), *(_cell(cell) for cell in cells)] for name, cells in said_rows(table).items()]
    blocks = [f"### {escape(table.title)}", _grid([escape(table.corner), *map(escape, table.columns)], rows, "---:")]
    blocks += [_paragraph(remark) for remark in remarks_of(table)]
    blocks.append("\n".join(f"- {_paragraph(name)}: {told}" for name, told in verdicts_of(table).items()))
    return "\n\n".join(block for block in blocks if block) + "\n"


def words_in_markdown(words: TopicWordTable) -> str:
    blocks = [f"### {escape(words.title)}", *(_paragraph(remark) for remark in remarks_of(words))]
    for model, lines in lines_of_words(words).items():
        topics = [f"Topic {place + 1}" for place in range(len(words.blocks[model]))]
        blocks.append(f"**{escape(model)}**")
        blocks.append(
            _grid(topics, [[escape(word) for word in line] for line in lines], "---") if topics else "no topics"
        )
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """Text that Markdown shows as it is."""
    return SIGNS.sub(lambda sign: "&amp;" if sign[0] == "&" else f"\\{sign[0]}", one_line(text))


def _paragraph(text: str) -> str:
    """Escaped text that starts a block, where some signs would make a heading or a list of it."""
    text = escape(text)
    start = START_OF_BLOCK.match(text)
    if start is None:
        return text
    if start[0].isdigit():
        return f"{start[0]}\\{text[start.end() :]}"
    return f"\\{text}"


def _cell(cell: SaidCell) -> str:
    mean = f"**{cell.mean}**" if cell.best else cell.mean
    shown = f"{mean} ± {cell.deviation}" if cell.deviation else mean
    published = f"published {cell.published}" if cell.published else ""
    if cell.difference:
        published += f", {cell.difference}"
    if not shown:
        return f"{published} ({escape(cell.note)})" if cell.note else published
    aside = "; ".join(part for part in (published, escape(cell.note)) if part)
    return f"{shown} ({aside})" if aside else shown


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]], ruler: str) -> str:
    lines = [head, ["---", *[ruler] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
