"""Content of a small explorer page, made by hand: what the front-end is given, whoever makes it."""

import base64

import numpy as np
import scipy.sparse as sp

from wideangle.report.page import Page, render
from wideangle.report.word_index import postings

N_LEAVES, CHOSEN = 6, 4
WORDS = [f"word{number}" for number in range(60)]
HOSTILE = "<img src=x onerror=\"document.title='hit'\">"


def packed(values, kind):
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def leaves_of(n_documents):
    return np.arange(n_documents) % N_LEAVES


def content(n_documents=120, n_models=1):
    """Documents of six leaves on a circle; a class is three leaves, and leaf l has words 10 l to 10 l + 9."""
    leaves, generator = leaves_of(n_documents), np.random.default_rng(0)
    angles = 2 * np.pi * leaves / N_LEAVES
    spread = 0.7 * np.column_stack([np.cos(angles), np.sin(angles)]) + generator.normal(0, 0.07, (n_documents, 2))
    points = np.rint((np.clip(spread, -1, 1) + 1) / 2 * 65535)
    return {
        "title": "Topics of made-up texts",
        "facts": [f"{n_documents} documents", "wideangle"],
        "degrees": 30.0,
        "vocabulary": list(WORDS),
        "column": "word",
        "frequency": packed(np.full(60, n_documents // N_LEAVES + 2), "<u4"),
        "counted": n_documents,
        "served": False,
        "search": {"indexed": True, "slope": 0.2, "ngrams": 1, "stop_words": ["the", "and"], "related": None},
        "documents": {
            "count": n_documents,
            "shown": n_documents,
            "sampled": "",
            "points": packed(points, "<u2"),
            "kept": 1500,
            "layout": "t-SNE of the representation",
            "classes": packed(leaves // 3, "<i2"),
            "held_out": packed(np.arange(n_documents) % 3 == 0, "u1"),
        },
        "told": "",
        "classes": [{"name": name, "size": n_documents // 2} for name in ("birds", "fishes")],
        "models": [model(number, n_documents) for number in range(n_models)],
        "change": None,
        "lacking": [],
    }


def model(number, n_documents, K=5):
    following = (np.arange(n_documents)[:, None] + N_LEAVES * np.arange(1, 6)) % n_documents  # of the same leaf
    found = np.arange(n_documents) % 2 if number else np.arange(n_documents) % 4 > 1
    return {
        "name": ("plain", "regularised")[number],
        "kind": "ReplicatedSoftmax",
        "noun": "topic",
        "components": K,
        "diversity": 0.3 * number,
        "metric": "covariance",
        "angles": {
            "kind": "of the weights",
            "mean": 70.0,
            "smallest": 12.5,
            "redundant": 1,
            "dead": 0,
            "matrix": packed(90 - 90 * np.eye(K), "<f4"),
            "order": list(range(K)),
            "doubles": [[0, 3, 12.5]],
        },
        "units": [WORDS[10 * unit : 10 * unit + 8] for unit in range(K)],
        "pictures": None,
        "nearest": packed(following, "<u2"),
        "found": packed(found, "u1"),
        "topics": topics(n_documents),
        "no_topics": "",
    }


def topics(n_documents):
    """Leaves 0 and 1 merge first, then 3 and 4, then what is left in turn; node 6 + m is made by merge m."""
    merges = [[0, 1], [3, 4], [6, 2], [7, 5], [8, 9]]
    members = [[leaf] for leaf in range(N_LEAVES)]
    for one, other in merges:
        members.append(members[one] + members[other])
    each = n_documents // N_LEAVES
    nodes = []
    for own in members:
        columns = [10 * leaf + word for word in range(4 if len(own) > 1 else 8) for leaf in own]
        nodes.append(
            {
                "name": ", ".join(WORDS[column] for column in columns[:3]),
                "renamed": False,
                "size": each * len(own) + own[0],
                "words": [[column, max(1, each - column % 10)] for column in columns],
                "phrases": [f"{WORDS[columns[0]]} {WORDS[columns[1]]}"],
                "classes": [[group, sum(leaf // 3 == group for leaf in own) * each] for group in (0, 1)],
                "central": own[:5],
            }
        )
    apart = np.abs(np.subtract.outer(*[[np.mean(own) for own in members]] * 2))
    return {
        "leaves": packed(leaves_of(n_documents), "<u2"),
        "chosen": CHOSEN,
        "merges": merges,
        "nodes": nodes,
        "closeness": packed(np.rint(15 * apart), "u1"),
        "without": 0,
        "prior": 5.0,
    }


def many_topics(n_leaves, n_documents=700):
    """A page of so many topics, each a leaf of its own on a spiral."""
    given = content(n_documents)
    leaves = np.arange(n_documents) % n_leaves
    turn, far = 2.4 * leaves, np.sqrt((leaves + 1) / n_leaves)
    spread = np.column_stack([far * np.cos(turn), far * np.sin(turn)]) * 0.95
    spread += np.random.default_rng(0).normal(0, 0.01, spread.shape)
    given["documents"]["points"] = packed(np.rint((np.clip(spread, -1, 1) + 1) / 2 * 65535), "<u2")
    merges, waiting, nodes = [], list(range(n_leaves)), []
    while len(waiting) > 1:
        merges.append([waiting.pop(0), waiting.pop(0)])
        waiting.append(n_leaves + len(merges) - 1)
    for number in range(2 * n_leaves - 1):
        node = {"name": f"subject, number, {number}", "renamed": False, "words": [[number % 60, 3]], "phrases": []}
        nodes.append(node | {"size": 1000 - number, "classes": [[0, 1]], "central": []})
    given["models"][0]["topics"].update(
        leaves=packed(leaves, "<u2"),
        chosen=n_leaves,
        merges=merges,
        nodes=nodes,
        closeness=packed(np.full((2 * n_leaves - 1) ** 2, 60), "u1"),
    )
    return given


def texts(n_documents=120):
    return {
        "names": [f"file{number}.txt" for number in range(n_documents)],
        "texts": [f"Text {number} about Word{10 * (number % N_LEAVES)} and others." for number in range(n_documents)],
        "titles": None,
    }


def index(n_documents=120):
    """Document d has the first word of its leaf, and every seventh document has word59 too."""
    present = np.zeros((n_documents, len(WORDS)))
    present[np.arange(n_documents), 10 * leaves_of(n_documents)] = 1
    present[::7, 59] = 1
    return postings(sp.csr_array(present))


def page(given=None, written=None, **options) -> Page:
    given = content(**options) if given is None else given
    n_documents = given["documents"]["shown"] if given["documents"] else 0
    return render(given["title"], given, texts(n_documents) if written is None else written, index(n_documents))
