"""When the documents of each topic were written, as the page counts them at every level of the tree."""

from typing import Any

import numpy as np

from wideangle.documents import NO_DATE
from wideangle.report.packing import packed_array, variable_length
from wideangle.report.views import PageView
from wideangle.topics.over_time import topics_over_time


def over_time_content(view: PageView) -> dict[str, Any] | None:
    """What the page finds under "over_time" of a model; None where the dates of its documents are not of two periods.

    The counts are those of all documents, on the map or not: one row of periods for each leaf of the tree, and a last
    row for the documents without a topic. A topic has the sums over its leaves.
    """
    documents = view.documents
    if documents is None or documents.dates is None or not (documents.dates != NO_DATE).any():
        return None
    leaves = np.full(len(documents), -1) if view.topics is None else view.topics.leaves
    n_leaves = 0 if view.topics is None else view.topics.tree.n_leaves
    found = topics_over_time(np.where(leaves < 0, n_leaves, leaves), documents.dates, n_leaves + 1)
    if len(found.starts) < 2:
        return None
    counts = np.frombuffer(variable_length(found.counts.ravel()), dtype=np.uint8)
    return {
        "period": found.period,
        "starts": found.starts,
        "counts": packed_array(counts, "u1"),
        "undated": found.undated,
    }
