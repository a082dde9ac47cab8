"""From fitted models to the explorer page."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import wideangle
from wideangle import _arguments as rules
from wideangle._arguments import checked, optional
from wideangle.documents import NO_LABEL, Documents
from wideangle.evaluation.diversity import NEAR
from wideangle.report.angles import common_order, component_order, page_angles
from wideangle.report.broad_to_fine import slider_content
from wideangle.report.change import change_of
from wideangle.report.longtail import long_tail
from wideangle.report.map_documents import Shown, neighbours, shown_documents
from wideangle.report.over_time import over_time_content
from wideangle.report.page import Page, render
from wideangle.report.pictures import pictures, row_pictures
from wideangle.report.same_documents import documents_told
from wideangle.report.sentences import near_duplicates_said
from wideangle.report.topics import topics_content, word_frequency
from wideangle.report.views import PageView, view_of
from wideangle.report.word_index import search_content, stored_order
from wideangle.view import ModelView


@checked(
    vocabulary=optional(rules.texts),
    names=rules.pair(rules.text),
    title=optional(rules.text),
    n_topics=optional(rules.whole(least=1)),
    shape=optional(rules.pair(rules.whole(least=1))),
)
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
        Height and width, where columns are the pixels of a picture. Components are then drawn as pictures, and so are
        the rows where `Documents.pixels` has them.
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
    return make_page(
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
class MadePage:
    """A page, and what it was made of."""

    page: Page
    views: list[PageView]
    shown: Shown | None
    told: str = ""
    """a sentence for people where two models do not carry the same documents"""


def make_page(
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
    progress: Callable[[int, int, str], None] | None = None,
) -> MadePage:
    """What `explore` does, with what a server needs besides the page.

    `progress` is called with what is done, of how much, and what is made now.
    """

    def tell(percent: float, what: str) -> None:
        if progress is not None:
            progress(round(percent), 100, what)

    tell(0, "the topics")
    views = [view_of(model, names[0], vocabulary, documents, n_topics=n_topics)]
    if other is not None:
        words = _for_other(other, vocabulary, views[0])
        views.append(view_of(other, names[1], words, other_documents, n_topics=n_topics))
    heading = title if title is not None else _title(views)
    # Laying out the map takes most of the time.
    shown = shown_documents(views, layout, progress=lambda share: tell(80 * share, "the map of the documents"))
    told = documents_told(views)
    tell(80, "what the page tells of topics and documents")
    stored = None if shown is None else stored_order(views[0], shown)
    texts = None if shown is None or stored is None else shown.texts(stored)
    picture, pixels = row_pictures(shown, shape)
    about_search, index = search_content(views, shown, stored)
    each = [_model(view, order, shown, shape) for view, order in zip(views, _orders(views), strict=True)]
    content = {
        "title": heading,
        "facts": _facts(views, picture is not None),
        "degrees": NEAR,
        "served": served,
        "vocabulary": views[0].vocabulary,
        "column": views[0].columns,
        **word_frequency(views[0]),
        "search": about_search,
        "noun": _noun(views, picture is not None),
        "documents": None
        if shown is None or texts is None
        else {**shown.content(), "kept": texts["kept"], "picture": picture},
        "told": told,
        "classes": _classes(shown),
        "models": each,
        "opens": _opens(views),
        "duplicates": _duplicates(each),
        **_precision(views),
    }
    tell(95, "the page")
    return MadePage(render(heading, content, texts, index, pixels), views, shown, told)


def _title(views: list[PageView]) -> str:
    first = views[0]
    if len(views) == 1:
        return f"{first.kind}: {len(first.components)} components"
    both = " and ".join(view.name for view in views)
    return f"{first.kind}: {both}" if first.kind == views[1].kind else both


def _noun(views: list[PageView], pictured: bool) -> str:
    """What to call what the model was fitted on."""
    if pictured:
        return "picture"
    documents = next((view.documents for view in views if view.documents is not None), None)
    is_text = views[0].columns == "word" or documents is None or documents.snippets is not None
    return "document" if is_text else "row"


def _facts(views: list[PageView], pictured: bool) -> list[str]:
    """What the page says below its heading: documents, date, version."""
    documents = next((view.documents for view in views if view.documents is not None), None)
    said = []
    if documents is not None:
        held_out = 0 if documents.is_train is None else int((~documents.is_train).sum())
        many = _noun(views, pictured) + ("" if len(documents) == 1 else "s")
        said.append(f"{len(documents):,} {many}" + (f", {held_out:,} held out" if held_out else ""))
    today = datetime.date.today()
    return [*said, f"{today.day} {today:%B %Y}", f"wideangle {wideangle.__version__}"]


def _for_other(other: Any, vocabulary: Sequence[str] | None, first: PageView) -> Sequence[str] | None:
    """The given vocabulary, if the other model has none of its own and as many columns as the first."""
    named = ModelView.of(other).column_names is not None
    fits = getattr(other, "n_features_in_", None) == len(first.vocabulary)
    return vocabulary if fits and not named else None


def _orders(views: list[PageView]) -> Sequence[list[int]]:
    return common_order(*views) if len(views) == 2 else [component_order(views[0])]


def _model(view: PageView, order: list[int], shown: Shown | None, shape: tuple[int, int] | None) -> dict[str, Any]:
    return {
        "name": view.name,
        "kind": view.kind,
        "noun": view.noun,
        "components": len(view.components),
        "diversity": view.diversity,
        "metric": view.metric,
        "angles": page_angles(view, order),
        "units": view.units,
        "pictures": pictures(view, shape),
        **({"nearest": None, "found": None} if shown is None else neighbours(view, shown)),
        **slider_content(view, shown),
        "topics": topics_content(view, shown),
        "no_topics": view.no_topics,
        "over_time": over_time_content(view),
    }


def _opens(views: list[PageView]) -> int:
    """The model that is shown first: the regularised one beside a plain one, otherwise the first."""
    plain, *others = [view.diversity or 0.0 for view in views]
    return 1 if others and not plain and others[0] else 0


def _duplicates(models: list[dict[str, Any]]) -> str:
    """Whether the second model has fewer near-duplicates; empty of one model."""
    if len(models) < 2:
        return ""
    before, after = (model["angles"].redundant for model in models)
    pairs = [model["components"] * (model["components"] - 1) // 2 for model in models]
    return near_duplicates_said(before, after, (pairs[0], pairs[1]))


def _classes(shown: Shown | None) -> list[dict[str, Any]] | None:
    if shown is None or shown.documents.labels is None:
        return None
    documents, labels = shown.documents, shown.documents.labels
    sizes = np.bincount(labels[labels != NO_LABEL])
    return [{"name": documents.class_name(label), "size": int(size)} for label, size in enumerate(sizes)]


def _precision(views: list[PageView]) -> dict[str, Any]:
    """What the page tells of each class, and why it tells nothing of a model."""
    tails = [long_tail(view.documents) for view in views]
    topics = [None if view.topics is None else view.topics.of_documents for view in views]
    lacking = [_lacking(view) for view, tail in zip(views, tails, strict=True) if tail is None]
    return {"change": change_of(views, tails, topics), "lacking": lacking}


def _lacking(view: PageView) -> str:
    if view.documents is None:
        return f"No documents came with {view.name}, so there is no precision by class."
    if view.documents.labels is None:
        return f"The documents of {view.name} have no labels, so there is no precision by class."
    return f"The documents of {view.name} are too few to measure precision."
