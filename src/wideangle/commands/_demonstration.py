"""What `wideangle demo` does: topics of a real corpus that needs no download, with the regulariser and without."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wideangle.catalogue import COMPONENTS
from wideangle.commands._guard import CommandError
from wideangle.commands._output import Output, silent
from wideangle.commands._writing import check_output
from wideangle.data import Corpus, python_docs
from wideangle.data.text import TOKEN
from wideangle.documents import Documents, Reading
from wideangle.evaluation import ClassRow, angle_summary, class_table, head_and_tail, precision_per_query
from wideangle.models import ReplicatedSoftmax
from wideangle.report import explore
from wideangle.report.alignment import align
from wideangle.report.views import view_of
from wideangle.tuning.grid import own_diversity
from wideangle.view import ModelView, first_columns

NEAREST = 10  # of P@10
WORDS = 10  # words per topic
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
    smallest_angle: float


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
    plain: list[Measured]
    regularised: list[Measured]
    groups: list[Group]
    topics: list[SideBySide]
    folder: Path
    seconds: float


def run_demo(
    folder: Path, *, components: int = COMPONENTS, updates: int = 1000, seeds: int = 3, output: Output | None = None
) -> Demo:
    """Fit both models for every seed, measure them, and write the first two and a page about them to a folder."""
    output = silent() if output is None else output
    _check_folder(folder)
    corpus = python_docs()
    pairs: list[tuple[ReplicatedSoftmax, ReplicatedSoftmax]] = []
    measured: list[list[Measured]] = [[], []]
    tables: list[list[tuple[ClassRow, ...]]] = [[], []]
    with output.progress("fitting") as progress:
        for seed in range(seeds):
            fitted = []
            for kind, diversity in enumerate((0.0, own_diversity(ReplicatedSoftmax()))):
                progress(2 * seed + kind, 2 * seeds, f"seed {seed}, λ = {diversity:g}")
                model = ReplicatedSoftmax(components, max_updates=updates, diversity=diversity, random_state=seed)
                fitted.append(model.fit(corpus.train.counts))
                table = _classes(model, corpus)
                measured[kind].append(_measured(model, table))
                tables[kind].append(table)
            pairs.append((fitted[0], fitted[1]))
    _write(folder, pairs[0], corpus)
    return Demo(
        source=corpus.source,
        training=len(corpus.train),
        test=len(corpus.test),
        classes=len(corpus.class_sizes()),
        words=corpus.counts.shape[1],
        components=components,
        updates=updates,
        diversity=own_diversity(ReplicatedSoftmax()),
        plain=measured[0],
        regularised=measured[1],
        groups=_groups(tables),
        topics=_side_by_side(*pairs[0], corpus),
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


def _classes(model: ReplicatedSoftmax, corpus: Corpus) -> tuple[ClassRow, ...]:
    train, test = corpus.train, corpus.test
    assert train.labels is not None  # The embedded corpus has classes.
    assert test.labels is not None
    asked, stored = model.transform(test.counts), model.transform(train.counts)
    precision = precision_per_query(asked, test.labels, stored, train.labels, NEAREST)
    return class_table(test.labels, precision, train.labels, k=NEAREST)


def _measured(model: ReplicatedSoftmax, table: Sequence[ClassRow]) -> Measured:
    queries = sum(row.queries for row in table)
    halves, angles = head_and_tail(table), angle_summary(model.components_)
    return Measured(
        precision=sum(row.precision * row.queries for row in table if row.queries) / queries,
        head=halves.head.precision,
        tail=halves.tail.precision,
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
            texts=(text.partition("\n")[2] for text in corpus.texts),  # The first line is the object's name.
            names=(text.partition("\n")[0].replace(" ", ".") for text in corpus.texts),
            labels=corpus.labels,
            label_names=None if corpus.label_names is None else corpus.label_names.tolist(),
            is_train=corpus.is_train,
        )
        model.vocabulary_ = corpus.vocabulary.tolist()
        model.documents_, model.reading_ = documents, Reading("counts", TOKEN)
        model.save(folder / f"{name}.wideangle")
    page = explore(*pair, names=MODELS, title="Topics of Python docstrings, plain and regularised")
    page.save(folder / PAGE)
