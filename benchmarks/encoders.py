"""How fast does an encoder make vectors of texts, how fast does the cache give them, and how good are they as they are?

    python benchmarks/encoders.py [--quick] [--encoders wordllama ...]

The texts are those of the docstrings corpus as strings: the words of each document, as its counts have them, in a made
order, because the corpus stores no texts. "encode" is the encoder alone. "cache, first" writes every vector, and
"cache, again" reads them in a new object as another run would. "halves" parts the words of each text and encodes both
halves. The times are the least of several turns, on the threads that the packages take by themselves. Beside them
stands what the vectors are worth: P@10 of test documents among training documents by the cosine, compared with that of
TF-IDF, which needs no vectors. An encoder that is not installed is left out, and told.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.baselines.documents import TfIdf
from wideangle.data import python_docs
from wideangle.encoders import cached, encode_halves, encoder_of
from wideangle.evaluation import precision_per_query

NEAREST = 10
FEW = 300


def texts_of(counts: Any, words: Any, rng: np.random.Generator) -> list[str]:
    """Documents as texts, of their words in a random order."""
    rows = sp.csr_array(counts)
    names = np.asarray(words)
    parts = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    found = (np.repeat(rows.indices[a:b], rows.data[a:b].astype(int)) for a, b in parts)
    return [" ".join(names[rng.permutation(each)]) for each in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few documents, one turn")
    parser.add_argument("--encoders", nargs="+", default=["wordllama", "wordllama:64"], metavar="NAME")
    options = parser.parse_args()
    corpus, rng = python_docs(), np.random.default_rng(0)
    parts: list[tuple[Any, Any]] = [(part.counts, part.labels) for part in (corpus.train, corpus.test)]
    if options.quick:  # Documents of a class stand together.
        chosen = [some_of(labels, rng) for _, labels in parts]
        parts = [(counts[rows], labels[rows]) for (counts, labels), rows in zip(parts, chosen, strict=True)]
    (counts, labels), (asked, wanted) = parts
    train, test = (texts_of(each, corpus.vocabulary, rng) for each in (counts, asked))
    tf_idf = TfIdf().fit(counts)
    print(
        f"{len(train):,} texts of {np.mean([len(text.split()) for text in train]):.0f} words; "
        f"P@{NEAREST} of {len(test):,} others: "
        f"TF-IDF {precision(tf_idf.transform(asked), wanted, tf_idf.transform(counts), labels):.3f}"
    )
    for name in options.encoders:
        try:
            encoder = encoder_of(name)
        except (ImportError, ValueError) as error:
            print(f"{name}: left out, {error}")
            continue
        rows = len(train)
        speeds = {what: rows / seconds for what, seconds in times(encoder, train, 1 if options.quick else 3).items()}
        told = ", ".join(f"{what} {speed:,.0f}" for what, speed in speeds.items())
        found = precision(encoder.encode(test), wanted, encoder.encode(train), labels)
        print(f"{encoder.name}: texts per second: {told}; P@{NEAREST} {found:.3f}")


def times(encoder: Any, texts: list[str], turns: int) -> dict[str, float]:
    """The least seconds of each way to have vectors."""

    def seconds(run: Callable[[], object]) -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    found: dict[str, list[float]] = {}
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as folder:
            for what, run in (
                ("encode", lambda: encoder.encode(texts)),
                ("cache, first", lambda folder=folder: cached(encoder, folder).encode(texts)),
                ("cache, again", lambda folder=folder: cached(encoder, folder).encode(texts)),
                ("halves", lambda: encode_halves(encoder, texts, seed=0)),
            ):
                found.setdefault(what, []).append(seconds(run))
    return {what: min(each) for what, each in found.items()}


def some_of(labels: Any, rng: np.random.Generator) -> NDArray[np.intp]:
    """A few documents of all classes."""
    return rng.permutation(len(labels))[:FEW]


def precision(asked: Any, wanted: Any, stored: Any, labels: Any) -> float:
    """P@10 by the cosine."""
    return float(precision_per_query(asked, wanted, stored, labels, NEAREST, metric="cosine").mean())


if __name__ == "__main__":
    main()
