"""Documents: retrieval, clustering and words of topics, as the paper measures them and beyond."""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle.catalogue import Entry, entry_of
from wideangle.data import Corpus, load, python_docs
from wideangle.data.locate import sha256_of
from wideangle.evaluation import (
    class_table,
    document_npmi,
    kmeans_scores,
    macro_average,
    nearest_rows,
    topic_diversity,
)
from wideangle.evaluation.longtail import head_and_tail_rows
from wideangle.exceptions import DataError
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.tasks import Answers, Measure, Outcome
from wideangle.experiments.tasks._answers import packed, unpacked
from wideangle.experiments.tasks._fitting import angles_of, device_of, fitted

__all__ = [
    "DATA",
    "MEASURES",
    "SCORE",
    "answers_of",
    "columns",
    "corpus",
    "measured",
    "nearest",
    "rows_of_fold",
    "split",
]

DATA = ("tdt2", "20news", "reuters", "docstrings")
SCORE = "precision"
MEASURES = {
    "precision": Measure("P@k (%)", 100),
    "precision, Euclid": Measure("P@k by Euclidean distance (%)", 100),
    "rarer half": Measure("P@k, rarer half of the classes (%)", 100),
    "clustering": Measure("clustering accuracy (%)", 100),
    "NMI": Measure("normalised mutual information (%)", 100),
    "perplexity": Measure("perplexity of half of the words", 1, 0, True),
    "components' NPMI": Measure("NPMI of the words of components", 1, 3),
    "components' distinct words": Measure("share of distinct words of components", 1, 3),
    "mean angle": Measure("mean angle of components (°)", 1, 1, has_best=False),
    "smallest angle": Measure("smallest angle of components (°)", 1, 1, has_best=False),
    "seconds": Measure("seconds of fit", 1, 1, True, has_best=False),
}
FOLDS = 5
UNASKED = ("models._boltzmann.likelihood", "functional.partition", "functional.modes")  # of another task
WORDS, KEPT = 10, 10  # words of a component, and components whose words the record keeps


@dataclass(frozen=True)
class Split:
    """Documents to train on and to ask with."""

    train: Corpus
    test: Corpus
    checksum: str | None

    @property
    def labels(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        assert self.train.labels is not None
        assert self.test.labels is not None
        return np.asarray(self.train.labels), np.asarray(self.test.labels)


@lru_cache(2)
def split(data: str, fold: int | None = None) -> Split:
    """The official parts, or a fold of the training part and the rest of it."""
    whole = corpus(data)
    train, test = whole.train, whole.test
    if fold is not None:
        rest, asked = rows_of_fold(len(train), fold)
        train, test = train.subset(rest), train.subset(asked)
    return Split(train, test, whole.checksum)


def rows_of_fold(n_rows: int, fold: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which rows of a training part to train on, and which to ask with: one fifth, drawn at random."""
    parts = np.array_split(np.random.default_rng(0).permutation(n_rows), FOLDS)
    rest = np.concatenate([part for number, part in enumerate(parts) if number != fold])
    return np.sort(rest), np.sort(parts[fold])


def corpus(data: str) -> Corpus:
    """By its name; nothing is fetched."""
    found: Corpus = docstrings() if data == "docstrings" else load(data, fetch=False)  # type: ignore[call-overload]
    return found


def docstrings() -> Corpus:
    """Of the packages installed here, or of a saved corpus, so that other machines see the same documents."""
    path = os.environ.get("WIDEANGLE_DOCSTRINGS")
    if path is None:
        return python_docs()
    if not Path(path).is_file():
        raise DataError(f"WIDEANGLE_DOCSTRINGS names {path}, which is no file. Save a corpus there, or unset it.")
    corpus = Corpus.open(path, sha256_of(path))
    if corpus.labels is None:
        raise DataError(f"{path}, named by WIDEANGLE_DOCSTRINGS, has no labels.")
    return corpus


def nearest(data: str) -> int:
    """k of P@k. The classes of the docstrings are small."""
    return 10 if data == "docstrings" else 100


def columns(data: str) -> int:
    return int(split(data).train.counts.shape[1])


def measured(job: Job) -> Outcome:
    """Fit on counts; retrieval always, the dearer measures on the test part alone."""
    parts, entry = split(job.data, job.fold), entry_of(job.estimator)
    model, seconds = fitted(job.estimator, job.settings, job.seed, parts.train.counts)
    train, test = model.transform(parts.train.counts), model.transform(parts.test.counts)
    found, details, hits = retrieved(job.data, entry, model, parts, train, test)
    if entry.likelihood is None and hasattr(model, "perplexity"):  # ours is a task of its own: it needs log Z
        found["perplexity"] = float(model.perplexity(parts.test.counts))
    found |= angles_of(getattr(model, "components_", None))
    if job.fold is None:
        details["hits"] = packed(hits)
        found |= clustered(test, parts)
        if entry.noun == "topic":
            read, details["words"] = words_of(model, parts)
            found |= read
    return Outcome(found | {"seconds": seconds}, seconds, parts.checksum, details, device_of(model))


def retrieved(
    data: str, entry: Entry, model: Any, parts: Split, train: Any, test: Any
) -> tuple[dict[str, float], dict[str, Any], NDArray[np.intp]]:
    """P@k by the model's own metric and by Euclid's, the precision of each class, and the hits of each query.

    Queries stand in the order of their classes, so that the record need not tell the class of each.
    """
    from wideangle.view import transform_metric

    labels, asked = parts.labels
    k = min(nearest(data), len(labels))
    own = entry.metric if entry.searched_by == "transform" else transform_metric(model)

    def hits_by(metric: Literal["euclidean", "cosine"]) -> NDArray[np.intp]:
        near = nearest_rows(test, train, k, metric=metric).rows
        return np.asarray((labels[near] == asked[:, None]).sum(axis=1))

    hits = hits_by(own)
    table = class_table(asked, hits / k, labels, k=k)
    _, rarer = head_and_tail_rows(table)
    found = {"precision": float(hits.mean() / k), "rarer half": float(macro_average(rarer).precision)}
    found["precision, Euclid"] = float((hits if own == "euclidean" else hits_by("euclidean")).mean() / k)
    classes = [int(row.label) for row in table]
    details = {
        "k": k,
        "classes": classes,
        # A rare class may have no document that asks, above all in a fold; JSON has no NaN.
        "precision of classes": [float(row.precision) if row.queries else None for row in table],
        "queries of classes": [row.queries for row in table],
        "rarer classes": len(rarer),
    }
    return found, details, hits[np.argsort([classes.index(label) for label in asked], kind="stable")]


def answers_of(record: Record, measure: str) -> Answers | None:
    """What each query of the test part found; None where the record does not tell, or the measure has no queries."""
    details = record["details"]
    if measure not in ("precision", "rarer half") or "hits" not in details:
        return None
    found = unpacked(details["hits"]) / details["k"]
    if measure == "precision":
        return Answers(found)
    # Each of the rarer classes counts alike, however many queries it has; classes without queries have no places.
    queries = np.array([each for each in details["queries of classes"] if each])
    counts = np.arange(len(queries)) >= len(queries) - details["rarer classes"]
    return Answers(found, np.repeat(counts / queries, queries))


def clustered(test: Any, parts: Split) -> dict[str, float]:
    """k-means of the test documents at unit length, 10 restarts. Those without words stay at 0."""
    from sklearn.preprocessing import normalize

    scores = kmeans_scores(normalize(test), parts.labels[1])
    return {"clustering": scores.accuracy, "NMI": scores.nmi}


def words_of(model: Any, parts: Split) -> tuple[dict[str, float], list[list[str]]]:
    """How the first words of the components read, and those of the first components."""
    from wideangle.view import ModelView

    words: list[list[int]] = ModelView.of(model).top_columns(WORDS).tolist()
    found = {
        "components' NPMI": float(np.mean(document_npmi(words, parts.train.counts))),
        "components' distinct words": float(topic_diversity(words)),
    }
    vocabulary = parts.train.vocabulary
    spelled = [[str(word if vocabulary is None else vocabulary[word]) for word in each] for each in words[:KEPT]]
    return found, spelled
