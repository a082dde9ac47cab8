"""Tables of `metric_baselines.py`, with the records of `DistanceLearner()` beside them."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from _distance_defaults import standard_error
from _distance_parts import ALL_ROWS, MNIST, SMALL_SETS
from _metric_peer import print_peer
from _records import Record, read_records

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
    """What a method has above Euclid on the same runs, with the standard error of the mean difference."""
    for measure in ("3-NN", "AP"):
        print(f"\n{measure} less Euclid's, in points: the mean difference run by run ± its standard error")
        for name in (*SMALL_SETS, *LARGE):
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
