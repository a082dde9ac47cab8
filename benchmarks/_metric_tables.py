"""Tables of `metric_baselines.py`, with the paper's figures and the records of `DistanceLearner` beside them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from _distance_defaults import SMALL_SETS, standard_error
from _metric_peer import print_peer
from _records import Record, read_records

RECORDS = Path(__file__).parent.parent / "results" / "distance_quality"
PAPER_SETS = ("20news", "15scenes", "6activities")
# Percent, in the order of PAPER_SETS.
PAPER_NEIGHBOURS = {
    "Euclidean": (42.6, 42.5, 88.7),
    "LMNN": (60.6, 53.5, 91.5),
    "ITML": (50.9, 51.9, 93.5),
    "DMLEig": (39.2, 33.1, 82.3),
    "Seraph": (67.9, 55.2, 91.4),
}
PAPER_PRECISION = {
    "Euclidean": (62.8, 65.3, 85.0),
    "LMNN": (67.0, 70.3, 71.5),
    "ITML": (74.7, 79.1, 94.2),
    "DMLEig": (71.2, 71.3, 86.7),
    "Seraph": (75.8, 82.0, 89.2),
}
MEASURES = ("AP", "3-NN", "k-means", "NMI")
OURS = "DistanceLearner"
Group = dict[tuple[str, str, str], list[Record]]


def print_tables(records: Iterable[Record]) -> None:
    """One table of folds, if there are any; one of the sets with a test part; one of gains over Euclid."""
    records = list(records)
    print_peer([record for record in records if record["stage"] == "peer"])
    for record in (record for record in records if "failed" in record and record["stage"] != "peer"):
        print(f"failed: {record}")
    records = [record for record in records if "failed" not in record]
    print_folds([record for record in records if record["stage"] == "fold"])
    tested = [record for record in records if record["stage"] in ("defaults", "tuned")]
    if not tested:
        return
    groups = grouped([*tested, *own_records()])
    print_large(groups)
    print_gains(groups)


def print_folds(records: list[Record]) -> None:
    """Every setting on folds of the training part, the best of a method first."""
    apart = ("data", "model", "n_principal", "ridge", "trace_weight", "slack", "push_weight", "n_components")
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(record.get(name) for name in apart), []).append(record)
    for group in sorted(groups, key=lambda g: (g[:2], -np.mean([r["AP"] + r["3-NN"] for r in groups[g]]))):
        own = " ".join(f"{n}={v}" for n, v in zip(apart[3:], group[3:], strict=True) if v is not None)
        means = " ".join(f"{name} {mean(groups[group], name):.4f}" for name in ("AP", "3-NN"))
        cost = f"{mean(groups[group], 'seconds'):8.1f} s {mean(groups[group], 'GB'):5.2f} GB"
        print(f"{group[0]:>12} {group[1]:>11} n_principal={group[2]!s:>4} {own:22} {len(groups[group])} {means} {cost}")


def own_records() -> list[Record]:
    """`DistanceLearner` on the same splits: by its defaults, and as tuning on three folds of the paper's sets chose."""
    defaults = [r for r in read_records(RECORDS / "defaults.jsonl") if r["model"] == "defaults"]
    found = [record | {"model": OURS, "stage": "defaults"} for record in defaults]
    settings = ("n_components", "init", "hinge_weight", "near_similar", "near_dissimilar", "surrogate", "diversity")
    scores: dict[str, dict[tuple[Any, ...], list[float]]] = {}
    for record in read_records(RECORDS / "tune.jsonl"):
        key = tuple(record[name] for name in settings)
        scores.setdefault(record["data"], {}).setdefault(key, []).append(record["AP"] + record["3-NN"])
    for name, of_set in scores.items():
        best = max(of_set, key=lambda key: (len(of_set[key]), float(np.mean(of_set[key]))))
        for record in read_records(RECORDS / "test.jsonl"):
            chosen = record["data"] == name and record.get("regime") == "free"
            if chosen and tuple(record[setting] for setting in settings) == best:
                found.append(record | {"model": OURS, "stage": "tuned"})
    return found


def grouped(records: Iterable[Record]) -> Group:
    """Records by data set, method and stage."""
    groups: Group = {}
    for record in records:
        groups.setdefault((record["data"], record["model"], record["stage"]), []).append(record)
    return groups


def mean(records: Iterable[Record], column: str) -> float:
    """The mean of a column where it is recorded."""
    values = [record[column] for record in records if column in record]
    return float(np.mean(values)) if values else float("nan")


def print_large(groups: Group) -> None:
    """Measures in percent with their deviation over seeds, cost, and what the paper has."""
    heads = (*(f"{name:>12}" for name in MEASURES), "paper AP", "paper 3-NN", " seconds", "   GB", "GPU GB", " rows")
    print(f"{'':>15} {'':>15} {'':>8} runs", *heads, " settings")
    names = [name for name in (*PAPER_SETS, "mnist", "mnist, all rows") if any(name == group[0] for group in groups)]
    for name in names:
        for _, model, stage in (group for group in groups if group[0] == name):
            records = groups[name, model, stage]
            cells = [f"{name:>15} {model:>15} {stage:>8} {len(records):>4}"]
            for column in MEASURES:
                values = [100 * record[column] for record in records if column in record]
                cells.append(f"{np.mean(values):6.1f} ±{np.std(values):4.1f}" if values else " " * 12)
            place = PAPER_SETS.index(name) if name in PAPER_SETS else None
            for paper, width in ((PAPER_PRECISION, 8), (PAPER_NEIGHBOURS, 10)):
                known = place is not None and model in paper
                cells.append(f"{paper[model][place] if known and place is not None else '':>{width}}")
            for column, form in (("seconds", "8.1f"), ("GB", "5.2f"), ("GPU GB", "6.2f"), ("rows", "5.0f")):
                value = mean(records, column)
                cells.append(f"{value:{form}}" if value == value else " " * int(form.split(".")[0]))
            print(*cells, settings_of(records[0]))


def settings_of(record: Record) -> str:
    """Those that were set."""
    names = ("n_principal", "n_components", "ridge", "trace_weight", "slack", "push_weight", "diversity")
    return " ".join(f"{name}={record[name]}" for name in names if record.get(name) is not None)


def print_gains(groups: Group) -> None:
    """What a method has above Euclid on the same runs, with the standard error of the mean difference."""
    for measure in ("3-NN", "AP"):
        print(f"\n{measure} less Euclid's, in points: the mean difference run by run ± its standard error")
        for name in (*SMALL_SETS, *PAPER_SETS, "mnist", "mnist, all rows"):
            euclid = {r["seed"]: r[measure] for r in groups.get((name, "Euclidean", "defaults"), [])}
            if not euclid:
                continue
            print(f"{name}: Euclid {100 * np.mean(list(euclid.values())):.1f}")
            for _, model, stage in (group for group in groups if group[0] == name):
                if (model, stage) == ("Euclidean", "defaults"):
                    continue
                runs = [r for r in groups[name, model, stage] if r["seed"] in euclid]
                gains = np.array([100 * (r[measure] - euclid[r["seed"]]) for r in runs])
                if not len(gains):
                    continue
                error = standard_error(gains)
                verdict = "above" if gains.mean() > 2 * error else "below" if gains.mean() < -2 * error else "equal"
                verdict = verdict if len(gains) > 1 else "one run"
                cost = f"{mean(runs, 'seconds'):8.2f} s {mean(runs, 'GB'):6.2f} GB"
                print(f"{model:>17} {stage:>8} {len(gains):>3} {gains.mean():+6.1f} ±{error:4.1f} {verdict:>7} {cost}")
