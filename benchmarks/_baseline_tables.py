"""Tables of the records of document_baselines.py, ours beside all, and what its fold chose."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from _corpora import NEAREST, SETS
from _quality_tables import value_of
from _records import Record, read_records

OURS = Path(__file__).parents[1] / "results" / "rbm_quality" / "test.jsonl"
# P@100 in % on Reuters, TDT and 20-News, as the paper tells it
PAPER = {
    "LDA": (68.5, 79.4, 19.6),
    "DocNADE": (72.6, 80.3, 16.8),
    "ParagraphVector": (76.9, 81.7, 19.1),
    "DPPLDA": (69.9, 81.9, 18.2),
    "PitmanYorTopicModel": (70.6, 78.7, 20.1),
    "LIDA": (71.4, 77.9, 21.8),
}
COLUMNS = ("reuters", "tdt2", "20news", "docstrings")
MEASURES = {
    "P@k": 100,
    "P@k, Euclid": 100,
    "rarer half": 100,
    "accuracy": 100,
    "NMI": 100,
    "perplexity": 1,
    "NPMI, groups": 1,
    "distinct, groups": 1,
    "NPMI": 1,
    "distinct": 1,
    "seconds": 1,
}


def chosen_settings(records: Iterable[Record], data: str, model: str) -> dict[str, Any] | None:
    """The settings with the best mean of P@k and the rarer half on the fold, K among them; None without any."""
    mine = [record for record in records if (record["data"], record["model"]) == (data, model)]
    best = max(mine, key=lambda record: float(record["P@k"] + record["rarer half"]), default=None)
    return None if best is None else dict(best["settings"])


def rows_of(records: Iterable[Record]) -> dict[tuple[str, str], dict[str, list[Record]]]:
    """Records by model and "which", and within these by corpus."""
    rows: dict[tuple[str, str], dict[str, list[Record]]] = {}
    for record in records:
        row = rows.setdefault((record["model"], record["which"]), {})
        row.setdefault(record["data"], []).append(record)
    return rows


def print_tables(*paths: Path) -> None:
    """P@k on all corpora with the paper's figures, then all measures of each corpus; in Markdown."""
    rows = rows_of(read_records(*paths))
    print("| P@k in % | " + " | ".join(f"{data}, k = {NEAREST[data]}" for data in COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for name, cells in our_rows().items():
        print(f"| {name} | " + " | ".join(cells) + " |")
    for (model, which), by_data in rows.items():
        cells = [_cell(by_data.get(data, []), "P@k") for data in COLUMNS]
        for place, figure in enumerate(PAPER.get(model, ())):
            cells[place] += f" (paper {figure})"
        print(f"| {model}, {which} | " + " | ".join(cells) + " |")
    for data in SETS:
        if not any(data in by_data for by_data in rows.values()):
            continue
        print(f"\n| {data}, k = {NEAREST[data]} | " + " | ".join(MEASURES) + " |")
        print("|---" * (len(MEASURES) + 1) + "|")
        for (model, which), by_data in rows.items():
            if data in by_data:
                cells = [_cell(by_data[data], measure) for measure in MEASURES]
                print(f"| {model}, {which} | " + " | ".join(cells) + " |")


def our_rows() -> dict[str, list[str]]:
    """P@k of the Replicated Softmax, from the records of rbm_quality.py: plain and regularised, as folds chose them."""
    records = [record for record in read_records(OURS) if record["data"] in COLUMNS]
    names = {"tuned, λ = 0": "ReplicatedSoftmax, λ = 0, tuned", "tuned": "ReplicatedSoftmax, tuned"}
    found: dict[str, list[str]] = {}
    for which, name in names.items():
        found[name] = []
        for data in COLUMNS:
            mine = [r for r in records if r["which"] == which and r["data"] == data]
            # The records hold two settings of each kind: with the usual budget of updates, and with a longer one.
            groups: dict[Any, list[float]] = {}
            for record in mine:
                groups.setdefault(record.get("max_updates"), []).append(value_of(record, "own", ""))
            found[name].append(" / ".join(_mean(values, 100) for values in groups.values()) or "–")
    return found


def print_fold(*paths: Path) -> None:
    """P@k and the rarer half of each setting that was tried, the best of each model first."""
    records = read_records(*paths)
    for data, model in dict.fromkeys((r["data"], r["model"]) for r in records):
        mine = [r for r in records if (r["data"], r["model"]) == (data, model)]
        for r in sorted(mine, key=lambda r: -(r["P@k"] + r["rarer half"])):
            told = ", ".join(f"{key} {value}" for key, value in r["settings"].items())
            print(f"{data:<11}{model:<20}{r['P@k']:.4f} ({r['rarer half']:.4f}) {r['seconds']:7.1f} s  {told}")


def _cell(records: list[Record], measure: str) -> str:
    values = [r[measure] for r in records if r.get(measure) is not None]
    return _mean(values, MEASURES[measure]) if values else "–"


def _mean(values: list[float], times: int) -> str:
    mean = times * float(np.mean(values))
    digits = 0 if mean >= 300 else 1 if times == 100 or mean > 10 else 3
    error = times * float(np.std(values, ddof=1)) / len(values) ** 0.5 if len(values) > 1 else None
    return f"{mean:.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")
