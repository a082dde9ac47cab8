"""What `wideangle demo` does: topics of a real corpus that needs no download, with the regulariser and without."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.commands._guard import CommandError
from wideangle.commands._output import Output, silent
from wideangle.commands._writing import check_output
from wideangle.data import Corpus, python_docs
from wideangle.data.text import TOKEN
from wideangle.documents import Documents, Reading
from wideangle.evaluation import ClassRow, angle_summary, class_table, head_and_tail, precision_per_query
from wideangle.models import ReplicatedSoftmax
from wideangle.models._base import resolve_device
from wideangle.report import explore
from wideangle.report.alignment import align
from wideangle.report.views import view_of
from wideangle.tuning.grid import own_diversity
from wideangle.view import ModelView, first_columns

NEAREST = 10  # of P@10
WORDS = 10  # words per topic
WORTH_WORKERS = 500  # Other processes need some seconds to start; fits of fewer updates are quicker than that.
GROUPS = 5  # groups of classes by size
SHOWN = 8  # topics shown side by side
MODELS, PAGE = ("plain", "regularised"), "explorer.html"
FILES = (*(f"{name}.wideangle" for name in MODELS), PAGE)


@dataclass(frozen=True)
class Measured:
    """The measures of one fitted model."""

    precision: float
    """P@10: test documents query training documents"""
    head: float
    """P@10 as a mean over the larger half of the classes"""
    tail: float
    """P@10 as a mean over the rarer half of the classes"""
    repeated: int
    """pairs of topics that share half of their ten words or more"""
    near_duplicates: int
    """pairs of topics closer than the angle of near-duplicates"""
    mean_angle: float
    """as the training documents see the topics"""
    smallest_angle: float


@dataclass(frozen=True)
class Retrieved:
    """P@10 of a representation that has no topics to count."""

    precision: float
    head: float
    tail: float


@dataclass(frozen=True)
class Group:
    """Classes of similar size, and P@10 of the two models as a mean over seeds."""

    classes: int
    smallest: int
    largest: int
    plain: float
    regularised: float


@dataclass(frozen=True)
class SideBySide:
    """A topic of the plain model and its counterpart."""

    plain: list[str]
    plain_repeats: int
    """how many words it shares with the most similar topic of its own model"""
    regularised: list[str]
    regularised_repeats: int


@dataclass(frozen=True)
class Demo:
    """What the demonstration found."""

    source: str
    training: int
    test: int
    classes: int
    words: int
    components: int
    updates: int
    diversity: float
    lsi: Retrieved
    """latent semantic indexing of tf-idf, with as many components"""
    plain: list[Measured]
    regularised: list[Measured]
    groups: list[Group]
    topics: list[SideBySide]
    folder: Path
    seconds: float


def run_demo(
    folder: Path, *, components: int = COMPONENTS, updates: int = UPDATES, seeds: int = 3, output: Output | None = None
) -> Demo:
    """Fit both models for every seed, measure them, and write the first two and a page about them to a folder."""
    output = silent() if output is None else output
    _check_folder(folder)
    corpus = python_docs()
    weights = (0.0, own_diversity(ReplicatedSoftmax()))
    models = [
        ReplicatedSoftmax(components, max_updates=updates, diversity=weight, random_state=seed)
        for seed in range(seeds)
        for weight in weights
    ]
    found: list[list[tuple[ReplicatedSoftmax, Measured, tuple[ClassRow, ...]]]] = [[], []]
    with output.progress("fitting") as progress:
        progress(0, len(models), f"λ = {weights[0]:g} and {weights[1]:g}")
        for done, (model, table) in enumerate(_fitted(models, corpus), 1):
            found[(done - 1) % 2].append((model, _measured(model, table, corpus), table))
            progress(done, len(models), "")
    measured = [[each[1] for each in of_kind] for of_kind in found]
    tables = [[each[2] for each in of_kind] for of_kind in found]
    first = found[0][0][0], found[1][0][0]
    _write(folder, first, corpus)
    return Demo(
        source=corpus.source,
        training=len(corpus.train),
        test=len(corpus.test),
        classes=len(corpus.class_sizes()),
        words=corpus.counts.shape[1],
        components=components,
        updates=updates,
        diversity=weights[1],
        lsi=_lsi(corpus, components),
        plain=measured[0],
        regularised=measured[1],
        groups=_groups(tables),
        topics=_side_by_side(*first, corpus),
        folder=folder,
        seconds=output.seconds(),
    )


def _check_folder(folder: Path) -> None:
    """Check before the work, which takes a minute, that the folder exists or can be made."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise CommandError(f"{there} is a file. Name a folder, which may exist or not.")
    if not os.access(there, os.W_OK):
        raise CommandError(f"the folder {there} may not be written to. Name another with -o.")
    if folder.is_dir():
        for name in FILES:
            check_output(folder / name, "the demonstration")


def _fitted(
    models: Sequence[ReplicatedSoftmax], corpus: Corpus
) -> Iterator[tuple[ReplicatedSoftmax, tuple[ClassRow, ...]]]:
    """Fit the models and measure them, in their order. Two cores fit two of them at a time."""
    workers = min(joblib.cpu_count(), len(models)) if resolve_device("auto").type == "cpu" else 1
    if workers < 2 or models[0].max_updates < WORTH_WORKERS:
        yield from (_fit(model, corpus) for model in models)
        return
    yield from joblib.Parallel(workers, return_as="generator")(joblib.delayed(_fit)(model, corpus) for model in models)


def _fit(model: ReplicatedSoftmax, corpus: Corpus) -> tuple[ReplicatedSoftmax, tuple[ClassRow, ...]]:
    model.fit(corpus.train.counts)
    return model, _classes(model.transform(corpus.test.counts), model.transform(corpus.train.counts), corpus)


def _lsi(corpus: Corpus, components: int) -> Retrieved:
    """What latent semantic indexing finds: the truncated SVD of tf-idf, compared by the cosine."""
    weights = TfidfTransformer(sublinear_tf=True).fit(corpus.train.counts)
    svd = TruncatedSVD(components, random_state=0).fit(weights.transform(corpus.train.counts))
    asked, stored = (normalize(svd.transform(weights.transform(part.counts))) for part in (corpus.test, corpus.train))
    return Retrieved(*_precision(_classes(asked, stored, corpus)))


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


def _measured(model: ReplicatedSoftmax, table: Sequence[ClassRow], corpus: Corpus) -> Measured:
    precision, head, tail = _precision(table)
    view = ModelView.of(model)
    seen = Documents.of(view.represent(corpus.train.counts), logits=view.logits(corpus.train.counts))
    angles = angle_summary(view.directions(seen).rows)
    return Measured(
        precision=precision,
        head=head,
        tail=tail,
        repeated=int((np.triu(shared_words(model), 1) >= WORDS / 2).sum()),
        near_duplicates=angles.redundant,
        mean_angle=angles.mean,
        smallest_angle=angles.smallest,
    )


def shared_words(model: ReplicatedSoftmax) -> NDArray[np.intp]:
    """For each two topics, how many of their first ten words they share."""
    top = first_columns(model.effects(), WORDS)
    listed = np.zeros((len(top), model.components_.shape[1]), dtype=np.intp)
    np.put_along_axis(listed, top, 1, axis=1)
    return listed @ listed.T


def _groups(tables: list[list[tuple[ClassRow, ...]]]) -> list[Group]:
    """The classes that have queries, in groups of equally many classes, the largest classes first."""
    rows = [[[row for row in table if row.queries] for table in of_kind] for of_kind in tables]
    precision = [np.mean([[row.precision for row in table] for table in of_kind], axis=0) for of_kind in rows]
    sizes = np.array([row.size for row in rows[0][0]])
    return [
        Group(len(part), int(sizes[part].min()), int(sizes[part].max()), *(float(p[part].mean()) for p in precision))
        for part in np.array_split(np.arange(len(sizes)), GROUPS)
    ]


def _side_by_side(plain: ReplicatedSoftmax, regularised: ReplicatedSoftmax, corpus: Corpus) -> list[SideBySide]:
    """The topics of the plain model that repeat each other most, each beside its counterpart."""
    assert corpus.vocabulary is not None  # The embedded corpus has words.
    words = corpus.vocabulary.tolist()
    partner = {
        pair.first: pair.second
        for pair in align(view_of(plain, "", words, None), view_of(regularised, "", words, None)).pairs
    }
    lists = [model.topics(WORDS, words) for model in (plain, regularised)]
    repeats = [_repeats(model) for model in (plain, regularised)]
    chosen = np.argsort(-repeats[0], kind="stable")[:SHOWN].tolist()
    return [
        SideBySide(lists[0][k], int(repeats[0][k]), lists[1][other], int(repeats[1][other]))
        for k, other in ((k, partner[k]) for k in chosen)
    ]


def _repeats(model: ReplicatedSoftmax) -> NDArray[np.intp]:
    """How many words each topic shares with the most similar other topic."""
    shared = shared_words(model)
    np.fill_diagonal(shared, 0)
    return shared.max(axis=1)


def _write(folder: Path, pair: tuple[ReplicatedSoftmax, ReplicatedSoftmax], corpus: Corpus) -> None:
    """Write both models with the documents, for the other commands, and write the page."""
    folder.mkdir(parents=True, exist_ok=True)
    assert corpus.vocabulary is not None
    assert corpus.texts is not None
    for name, model in zip(MODELS, pair, strict=True):
        view = ModelView.of(model)
        documents = Documents.of(
            view.represent(corpus.counts),
            logits=view.logits(corpus.counts),
            counts=corpus.counts,
            texts=(text.partition("\n")[2] for text in corpus.texts),  # The first line is the object's name.
            names=corpus.names,
            labels=corpus.labels,
            label_names=None if corpus.label_names is None else corpus.label_names.tolist(),
            is_train=corpus.is_train,
        )
        model.vocabulary_ = corpus.vocabulary.tolist()
        model.documents_, model.reading_ = documents, Reading("counts", TOKEN)
        model.save(folder / f"{name}.wideangle")
    page = explore(*pair, names=MODELS, title="Topics of Python docstrings, plain and regularised")
    page.save(folder / PAGE)
