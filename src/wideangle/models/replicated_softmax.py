"""The Replicated Softmax: a restricted Boltzmann machine of word counts."""

from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from wideangle._arguments import checked, flag, optional, real, whole
from wideangle._validation import validate_columns, validate_rows
from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.data.stored.counts import CountsOnDisk
from wideangle.finishing import Finish, Granularity, granularity_number
from wideangle.functional.boltzmann import Machine, gibbs_step, hidden_logits, per_token
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import Randomness, resolve_device
from wideangle.models._boltzmann.contrastive import Algorithm
from wideangle.models._boltzmann.estimator import BoltzmannMachine
from wideangle.models._boltzmann.likelihood import MOST_TEMPERATURES, Likelihood, warn_of_doubt
from wideangle.models._boltzmann.representation import Representation
from wideangle.models._boltzmann.start import Start, random_components, signal_components
from wideangle.models._boltzmann.visible import by_blocks, some_of
from wideangle.models._boltzmann.visible_words import VisibleWords, as_they_are
from wideangle.models._training.steps import Optimizer, Schedule
from wideangle.recent_rows import MetricName
from wideangle.word_counts import WEIGHTINGS, Weighting, check_word_counts, presence_of, rarity_of

# The usual values of parameters that may be None, so that tuning knows which ones a user has left open. Both were
# chosen by cross-validation at all granularities (docs/granularity.md).
USUAL: dict[str, Any] = {"diversity": 0.1, "weighting": "balanced"}
WITHOUT_FINISH: Representation = "centred probabilities"  # what `transform` gives where nothing finishes it
# Few documents must not be learned by heart. The rate grows with their number, and each document is worth one update.
USUAL_RATE, ENOUGH_ROWS, FEWEST_UPDATES = 0.01, 5000, 20
OF_FEW: Weighting = "tf-idf"  # Fewer than FEW_ROWS do not teach which frequent words say nothing.
FEW_ROWS = 2000
USUAL_LENGTH = 50.0  # Where documents keep their lengths, the average document is taken at this one.
LENGTH = optional(real(least=1, most=1e9))  # the words that a document may be taken to have


class ReplicatedSoftmax(BoltzmannMachine):
    """The Replicated Softmax topic model. The mutual angular regulariser keeps its topics apart.

    A document of N tokens with counts n has p(h_k = 1 | n) = σ(N β_k + A_k·n) and its words are N draws from
    softmax(α + h A). Contrastive divergence maximises the mean log-likelihood per token plus diversity · Ω(A).

    Parameters
    ----------
    n_components : int or None, default=None
        K, the number of hidden units. None: 50, or as many as the documents carry where these are fewer: directions in
        which documents vary more than one document alone would make them. The number of topics that people read is
        chosen apart: see `topics`.
    granularity : {"details", "balance", "groups"}, float from 0 to 1, or None, default=None
        How finely `transform` tells documents apart: 0, "details", for fine distinctions; 1, "groups", for broad
        groups; 0.5, "balance", for both. The fit does not depend on it: `set_params(granularity=0)` needs no new fit.
        None: 0.5, where `wideangle.tuning` does not choose it.
    finish : {"halves", "spectrum"} or None, default="halves"
        How documents are compared: by a distance that the halves of training documents teach, by a power of the
        spectrum of the representation, or as `representation` gives them.
    diversity : float or None, default=None
        λ, the weight of the regulariser; 0 is the plain model; None: 0.1. The data term is a mean per token, so one
        range, 0.03 to 1, serves every corpus.
    surrogate : str, default="angle"
        The regulariser; see `MutualAngularRegularizer`.
    gamma : float, default=1.0
        Weight of the angles' variance.
    metric : {"covariance", "identity", "scales"}, default="covariance"
        Where the regulariser measures angles: as the data sees them, so that cosines are correlations of the hidden
        logits over recent rows; of the weights, as in the paper; or of weights times the columns' deviations.
    init : {"svd", "random"}, default="svd"
        Where components start: at the directions in which the weighted documents vary most, each as long as its
        signal is clear of what chance gives, or at random directions. Components beyond the rank of the documents are
        random and short. In a stream the first chunk decides.
    weighting : {"counts", "log", "balanced", "tf-idf"} or None, default=None
        What the model sees of a count n: n itself; 1 + log n; or that times the square root or the whole of the word's
        rarity, log((1 + documents) / (1 + documents that have it)) + 1, in the training documents. None: "balanced",
        or "tf-idf" for fewer than 2,000 documents.
        Likelihoods are of the counts themselves; for a good one take "counts".
    algorithm : {"projected", "alternating"}, default="projected"
        Gradient steps in A, or Algorithm 1 of the paper: steps for the components' lengths and directions by turns.
    document_length : float or None, default=50.0
        Training and `transform` scale the counts of every document to this many tokens, because hidden units saturate
        on long documents. None takes documents as they are. Likelihoods are those of the real counts by default.
    representation : {"centred probabilities", "centred logits", "probabilities", "logits"} or None, default=None
        What `transform` gives without a finish: p(h = 1 | n) or its logits, minus those of the average document and at
        unit length, so that Euclidean distance ranks as the cosine does; p(h = 1 | n) itself; or length-normalised
        logits β + A·n/N. None: it is finished, or "centred probabilities" where `finish` is None.
    learning_rate : float or None, default=None
        None lets training follow the number of documents, so that few of them are not learned by heart: the rate is
        0.01 from 5,000 documents on and smaller in proportion for fewer, and there is at most one update per document.
    schedule : {"linear", "constant"}, default="linear"
        Whether the learning rate falls to 0 over the updates.
    optimizer : {"adam", "momentum", "sgd"}, default="adam"
        Adam with decoupled weight decay, or gradient steps with momentum 0.9 or without. For persistent chains "sgd" is
        best, because with the others the parameters move faster than the chains can follow.
    weight_decay : float, default=0.3
        Decay of the components.
    dropout : float or "auto", default="auto"
        The share of hidden units that each update leaves out. "auto" is 0 for up to 10 components, 0.19 for 25, a half
        for 50, 0.6 for 100, 0.75 for 200 and 0.87 for 500.
    batch_size : int, default=100
        Documents per update.
    max_updates : int, default=2000
        Updates per fit at most. See `learning_rate`.
    cd_steps : int, default=1
        Gibbs sweeps per update.
    persistent : bool, default=False
        Whether chains continue from update to update (persistent contrastive divergence) or start at the data.
    allow_fractions : bool, default=False
        Whether counts may be fractions.
    validation_fraction : float, default=0.0
        Share of the documents to hold out. Training stops when their validation score no longer improves.
    monitor : {"reconstruction", "free_energy"}, default="reconstruction"
        The validation score, as in `BernoulliRBM`.
    patience : int, default=10
        Training stops after so many records without improvement.
    device : str, default="auto"
        "auto", "cpu" or "cuda".
    random_state : int, RandomState or None, default=None
        As in `BernoulliRBM`.
    verbose : bool, default=False
        Show a progress bar in a terminal. scikit-learn's callbacks (`set_callbacks`, from 1.9) work too.
    warm_start : bool, default=False
        As in `BernoulliRBM`. How words are weighed stays as in the first fit.

    Attributes
    ----------
    components_ : array of shape (n_components, n_words)
    intercept_visible_, intercept_hidden_ : arrays
        The biases α and β.
    presence_ : array of shape (n_words,)
        The share of documents that have each word, in `fit` or in the first `partial_fit`.
    weighting_ : str
        The weighting that was used.
    rarity_ : array of shape (n_words,)
        By what each weighted word is multiplied, in `fit` or in the first `partial_fit`.
    mean_row_ : array of shape (n_words,)
        The average document, as shares of the weighted words. In a stream it follows the data.
    n_rows_ : int
        The documents in this average.
    halves_ : Halves
        What the halves of documents taught, from which the distance is made. In a stream it follows the data.
    history_, n_updates_, stopped_
        As in `BernoulliRBM`.
    vocabulary_ : list of str
        The word of each column, if the model was loaded from a file that has the words.
    topics_ : Topics
        What `topics` found last.

    Notes
    -----
    Every logit of a document without words is 0, so that each of its probabilities is ½, and it has no direction from
    the average document: its centred representations are 0. Training leaves such documents out.

    References
    ----------
    R. Salakhutdinov and G. Hinton, Replicated Softmax: an undirected topic model, NIPS 2009. P. Xie, Y. Deng and
    E. Xing, 2015, Appendix D.

    Examples
    --------
    >>> from wideangle.data import synthetic_corpus
    >>> from wideangle.models import ReplicatedSoftmax
    >>> corpus = synthetic_corpus(300, 5, 60).corpus
    >>> model = ReplicatedSoftmax(5, max_updates=200, random_state=0).fit(corpus.counts)
    >>> model.transform(corpus.counts).shape, len(model.topics(corpus.counts, 4, vocabulary=corpus.vocabulary))
    ((300, 5), 4)
    """

    _may_be_none = ("n_components", "diversity", "weighting", "representation", "learning_rate")
    _choices: ClassVar[dict[str, tuple[str, ...]]] = {"weighting": WEIGHTINGS}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        granularity: Granularity | None = None,
        finish: Finish | None = "halves",
        diversity: float | None = None,
        surrogate: Surrogate = "angle",
        gamma: float = 1.0,
        metric: MetricName = "covariance",
        init: Start = "svd",
        weighting: Weighting | None = None,
        algorithm: Algorithm = "projected",
        document_length: float | None = 50.0,
        representation: Representation | None = None,
        learning_rate: float | None = None,
        schedule: Schedule = "linear",
        optimizer: Optimizer = "adam",
        weight_decay: float = 0.3,
        dropout: float | Literal["auto"] = "auto",
        batch_size: int = 100,
        max_updates: int = UPDATES,
        cd_steps: int = 1,
        persistent: bool = False,
        allow_fractions: bool = False,
        validation_fraction: float = 0.0,
        monitor: Literal["reconstruction", "free_energy"] = "reconstruction",
        patience: int = 10,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.n_components = n_components
        self.granularity = granularity
        self.finish = finish
        self.diversity = diversity
        self.surrogate = surrogate
        self.gamma = gamma
        self.metric = metric
        self.init = init
        self.weighting = weighting
        self.algorithm = algorithm
        self.document_length = document_length
        self.representation = representation
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.batch_size = batch_size
        self.max_updates = max_updates
        self.cd_steps = cd_steps
        self.persistent = persistent
        self.allow_fractions = allow_fractions
        self.validation_fraction = validation_fraction
        self.monitor = monitor
        self.patience = patience
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def _represent(self, rows: Any) -> NDArray[Any]:
        if self._representation() != "logits":
            return super()._represent(rows)

        def normalised(machine: Machine, counts: Tensor, lengths: Tensor | None) -> Tensor:
            assert lengths is not None
            return per_token(hidden_logits(machine, counts, lengths), lengths)

        return by_blocks(rows, self._machine(resolve_device(self.device)), self._visible().in_transform, normalised)

    def _representation(self) -> Representation | None:
        how = super()._representation()
        return how if how is not None or self.finish is not None else WITHOUT_FINISH

    def _wanted_finish(self) -> Finish | None:
        return super()._wanted_finish() if self.representation is None else None

    def _used_granularity(self) -> float:
        return granularity_number("balance" if self.granularity is None else self.granularity)

    def _centre_of_logits(self) -> NDArray[Any] | None:
        if self._wanted_finish() is None:
            return None
        length = self.document_length or USUAL_LENGTH
        return np.asarray(length / self.kept_share_ * self._logits_of_average())

    @checked(rescaled=flag)
    def log_likelihood(
        self, X: Any, *, rescaled: bool = False, max_temperatures: int = MOST_TEMPERATURES
    ) -> Likelihood:
        """log p of each document's words in their order, with its error and any doubt about the estimate.

        By default it is that of the real counts. The model is then evaluated with N β and log Z_N of each real length
        N, although it was trained at `document_length`. With `rescaled` it is that of the counts as training saw them.

        log Z is exact where the sum over all hidden states is short. Else it is annealed over 300 temperatures, forward
        and backward. It is trusted if a shorter run agrees, the error is small, and no likely states are known that it
        missed. While it cannot be trusted, further runs have four times as many temperatures each, up to
        `max_temperatures`; what is left is said in `doubt`.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if not rescaled:
            lengths = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
            return self._likelihood(X, lengths, True, as_they_are, max_temperatures)
        visible = self._visible()
        lengths = visible.wanted(visible.weighed_lengths(X)).numpy()
        return self._likelihood(X, lengths, True, visible.in_training, max_temperatures)

    @checked(rescaled=flag)
    def perplexity(self, X: Any, *, rescaled: bool = False) -> float:
        """exp(−mean over documents of log p / length). Documents without words do not count. See `log_likelihood`.

        A `LikelihoodWarning` says where the estimate cannot be trusted.
        """
        likelihood = self.log_likelihood(X, rescaled=rescaled)
        warn_of_doubt(likelihood, stacklevel=2)
        return likelihood.perplexity

    @checked(n_documents=whole(least=1), length=whole(least=1), sweeps=whole(least=1))
    def sample(
        self, n_documents: int = 1, length: int = 50, *, sweeps: int = 100, random_state: Any = None
    ) -> NDArray[Any]:
        """Draw documents, as counts, by a Gibbs chain of `sweeps` sweeps from a random start."""
        check_is_fitted(self)
        device = resolve_device(self.device)
        draws = Randomness.of(random_state, device).draws
        machine = self._machine(device)
        lengths = torch.full((n_documents,), float(length)).to(machine.components)
        hidden = torch.full((n_documents, len(machine.hidden_bias)), 0.5).to(machine.components)
        for _ in range(sweeps):
            counts, hidden = gibbs_step(machine, torch.bernoulli(hidden, generator=draws), draws, lengths)
        return counts.cpu().numpy().astype(np.int64)

    def _checked(self, X: Any, reset: bool) -> Any:
        if isinstance(X, CountsOnDisk):  # Nothing else than counts is written there.
            validate_columns(self, X, reset=reset)
            return X
        X = validate_rows(self, X, reset=reset, dtype=(np.float32, np.float64))
        check_word_counts(X, self.allow_fractions)
        return X

    def _useful(self, X: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        kept = rows[np.asarray(X.sum(axis=1)).ravel()[rows] > 0]
        if len(kept) == 0:
            raise ValueError("every document is empty: there is nothing to learn from.")
        return kept

    def _chosen(self, name: str) -> Any:
        """The value that is used for a parameter that is None; see `used_value`."""
        if name == "granularity":
            return self._used_granularity()
        return getattr(self, "weighting_", USUAL[name]) if name == "weighting" else USUAL.get(name)

    def _survey(self, X: Any) -> None:
        self.presence_ = presence_of(X)
        self.weighting_ = self.weighting or (OF_FEW if X.shape[0] < FEW_ROWS else USUAL["weighting"])
        self.rarity_ = rarity_of(X, self.weighting_, self.presence_)
        self.kept_share_ = 1.0  # The trainer knows better.

    def _visible(self) -> VisibleWords:
        self._check_length()  # It may have been set after the fit.
        return VisibleWords(self.weighting_, self.rarity_, self.document_length, self.kept_share_)

    def _check_length(self) -> None:
        LENGTH(self.document_length, "document_length")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_length()

    def _start(self, X: Any, rows: NDArray[np.intp], generator: torch.Generator, fewer: bool) -> Machine:
        dtype = torch.float64 if X.dtype == np.float64 else torch.float32
        # Every document has the same weight, and a word that occurs nowhere gets a finite bias.
        share = (self.mean_row_ * len(rows) + 1 / X.shape[1]) / (len(rows) + 1)
        K = COMPONENTS if self.n_components is None else self.n_components
        if self.init == "random":
            components = random_components(K, X.shape[1], generator, dtype)
        else:
            some = self._visible().for_directions(some_of(X, rows))
            components, carried = signal_components(some, K, generator, dtype)
            if fewer and self.n_components is None:
                components = components[: max(1, carried)]
        alpha = torch.as_tensor(np.log(share)).to(components)
        return Machine(components, alpha, torch.zeros(len(components)).to(components))

    def _first_rate(self) -> float:
        if self.learning_rate is not None:
            return super()._first_rate()
        return USUAL_RATE * min(1.0, self.n_rows_ / ENOUGH_ROWS)

    def _n_updates(self, n_rows: int) -> int:
        if self.learning_rate is not None:
            return self.max_updates
        return min(self.max_updates, max(FEWEST_UPDATES, n_rows))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
