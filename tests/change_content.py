"""A page's content for its part about classes and angles, made of small documents and components."""

import base64

import numpy as np

from wideangle.documents import Documents
from wideangle.report.angles import angles_of, common_order, component_order
from wideangle.report.change import change_of
from wideangle.report.longtail import long_tail
from wideangle.report.views import View

NOUNS = ["corn", "wheat", "oil", "gold", "ship", "trade", "sugar", "coffee", "rubber", "cocoa", "tin", "zinc", "silk"]


def labelled(n_classes, noise, seed, n=600):
    """Documents of classes whose sizes fall, each around a centre of its own."""
    share = 1 / np.arange(1, n_classes + 1)
    labels = np.random.default_rng(0).choice(n_classes, n, p=share / share.sum())
    labels[: 3 * n_classes] = np.repeat(np.arange(n_classes), 3)
    centres = np.random.default_rng(1).standard_normal((n_classes, 6))
    vectors = centres[labels] + noise * np.random.default_rng(seed).standard_normal((n, 6))
    names = [NOUNS[c % len(NOUNS)] + ("" if c < len(NOUNS) else f" {c // len(NOUNS) + 1}") for c in range(n_classes)]
    return Documents.of(vectors, labels=labels, label_names=names, is_train=np.arange(n) % 3 > 0)


def components(K, spread, seed=0, groups=5):
    """Rows around a few directions: the smaller the spread, the more near-duplicates."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(9).standard_normal((groups, 40))
    return centres[np.random.default_rng(3).integers(groups, size=K)] + spread * rng.standard_normal((K, 40))


def topics_by(documents, n_topics, seed):
    """A topic for each of the larger classes; the others are thrown into topics at random."""
    labels = documents.labels
    return np.where(labels < n_topics, labels, np.random.default_rng(seed).integers(n_topics, size=len(labels)))


def content(n_classes=20, K=(30, 30), spreads=(0.5, 1.4), *, models=2, noise=(1.2, 0.9), rows=None):
    """What the page is given; K, spreads, noise and rows (components) have one entry per model."""
    vocabulary = [f"{NOUNS[c % len(NOUNS)]}{c}" for c in range(40)]
    views, topics = [], []
    for which in range(models):
        documents = labelled(n_classes, noise[which], seed=which) if n_classes else None
        weights = components(K[which], spreads[which], seed=which) if rows is None else np.asarray(rows[which], float)
        name = ("plain", "regularised")[which]
        words = vocabulary[: weights.shape[1]]
        views.append(View(name, "ReplicatedSoftmax", weights, words, "word", documents, None))
        topics.append(None if documents is None else topics_by(documents, max(n_classes * (3 + which) // 5, 1), which))
    orders = common_order(*views) if models == 2 else [component_order(views[0])]
    first = views[0].documents
    return {
        "title": "Topics of a test",
        "facts": ["600 documents"],
        "degrees": 30.0,
        "vocabulary": vocabulary,
        "column": "word",
        "frequency": None,
        "counted": 600,
        "served": False,
        "documents": None if first is None else _documents(first),
        "classes": None
        if first is None
        else [
            {"name": first.class_name(c), "size": int(np.sum(first.labels == c))}
            for c in range(len(first.label_names or ()))
        ],
        "models": [_model(view, order, which) for which, (view, order) in enumerate(zip(views, orders, strict=True))],
        "change": change_of(views, [long_tail(view.documents) for view in views], topics),
        "lacking": [] if n_classes else [f"No documents came with {view.name}: no precision." for view in views],
    }


def _documents(first):
    points = np.random.default_rng(0).integers(0, 65536, (len(first), 2))
    return {
        "count": len(first),
        "shown": len(first),
        "sampled": "",
        "points": _packed(points, "<u2"),
        "layout": "chance",
        "classes": _packed(first.labels, "<i2"),
        "held_out": _packed(~first.is_train, "<u1"),
    }


def _packed(values, kind):
    return base64.b64encode(np.ascontiguousarray(values).astype(kind).tobytes()).decode()


def _model(view, order, which):
    first = np.argsort(-view.components, axis=1)[:, :8]
    return {
        "name": view.name,
        "kind": view.kind,
        "noun": "topic",
        "components": len(view.components),
        "diversity": 0.3 * which,
        "metric": "covariance",
        "angles": angles_of(view, order),
        "units": [[view.vocabulary[c] for c in row] for row in first],
        "pictures": None,
        "nearest": None,
        "found": None,
        "topics": None,
        "no_topics": "The documents have no words.",
    }
