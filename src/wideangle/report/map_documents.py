"""The documents of the map: which are shown, where they lie, and which are near to each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.documents import NO_LABEL, Documents, kept_text
from wideangle.evaluation import nearest_rows
from wideangle.report.drawn_documents import drawn_rows
from wideangle.report.packing import NONE, packed_array
from wideangle.report.plane import check_layout, lay_out
from wideangle.report.same_documents import differing_parts, same_documents
from wideangle.report.text_block import fitting_length
from wideangle.report.views import PageView

MOST = 20_000  # documents on a map
NEAREST = 5  # neighbours that are listed
ASKED = 10  # neighbours that decide whether a document is found
NO_CLASS = 255


@dataclass(frozen=True, eq=False)
class Shown:
    """The documents that are on the page."""

    documents: Documents
    """all of them; of many, `vectors` are made when they are asked for (`wideangle._rows`)"""
    rows: NDArray[np.intp]
    """which of them are shown"""
    points: NDArray[np.float32]
    """where these lie, from −1 to 1"""
    layout: str
    """how they were laid out, for people"""

    def holds(self, view: PageView) -> bool:
        """Whether the documents of a model are those of the map."""
        return view.documents is not None and not differing_parts(self.documents, view.documents)

    def place_of(self, rows: Sequence[int]) -> list[int]:
        """The numbers of some documents among those shown. A document that is not shown is left out."""
        places = np.searchsorted(self.rows, rows)
        there = np.take(self.rows, places, mode="clip") == np.asarray(rows)
        return [int(place) for place, here in zip(places, there, strict=True) if here]

    def content(self) -> dict[str, Any]:
        """What the page finds under "documents"."""
        documents, labels = self.documents, self.documents.labels
        shown, count = len(self.rows), len(documents)
        whole = ", rare classes whole" if labels is not None else ""
        return {
            "count": count,
            "shown": shown,
            "sampled": "" if shown == count else f"{shown:,} of {count:,} documents, drawn with a fixed seed{whole}.",
            "points": packed_array(np.rint((self.points.astype(np.float64) + 1) * (65535 / 2)), "u2"),
            "layout": self.layout,
            "classes": None if labels is None else packed_array(labels[self.rows], "i2"),
            "held_out": None if documents.is_train is None else packed_array(~documents.is_train[self.rows], "u1"),
        }

    def texts(self, order: NDArray[np.intp]) -> dict[str, Any]:
        """Names, titles and beginnings of the documents that are shown, and the order in which the page stores them.

        The texts are as long as the page has room for, `kept` characters.
        """
        documents = self.documents
        rows = [int(row) for row in self.rows]
        texts = [""] * len(rows) if documents.snippets is None else [documents.snippets[row] for row in rows]
        length = fitting_length(texts, order.tolist())
        titles = [documents.title(row) or "" for row in rows]
        names = [documents.names[row] for row in rows]
        documents.let_go()
        return {
            "names": names,
            "titles": titles if any(titles) else None,
            "texts": [kept_text(text, length) for text in texts],
            "order": order,
            "kept": length,
        }


def shown_documents(
    views: Sequence[PageView], layout: Any = None, *, seed: int = 0, progress: Callable[[float], None] | None = None
) -> Shown | None:
    """Choose and lay out the documents of the models; None where there are none.

    The map is that of the last model. Two models share it if they carry the same documents. If they do not, the map is
    that of the first model that carries any.
    """
    carrying = [view for view in views if view.documents is not None]
    if not carrying:
        return None
    view = views[-1] if same_documents(views) else carrying[0]
    documents = view.documents
    if documents is None or not len(documents):
        return None
    rows = np.arange(len(documents))
    if layout is not None:
        layout = check_layout(layout, len(documents))
    if len(rows) > MOST:
        leaves = None if view.topics is None else view.topics.leaves
        rows = drawn_rows(rows, documents.labels, MOST, np.random.default_rng(seed), leaves)
    points = lay_out(documents.vectors[rows], random_state=seed, progress=progress) if layout is None else layout[rows]
    how = f"t-SNE of what {view.name} makes of the documents" if layout is None else "as it was given"
    return Shown(documents, rows, points, how)


def neighbours(view: PageView, shown: Shown) -> dict[str, str | None]:
    """For each document that is shown its nearest others, and whether most of its ten nearest are of its class."""
    documents = view.documents
    if documents is None or len(shown.rows) < 2 or not shown.holds(view):
        return {"nearest": None, "found": None}
    vectors = documents.vectors[shown.rows]
    k = min(ASKED + 1, len(vectors))
    near = _without_themselves(nearest_rows(vectors, vectors, k).rows)
    listed = np.full((len(vectors), NEAREST), NONE)
    listed[:, : min(NEAREST, k - 1)] = near[:, :NEAREST]
    labels = documents.labels
    found = None if labels is None else _majority(labels[shown.rows], near)
    return {
        "nearest": packed_array(listed, "u2"),
        "found": None if found is None else packed_array(found, "u1"),
    }


def _without_themselves(near: NDArray[np.intp]) -> NDArray[np.intp]:
    """The neighbours of each row without the row itself, which ties may have pushed to any place."""
    itself = near == np.arange(len(near))[:, None]
    itself[~itself.any(axis=1), -1] = True
    return near[~itself].reshape(len(near), -1)


def _majority(labels: NDArray[np.int64], near: NDArray[np.intp]) -> NDArray[np.uint8]:
    """1 where no class is more frequent among the neighbours than the row's own, and it is there; of no class 255."""
    table = np.zeros((len(labels), int(labels.max()) + 2), dtype=np.int16)  # The last column counts those of no class.
    np.add.at(table, (np.arange(len(labels))[:, None], labels[near]), 1)
    own = table[np.arange(len(labels)), labels]
    found = (own > 0) & (own == table[:, :-1].max(axis=1, initial=0))
    return np.where(labels == NO_LABEL, NO_CLASS, found).astype(np.uint8)
