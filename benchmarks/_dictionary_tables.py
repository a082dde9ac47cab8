"""What folds chose for dictionary_quality.py, and tables of its records."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from _dictionary_data import TAIL
from _records import Record, read_records

from wideangle.evaluation import compare_runs, holm

SETTINGS = ("kind", "updates", "init", "alpha", "diversity", "surrogate", "active", "components")
DISTANCES = ("euclidean", "cosine")
LEVEL = 0.05  # the chance that a table has a verdict though nothing differs
OURS, PLAIN = "dictionary, λ > 0", "dictionary, λ = 0"
PAIRS = ((PLAIN, OURS), ("scikit-learn", OURS), ("PCA", OURS), ("autoencoder, λ = 0", "autoencoder, λ > 0"))


def line_of(record: Record) -> str:
    """The line of a table to which a record belongs."""
    kind = str(record["kind"])
    if "diversity" not in record:
        return kind
    return f"{kind}, λ > 0" if record["diversity"] else f"{kind}, λ = 0"


def chosen_settings(paths: Iterable[Path], data: str) -> list[tuple[str, dict[str, Any]]]:
    """For each use and line, the settings with the best mean over folds, and what of the use was chosen."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in read_records(*paths):
        if record["data"] == data:
            groups.setdefault(tuple(record.get(key) for key in SETTINGS), []).append(record)
    best: dict[tuple[str, str], tuple[float, dict[str, Any]]] = {}
    for group, records in groups.items():
        settings = {key: value for key, value in zip(SETTINGS, group, strict=True) if value is not None}
        measures = {f"3-NN, {distance}": "3-NN" for distance in DISTANCES}
        measures |= {name: "PSNR" for name in records[0] if name.startswith("PSNR") and name != "PSNR, noisy"}
        for measure, use in measures.items():
            score = float(np.mean([record[measure] for record in records]))
            if use == "3-NN":  # Rare classes count as much as rows do.
                score += float(np.mean([record[_balanced(measure)] for record in records]))
            if (use, line_of(records[0])) not in best or score > best[use, line_of(records[0])][0]:
                best[use, line_of(records[0])] = score, settings | {"by": measure}
    return [(use, settings) for (use, _), (_, settings) in best.items()]


def _balanced(measure: str) -> str:
    return measure.replace("3-NN", "balanced")


def _values(records: list[Record], name: str) -> Any:
    return np.array([record[name] for record in records], dtype=float)


COLUMNS = (("nonzero", ".1f"), ("dead", ".1f"), ("smallest angle", ".1f"), ("error", ".4f"))


def print_test(path: Path) -> None:
    """Test accuracy and PSNR of each line: mean ± standard error over seeds, and λ > 0 beside λ = 0."""
    records, tests = read_records(path), list[Any]()
    for use in dict.fromkeys(r["for"] for r in records):
        beside = "balanced" if use == "3-NN" else "noisy"
        print(f"| data | | {use} | {beside} | {' | '.join(name for name, _ in COLUMNS)} | seconds | chosen by folds |")
        print("|---" * (6 + len(COLUMNS)) + "|")
        for data in dict.fromkeys(r["data"] for r in records):
            mine = [r for r in records if (r["data"], r["for"]) == (data, use)]
            lines = {name: [r for r in mine if line_of(r) == name] for name in dict.fromkeys(map(line_of, mine))}
            for name, of_line in lines.items():
                print(_row(data, name, use, of_line))
            for plain, pushed in PAIRS:
                if plain in lines and pushed in lines:
                    tests += _compared(data, use, (plain, lines[plain]), (pushed, lines[pushed]))
        print()
    p_values: Any = holm([compare_runs(after, before).p_value for _, before, after in tests]) if tests else []
    for (title, before, after), p_value in zip(tests, p_values, strict=True):
        verdict = ("better" if after.mean() > before.mean() else "worse") if p_value < LEVEL else "no difference seen"
        print(f"{title}: {_told(before)} → {_told(after)}, p = {p_value:.4f}, {verdict}")


def _row(data: str, name: str, use: str, records: list[Record]) -> str:
    first = records[0]
    cells = [data, name, _told(_values(records, first["by"]))]
    cells.append(_told(_values(records, _balanced(first["by"]) if use == "3-NN" else "PSNR, noisy")))
    cells += [f"{_values(records, key).mean():{how}}" if key in first else "" for key, how in COLUMNS]
    cells.append(f"{_values(records, 'seconds').mean():.1f}")
    cells.append(", ".join(f"{key} {first[key]}" for key in SETTINGS[2:] if key in first and first[key] != 0.0))
    return f"| {' | '.join(cells)}, {first['by'].removeprefix(f'{use}, ')} |".replace("| ,", "|")


def _compared(data: str, use: str, before: tuple[str, list[Record]], after: tuple[str, list[Record]]) -> list[Any]:
    """What is tested of two lines; balanced accuracy too where classes are not alike."""
    measures: list[Callable[[str], str]] = [lambda by: by]
    if use == "3-NN" and data.endswith(TAIL):
        measures.append(_balanced)
    title = f"{data}, {use}, {after[0]} against {before[0]}"
    found = []
    for measure in measures:
        sides = [_values(side, measure(side[0]["by"])) for side in (before[1], after[1])]
        found.append((title + (", balanced" if measure is _balanced else ""), *sides))
    return found


def _told(values: Any) -> str:
    digits = 4 if values.max() <= 1 else 2  # an accuracy, or decibels
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"


def print_objectives(path: Path) -> None:
    """Objectives and seconds of each learner with λ = 0, the mean over seeds."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in read_records(path):
        key = tuple(record[name] for name in ("data", "alpha", "learner", "updates"))
        groups.setdefault(key, []).append(record)
    print("| data | α | learner | updates | training | test | seconds |")
    print("|---" * 7 + "|")
    for key, records in groups.items():
        training, test, seconds = (_values(records, name).mean() for name in ("training", "test", "seconds"))
        print(f"| {' | '.join(map(str, key))} | {training:.4f} | {test:.4f} | {seconds:.1f} |")
