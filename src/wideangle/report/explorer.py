"""From fitted models to the explorer page."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import wideangle
from wideangle.documents import Documents
from wideangle.evaluation.diversity import NEAR
from wideangle.report.angles import angles_of, common_order, component_order
from wideangle.report.change import change_of
from wideangle.report.longtail import long_tail
from wideangle.report.page import Page, render
from wideangle.report.pictures import pictures
from wideangle.report.same_documents import documents_told
from wideangle.report.shown import Shown, neighbours, shown_documents
from wideangle.report.topics import topics_content, word_frequency
from wideangle.report.views import View, view_of
from wideangle.view import ModelView


def explore(
    model: Any,
    other: Any = None,
    *,
    vocabulary: Sequence[str] | None = None,
    documents: Documents | None = None,
    other_documents: Documents | None = None,
    names: tuple[str, str] = ("this model", "the other"),
    title: str | None = None,
    n_topics: int | None = None,
    layout: Any = None,
    shape: tuple[int, int] | None = None,
    served: bool = False,
) -> Page:
    """A page to look into a fitted model: a map of its documents, its topics, and what a second model changes.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of `wideangle.models`. Of a network, the page shows the first layer.
    other : estimator, optional
        A second one to compare with. It may have other components, and another vocabulary. Where both carry the same
        documents (names, beginnings of texts and classes, in one order), the map is that of the second. Where they do
        not, it is that of the first, and the page says what differs.
    vocabulary : sequence of str, optional
        What the columns are. By default `model.vocabulary_`, else `feature_names_in_`, else "feature 1" and so on. The
        other model uses it too if it has as many columns and no names of its own.
    documents, other_documents : Documents, optional
        The documents as the models see them, with labels, beginnings and words where known; by default each model's
        `documents_`.
    names : pair of str
        What to call the two models.
    title : str, optional
    n_topics : int, optional
        How many topics are shown at first; by default those of `model.topics_`, or else a number that is found.
    layout : array of shape (n_documents, 2), optional
        Where the documents lie on the map. By default t-SNE lays them out.
    shape : (int, int), optional
        Height and width, where columns are the pixels of a picture. Components are then drawn as pictures.
    served : bool, default=False
        Whether a server answers the searches of the page: see `wideangle.report.server`.

    Returns
    -------
    Page
        `save(path)` writes one file that works without a network; `html` is its text; a notebook shows it inline.

    Examples
    --------
    >>> from wideangle.data import synthetic_corpus
    >>> from wideangle.models import ReplicatedSoftmax
    >>> from wideangle.report import explore
    >>> corpus = synthetic_corpus(200, 5, 60).corpus
    >>> model = ReplicatedSoftmax(5, max_updates=50, random_state=0).fit(corpus.counts)
    >>> explore(model, vocabulary=corpus.vocabulary).title
    'ReplicatedSoftmax: 5 components'
    """
    return made_of(
        model,
        other,
        vocabulary=vocabulary,
        documents=documents,
        other_documents=other_documents,
        names=names,
        title=title,
        n_topics=n_topics,
        layout=layout,
        shape=shape,
        served=served,
    ).page


@dataclass(frozen=True, eq=False)
class Made:
    """A page, and what it was made of."""

    page: Page
    views: list[View]
    shown: Shown | None
    told: str = ""
    """a sentence for people where two models do not carry the same documents"""


def made_of(
    model: Any,
    other: Any = None,
    *,
    vocabulary: Sequence[str] | None = None,
    documents: Documents | None = None,
    other_documents: Documents | None = None,
    names: tuple[str, str] = ("this model", "the other"),
    title: str | None = None,
    n_topics: int | None = None,
    layout: Any = None,
    shape: tuple[int, int] | None = None,
    served: bool = False,
) -> Made:
    """What `explore` does, with what a server needs besides the page."""
    views = [view_of(model, names[0], vocabulary, documents, n_topics=n_topics)]
    if other is not None:
        words = _for_other(other, vocabulary, views[0])
        views.append(view_of(other, names[1], words, other_documents, n_topics=n_topics))
    heading = title if title is not None else _title(views)
    shown, told = shown_documents(views, layout), documents_told(views)
    content = {
        "title": heading,
        "facts": _facts(views),
        "degrees": NEAR,
        "served": served,
        "vocabulary": views[0].vocabulary,
        "column": views[0].columns,
        **word_frequency(views[0]),
        "documents": None if shown is None else shown.content(),
        "told": told,
        "classes": _classes(shown),
        "models": [_model(view, order, shown, shape) for view, order in zip(views, _orders(views), strict=True)],
        **_precision(views),
    }
    return Made(render(heading, content, None if shown is None else shown.texts()), views, shown, told)


def _title(views: list[View]) -> str:
    first = views[0]
    if len(views) == 1:
        return f"{first.kind}: {len(first.components)} components"
    both = " and ".join(view.name for view in views)
    return f"{first.kind}: {both}" if first.kind == views[1].kind else both


def _facts(views: list[View]) -> list[str]:
    """What the page says below its heading: documents, date, version."""
    documents = next((view.documents for view in views if view.documents is not None), None)
    said = []
    if documents is not None:
        held_out = 0 if documents.is_train is None else int((~documents.is_train).sum())
        said.append(f"{len(documents):,} documents" + (f", {held_out:,} held out" if held_out else ""))
    today = datetime.date.today()
    return [*said, f"{today.day} {today:%B %Y}", f"wideangle {wideangle.__version__}"]


def _for_other(other: Any, vocabulary: Sequence[str] | None, first: View) -> Sequence[str] | None:
    """The given vocabulary, if the other model has none of its own and as many columns as the first."""
    named = ModelView.of(other).column_names is not None
    fits = getattr(other, "n_features_in_", None) == len(first.vocabulary)
    return vocabulary if fits and not named else None


def _orders(views: list[View]) -> Sequence[list[int]]:
    return common_order(*views) if len(views) == 2 else [component_order(views[0])]


def _model(view: View, order: list[int], shown: Shown | None, shape: tuple[int, int] | None) -> dict[str, Any]:
    return {
        "name": view.name,
        "kind": view.kind,
        "noun": view.noun,
        "components": len(view.components),
        "diversity": view.diversity,
        "metric": view.metric,
        "angles": angles_of(view, order),
        "units": view.units,
        "pictures": pictures(view, shape),
        **({"nearest": None, "found": None} if shown is None else neighbours(view, shown)),
        "topics": topics_content(view, shown),
        "no_topics": view.no_topics,
    }


def _classes(shown: Shown | None) -> list[dict[str, Any]] | None:
    if shown is None or shown.documents.labels is None:
        return None
    documents, labels = shown.documents, shown.documents.labels
    sizes = [int((labels == label).sum()) for label in range(int(labels.max()) + 1)]
    return [{"name": documents.class_name(label), "size": size} for label, size in enumerate(sizes)]


def _precision(views: list[View]) -> dict[str, Any]:
    """What the page tells of each class, and why it tells nothing of a model."""
    tails = [long_tail(view.documents) for view in views]
    topics = [None if view.topics is None else view.topics.of_documents for view in views]
    lacking = [_lacking(view) for view, tail in zip(views, tails, strict=True) if tail is None]
    return {"change": change_of(views, tails, topics), "lacking": lacking}


def _lacking(view: View) -> str:
    if view.documents is None:
        return f"No documents came with {view.name}, so there is no precision by class."
    if view.documents.labels is None:
        return f"The documents of {view.name} have no labels, so there is no precision by class."
    return f"The documents of {view.name} are too few to measure precision."
