"""Documents: retrieval, clustering and words of topics, as the paper measures them and beyond."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.catalogue import Entry, entry_of
from wideangle.data import Corpus, load, python_docs
from wideangle.evaluation import (
    angle_summary,
    class_table,
    document_npmi,
    head_and_tail,
    kmeans_scores,
    nearest_rows,
    topic_diversity,
)
from wideangle.experiments.jobs import Job
from wideangle.experiments.tasks import Measure, Outcome
from wideangle.experiments.tasks._fitting import device_of, fitted

__all__ = ["DATA", "MEASURES", "SCORE", "columns", "measured", "split"]

DATA = ("tdt2", "20news", "reuters", "docstrings")
NEAREST = {"docstrings": 10}  # k of P@k; 100 elsewhere. The classes of the docstrings are small.
SCORE = "precision"
MEASURES = {
    "precision": Measure("P@100 (%)", 100),
    "precision, Euclid": Measure("P@100 by Euclidean distance (%)", 100),
    "rarer half": Measure("P@100, mean over the rarer half of the classes (%)", 100),
    "clustering": Measure("clustering accuracy (%)", 100),
    "NMI": Measure("normalised mutual information (%)", 100),
    "perplexity": Measure("perplexity of half of the words", 1, 0, True),
    "topics' NPMI": Measure("NPMI of the words of 50 topics", 1, 3),
    "topics' distinct words": Measure("share of distinct words of 50 topics", 1, 3),
    "components' NPMI": Measure("NPMI of the words of components", 1, 3),
    "components' distinct words": Measure("share of distinct words of components", 1, 3),
    "mean angle": Measure("mean angle of components (°)", 1, 1),
    "smallest angle": Measure("smallest angle of components (°)", 1, 1),
    "seconds": Measure("seconds of fit", 1, 1, True),
}
FOLDS = 5
WORDS, TOPICS = 10, 50


@dataclass(frozen=True)
class Split:
    """Documents to train on and to ask with."""

    train: Corpus
    test: Corpus
    checksum: str | None

    @property
    def labels(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        assert self.train.labels is not None
        assert self.test.labels is not None
        return np.asarray(self.train.labels), np.asarray(self.test.labels)


@lru_cache(2)
def split(data: str, fold: int | None = None) -> Split:
    """The official parts, or a fold of the training part and the rest of it."""
    whole: Corpus = python_docs() if data == "docstrings" else load(data, fetch=False)  # type: ignore[call-overload]
    train, test = whole.train, whole.test
    if fold is not None:
        parts = np.array_split(np.random.default_rng(0).permutation(len(train)), FOLDS)
        rest = np.concatenate([part for number, part in enumerate(parts) if number != fold])
        test, train = train.subset(np.sort(parts[fold])), train.subset(np.sort(rest))
    return Split(train, test, whole.checksum)


def columns(data: str) -> int:
    return int(split(data).train.counts.shape[1])


def measured(job: Job) -> Outcome:
    """Fit on counts; retrieval always, the dearer measures on the test part alone."""
    parts, entry = split(job.data, job.fold), entry_of(job.estimator)
    model, seconds = fitted(job.estimator, job.settings, job.seed, parts.train.counts)
    train, test = model.transform(parts.train.counts), model.transform(parts.test.counts)
    found, details = retrieved(job.data, entry, model, parts, train, test)
    if entry.likelihood is None and hasattr(model, "perplexity"):  # ours is a task of its own: it needs log Z
        found["perplexity"] = float(model.perplexity(parts.test.counts))
    components = getattr(model, "components_", None)
    if components is not None and len(components) > 1:
        angles = angle_summary(components)
        found |= {"mean angle": angles.mean, "smallest angle": angles.smallest}
    if job.fold is None:
        found |= clustered(test, parts)
        if not sp.issparse(test):  # Groups of rows with a column for each word would take minutes.
            read, details["words"] = words_of(entry, model, parts, train, job.seed)
            found |= read
    return Outcome(found | {"seconds": seconds}, seconds, parts.checksum, details, device_of(model))


def retrieved(
    data: str, entry: Entry, model: Any, parts: Split, train: Any, test: Any
) -> tuple[dict[str, float], dict[str, Any]]:
    """P@k by the model's own metric and by Euclid's, and the precision of each class."""
    from wideangle.view import transform_metric

    labels, asked = parts.labels
    k = min(NEAREST.get(data, 100), len(labels))
    own = entry.metric if entry.searched_by == "transform" else transform_metric(model)
    found: dict[str, float] = {}
    details: dict[str, Any] = {"k": k}
    for metric, tail in ((own, ""), ("euclidean", ", Euclid")):
        near = nearest_rows(test, train, k, metric=metric).rows
        each = (labels[near] == asked[:, None]).mean(axis=1)
        found[f"precision{tail}"] = float(each.mean())
        if metric == own and not tail:
            table = class_table(asked, each, labels, k=k)
            found["rarer half"] = float(head_and_tail(table).tail.precision)
            details["classes"] = [int(row.label) for row in table]
            details["precision of classes"] = [float(row.precision) for row in table]
    return found, details


def clustered(test: Any, parts: Split) -> dict[str, float]:
    """k-means of the test documents at unit length, 10 restarts. Those without words stay at 0."""
    from sklearn.preprocessing import normalize

    scores = kmeans_scores(normalize(test), parts.labels[1])
    return {"clustering": scores.accuracy, "NMI": scores.nmi}


def words_of(
    entry: Entry, model: Any, parts: Split, train: Any, seed: int
) -> tuple[dict[str, float], dict[str, list[list[str]]]]:
    """How the words of topics read, and the first of them; components only where they are topics."""
    from wideangle.topics import find_topics
    from wideangle.view import ModelView

    counts = parts.train.counts
    names = [str(column) for column in range(counts.shape[1])]
    groups = find_topics(train, counts, names, n_topics=TOPICS, n_words=WORDS, random_state=seed)
    found, lists = {}, {"topics": [[int(word) for word in topic.words] for topic in groups]}
    if entry.noun == "topic":
        lists["components"] = ModelView.of(model).top_columns(WORDS).tolist()
    for kind, words in lists.items():
        found[f"{kind}' NPMI"] = float(np.mean(document_npmi(words, counts)))
        found[f"{kind}' distinct words"] = float(topic_diversity(words))
    vocabulary = parts.train.vocabulary
    spelled = names if vocabulary is None else [str(word) for word in vocabulary]
    return found, {kind: [[spelled[word] for word in topic] for topic in words[:10]] for kind, words in lists.items()}
