"""Tables of the records of rbm_quality.py, and what cross-validation chose."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from _records import Record, read_records
from scipy.stats import spearmanr

SETTINGS = (
    "which", "lsi", "n_components", "weighting", "purpose", "diversity", "metric", "init", "svd_length", "svd_rows",
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
                        np.array([r[f"{kind}, {tail}{how}"] for r in records], dtype=float) for tail in ("", "rarer half, ")
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


def print_ranks(*paths: Path) -> None:
    """How measures without labels rank settings: Spearman's ρ with P@k and the rarer half, and what their choice loses."""
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
