"""What `wideangle demo` does: topics of a real corpus that needs no download, with the regulariser and without."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from wideangle._own_settings import own_diversity
from wideangle._parallel import work_in_order
from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.commands._output import Output, silent
from wideangle.commands.demo import MODELS, PAGE
from wideangle.data import Corpus, python_docs
from wideangle.data.text import TOKEN
from wideangle.documents import Reading
from wideangle.evaluation import (
    ClassRow,
    angle_summary,
    class_table,
    classes_with_own_topic,
    head_and_tail,
    normalized_mutual_information,
    precision_per_query,
)
from wideangle.evaluation.longtail import head_and_tail_rows
from wideangle.models import ReplicatedSoftmax
from wideangle.models._base import resolve_device
from wideangle.report import explore
from wideangle.topics import group_documents
from wideangle.view import ModelView

NEAREST = 10  # of P@10
TOPICS = 100  # groups of documents; there are as many classes
WORTH_WORKERS = 500  # Other processes need some seconds to start; fits of fewer updates are quicker than that.
GROUPS = 5  # groups of classes by size
SHOWN = 8  # the rarest subjects that are shown


@dataclass(frozen=True)
class Measured:
    """The measures of one fitted model."""

    precision: float
    """P@10: test documents query training documents"""
    head: float
    """P@10 as a mean over the larger half of the classes"""
    tail: float
    """P@10 as a mean over the rarer half of the classes"""
    nmi: float
    """normalised mutual information of the topics of the training documents and their classes"""
    own: int
    """classes of the rarer half that have a topic of their own"""
    near_duplicates: int | None = None
    """pairs of components closer than the angle of near-duplicates; None for LSI, like the next two"""
    mean_angle: float | None = None
    """as the training documents see the components"""
    smallest_angle: float | None = None


@dataclass(frozen=True)
class Group:
    """Classes of similar size, and P@10 of the two models as a mean over seeds."""

    classes: int
    smallest: int
    largest: int
    plain: float
    regularised: float


@dataclass(frozen=True)
class Subject:
    """A topic of the regularised model."""

    size: int
    words: tuple[str, ...]
    label: str
    """its most frequent class"""


@dataclass(frozen=True)
class Demo:
    """What the demonstration found."""

    source: str
    training: int
    test: int
    classes: int
    words: int
    components: int
    topics: int
    rare: int
    """classes of the rarer half"""
    updates: int
    diversity: float
    lsi: Measured
    """latent semantic indexing of tf-idf, with as many components"""
    plain: list[Measured]
    regularised: list[Measured]
    groups: list[Group]
    rarest: list[Subject]
    """the smallest topics of the regularised model of the first seed"""
    folder: Path
    seconds: float


def run_demo(
    folder: Path,
    *,
    components: int = COMPONENTS,
    updates: int = UPDATES,
    seeds: int = 3,
    output: Output | None = None,
) -> Demo:
    """Fit both models for every seed, measure them, and write the first two and a page about them to a folder."""
    output = silent() if output is None else output
    corpus = python_docs()
    weights = (0.0, own_diversity(ReplicatedSoftmax()))
    models = [
        ReplicatedSoftmax(components, max_updates=updates, diversity=weight, random_state=seed)
        for seed in range(seeds)
        for weight in weights
    ]
    found: list[list[tuple[ReplicatedSoftmax, Fitted]]] = [[], []]
    with output.progress("fitting") as progress:
        progress(0, len(models), f"λ = {weights[0]:g} and {weights[1]:g}")
        for done, (model, fitted) in enumerate(_fitted(models, corpus), 1):
            found[(done - 1) % 2].append((model, fitted))
            progress(done, len(models), "")
    measured = [[each[1].measured for each in of_kind] for of_kind in found]
    tables = [[each[1].classes for each in of_kind] for of_kind in found]
    first = found[0][0][0], found[1][0][0]
    _write(folder, first, corpus)
    return Demo(
        source=corpus.source,
        training=len(corpus.train),
        test=len(corpus.test),
        classes=len(corpus.class_sizes()),
        words=corpus.counts.shape[1],
        components=components,
        topics=TOPICS,
        rare=len(_rare_classes(tables[0][0])),
        updates=updates,
        diversity=weights[1],
        lsi=_lsi(corpus, components),
        plain=measured[0],
        regularised=measured[1],
        groups=_groups(tables),
        rarest=_rarest(first[1]),
        folder=folder,
        seconds=output.seconds(),
    )


@dataclass(frozen=True)
class Fitted:
    """What is measured of one fit."""

    measured: Measured
    classes: tuple[ClassRow, ...]


def _fitted(models: Sequence[ReplicatedSoftmax], corpus: Corpus) -> Iterator[tuple[ReplicatedSoftmax, Fitted]]:
    """Fit the models and measure them, in their order. Two cores fit two of them at a time."""
    workers = min(joblib.cpu_count(), len(models)) if resolve_device("auto").type == "cpu" else 1
    if workers < 2 or models[0].max_updates < WORTH_WORKERS:
        yield from (_fit(model, corpus) for model in models)
        return
    yield from work_in_order(partial(_fit, corpus=corpus), models, workers)


def _fit(model: ReplicatedSoftmax, corpus: Corpus) -> tuple[ReplicatedSoftmax, Fitted]:
    view = ModelView.of(model.fit(corpus.train.counts))
    seen = view.documents(corpus.train.counts)
    angles = angle_summary(view.directions(seen).rows)
    found = _measured(view.represent(corpus.test.counts), view.vectors(seen), corpus)
    with_angles = replace(
        found.measured, near_duplicates=angles.redundant, mean_angle=angles.mean, smallest_angle=angles.smallest
    )
    return model, Fitted(with_angles, found.classes)


def _lsi(corpus: Corpus, components: int) -> Measured:
    """What latent semantic indexing finds: the truncated SVD of tf-idf, compared by the cosine."""
    weights = TfidfTransformer(sublinear_tf=True).fit(corpus.train.counts)
    svd = TruncatedSVD(components, random_state=0).fit(weights.transform(corpus.train.counts))
    asked, stored = (normalize(svd.transform(weights.transform(part.counts))) for part in (corpus.test, corpus.train))
    return _measured(asked, stored, corpus).measured


def _measured(asked: NDArray[Any], stored: NDArray[Any], corpus: Corpus) -> Fitted:
    table, labels = _classes(asked, stored, corpus), corpus.train.labels
    assert labels is not None
    groups = group_documents(stored, min(TOPICS, len(stored)))
    own = classes_with_own_topic(groups, labels, int(labels.max()) + 1)
    measured = Measured(
        *_precision(table),
        nmi=normalized_mutual_information(labels, groups),
        own=sum(bool(own[label]) for label in _rare_classes(table)),
    )
    return Fitted(measured, table)


def _rare_classes(table: Sequence[ClassRow]) -> list[int]:
    """The classes of the rarer half."""
    return [int(row.label) for row in head_and_tail_rows(table)[1]]


def _classes(asked: NDArray[Any], stored: NDArray[Any], corpus: Corpus) -> tuple[ClassRow, ...]:
    labels, known = corpus.test.labels, corpus.train.labels
    assert labels is not None  # The embedded corpus has classes.
    assert known is not None
    return class_table(labels, precision_per_query(asked, labels, stored, known, NEAREST), known, k=NEAREST)


def _precision(table: Sequence[ClassRow]) -> tuple[float, float, float]:
    """P@10 over all queries, and as means over the larger and the rarer half of the classes."""
    queries = sum(row.queries for row in table)
    halves = head_and_tail(table)
    mean = sum(row.precision * row.queries for row in table if row.queries) / queries
    return mean, halves.head.precision, halves.tail.precision


def _groups(tables: list[list[tuple[ClassRow, ...]]]) -> list[Group]:
    """The classes that have queries, in groups of equally many classes, the largest classes first."""
    rows = [[[row for row in table if row.queries] for table in of_kind] for of_kind in tables]
    precision = [np.mean([[row.precision for row in table] for table in of_kind], axis=0) for of_kind in rows]
    sizes = np.array([row.size for row in rows[0][0]])
    return [
        Group(len(part), int(sizes[part].min()), int(sizes[part].max()), *(float(p[part].mean()) for p in precision))
        for part in np.array_split(np.arange(len(sizes)), GROUPS)
    ]


def _rarest(model: ReplicatedSoftmax) -> list[Subject]:
    """The smallest topics, the smallest first."""
    return [
        Subject(topic.size, topic.words, topic.classes[0][0]) for topic in sorted(model.topics_, key=lambda t: t.size)
    ][:SHOWN]


def _write(folder: Path, pair: tuple[ReplicatedSoftmax, ReplicatedSoftmax], corpus: Corpus) -> None:
    """Write both models with the documents, for the other commands, and write the page."""
    folder.mkdir(parents=True, exist_ok=True)
    assert corpus.vocabulary is not None
    assert corpus.texts is not None
    for name, model in zip(MODELS, pair, strict=True):
        view = ModelView.of(model)
        documents = view.documents(
            corpus.counts,
            counts=corpus.counts,
            texts=(text.partition("\n")[2] for text in corpus.texts),  # The first line is the object's name.
            names=corpus.names,
            labels=corpus.labels,
            label_names=None if corpus.label_names is None else corpus.label_names.tolist(),
            is_train=corpus.is_train,
        )
        model.vocabulary_ = corpus.vocabulary.tolist()
        model.documents_, model.reading_ = documents, Reading("counts", TOKEN)
        model.topics(n_topics=min(TOPICS, len(documents)))
        model.save(folder / f"{name}.wideangle")
    page = explore(*pair, names=MODELS, title="Topics of Python docstrings, plain and regularised")
    page.save(folder / PAGE)
