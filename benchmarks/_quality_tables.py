"""Tables of the records of rbm_quality.py, and what cross-validation chose."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from _records import Record, read_records
from scipy.stats import spearmanr

from wideangle.evaluation import compare_runs, holm

LEVEL = 0.05  # the chance that a table has a verdict though nothing differs
SETTINGS = (
    "which", "lsi", "n_components", "weighting", "diversity", "metric", "init", "svd_length", "svd_rows",
    "dropout", "learning_rate", "max_updates",
)  # fmt: skip
REPRESENTATIONS = ("centred probabilities", "centred logits", "probabilities", "LSI")
LABEL_FREE: dict[str, Callable[[Record, str], float]] = {
    "agreement at 10": lambda r, how: r[f"agreement at 10, {how}"],
    "agreement at 100": lambda r, how: r[f"agreement at 100, {how}"],
    "mean of both": lambda r, how: (r[f"agreement at 10, {how}"] + r[f"agreement at 100, {how}"]) / 2,
    "half retrieval": lambda r, how: r[f"half retrieval, {how}"],
    "held-out words": lambda r, how: r["held-out words"],
}


def groups_of(records: Iterable[Record]) -> dict[tuple[Any, ...], list[Record]]:
    """Records of the same data and settings, which differ in seed or fold."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        groups.setdefault((record["data"], *(record.get(key) for key in SETTINGS)), []).append(record)
    return groups


def print_table(*paths: Path) -> None:
    """Mean and standard error over seeds or folds: P@k and, in brackets, the rarer half."""
    for group, records in groups_of(read_records(*paths)).items():
        data, *values = group
        named = [f"{key}={value}" for key, value in zip(SETTINGS, values, strict=True) if value is not None]
        cells = []
        for kind in ("own", "broad"):
            for how in REPRESENTATIONS:
                if f"{kind}, {how}" in records[0]:
                    found = [
                        np.array([r[f"{kind}, {tail}{how}"] for r in records], dtype=float)
                        for tail in ("", "rarer half, ")
                    ]
                    means = f"{found[0].mean():.4f} ({found[1].mean():.4f})"
                    errors = f"± {_error(found[0]):.4f} ({_error(found[1]):.4f})"
                    cells.append(f"{kind}, {how}: {means} {errors}")
        angle = np.mean([record.get("mean angle", np.nan) for record in records])
        seconds = np.mean([record["seconds"] for record in records])
        print(data, *named, f"runs={len(records)}", "|", "; ".join(cells), f"; angle {angle:.1f}°; {seconds:.1f} s")


def _error(values: np.ndarray[Any, Any]) -> float:
    return float(values.std(ddof=1) / len(values) ** 0.5) if len(values) > 1 else float("nan")


def chosen_settings(paths: Iterable[Path], data: str) -> dict[str, dict[str, Any]]:
    """The settings with the best mean of P@k and the rarer half over the folds: of the plain model, and with λ > 0."""
    best: dict[str, tuple[float, dict[str, Any]]] = {}
    for group, records in groups_of(r for r in read_records(*paths) if r["data"] == data).items():
        settings = {key: value for key, value in zip(SETTINGS, group[1:], strict=True) if value is not None}
        which = "tuned" if settings["diversity"] else "tuned, λ = 0"
        for how in REPRESENTATIONS[:3]:
            score = np.mean([r[f"own, {how}"] + r[f"own, rarer half, {how}"] for r in records]) / 2
            if which not in best or score > best[which][0]:
                best[which] = float(score), settings | {"representation": how}
    return {which: settings for which, (_, settings) in best.items()}


def print_gains(*paths: Path) -> None:
    """The plain model beside the regularised one on the test rows, and whether they differ beyond chance.

    Both were tuned alike: within the default budget of updates, or with longer training allowed. Each kind of line is a
    table of its own: its p-values, of Welch's test over seeds, are corrected for all its comparisons. Documents are
    not counted.
    """
    records = read_records(*paths)
    sides: dict[str, tuple[str, str]] = {
        "tuned": ("tuned, λ = 0", "tuned"),
        "tuned, K = 100": ("tuned, λ = 0, K = 100", "tuned, K = 100"),
    }
    for name, (plain, pushed) in sides.items():
        lines = []
        for data in dict.fromkeys(r["data"] for r in records):
            for budget, longer in (("", False), (", longer training", True)):
                mine = [r for r in records if r["data"] == data and ("max_updates" in r) == longer]
                pair = [r for r in mine if r["which"] == plain], [r for r in mine if r["which"] == pushed]
                for kind in ("own", "broad"):
                    if all(pair) and any(key.startswith(f"{kind}, ") for key in pair[0][0]):
                        lines.append((f"{data}, {name}{budget}, {kind} classes:", pair, kind))
        print_compared(lines)


def print_compared(lines: list[tuple[str, tuple[list[Record], list[Record]], str]]) -> None:
    """P@k and the rarer half of both sides of each line, tested together."""
    tails = {"P@k": "", "rarer half": "rarer half, "}
    found = [
        [[np.array([value_of(r, kind, tail) for r in side]) for side in pair] for tail in tails.values()]
        for _, pair, kind in lines
    ]
    one_device = [len({r.get("machine") for side in pair for r in side}) == 1 for _, pair, _ in lines]
    p_values = holm(
        [
            compare_runs(after, before).p_value if is_fair else np.nan
            for is_fair, cells in zip(one_device, found, strict=True)
            for before, after in cells
        ]
    ).reshape(len(lines), len(tails))
    for (title, pair, _), cells, of_line, is_fair in zip(lines, found, p_values, one_device, strict=True):
        told = []
        for name, (before, after), p_value in zip(tails, cells, of_line, strict=True):
            verdict = f"p = {p_value:.4f}, {verdict_of(after.mean() - before.mean(), p_value)}"
            means = " → ".join(f"{v.mean():.4f} ± {_error(v):.4f}" for v in (before, after))
            told.append(f"{name} {means} ({verdict if is_fair else 'not compared across devices'})")
        print(title, ", ".join(told), _settings(pair[1][0]))


def verdict_of(difference: float, p_value: float) -> str:
    """In words; a p-value that is not a number is no test."""
    return ("better" if difference > 0 else "worse") if p_value < LEVEL else "no difference seen"


def value_of(record: Record, kind: str, tail: str) -> float:
    """By the representation of the record."""
    return float(record[f"{kind}, {tail}{record.get('representation', 'centred probabilities')}"])


def _settings(record: Record) -> str:
    shown = ("weighting", "diversity", "metric", "init", "learning_rate", "max_updates", "representation")
    return "| " + ", ".join(f"{key} {record[key]}" for key in shown if key in record)


def print_auto(*paths: Path) -> None:
    """What `choose_settings` found, beside the default with λ = 0: mean and standard error over seeds."""
    records = read_records(*paths)
    for data, kind in dict.fromkeys((r["data"], r["labels"]) for r in records):
        mine = [r for r in records if (r["data"], r["labels"]) == (data, kind)]
        cells = []
        for tail, name in (("", "P@k"), ("rarer half, ", "rarer half")):
            found = [np.array([r[f"{tail}{which}"] for r in mine]) for which in ("λ = 0", "auto")]
            errors = [f" ± {_error(values):.4f}" if len(values) > 1 else "" for values in found]
            cells.append(f"{name} " + " → ".join(f"{v.mean():.4f}{e}" for v, e in zip(found, errors, strict=True)))
        cost = np.mean([(r["search seconds"] + r["auto, seconds"]) / r["auto, seconds"] for r in mine])
        chosen = "; ".join(f"λ {r['diversity']:g} {r.get('weighting')} granularity {r['granularity']:g}" for r in mine)
        print(f"{data}, {kind} classes:", ", ".join(cells), f", {cost:.1f} fits | {chosen}")


def print_ranks(*paths: Path) -> None:
    """How measures without labels rank settings: Spearman's ρ with P@k and the rarer half; what their choice loses."""
    groups = groups_of(read_records(*paths))
    for data, kind in (
        ("docstrings", "own"), ("docstrings", "broad"), ("20news", "own"), ("20news", "broad"), ("reuters", "own"),
        ("reuters/4", "own"), ("tdt2", "own"),
    ):  # fmt: skip
        mine = [records for group, records in groups.items() if group[0] == data]
        for measure, value in LABEL_FREE.items():
            cells = []
            for how in REPRESENTATIONS[:2]:
                scores = [np.mean([value(r, how) for r in records]) for records in mine]
                for tail in ("", "rarer half, "):
                    truth = [np.mean([r[f"{kind}, {tail}{how}"] for r in records]) for records in mine]
                    lost = max(truth) - truth[int(np.argmax(scores))]
                    cells.append(f"{tail}{how}: ρ {spearmanr(scores, truth)[0]:+.2f}, lost {lost:.3f}")
            # one line per measure
            print(f"{data}, {kind} classes, {measure}, {len(mine)} settings |", "; ".join(cells))
