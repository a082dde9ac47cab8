"""What do topics and duplicates of many documents cost, in time and in memory?

    python benchmarks/large_topics.py [--quick] [--rows 100000 1000000]
    python benchmarks/large_topics.py --phrases [--updates 500]

Documents are docstrings (`wideangle.data.python_docs`) of which a third of the words are exchanged for words of other
docstrings, so that they differ; one in twenty is copied from an earlier one. Vectors, words and texts lie in files that
are mapped. Each task runs in a process of its own. The floor reads the same files once, block by block, and does
nothing with them. Memory is the peak of what the process has in memory, mapped pages included, less what it has before
the task begins. The slope is the difference of the largest and the smallest number of documents.

With --phrases, phrases of the docstrings' topics are found in all texts, and in samples of them: how many are the same?
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import wideangle
from wideangle._mapped import let_go, map_array
from wideangle.data import Corpus, find_duplicates, python_docs
from wideangle.documents import Documents, Strings, WordLists
from wideangle.models import ReplicatedSoftmax
from wideangle.topics import phrases
from wideangle.topics.of_model import topics_of_documents
from wideangle.topics.words_present import WordsOfLists
from wideangle.view import ModelView

N_COMPONENTS = 50
EXCHANGED, COPIED = 1 / 3, 1 / 20
BLOCK = 20_000
TASKS = ("floor", "duplicates", "topics")
FILES = {"vectors": np.float32, "columns": np.uint16, "word_ends": np.int64, "content": np.uint8, "ends": np.int64}


class WordsOnDisk(WordsOfLists):
    """Which words documents have, as `find_duplicates` takes it."""

    def __init__(self, lists: WordLists, n_words: int) -> None:
        super().__init__(lists, n_words)
        self.nnz = len(lists.columns)


def exchanged(counts: Any, n: int, generator: np.random.Generator) -> tuple[Any, NDArray[np.intp]]:
    """Rows drawn from counts, of which some words are exchanged for words of other rows; and which they were."""
    drawn = generator.integers(counts.shape[0], size=n)
    rows = sp.csr_array(counts[drawn], dtype=np.float32)
    chosen = generator.random(rows.nnz) < EXCHANGED
    rows.indices[chosen] = generator.choice(counts.indices, int(chosen.sum()))
    rows.sum_duplicates()
    copies = generator.choice(n, int(COPIED * n), replace=False)
    order = np.arange(n)
    order[copies] = generator.integers(n, size=len(copies))
    return rows[order], drawn[order]


def fitted(corpus: Corpus, updates: int) -> ReplicatedSoftmax:
    """A model of the corpus that knows its words."""
    assert corpus.vocabulary is not None
    model = ReplicatedSoftmax(N_COMPONENTS, max_updates=updates, random_state=0).fit(corpus.counts)
    model.vocabulary_ = [str(word) for word in corpus.vocabulary]
    return model


def write(folder: Path, n: int, updates: int) -> None:
    """Write a model and the files of n documents."""
    corpus = python_docs()
    model = fitted(corpus, updates)
    model.save(folder / "model.wideangle")
    known = corpus.texts
    assert known is not None
    texts = [text.encode()[:300].decode(errors="ignore").encode() for text in known]
    view, generator = ModelView.of(model), np.random.default_rng(0)
    streams = {name: (folder / name).open("wb") for name in FILES}
    n_columns = n_bytes = 0
    for start in range(0, n, BLOCK):
        rows, drawn = exchanged(corpus.counts, min(BLOCK, n - start), generator)
        content = [texts[number] for number in drawn]
        lists = WordLists.of(rows, times=False)
        ends = np.cumsum([len(text) for text in content])
        parts = (view.said(rows), lists.columns, lists.ends + n_columns, b"".join(content), ends + n_bytes)
        for (name, stream), part in zip(streams.items(), parts, strict=True):
            stream.write(part if isinstance(part, bytes) else part.astype(FILES[name]).tobytes())
        n_columns, n_bytes = n_columns + len(lists.columns), n_bytes + int(ends[-1])
    for stream in streams.values():
        stream.close()


def opened(folder: Path, model: Any) -> Documents:
    """The documents, which stay in their files."""

    def mapped(name: str, *shape: int) -> NDArray[Any]:
        size = (folder / name).stat().st_size // np.dtype(FILES[name]).itemsize
        return map_array(folder / name, FILES[name], shape or (size,))

    ends = mapped("ends")
    names = Strings(np.zeros(0, dtype=np.uint8), np.zeros(len(ends), dtype=np.int64))
    return Documents(
        mapped("vectors", len(ends), N_COMPONENTS),
        names,
        Strings(mapped("content"), ends),
        words=WordLists(mapped("columns"), mapped("word_ends")),
        finished=not ModelView.of(model).is_finished,
    )


def run(task: str, folder: Path) -> dict[str, float]:
    """Time and memory of one task in this process."""
    model = wideangle.load(folder / "model.wideangle")
    documents, view = opened(folder, model), ModelView.of(model)
    words, snippets = documents.words, documents.snippets
    assert words is not None
    assert snippets is not None
    before, start = _peak(), time.perf_counter()
    found = 0
    if task == "floor":
        for array in (documents.vectors, words.columns, words.ends, snippets.content, snippets.ends):
            size = max(1, 2**24 * len(array) // max(1, array.nbytes))
            for first in range(0, len(array), size):
                array[first : first + size].max()
                let_go(array)
    elif task == "duplicates":
        first_ones = find_duplicates(WordsOnDisk(words, len(view.columns)))
        found = int((first_ones != np.arange(len(documents))).sum())
    else:
        found = len(topics_of_documents(view, documents))
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "bytes": _peak() - before, "before": before, "found": found}


def compare_phrases(updates: int) -> None:
    """Print how many of the phrases of all texts are those of samples."""
    corpus = python_docs()
    model = fitted(corpus, updates)
    view = ModelView.of(model)
    documents = view.documents(corpus.counts, counts=corpus.counts, texts=corpus.texts)
    topics = topics_of_documents(view, documents)
    for share in (2, 4):
        with mock.patch.object(phrases, "MOST_TEXTS", len(documents) // share):
            sampled = topics_of_documents(view, documents, like=topics)
        pairs = [(set(a.phrases), set(b.phrases)) for a, b in zip(topics, sampled, strict=True)]
        same = sum(len(a & b) for a, b in pairs) / sum(len(a) for a, _ in pairs)
        first = np.mean([a.phrases[:1] == b.phrases[:1] for a, b in zip(topics, sampled, strict=True)])
        print(
            f"{len(documents):,} docstrings, {len(topics)} topics, 1 in {share} texts read: {same:.0%} of the phrases "
            f"are the same, and the first phrase of {first:.0%} of the topics",
            flush=True,
        )


def _peak() -> int:
    """The most bytes that this process had in memory."""
    status = Path("/proc/self/status")
    if status.exists():  # `getrusage` would also count what the process had that started this one.
        return 1024 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2,000 and 4,000 documents")
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000], help="how many documents")
    parser.add_argument("--task", nargs=2, metavar=("TASK", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--phrases", action="store_true", help="compare phrases of samples instead")
    parser.add_argument("--updates", type=int, default=500, help="how long the model is trained")
    options = parser.parse_args()
    if options.phrases:
        compare_phrases(options.updates)
        return
    if options.task:
        print(json.dumps(run(options.task[0], Path(options.task[1]))))
        return
    measured: dict[str, list[tuple[int, dict[str, float]]]] = {task: [] for task in TASKS}
    for n in [2000, 4000] if options.quick else sorted(options.rows):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), n, 20 if options.quick else options.updates)
            for task in TASKS:
                line = [sys.executable, __file__, "--task", task, folder]
                told = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
                measured[task].append((n, told))
                what = {"floor": "read once", "duplicates": f"{told['found']:,.0f} repeat another"}
                print(
                    f"{n:>9,} documents, {task:>10}: {told['seconds']:7.1f} s, {told['bytes'] / 2**20:6.0f} MB besides "
                    f"{told['before'] / 2**20:.0f} MB; {what.get(task, '{:.0f} topics'.format(told['found']))}",
                    flush=True,
                )
    for task, told in measured.items():
        (n, small), (m, large) = told[0], told[-1]
        if m > n:
            slopes = [(large[what] - small[what]) / (m - n) for what in ("seconds", "bytes")]
            print(f"{task:>10}: {1e6 * slopes[0]:.0f} µs and {slopes[1]:.0f} bytes per document more")


if __name__ == "__main__":
    main()
