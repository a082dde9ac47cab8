"""The records of the benchmark of vectors as tables."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from topic_words import MEASURES as OF_TOPICS

SUMMARY = {
    "tf-idf": "tf-idf",
    "counts": "counts, details",
    "raw": "wordllama, raw",
    "centred": "wordllama, centred",
    "halves": "wordllama, halves, 1",
    "neighbours": "wordllama, neighbours 3, 1",
    "both": "counts + wordllama 0.5",
    "both, near": "counts + wordllama 0.5, neighbours",
    "LSI": "LSI, centred",
    "LSI, near": "LSI, neighbours 3, 1",
}
MEASURES = (*OF_TOPICS, "placed", "NMI, all", "topics", "P@k", "found", "NMI, found", "seconds")


def print_table(records: Sequence[dict[str, Any]]) -> None:
    """P@k in percent, the rarer half of the classes in brackets, and the standard error over seeds."""
    columns = sorted({column_of(r) for r in records}, key=str)
    cells: dict[Any, list[Any]] = defaultdict(list)
    for r in records:
        for name, value in r["found"].items():
            cells[name, column_of(r)].append(value)
    for column in columns:
        mine = [r for r in records if column_of(r) == column]
        data, kind, n = column
        said = f"{data}, {kind} texts, {n or 'all'} documents, {mine[0]['words']:.0f} words, P@{mine[0]['k']}"
        print(f"{said}, {len(mine)} seeds")
        for name in mine[0]["found"]:
            table = 100 * np.asarray(cells[name, column])
            error = f" ± {table[:, 0].std(ddof=1) / len(table) ** 0.5:.1f}" if len(table) > 1 else ""
            print(f"    {name:36}{table[:, 0].mean():6.1f} ({table[:, 1].mean():.1f}){error}")


def column_of(record: dict[str, Any]) -> tuple[str, str, int | None]:
    return record["data"], record["kind"], record["n"]


def print_summary(records: Sequence[dict[str, Any]]) -> None:
    """One line per set and size: P@k in percent, and in a second line the rarer half; means over seeds."""
    print(f"{'':28}" + "".join(f"{name:>12}" for name in SUMMARY))
    for data, kind, n in sorted({column_of(r) for r in records}, key=lambda c: (c[1] != "short", c[2] or 10**9, c[0])):
        mine = [r["found"] for r in records if column_of(r) == (data, kind, n)]
        for place, name in enumerate((f"{data}, {kind}, {n or 'all'}", "    rarer half")):
            cells = [100 * np.mean([found[key][place] for found in mine]) for key in SUMMARY.values()]
            print(f"{name:28}" + "".join(f"{cell:12.1f}" for cell in cells))


def print_chosen(records: Sequence[dict[str, Any]]) -> None:
    """How much better than centred vectors, or than counts alone: mean and worst over sets and sizes."""
    for kind in ("short", "whole"):
        gains: dict[str, dict[Any, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for r in (record for record in records if record["kind"] == kind):
            for name, value in r["found"].items():
                base = "counts, details" if name.startswith("counts") else f"{name.partition(',')[0]}, centred"
                if base in r["found"] and base != name:
                    gains[name][column_of(r)].append(100 * (np.asarray(value) - np.asarray(r["found"][base])))
        print(f"{kind + ': over centred, or over counts':42}{'mean':>7}{'worst':>7}{'rarer half':>12}{'its worst':>11}")
        for name, found in gains.items():
            means = np.array([np.mean(each, axis=0) for each in found.values()])
            print(f"{kind}: {name:35}{means[:, 0].mean():7.2f}{means[:, 0].min():7.2f}", end="")
            print(f"{means[:, 1].mean():12.2f}{means[:, 1].min():11.2f}")


def print_topics(records: Sequence[dict[str, Any]]) -> None:
    """Means over seeds."""
    cells: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for method, values in record["found"].items():
            for measure, value in values.items():
                cells[record["data"], method][measure].append(value)
    for data in dict.fromkeys(record["data"] for record in records):
        mine = [record for record in records if record["data"] == data]
        print(f"{data}, {mine[0]['documents']} documents, {len(mine)} seeds")
        print(f"{'':21}" + "".join(f"{measure:>12}" for measure in MEASURES))
        for (its_data, method), found in cells.items():
            if its_data == data:
                print(f"{method:21}" + "".join(f"{told(found.get(measure)):>12}" for measure in MEASURES))


def told(values: list[float] | None) -> str:
    if values is None:
        return "–"
    mean = float(np.mean(values))
    return f"{mean:.3f}" if abs(mean) < 1 else f"{mean:.1f}"
