"""How well are documents in French, Spanish and Chinese told apart, without any option?

    python benchmarks/languages.py --run OUT.jsonl      fits, three seeds of each language
    python benchmarks/languages.py --table FILE…        P@10 of what is in files, and the topics
    python benchmarks/languages.py --guess              what is guessed of each file, and the time of reading

The documents are parts of the pages of Python's documentation, and their class is the page. They are read as `wideangle
fit` reads them: words of any alphabet, the stop words of the language left out. Each document asks for the others: P@10
is the share of its page among the ten nearest. "default" is the granularity of a fit without options, "details" the
finest. "a–z" reads the same files by the words that English has, as all were read before. LSI has 50 components of
tf-idf. "largest" is the share of documents in the largest topic. Needs the data sets (WIDEANGLE_DATA).
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _records import made_with, read_records, run_missing

from wideangle.baselines.documents import LSI
from wideangle.data.locate import find_file, sha256_of
from wideangle.data.text import TOKEN
from wideangle.evaluation import precision_among
from wideangle.models import ReplicatedSoftmax
from wideangle.reading import ReadingOptions, read
from wideangle.topics.of_model import topics_of_counts
from wideangle.view import ModelView

FILES = {"French": "pydocs_fr", "Spanish": "pydocs_es", "Chinese": "pydocs_zh_cn"}
WORDS = {
    "any alphabet": ReadingOptions(),
    "a–z": ReadingOptions(token_pattern=TOKEN, stop_words="english", n_words=5000),
}
SEEDS = 3
NEAREST = 10
K = 50


def path_of(language: str) -> Path:
    """The file of a language."""
    path = find_file(f"{FILES[language]}.jsonl.gz")
    if path is None:
        raise SystemExit(f"{FILES[language]}.jsonl.gz is not there: set WIDEANGLE_DATA to the folder that has it.")
    return path


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Read a file, fit a model without options, and measure it."""
    torch.set_num_threads(1)
    path = path_of(job["language"])
    rows = read(path, WORDS[job["words"]])
    assert rows.labels is not None
    quick: dict[str, Any] = {"max_updates": 20} if job.get("quick") else {}
    began = time.perf_counter()
    model = ReplicatedSoftmax(K, random_state=job["seed"], **quick).fit(rows.X)
    seconds = time.perf_counter() - began
    view = ModelView.of(model)
    topics = topics_of_counts(view, rows.X, vocabulary=rows.vocabulary)
    vectors = {
        "default": model.transform(rows.X),
        "details": view.represent(rows.X, 0.0),
        "LSI": LSI(K, random_state=job["seed"]).fit(rows.X).transform(rows.X),
    }
    found: dict[str, float] = {
        name: float(precision_among(each, rows.labels, NEAREST).mean()) for name, each in vectors.items()
    }
    found |= {"topics": len(topics), "largest": max(topic.size for topic in topics) / len(rows)}
    assert rows.reading is not None
    read_as = {"documents": len(rows), "columns": int(rows.X.shape[1]), "guessed": rows.reading.language}
    return job | read_as | {"seconds": seconds, "found": found} | made_with(sha256_of(path))


def print_table(records: Sequence[dict[str, Any]]) -> None:
    """Means over seeds; ± is the standard error."""
    cells: dict[Any, list[dict[str, float]]] = defaultdict(list)
    for r in records:
        cells[r["language"], r["words"], r["documents"], r["columns"]].append(r["found"])
    columns = ("default", "details", "LSI")
    print(f"{'':10}{'words':>14}{'documents':>11}{'columns':>9}" + "".join(f"{c:>16}" for c in columns), end="")
    print(f"{'topics':>8}{'largest':>10}")
    for (language, words, documents, width), found in cells.items():
        said = "".join(f"{_cell([each[c] for each in found]):>16}" for c in columns)
        topics, largest = (np.mean([each[name] for each in found]) for name in ("topics", "largest"))
        print(f"{language:10}{words:>14}{documents:>11,}{width:>9,}{said}{topics:>8.0f}{largest:>10.0%}")


def _cell(values: Sequence[float]) -> str:
    error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3f} ± {error:.3f}"


def print_guesses() -> None:
    """What is guessed of each file, and how long reading takes by the words of any alphabet and by a–z."""
    for language in FILES:
        seconds = {}
        for words, options in WORDS.items():
            began = time.perf_counter()
            rows = read(path_of(language), options)
            seconds[words] = time.perf_counter() - began
            if words == "any alphabet":
                print(f"{language}: {rows.notes[0]}")
        print(f"{language}: read in {seconds['any alphabet']:.1f} s, by a–z in {seconds['a–z']:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--run", type=Path, metavar="OUT.jsonl", help="run what this file has no record of")
    what.add_argument("--table", type=Path, nargs="+", metavar="FILE", help="print what is in records")
    what.add_argument("--guess", action="store_true", help="print what is guessed, and the time of reading")
    what.add_argument("--quick", action="store_true", help="one short fit of French documents")
    options = parser.parse_args()
    if options.table:
        print_table(read_records(*options.table))
    elif options.guess:
        print_guesses()
    elif options.quick:
        if find_file(f"{FILES['French']}.jsonl.gz") is None:
            print("The French documents are not there, so that nothing is measured.")
            return
        print_table([run({"language": "French", "words": "any alphabet", "seed": 0, "quick": True})])
    else:
        options.run.parent.mkdir(parents=True, exist_ok=True)
        jobs = [
            {"language": language, "words": words, "seed": seed}
            for seed, language, words in product(range(SEEDS), FILES, WORDS)
        ]
        run_missing(run, jobs, options.run)


if __name__ == "__main__":
    main()
