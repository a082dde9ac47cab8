"""Counts of corpora larger than memory: shards on disk, read batch by batch."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._alphabets import WORDS
from wideangle.data.counting.counter import WordCounter
from wideangle.data.languages import guess_language
from wideangle.data.text import left_out_by, most_frequent, within_limits
from wideangle.documents import NO_LABEL, Document
from wideangle.exceptions import DataError, NoWordsError

# Beyond this many different words the rarest are forgotten while document frequencies are counted. A word of the
# final vocabulary would have to be rarer than them at that moment to be missed.
MOST_WORDS = 5_000_000
PART = 1 << 24  # so many characters are in memory at once while document frequencies are counted


@dataclass(frozen=True, eq=False)
class ShardedCounts:
    """A corpus on disk, as memory-mapped CSR shards. Reading a batch reads that batch.

    Examples
    --------
    >>> import tempfile
    >>> from wideangle.data import Document, write_shards
    >>> documents = [Document(f"cats chase mice number {i}", "a", "") for i in range(10)]
    >>> shards = write_shards(documents, tempfile.mkdtemp() + "/shards", documents_per_shard=4)
    >>> len(shards), shards.shape, [batch.shape[0] for batch, _ in shards.batches(3)]
    (10, (10, 4), [3, 1, 3, 1, 2])
    """

    folder: Path
    vocabulary: NDArray[np.str_]
    label_names: NDArray[np.str_] | None
    sizes: tuple[int, ...]
    """documents in each shard"""

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def shape(self) -> tuple[int, int]:
        """Documents × words."""
        return len(self), len(self.vocabulary)

    def shard(self, number: int) -> tuple[sp.csr_array, NDArray[np.int64] | None]:
        """Counts and labels of a shard, memory-mapped; the label of a document without one is −1."""
        data, indices, indptr = (self._array(number, part) for part in ("data", "indices", "indptr"))
        counts = sp.csr_array((data, indices, indptr), shape=(self.sizes[number], len(self.vocabulary)), copy=False)
        return counts, None if self.label_names is None else self._array(number, "labels")

    def batches(self, size: int, *, seed: int | None = None) -> Iterator[tuple[sp.csr_array, NDArray[np.int64] | None]]:
        """Batches of counts and labels, each from one shard; with a seed, shards and their rows are shuffled."""
        if size < 1:
            raise ValueError(f"size of a batch must be at least 1; got {size}.")
        generator = None if seed is None else np.random.default_rng(seed)
        numbers: Any = range(len(self.sizes)) if generator is None else generator.permutation(len(self.sizes))
        for number in numbers:
            counts, labels = self.shard(int(number))
            rows = np.arange(counts.shape[0]) if generator is None else generator.permutation(counts.shape[0])
            for start in range(0, len(rows), size):
                chosen = rows[start : start + size]
                yield counts[chosen], None if labels is None else np.asarray(labels[chosen])

    def _array(self, number: int, part: str) -> NDArray[Any]:
        array: NDArray[Any] = np.load(_file(self.folder, number, part), mmap_mode="r", allow_pickle=False)
        return array


def write_shards(
    documents: Iterable[Document],
    folder: str | os.PathLike[str],
    *,
    n_words: int = 5000,
    stop_words: str | Sequence[str] | None = "auto",
    token_pattern: str = WORDS,
    ngrams: int = 1,
    min_df: float = 1,
    max_df: float = 1.0,
    documents_per_shard: int = 50_000,
) -> ShardedCounts:
    """Count words of documents that need not fit into memory.

    Goes through the documents several times (a `TextSource`, not a generator): for their language where
    stop_words="auto", for the words of largest document frequency, and for the counts. The folder appears when it is
    complete. The other parameters are those of `count_words`.
    """
    target = Path(folder)
    if target.exists():
        raise DataError(f"{target} exists already; choose another folder, or open it with open_shards.")
    if iter(documents) is documents:
        raise DataError(
            "documents are gone through several times, and a generator can be gone through once: pass a TextSource."
        )
    if stop_words == "auto":
        stop_words = left_out_by(guess_language(document.text for document in documents)).words
    counter = WordCounter(token_pattern, stop_words, ngrams)
    vocabulary, label_names = _frequent_words(documents, counter, n_words, min_df, max_df)
    counter = WordCounter(token_pattern, stop_words, ngrams, vocabulary=vocabulary)
    label_numbers = {name: number for number, name in enumerate(label_names or ())}
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    temporary.mkdir()
    try:
        sizes: list[int] = []
        stream = iter(documents)
        while batch := list(islice(stream, documents_per_shard)):
            counts = counter.transform(document.text for document in batch)
            arrays = {"data": counts.data.astype(np.int32), "indices": counts.indices, "indptr": counts.indptr}
            if label_names is not None:
                arrays["labels"] = np.array(
                    [NO_LABEL if document.label is None else label_numbers[document.label] for document in batch],
                    dtype=np.int64,
                )
            for part, array in arrays.items():
                np.save(_file(temporary, len(sizes), part), array)
            sizes.append(len(batch))
        description = {"vocabulary": list(vocabulary), "label_names": label_names, "sizes": sizes, "format": 1}
        (temporary / "shards.json").write_text(json.dumps(description), encoding="utf-8")
        os.replace(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return open_shards(target)


def open_shards(folder: str | os.PathLike[str]) -> ShardedCounts:
    """Open what `write_shards` wrote."""
    path = Path(folder)
    try:
        description = json.loads((path / "shards.json").read_text(encoding="utf-8"))
        names = description["label_names"]
        sizes = tuple(int(size) for size in description["sizes"])
        words = np.array(description["vocabulary"], dtype=np.str_)
    except FileNotFoundError as error:
        raise DataError(f"{path} is no folder of shards: shards.json is not there.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path / 'shards.json'} is damaged ({error}); write the shards anew.") from error
    missing = [n for n in range(len(sizes)) if not _file(path, n, "data").is_file()]
    if missing:
        raise DataError(f"{path} lacks shards {missing}; write them anew.")
    return ShardedCounts(path, words, None if names is None else np.array(names, dtype=np.str_), sizes)


def _frequent_words(
    documents: Iterable[Document], counter: WordCounter, n_words: int, min_df: float, max_df: float
) -> tuple[list[str], list[str] | None]:
    frequency: Counter[str] = Counter()
    labels: set[str] = set()
    every = 0
    for part in _parts(documents):
        every += len(part)
        tally = counter.tally(document.text for document in part)
        words = tally.terms.names(np.arange(len(tally.frequency)))
        frequency.update(dict(zip(words, tally.frequency.tolist(), strict=True)))
        labels.update(document.label for document in part if document.label is not None)
        if len(frequency) > MOST_WORDS:
            frequency = Counter(dict(frequency.most_common(MOST_WORDS // 2)))
    if not frequency:
        raise NoWordsError("no document has a word left: they are empty, or all words are stop words.")
    words = sorted(frequency)
    times = np.array([frequency[word] for word in words])
    kept = within_limits(times, min_df, max_df, every)
    # Equally frequent words are taken in alphabetical order, as in count_words.
    chosen = kept[most_frequent(times[kept], n_words)]
    return [words[number] for number in chosen.tolist()], sorted(labels) if labels else None


def _parts(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """The documents in their order, so many at a time that they fit into memory."""
    part: list[Document] = []
    size = 0
    for document in documents:
        part.append(document)
        size += len(document.text)
        if size >= PART or len(part) >= PART // 100:  # Documents need room even where they are short.
            yield part
            part, size = [], 0
    if part:
        yield part


def _file(folder: Path, number: int, part: str) -> Path:
    return folder / f"shard-{number:05d}.{part}.npy"
