"""The topics of one model, at every level of their tree, as the page needs them."""

from functools import lru_cache
from typing import Any

import numpy as np

from wideangle.report.map_documents import Shown
from wideangle.report.packing import NONE, packed_array
from wideangle.report.views import PageView
from wideangle.topics.describing import WordCounts, count_words_of_topics, describe
from wideangle.topics.found import angles_between
from wideangle.topics.telling_words import PRIOR

WORDS = 25  # So many words of each topic are listed,
AT_THE_ENDS = 10  # and so many more of either end of the slider from frequent to exclusive words.
ENDS = (0.1, 1.0)
WHOLE = "all documents"


def topics_content(view: PageView, shown: Shown | None) -> dict[str, Any] | None:
    """What the page finds under "topics" of a model; None where it has none."""
    if view.topics is None or view.corpus is None:
        return None
    topics, tree, corpus = view.topics, view.topics.tree, view.corpus
    on_map = shown if shown is not None and shown.holds(view) else None
    counted = _counted_words(view)
    lists = [counted.first(WORDS), *(counted.first(AT_THE_ENDS, end) for end in ENDS)]
    described = describe(tree, topics.leaves, corpus, renamed=topics.names)
    names = {topic.node: topic.name for topic in topics}
    nodes = []
    for node in described:
        columns = list(dict.fromkeys(int(column) for each in lists for column in each[node.number]))
        whole = node.number == tree.n_nodes - 1 and tree.n_leaves > 1 and node.number not in topics.renamed
        nodes.append(
            {
                "name": WHOLE if whole else names.get(node.number, node.name),
                "renamed": node.number in topics.renamed,
                "size": node.size,
                "counted": int(counted.sizes[node.number]),
                "words": [(column, int(counted.having[node.number, column])) for column in columns],
                "phrases": node.phrases,
                "classes": node.classes,
                "central": [] if on_map is None else on_map.place_of(node.central),
            }
        )
    leaves = np.full(0 if shown is None else len(shown.rows), -1)
    if on_map is not None:
        leaves = topics.leaves[on_map.rows]
    angles = np.rint(angles_between(tree.node_centres()))
    return {
        "leaves": packed_array(np.where(leaves < 0, NONE, leaves), "u2"),
        "chosen": len(topics),
        "merges": tree.merges.tolist(),
        "nodes": nodes,
        "closeness": packed_array(angles, "u1"),
        "without": int((topics.leaves < 0).sum()),
        "prior": PRIOR,
    }


def word_frequency(view: PageView) -> dict[str, Any]:
    """How many documents have each word, and in how many it was counted."""
    if view.corpus is None or view.topics is None:
        return {"frequency": None, "counted": 0}
    counted = _counted_words(view)
    return {"frequency": packed_array(counted.corpus, "u4"), "counted": counted.n_documents}


@lru_cache(maxsize=2)  # two models of a page
def _counted_words(view: PageView) -> WordCounts:
    assert view.topics is not None
    assert view.corpus is not None
    leaves = view.corpus.without_repeats(view.topics.leaves)
    return count_words_of_topics(view.topics.tree, leaves, view.corpus.present)
