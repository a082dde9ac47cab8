"""Paragraph vectors: a vector per document that predicts its words."""

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import Tags, check_random_state

from wideangle._arguments import real
from wideangle._optional import optional_import
from wideangle.baselines.documents._base import DocumentBaseline
from wideangle.catalogue import COMPONENTS
from wideangle.finishing import Finish, Granularity
from wideangle.models._base import progress_bar
from wideangle.models._parameters import NOT_NEGATIVE, check_parameters
from wideangle.models._training.resuming import keeps_result

LONGEST = 10_000  # gensim reads no more words of one text.


class ParagraphVector(DocumentBaseline):
    """Paragraph vectors without word order (PV-DBOW), trained by gensim's Doc2Vec with negative sampling.

    A document's vector v predicts each of its words w, against words drawn at random: σ(v · u_w) should be large.
    The other kind of paragraph vector (PV-DM) also looks at the words nearby. Word counts do not tell those, so the
    kind that needs no order is the one here. gensim is needed: `pip install 'wideangle[baselines]'`.

    Parameters
    ----------
    n_components : int, default=50
        K, the length of the vectors.
    epochs : int, default=40
        How often training visits each document.
    negative : int, default=5
        How many random words each word is told from.
    sample : float, default=1e-5
        Words that are more frequent than about this share of all words are left out now and then. 0 leaves out none.
    learning_rate : float, default=0.05
        The first learning rate. It falls linearly to 0.0001.
    inference_epochs : int, default=40
        How often `transform` visits each document.
    finish : {"halves", "spectrum"} or None, default=None
        How documents are compared: as the method gives them, or finished as in `ReplicatedSoftmax`.
    granularity : {"details", "balance", "groups"} or float from 0 to 1, default="balance"
        How finely finished documents are told apart; it may be changed after the fit.
    random_state : int, RandomState or None, default=None
        The seed of all draws.
    verbose : bool, default=False
        Show a progress bar in a terminal.

    Attributes
    ----------
    components_ : array of shape (n_components, n_words)
        The output vectors u of the words, one per column. A word that no document has is zeros.
    frequencies_ : array of shape (n_words,)
        The share of each word among all tokens.
    n_tokens_ : int
    seed_ : int
        The seed of `transform`.

    Notes
    -----
    `transform` finds the vector of each document anew, those of the training documents too. What it finds depends on
    the words of this document alone. Of a document with more than 10,000 tokens, a random 10,000 are read.

    References
    ----------
    Q. Le and T. Mikolov, Distributed representations of sentences and documents, ICML 2014.

    Examples
    --------
    >>> from wideangle.baselines.documents import ParagraphVector
    >>> from wideangle.data import synthetic_corpus
    >>> counts = synthetic_corpus(300, 5, 60).corpus.counts
    >>> ParagraphVector(5, epochs=5, random_state=0).fit_transform(counts).shape
    (300, 5)
    """

    def __init__(
        self,
        n_components: int = COMPONENTS,
        *,
        epochs: int = 40,
        negative: int = 5,
        sample: float = 1e-5,
        learning_rate: float = 0.05,
        inference_epochs: int = 40,
        finish: Finish | None = None,
        granularity: Granularity = "balance",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.epochs = epochs
        self.negative = negative
        self.sample = sample
        self.learning_rate = learning_rate
        self.inference_epochs = inference_epochs
        self.finish = finish
        self.granularity = granularity
        self.random_state = random_state
        self.verbose = verbose

    @keeps_result
    def fit(self, X: Any, y: Any = None) -> "ParagraphVector":
        """Learn the vectors of the words. y is ignored."""
        counts = self._checked(X, reset=True)
        self._check_parameters()
        if counts.nnz == 0:
            raise ValueError("every document is empty: there is nothing to learn from.")
        self._forget()
        seeds = check_random_state(self.random_state).randint(0, 2**31 - 1, size=3)
        rng = np.random.default_rng(int(seeds[0]))
        self.seed_ = int(seeds[1])
        numbers = np.bincount(counts.indices, counts.data, minlength=counts.shape[1])
        self.n_tokens_ = int(numbers.sum())
        self.frequencies_ = numbers / self.n_tokens_
        doc2vec = optional_import("gensim.models.doc2vec", extra="baselines", purpose="ParagraphVector")
        texts = [
            doc2vec.TaggedDocument(_named(tokens), [row])
            for row, tokens in enumerate(_tokens(counts, rng))
            if len(tokens)
        ]
        for number, text in enumerate(texts):
            text.tags[0] = number  # gensim wants the numbers without gaps
        with progress_bar(type(self).__name__, self.epochs, self.verbose) as tell:
            model = self._untrained(int(seeds[2]))
            model.build_vocab(texts)
            model.train(texts, total_examples=model.corpus_count, epochs=self.epochs, callbacks=[_told(tell)])
        self.components_ = np.zeros((self.n_components, counts.shape[1]), dtype=np.float32)
        self.components_[:, [int(word) for word in model.wv.index_to_key]] = model.syn1neg.T
        self._learn_distance(counts)
        return self

    def _represent(self, rows: Any) -> NDArray[np.float32]:
        """The vector of each document, documents × components; one without words that were seen is zeros."""
        doc2vec = optional_import("gensim.models.doc2vec", extra="baselines", purpose="ParagraphVector")
        model = self._rebuilt()
        vectors = np.zeros((rows.shape[0], len(self.components_)), dtype=np.float32)
        lock = np.ones(1, dtype=np.float32)
        # Without this array gensim takes one that it has freed already, and writes into memory of other threads.
        work = np.zeros(len(self.components_), dtype=np.float32)
        rates = np.linspace(self.learning_rate, model.min_alpha, self.inference_epochs)
        for row in range(len(vectors)):
            cells = slice(rows.indptr[row], rows.indptr[row + 1])
            words, numbers = rows.indices[cells].astype(np.int64), rows.data[cells].astype(np.int64)
            known = self.frequencies_[words] > 0
            words, numbers = words[known], numbers[known]
            if not len(words):
                continue
            rng = np.random.default_rng([self.seed_, zlib.crc32(words.tobytes()), zlib.crc32(numbers.tobytes())])
            text = _named(rng.permutation(np.repeat(words, numbers)))
            # gensim's infer_vector starts from Python's hash of the words, which differs from process to process.
            vector = ((rng.random((1, len(self.components_))) - 0.5) / len(self.components_)).astype(np.float32)
            model.random.seed(int(rng.integers(2**31)))
            for rate in rates:
                doc2vec.train_document_dbow(
                    model,
                    text,
                    [0],
                    float(rate),
                    work=work,
                    learn_words=False,
                    learn_hidden=False,
                    doctag_vectors=vector,
                    doctags_lockf=lock,
                )
            vectors[row] = vector[0]
        return vectors

    def _untrained(self, seed: int) -> Any:
        doc2vec = optional_import("gensim.models.doc2vec", extra="baselines", purpose="ParagraphVector")
        return doc2vec.Doc2Vec(
            dm=0,
            vector_size=self.n_components,
            min_count=1,
            negative=self.negative,
            sample=self.sample,
            alpha=self.learning_rate,
            epochs=self.epochs,
            workers=1,  # The result of several threads depends on which is faster.
            seed=seed,
        )

    def _rebuilt(self) -> Any:
        """gensim's model, made from the learned arrays."""
        model = self._untrained(self.seed_)
        seen = np.flatnonzero(self.frequencies_)
        numbers = np.maximum(np.rint(self.frequencies_ * self.n_tokens_), 1).astype(np.int64)
        model.build_vocab_from_freq({str(word): int(numbers[word]) for word in seen}, corpus_count=1)
        columns = [int(word) for word in model.wv.index_to_key]
        model.syn1neg = np.ascontiguousarray(self.components_[:, columns].T, dtype=np.float32)
        return model

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_components", "epochs", "negative", "inference_epochs"),
            flags=("verbose",),
            choices={},
        )
        real(above=0, most=1)(self.learning_rate, "learning_rate")  # Larger rates overflow in gensim's compiled code.
        if not NOT_NEGATIVE(self.sample):
            raise ValueError(f"sample must be {NOT_NEGATIVE.words}; got {self.sample!r}.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # gensim works in float32, whatever X is.
        return tags


def _tokens(counts: sp.csr_array, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """The tokens of each document in random order, as columns."""
    for row in range(counts.shape[0]):
        cells = slice(counts.indptr[row], counts.indptr[row + 1])
        yield rng.permutation(np.repeat(counts.indices[cells].astype(np.int64), counts.data[cells]))[:LONGEST]


def _named(tokens: NDArray[np.int64]) -> list[str]:
    """gensim wants strings."""
    return [str(column) for column in tokens.tolist()]


def _told(tell: Any) -> Any:
    """What gensim calls after each epoch."""
    callbacks = optional_import("gensim.models.callbacks", extra="baselines", purpose="ParagraphVector")

    class Told(callbacks.CallbackAny2Vec):  # type: ignore[name-defined]
        def __init__(self) -> None:
            self.done = 0

        def on_epoch_end(self, model: Any) -> None:
            self.done += 1
            tell(self.done, "")

    return Told()
