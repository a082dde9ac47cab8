"""Can the topics be read, and do rare classes get one of their own?

    python benchmarks/topic_words.py [--corpora docstrings 20news] [--topics 50] [--seeds 3] [--quick]

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
from typing import Any

import numpy as np
from _corpora import corpus
from _lda import HAS_TOMOTOPY, named, tokens, untrained_lda
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


def readings(run: Run) -> Iterator[tuple[str, Read | str]]:
    """Each method and what it found, or why it did not run."""
    model, vectors = ours(run)
    _, plain = ours(run, diversity=0.0)
    yield "wideangle", grouped(run, vectors)
    yield "wideangle, λ = 0", grouped(run, plain)
    yield "LSI, grouped", lsi(run)
    yield "NMF of tf-idf", nmf(run)
    yield "LDA", lda(run) if HAS_TOMOTOPY else "tomotopy is not installed"
    if importlib.util.find_spec("bertopic") is None:
        yield "BERTopic", "bertopic is not installed"
    else:
        yield "BERTopic", bertopic(run, vectors)
    units = np.argsort(-model.effects(), axis=1, kind="stable")[:, :WORDS].tolist()
    yield "units", Read(units, vectors.argmax(axis=1))


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["docstrings", "20news"])
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    quick = options.quick
    for name in ["docstrings"] if quick else options.corpora:
        whole = corpus(name)
        found: dict[str, list[list[float]]] = {}
        for seed in range(1 if quick else options.seeds):
            run = Run(whole, 10 if quick else options.topics, seed, 20 if quick else UPDATES, 5 if quick else 500)
            for method, read in readings(run):
                if isinstance(read, str):
                    print(f"{name}: {method}: not run: {read}", flush=True)
                else:
                    found.setdefault(method, []).append(measured(run, read))
        print(f"{name}, {run.n_topics} topics\n{'':<17}" + "".join(f"{measure:>16}" for measure in MEASURES))
        for method, rows in found.items():
            print(told(method, rows), flush=True)


if __name__ == "__main__":
    main()
