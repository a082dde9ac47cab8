"""Whether two models carry the same documents, and if not, what differs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wideangle._blocks import all_equal
from wideangle.documents import Documents, Strings, snippet
from wideangle.report.views import PageView

QUOTED = 40  # So many characters of a text are quoted where two texts differ.


def differing_parts(one: Documents, other: Documents) -> list[str]:
    """What differs between two sets of documents, one phrase for each thing; empty where they are the same.

    Compared are names, beginnings of texts and classes, in their order. What only one of them has differs. Vectors are
    not compared, because they are what each model makes of its documents.

    Examples
    --------
    >>> from wideangle.documents import Documents
    >>> from wideangle.report.same_documents import differing_parts
    >>> one, other = (Documents.of([[0.0], [1.0]], texts=["corn", text]) for text in ("wheat", "ships"))
    >>> differing_parts(one, other)
    ["1 of 2 texts differs (the first is that of 'row 2': 'wheat' and 'ships')"]
    """
    if one is other:
        return []
    if len(one) != len(other):
        return [f"their numbers differ, {len(one):,} and {len(other):,}"]
    kinds = (
        ("names", one.names, other.names),
        ("texts", one.snippets, other.snippets),
        ("labels", *((None, None) if _same_classes(one, other) else (one.classes, other.classes))),
    )
    found = [_difference(kind, first, second, one.names) for kind, first, second in kinds]
    # The page numbers classes as one model does. Two models that number them differently cannot share it.
    labelled = one.labels is not None and other.labels is not None
    if labelled and not found[2] and not np.array_equal(np.asarray(one.labels), np.asarray(other.labels)):
        found.append("their classes have other numbers")
    return [phrase for phrase in found if phrase]


def _same_classes(one: Documents, other: Documents) -> bool:
    """Whether all documents have the same classes by the same numbers, told without the name of each."""
    if one.labels is None or other.labels is None:
        return one.labels is other.labels
    names = [None if each.label_names is None else list(each.label_names) for each in (one, other)]
    return names[0] == names[1] and all_equal(one.labels, other.labels)


def same_documents(views: Sequence[PageView]) -> bool:
    """Whether all models carry the same documents."""
    return not any(view.documents is None for view in views) and not _told_apart(views)


def documents_told(views: Sequence[PageView]) -> str:
    """A sentence for people where two models do not share a map, or where little was there to compare; else empty."""
    if len(views) < 2 or all(view.documents is None for view in views):
        return ""
    without = [view.name for view in views if view.documents is None]
    having = next(view for view in views if view.documents is not None)
    if without:
        return f"{without[0]} carries no documents: the map shows those of {having.name}, as {having.name} sees them."
    apart = _told_apart(views)
    if apart:
        both = " and ".join(view.name for view in views)
        return (
            f"{both} do not carry the same documents: {'; '.join(apart)}. The map shows those of {having.name} alone, "
            "and figures of the two are figures of different documents."
        )
    documents = having.documents
    assert documents is not None
    if documents.snippets is None and documents.labels is None:
        return (
            "The rows of both models have neither texts nor labels. They are taken for the same, because their names "
            "and their number are."
        )
    return ""


def _told_apart(views: Sequence[PageView]) -> list[str]:
    carried = [view.documents for view in views if view.documents is not None]
    return next((found for other in carried[1:] if (found := differing_parts(carried[0], other))), [])


def _difference(kind: str, one: Any, other: Any, names: Strings) -> str:
    """In how many documents they differ, and the first of them; empty where they are the same."""
    if one is None and other is None:
        return ""
    if one is None or other is None:
        return f"only one has {kind}"
    if isinstance(one, Strings):
        if all_equal(one.ends, other.ends) and all_equal(one.content, other.content):
            return ""
        # Files of older versions keep less of each text, so that beginnings are compared.
        begins = snippet if kind == "texts" else str
        one, other = (np.array([begins(each) for each in strings], dtype=object) for strings in (one, other))
    rows = np.flatnonzero(one != other)
    if not len(rows):
        return ""
    row = int(rows[0])
    whose = "" if kind == "names" else f" is that of {names[row]!r}"
    first, second = (snippet(str(each[row]), QUOTED) for each in (one, other))
    differ = "differs" if len(rows) == 1 else "differ"
    return f"{len(rows):,} of {len(one):,} {kind} {differ} (the first{whose}: {first!r} and {second!r})"
