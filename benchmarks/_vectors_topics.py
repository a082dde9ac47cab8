"""Topics of vectors: our groups beside the models of others that take vectors, on the same vectors and words."""

import time
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import topic_words
from _records import made_with
from _vectors_distances import moved, nearest_by_words, of_halves, of_neighbours
from _vectors_encoders import Encoded, WordLlama, by_wordllama, tf_idf
from _vectors_sets import Documents, Draw, documents, drawn
from numpy.typing import NDArray
from topic_words import Read, Run

from wideangle.data import Corpus
from wideangle.evaluation import nearest_rows, normalized_mutual_information
from wideangle.finishing.distances import by_halves
from wideangle.finishing.finished import unit_rows
from wideangle.models import ReplicatedSoftmax
from wideangle.topics import find_topics

TOPICS, MOST_DOCUMENTS, SWEEPS = 50, 4000, 500
FEWEST = 10  # documents that a word of turftopic is in
GRANULARITY = 1.0  # of the vectors that are grouped
Rows = NDArray[Any]


class Asked(NamedTuple):
    """What every method is given: words, vectors of documents to learn from and of those that ask."""

    run: Run
    everything: Documents
    draw: Draw
    train: Rows
    asked: Rows
    halves: tuple[Rows, Rows]


class Said(NamedTuple):
    """Topics; documents as the method represents them, if it does; and the number of topics it finds, with NMI."""

    read: Read
    rows: tuple[Rows, Rows] | None = None
    found: tuple[int, float] | None = None


def run_topics(job: dict[str, Any]) -> dict[str, Any]:
    """Every method that is installed, on one draw of the training documents."""
    everything = documents(job["data"], "whole")
    n = MOST_DOCUMENTS if job["data"] == "20news" else None
    given = asked_of(everything, drawn(job["data"], everything, "test", n, job["seed"]), job["seed"])
    found = {}
    for name, (needed, method) in METHODS.items():
        if needed is None or find_spec(needed) is not None:
            if needed is not None:
                warm_up(needed)
            began = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of convergence, in the packages of others
                said = method(given)
            found[name] = measured(given, said, time.perf_counter() - began)
    return {"found": found, "documents": len(given.train)} | made_with(everything.checksum)


def warm_up(package: str) -> None:
    """Import a package, and let what it compiles be compiled, so that seconds are those of a fit."""
    import_module(package)
    if package == "bertopic":
        rows = np.random.default_rng(0).random((4200, 5))  # so many that neighbours are searched for by descent
        import_module("umap").UMAP(n_components=5, metric="cosine", n_epochs=10).fit(rows)


def asked_of(everything: Documents, draw: Draw, seed: int) -> Asked:
    encoded: Encoded = by_wordllama(everything.texts)

    def unit(rows: Rows, of: Rows) -> Rows:
        return unit_rows(of[rows].astype(np.float64))

    rows = np.concatenate([draw.train, draw.asked])
    is_train = np.arange(len(rows)) < len(draw.train)
    corpus = Corpus(counts=everything.counts[rows], labels=everything.labels[rows], is_train=is_train)
    run = Run(corpus, TOPICS, seed, 0, SWEEPS)
    halves = unit(draw.train, encoded.first), unit(draw.train, encoded.second)
    vectors = unit(draw.train, encoded.whole), unit(draw.asked, encoded.whole)
    return Asked(run, everything, draw, *vectors, halves)


def grouped(given: Asked, middle: Rows, root: Rows) -> Said:
    """Our groups of vectors in a distance."""
    rows = moved(given.train, given.asked, middle, root)
    both = given.halves[0].any(axis=1) & given.halves[1].any(axis=1)
    halves = moved(given.halves[0][both], given.halves[1][both], middle, root)
    counts = given.run.corpus.train.counts
    numbers = [str(column) for column in range(counts.shape[1])]
    free = find_topics(rows[0], counts, numbers, halves=[halves], random_state=given.run.seed)
    found = len(free), nmi(given, free.of_documents)
    return Said(topic_words.grouped(given.run, rows[0]), rows, found)


def centred(given: Asked) -> Said:
    return grouped(given, given.train.mean(axis=0), np.eye(given.train.shape[1]))


def by_texts(given: Asked) -> Said:
    moments = of_halves(given.train, *given.halves)
    return grouped(given, moments.middle, by_halves(moments, GRANULARITY))


def by_neighbours(given: Asked) -> Said:
    near = nearest_by_words(tf_idf(given.run.corpus.train.counts)[0], 3)
    moments = of_neighbours(given.train, near)
    return grouped(given, moments.middle, by_halves(moments, GRANULARITY))


def counted(given: Asked) -> Said:
    """Our model of word counts, as it is."""
    train, test = (part.counts for part in (given.run.corpus.train, given.run.corpus.test))
    model = ReplicatedSoftmax(random_state=given.run.seed).fit(train)
    rows = [np.asarray(model.transform(each)) for each in (train, test)]
    free = model.topics(train, vocabulary=[str(column) for column in range(train.shape[1])])
    found = len(free), nmi(given, free.of_documents)
    return Said(topic_words.grouped(given.run, rows[0]), (rows[0], rows[1]), found)


def bertopic(given: Asked) -> Said:
    return Said(topic_words.bertopic(given.run, given.train))


class UnitLength(WordLlama):
    """Vectors at unit length, as those of documents are, so that long vectors of words do not win."""

    def encode(self, texts: Sequence[str]) -> Rows:
        return unit_rows(super().encode(texts).astype(np.float64))


def turftopic(given: Asked, name: str) -> Said:
    """S³ or KeyNMF of turftopic 0.28 as they are: words in fewer than ten documents are left out."""
    import turftopic as package  # type: ignore[import-not-found, unused-ignore]
    from sklearn.feature_extraction.text import CountVectorizer

    from wideangle.data.text import TOKEN

    present = (given.run.corpus.train.counts > 0).sum(axis=0)
    column = {str(given.everything.words[at]): int(at) for at in np.flatnonzero(present >= FEWEST)}
    vectorizer = CountVectorizer(vocabulary=list(column), token_pattern=TOKEN)
    model = getattr(package, name)(TOPICS, encoder=UnitLength(), vectorizer=vectorizer, random_state=given.run.seed)
    texts = [[given.everything.texts[row] for row in rows] for rows in (given.draw.train, given.draw.asked)]
    shares = np.asarray(model.fit_transform(texts[0], embeddings=given.train))
    asked = np.asarray(model.transform(texts[1], embeddings=given.asked))
    best = np.argsort(-model.components_, axis=1, kind="stable")[:, : topic_words.WORDS]
    known = [str(word) for word in model.get_vocab()]
    read = Read([[column[known[word]] for word in row] for row in best], shares.argmax(axis=1))
    return Said(read, (unit_rows(shares), unit_rows(asked)))


METHODS: dict[str, tuple[str | None, Callable[[Asked], Said]]] = {
    "vectors, centred": (None, centred),
    "vectors, halves": (None, by_texts),
    "vectors, neighbours": (None, by_neighbours),
    "counts": (None, counted),
    "LSI-50, grouped": (None, lambda given: Said(topic_words.lsi(given.run))),
    "BERTopic": ("bertopic", bertopic),
    "S³": ("turftopic", lambda given: turftopic(given, "SemanticSignalSeparation")),
    "KeyNMF": ("turftopic", lambda given: turftopic(given, "KeyNMF")),
}


def nmi(given: Asked, topics: NDArray[np.intp]) -> float:
    labels = given.everything.labels[given.draw.train]
    placed = topics >= 0
    return normalized_mutual_information(labels[placed], topics[placed])


def measured(given: Asked, said: Said, seconds: float) -> dict[str, float]:
    values = dict(zip(topic_words.MEASURES, topic_words.measured(given.run, said.read), strict=True))
    values |= {"placed": float((said.read.topics >= 0).mean()), "topics": len(said.read.words), "seconds": seconds}
    labels = given.everything.labels[given.draw.train]
    # Documents that a method leaves out are one topic more.
    values["NMI, all"] = normalized_mutual_information(labels, said.read.topics + 1)
    if said.rows is not None:
        known, wanted = (given.everything.labels[rows] for rows in (given.draw.train, given.draw.asked))
        near = nearest_rows(said.rows[1], said.rows[0], given.draw.k).rows
        values["P@k"] = float((known[near] == wanted[:, None]).mean())
    if said.found is not None:
        values["found"], values["NMI, found"] = said.found
    return values
