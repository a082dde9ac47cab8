"""How fast are the samplers of the document baselines, and how good are all of them?

    python benchmarks/document_baselines.py --speed [OUT.jsonl] token updates per second at K = 100 on 20-News
    python benchmarks/document_baselines.py --table             ours beside all, with the paper's figures

Quality is a matter of specs: `wideangle reproduce precision_compared docstrings_compared` runs what has no record yet,
and `--table` prints the tables of what is in results/reproduction. What is not installed is left out, and is said so.
`--speed` needs 20-News (WIDEANGLE_DATA).
"""

import argparse
import importlib.util
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
from _corpora import split
from _lda import HAS_TOMOTOPY, untrained_lda
from _records import add_records

from wideangle.catalogue import COMPONENTS, entry_of
from wideangle.exceptions import DataError
from wideangle.experiments.formats import FORMATS
from wideangle.experiments.paper_report import table_or_figure
from wideangle.experiments.records import RecordFolder
from wideangle.experiments.specs import find_specs, read_spec
from wideangle.experiments.tables_and_figures import Table

SAMPLED = ("PitmanYorTopicModel", "LIDA")  # They need numba.
RECORDS = Path(__file__).parents[1] / "results" / "reproduction"
TABLES = (
    *("precision_compared", "clustering_compared", "rare_classes_compared"),
    *("perplexity_compared", "npmi_compared", "distinct_words_compared", "seconds_compared"),
    *("docstrings_compared", "docstrings_rare_classes"),
)


def speeds(data: str, K: int, n: int | None, repeats: int) -> list[dict[str, Any]]:
    """Token updates per second of one core: all that a sweep does, but for the draws of hyperparameters."""
    counts = split(data, n=n).train.astype(np.int64)
    tokens = int(counts.sum())
    found = []
    for name in SAMPLED if importlib.util.find_spec("numba") else ():
        rng = np.random.default_rng(0)
        kind: Any = entry_of(name).load()
        chain = kind(K)._chain(counts, rng)
        for progress in np.linspace(0, 1, repeats):  # compiles, and leaves the first state
            chain.sweep(rng, float(progress))
        began = time.perf_counter()
        for _ in range(repeats):
            chain.sweep(rng, 1.0)
        found.append((name, time.perf_counter() - began))
    if not found:
        print(f"{', '.join(SAMPLED)}: not run: numba is not installed")
    if HAS_TOMOTOPY:
        model = untrained_lda(counts, K, 0)[0]
        model.train(repeats, workers=1)
        began = time.perf_counter()
        model.train(repeats, workers=1)
        found.append(("tomotopy's LDA", time.perf_counter() - began))
    else:
        print("tomotopy's LDA: not run: tomotopy is not installed")
    machine = platform.processor() or platform.machine()
    return [
        {"data": data, "K": K, "model": name, "tokens": tokens, "updates per second": tokens * repeats / seconds,
         "machine": machine}
        for name, seconds in found
    ]  # fmt: skip


def print_tables() -> None:
    """The tables of all documents' methods, in Markdown."""
    records, specs = RecordFolder(RECORDS).read("documents"), find_specs()
    for name in TABLES:
        table = table_or_figure(read_spec(specs[name]), records)
        assert isinstance(table, Table)
        print(FORMATS["md"](table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("speed", "table", "quick"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object per line; added to")
    arguments = parser.parse_args()
    if arguments.table:
        print_tables()
        return
    if not arguments.speed and not arguments.quick:
        parser.error("say what to do: --speed or --table")
    try:
        records = speeds("docstrings", COMPONENTS, 300, 2) if arguments.quick else speeds("20news", 100, None, 5)
    except DataError as error:
        raise SystemExit(f"not run: {error}") from None
    for record in records:
        print(f"{record['model']:<20} {record['updates per second']:,.0f} token updates per second", flush=True)
        if arguments.out is not None:
            add_records(arguments.out, [record])


if __name__ == "__main__":
    main()
