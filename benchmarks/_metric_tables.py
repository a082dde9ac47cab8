"""Tables of `metric_baselines.py`, with the records of `DistanceLearner()` beside them."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from _distance_defaults import standard_error
from _distance_parts import ALL_ROWS, MNIST, SMALL_SETS
from _metric_peer import print_peer
from _quality_tables import verdict_of
from _records import Record, read_records

from wideangle.evaluation import compare_runs, holm

DEFAULTS = Path(__file__).parent.parent / "results" / "distance_quality" / "defaults.jsonl"
LARGE = ("6activities", MNIST, ALL_ROWS)
Group = dict[tuple[str, str, str], list[Record]]


def print_tables(records: Iterable[Record]) -> None:
    """One table of the large sets, and one of gains over Euclid."""
    records = list(records)
    print_peer([record for record in records if record["stage"] == "peer"])
    tested = [record for record in records if record["stage"] != "peer"]
    for record in (record for record in tested if "failed" in record):
        print(f"failed: {record}")
    if not tested:
        return
    groups = grouped([*(record for record in tested if "failed" not in record), *own_records()])
    print_large(groups)
    print_gains(groups)


def own_records() -> list[Record]:
    """`DistanceLearner()` on the same parts, by its defaults."""
    found = [record for record in read_records(DEFAULTS) if record["model"] == "defaults"]
    return [record | {"model": "DistanceLearner", "stage": "defaults"} for record in found]


def grouped(records: Iterable[Record]) -> Group:
    """Records by data set, method and stage."""
    groups: Group = {}
    for record in records:
        groups.setdefault((record["data"], record["model"], record["stage"]), []).append(record)
    return groups


def mean(records: Iterable[Record], column: str) -> float:
    """The mean of a column where it is recorded."""
    values = [record[column] for record in records if record.get(column) is not None]
    return float(np.mean(values)) if values else float("nan")


def print_large(groups: Group) -> None:
    """Measures in percent with their deviation over seeds, and what they cost."""
    heads = (*(f"{name:>12}" for name in ("AP", "3-NN")), " seconds", "   GB", "GPU GB", " rows")
    print(f"{'':>15} {'':>15} {'':>8} runs", *heads, " settings")
    for name, model, stage in sorted((group for group in groups if group[0] in LARGE), key=lambda g: LARGE.index(g[0])):
        records = groups[name, model, stage]
        cells = [f"{name:>15} {model:>15} {stage:>8} {len(records):>4}"]
        for column in ("AP", "3-NN"):
            values = [100 * record[column] for record in records]
            cells.append(f"{np.mean(values):6.1f} ±{np.std(values):4.1f}")
        for column, form in (("seconds", "8.1f"), ("GB", "5.2f"), ("GPU GB", "6.2f"), ("rows", "5.0f")):
            value = mean(records, column)
            cells.append(f"{value:{form}}" if value == value else " " * int(form.split(".")[0]))
        print(*cells, settings_of(records[0]))


def settings_of(record: Record) -> str:
    """Those that were set."""
    names = ("n_principal", "n_components", "ridge", "trace_weight", "slack", "push_weight")
    return " ".join(f"{name}={record[name]}" for name in names if record.get(name) is not None)


def print_gains(groups: Group) -> None:
    """What a method has above Euclid on the same runs, with the standard error of the mean difference.

    "Better" and "worse" are by paired t-tests of the runs, corrected for all comparisons of a measure. Folds share
    training rows, so that their errors are a little too small.
    """
    for measure in ("3-NN", "AP"):
        print(f"\n{measure} less Euclid's, in points: the mean difference run by run ± its standard error")
        euclid = {
            name: {r["seed"]: r[measure] for r in groups.get((name, "Euclidean", "defaults"), [])}
            for name in (*SMALL_SETS, *LARGE)
        }
        compared = {
            group: runs
            for group, all_runs in groups.items()
            if group[1:] != ("Euclidean", "defaults")
            and (runs := [r for r in all_runs if r["seed"] in euclid.get(group[0], {})])
        }
        gains = {
            group: np.array([100 * (r[measure] - euclid[group[0]][r["seed"]]) for r in runs])
            for group, runs in compared.items()
        }
        p_values = holm([compare_runs(each, np.zeros(len(each)), paired=True).p_value for each in gains.values()])
        corrected = dict(zip(gains, p_values, strict=True))
        for name, of_euclid in euclid.items():
            if of_euclid:
                print(f"{name}: Euclid {100 * np.mean(list(of_euclid.values())):.1f}")
            for group, gain in gains.items():
                if group[0] == name:
                    verdict = verdict_of(gain.mean(), corrected[group]) if len(gain) > 1 else "one run"
                    cost = f"{mean(compared[group], 'seconds'):8.2f} s {mean(compared[group], 'GB'):6.2f} GB"
                    told = f"{len(gain):>3} {gain.mean():+6.1f} ±{standard_error(gain):4.1f}"
                    print(f"{group[1]:>17} {group[2]:>8} {told} {verdict:>18} {cost}")
