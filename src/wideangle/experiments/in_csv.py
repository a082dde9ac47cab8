"""Tables as comma-separated values in long form, for programs: one line per cell, numbers unrounded."""

import csv
import io
from collections.abc import Iterable

from wideangle._cells import harmless
from wideangle.experiments.in_words import codes_and_devices, note_of, said_rows
from wideangle.experiments.tables_and_figures import Table, TopicWordTable, against_published

__all__ = ["table_in_csv", "words_in_csv"]

HEAD = (
    "table",
    "row",
    "column",
    "mean",
    "deviation",
    "seeds",
    "published",
    "difference",
    "verdict",
    "note",
    "code",
    "device",
)


def table_in_csv(table: Table) -> str:
    said_rows(table)  # refuses rows of a wrong length
    return _lines(
        HEAD,
        (
            (
                table.name,
                name,
                column,
                cell.mean,
                cell.deviation,
                len(cell.values),
                cell.published,
                cell.difference if table.is_compared else None,
                against_published(cell, table.smaller_is_better) if table.is_compared else "",
                note_of(cell),
                *codes_and_devices(cell.origins.values()),
            )
            for name, cells in table.rows.items()
            for column, cell in zip(table.columns, cells, strict=True)
        ),
    )


def words_in_csv(words: TopicWordTable) -> str:
    origins = {model: [words.origins[model]] if model in words.origins else [] for model in words.blocks}
    return _lines(
        ("table", "model", "topic", "place", "word", "code", "device"),
        (
            (words.name, model, topic, place, word, *codes_and_devices(origins[model]))
            for model, topics in words.blocks.items()
            for topic, topic_words in enumerate(topics, 1)
            for place, word in enumerate(topic_words, 1)
        ),
    )


def _lines(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([harmless(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return text.getvalue()
