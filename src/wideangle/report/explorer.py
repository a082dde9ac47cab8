"""From fitted models to the explorer page."""

from collections.abc import Callable, Sequence
from typing import Any

import wideangle
from wideangle.documents import Documents
from wideangle.evaluation.diversity import NEAR
from wideangle.report.alignment import align
from wideangle.report.longtail import long_tail
from wideangle.report.page import Page, render
from wideangle.report.topics import topics_of
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
) -> Page:
    """A page to look into a fitted model: its components on a map, their words, angles and documents.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of `wideangle.models`. Of a network, the page shows the first layer.
    other : estimator, optional
        A second one to compare with. It may have other components, and another vocabulary.
    vocabulary : sequence of str, optional
        What the columns are. By default `model.vocabulary_`, else `feature_names_in_`, else "feature 1" and so on. The
        other model uses it too if it has as many columns and no names of its own.
    documents, other_documents : Documents, optional
        The documents as the models see them, with labels and beginnings where known; by default each model's
        `documents_`.
    names : pair of str
        What to call the two models.
    title : str, optional

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
    'ReplicatedSoftmax: 5 topics'
    """
    views = [view_of(model, names[0], vocabulary, documents)]
    if other is not None:
        views.append(view_of(other, names[1], _for_other(other, vocabulary, views[0]), other_documents))
    heading = title if title is not None else _title(views)
    said = {"title": heading, "version": wideangle.__version__, "degrees": NEAR}
    return render(heading, said | {name: part(views) for name, part in PARTS.items()})


def _title(views: list[View]) -> str:
    first = views[0]
    if len(views) == 1:
        return f"{first.kind}: {len(first.components)} {first.noun}s"
    both = " and ".join(view.name for view in views)
    return f"{first.kind}: {both}" if first.kind == views[1].kind else both


def _for_other(other: Any, vocabulary: Sequence[str] | None, first: View) -> Sequence[str] | None:
    """The given vocabulary, if the other model has none of its own and as many columns as the first."""
    named = ModelView.of(other).column_names is not None
    fits = getattr(other, "n_features_in_", None) == len(first.vocabulary)
    return vocabulary if fits and not named else None


def _model(view: View, first: View) -> dict[str, Any]:
    same = view is not first and view.vocabulary == first.vocabulary
    return {
        "name": view.name,
        "kind": view.kind,
        "noun": view.noun,
        "column": view.columns,
        "vocabulary": None if same else view.vocabulary,  # None means the first model's vocabulary.
        **vars(topics_of(view)),
    }


def _joined(views: list[View]) -> dict[str, Any]:
    """The classes of the models that have some, each with its precision in every model."""
    tails = [long_tail(view.documents) for view in views]
    known = [tail for tail in tails if tail is not None]
    lacking = [_lacking(view) for view, tail in zip(views, tails, strict=True) if tail is None]
    rows: dict[str, dict[str, Any]] = {}
    for number, tail in enumerate(tails):
        for row in tail.classes if tail is not None else ():
            entry = rows.setdefault(row.label, {"label": row.label, "size": row.size, "precision": [None] * len(views)})
            entry["precision"][number] = row.precision
    return {
        "k": known[0].k if known else None,
        "classes": sorted(rows.values(), key=lambda row: -row["size"]),
        "how": list(dict.fromkeys(tail.how for tail in known)),
        "lacking": lacking,
    }


def _lacking(view: View) -> str:
    if view.documents is None:
        return f"No documents came with {view.name}, so there is no precision by class."
    if view.documents.labels is None:
        return f"The documents of {view.name} have no labels, so there is no precision by class."
    return f"The documents of {view.name} are too few to measure precision."


# What the scripts of the page find under these names, of one model or of two. A new chart joins by one entry.
PARTS: dict[str, Callable[[list[View]], Any]] = {
    "models": lambda views: [_model(view, views[0]) for view in views],
    "tail": _joined,
    "alignment": lambda views: align(*views) if len(views) == 2 else None,
}
