"""Can the topics be read, and do rare classes get one of their own?

    python benchmarks/topic_words.py [--corpora docstrings 20news] [--seeds 0 1 2] [--record FILE.jsonl] [--quick]
    python benchmarks/topic_words.py --table FILE.jsonl

Fifty topics of each method, first ten words of each: document NPMI on the training documents and on the held-out
documents, the share of distinct words, NMI of topics and classes, and how many classes, in all and of the rarer half,
have a topic of their own. Ours: the Replicated Softmax with the regulariser and without, its documents grouped by
`find_topics`; the same groups of LSI; the components of NMF of tf-idf and of LDA (tomotopy), whose documents belong to
their largest component; BERTopic on the vectors of the regularised model. The last line of each corpus tells the
components' own words ("units"), which are no topics. What is not installed is left out, and is said so.
"""

import argparse
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _lda import HAS_TOMOTOPY, named, tokens, untrained_lda
from _records import add_records, read_records
from numpy.typing import NDArray
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.data import Corpus
from wideangle.evaluation import (
    classes_with_own_topic,
    document_npmi,
    normalized_mutual_information,
    topic_diversity,
)
from wideangle.experiments.tasks.documents import corpus
from wideangle.models import ReplicatedSoftmax
from wideangle.topics import find_topics

WORDS = 10
MEASURES = ("NPMI", "held out", "distinct", "NMI", "own", "own, rare")


@dataclass(frozen=True)
class Read:
    """Columns of each topic's words, and the topic of each training document."""

    words: list[list[int]]
    topics: NDArray[np.intp]


@dataclass(frozen=True)
class Run:
    """One corpus, one seed."""

    corpus: Corpus
    n_topics: int
    seed: int
    updates: int
    sweeps: int


def ours(run: Run, **settings: Any) -> tuple[ReplicatedSoftmax, NDArray[Any]]:
    model = ReplicatedSoftmax(COMPONENTS, max_updates=run.updates, random_state=run.seed, **settings)
    counts = run.corpus.train.counts
    return model.fit(counts), model.transform(counts)


def grouped(run: Run, vectors: NDArray[Any]) -> Read:
    counts = run.corpus.train.counts
    numbers = [str(column) for column in range(counts.shape[1])]
    found = find_topics(vectors, counts, numbers, n_topics=run.n_topics, n_words=WORDS, random_state=run.seed)
    return Read([[int(word) for word in topic.words] for topic in found], found.of_documents)


def by_components(components: NDArray[Any], shares: NDArray[Any]) -> Read:
    return Read(np.argsort(-components, axis=1, kind="stable")[:, :WORDS].tolist(), shares.argmax(axis=1))


def tf_idf(run: Run) -> Any:
    return TfidfTransformer(sublinear_tf=True).fit_transform(run.corpus.train.counts)


def lsi(run: Run) -> Read:
    vectors = TruncatedSVD(COMPONENTS, random_state=run.seed).fit_transform(tf_idf(run))
    return grouped(run, normalize(vectors))


def nmf(run: Run) -> Read:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged after 400 iterations
        model = NMF(run.n_topics, init="nndsvda", max_iter=400, random_state=run.seed)
        shares = model.fit_transform(tf_idf(run))
    return by_components(model.components_, shares)


def lda(run: Run) -> Read:
    counts = run.corpus.train.counts.tocsr()
    model, rows = untrained_lda(counts, run.n_topics, run.seed)
    model.train(run.sweeps, workers=1)
    columns = np.array([int(word) for word in model.used_vocabs])
    components = np.zeros((run.n_topics, counts.shape[1]))
    components[:, columns] = [model.get_topic_word_dist(topic) for topic in range(run.n_topics)]
    shares = np.zeros((counts.shape[0], run.n_topics))
    shares[rows] = [document.get_topic_dist() for document in model.docs]
    return by_components(components, shares)


def bertopic(run: Run, vectors: NDArray[Any]) -> Read:
    from bertopic import BERTopic
    from sklearn.feature_extraction.text import CountVectorizer
    from umap import UMAP

    counts = run.corpus.train.counts.tocsr()
    texts = [" ".join(named(tokens(counts, row))) for row in range(counts.shape[0])]
    numbers = [str(column) for column in range(counts.shape[1])]
    model = BERTopic(
        embedding_model=None,
        umap_model=UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=run.seed),
        vectorizer_model=CountVectorizer(vocabulary=numbers, token_pattern=r"\S+"),
        nr_topics=run.n_topics + 1,  # one of them is what it gives to no topic
        top_n_words=WORDS,
    )
    topics, _ = model.fit_transform(texts, embeddings=np.asarray(vectors))
    known = sorted(set(topics) - {-1})
    words = [[int(word) for word, _ in model.get_topic(topic) if word][:WORDS] for topic in known]
    return Read(words, np.array([known.index(topic) if topic >= 0 else -1 for topic in topics]))


def readings(run: Run, only: list[str] | None = None) -> Iterator[tuple[str, Read | str]]:
    """Each method and what it found, or why it did not run."""
    model, vectors = ours(run)
    has_bertopic = importlib.util.find_spec("bertopic") is not None
    methods: dict[str, Callable[[], Read | str]] = {
        "wideangle": lambda: grouped(run, vectors),
        "wideangle, λ = 0": lambda: grouped(run, ours(run, diversity=0.0)[1]),
        "LSI, grouped": lambda: lsi(run),
        "NMF of tf-idf": lambda: nmf(run),
        "LDA": lambda: lda(run) if HAS_TOMOTOPY else "tomotopy is not installed",
        "BERTopic": lambda: bertopic(run, vectors) if has_bertopic else "bertopic is not installed",
        "units": lambda: units(model, vectors),
    }
    for name, method in methods.items():
        if only is None or name.startswith(tuple(only)):
            yield name, method()


def units(model: ReplicatedSoftmax, vectors: NDArray[Any]) -> Read:
    return by_components(model.effects(), vectors)


def measured(run: Run, read: Read) -> list[float]:
    train, test = run.corpus.train, run.corpus.test
    assert train.labels is not None
    sizes = np.bincount(train.labels)
    rarer = np.argsort(sizes, kind="stable")[: len(sizes) // 2]
    own = classes_with_own_topic(read.topics, train.labels, len(sizes))
    placed = read.topics >= 0
    return [
        float(np.mean(document_npmi(read.words, train.counts))),
        float(np.mean(document_npmi(read.words, test.counts))),
        topic_diversity(read.words),
        normalized_mutual_information(train.labels[placed], read.topics[placed]),
        float(own.sum()),
        float(own[rarer].sum()),
    ]


def told(name: str, rows: list[list[float]]) -> str:
    forms: list[Callable[[float], str]] = [*([lambda x: f"{x:.3f}"] * 4), *([lambda x: f"{x:.1f}"] * 2)]
    cells = []
    for values, form in zip(zip(*rows, strict=True), forms, strict=True):
        spread = f" ± {form(float(np.std(values, ddof=1)))}" if len(values) > 1 else ""
        cells.append(f"{form(float(np.mean(values)))}{spread}")
    return f"{name:<17}" + "".join(f"{cell:>16}" for cell in cells)


def table(records: list[dict[str, Any]]) -> None:
    for name, topics in dict.fromkeys((record["corpus"], record["topics"]) for record in records):
        mine = [record for record in records if (record["corpus"], record["topics"]) == (name, topics)]
        seeds = len({record["seed"] for record in mine})
        print(f"{name}, {topics} topics, {seeds} seeds\n{'':<17}" + "".join(f"{m:>16}" for m in MEASURES))
        for method in dict.fromkeys(record["method"] for record in mine):
            rows = [[r[measure] for measure in MEASURES] for r in mine if r["method"] == method]
            print(told(method, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["docstrings", "20news"])
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--record", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--only", nargs="+", help="methods, by the first letters of their names")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.table is not None:
        table(read_records(options.table))
        return
    quick, records = options.quick, []
    for name in ["docstrings"] if quick else options.corpora:
        for seed in [0] if quick else options.seeds:
            run = Run(
                corpus(name), 10 if quick else options.topics, seed, 20 if quick else UPDATES, 5 if quick else 500
            )
            for method, read in readings(run, options.only):
                if isinstance(read, str):
                    print(f"{name}: {method}: not run: {read}", flush=True)
                    continue
                found = dict(zip(MEASURES, measured(run, read), strict=True))
                records.append({"corpus": name, "topics": run.n_topics, "method": method, "seed": seed} | found)
                if options.record is not None:
                    add_records(options.record, records[-1:])
    table(records)


if __name__ == "__main__":
    main()
