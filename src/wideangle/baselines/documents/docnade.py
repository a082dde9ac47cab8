"""DocNADE: a neural network that predicts each word of a document from the words before it."""

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from wideangle._validation import CallbackSupportMixin, with_callbacks
from wideangle.baselines.documents._base import DocumentBaseline
from wideangle.baselines.documents._docnade.outputs import SOFTMAXES, Output, Softmax, output_for
from wideangle.baselines.documents._docnade.tokens import Tokens
from wideangle.baselines.documents._docnade.training import (
    ACTIVATIONS,
    Activation,
    NADETrainer,
    Network,
    log_p_of_documents,
)
from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.evaluation import perplexity
from wideangle.finishing import Finish, Granularity, Halves
from wideangle.models._base import Randomness, batches, resolve_device
from wideangle.models._parameters import COUNT, check_parameters
from wideangle.models._training.beginning import begin_fit
from wideangle.models._training.history import Record
from wideangle.models._training.loop import fit_by_updates, held_out_rows, told_of
from wideangle.models._training.resuming import takes_checkpoint
from wideangle.models._training.steps import SCHEDULES, LearningRate, Schedule

Self = TypeVar("Self", bound="DocNADE")

SMOOTHING = 0.5  # Each word counts as often as this before the first document.
JUDGED_BY = 0  # The seed of the orders in which documents that are held out are read, the same at each record.


class DocNADE(CallbackSupportMixin, DocumentBaseline):
    """The document neural autoregressive distribution estimator.

    The words of a document come in a random order, and each is predicted from those before it by hidden units
    h_i = g(c + Σ_{k<i} W[:, v_k]). log p of a document is the sum over its words; training by Adam minimises the mean
    over documents of −log p / length, in new orders at each visit.

    Parameters
    ----------
    n_components : int, default=50
        K, the number of hidden units.
    softmax : {"full", "tree"}, default="full"
        p(v_i | h_i) as a softmax over all words, or as the product of ⌈log₂ V⌉ decisions in a binary tree, in which the
        words have random places.
    activation : {"tanh", "sigmoid"}, default="tanh"
        g, for training and `transform`.
    splits : int or None, default=1
        In how many places an update splits each document. The words before a split predict every word after it, which
        gives an unbiased estimate of the gradient at the cost of one prediction per split. None predicts each word
        from those before it, as in the paper of 2012, at the cost of one prediction per token.
    learning_rate : float, default=0.005
    schedule : {"linear", "constant"}, default="linear"
        Whether the learning rate falls to 0 over the updates.
    weight_decay : float, default=0.0
        Decoupled decay of the weights W and V.
    batch_size : int, default=100
        Documents per update.
    max_updates : int, default=2000
        Updates per fit at most.
    validation_fraction : float, default=0.0
        Share of the documents to hold out. Training stops when log p of their words no longer improves, and the best
        state is kept.
    patience : int, default=10
        Training stops after so many records without improvement.
    device : str, default="auto"
        "auto", "cpu" or "cuda".
    finish : {"halves", "spectrum"} or None, default=None
        How documents are compared: as the method gives them, or finished as in `ReplicatedSoftmax`.
    granularity : {"details", "balance", "groups"} or float from 0 to 1, default="balance"
        How finely finished documents are told apart; it may be changed after the fit.
    random_state : int, RandomState or None, default=None
        The seed of the start, of the tree, of mini-batches and of orders.
    verbose : bool, default=False
        Show a progress bar in a terminal.

    Attributes
    ----------
    components_ : array of shape (n_components, n_words)
        W.
    intercept_hidden_ : array of shape (n_components,)
        c.
    output_ : array of shape (n_words, n_components)
        V; one row per word, or per inner node of the tree. Row 0 of a tree is not used.
    intercept_visible_ : array of shape (n_words,)
        b, with entries as the rows of `output_`.
    leaves_ : array of shape (n_words,)
        The rank of each word among the leaves of the tree.
    history_, n_updates_, stopped_
        The records of the fit, the number of its updates, and why it ended.

    Notes
    -----
    A document without words is represented by g(c), the hidden units before the first word. Training leaves it out.

    References
    ----------
    H. Larochelle and S. Lauly, A neural autoregressive topic model, NIPS 2012. S. Lauly, Y. Zheng, A. Allauzen and
    H. Larochelle, Document neural autoregressive distribution estimation, JMLR 2017 (the estimate by splits).

    Examples
    --------
    >>> from wideangle.baselines.documents.docnade import DocNADE
    >>> from wideangle.data import synthetic_corpus
    >>> counts = synthetic_corpus(300, 5, 60).corpus.counts
    >>> model = DocNADE(5, max_updates=100, random_state=0).fit(counts)
    >>> model.transform(counts).shape, model.perplexity(counts) < 60
    ((300, 5), True)
    """

    _records = (Record, Halves)
    _trains_in_processes = True

    def __init__(
        self,
        n_components: int = COMPONENTS,
        *,
        softmax: Softmax = "full",
        activation: Activation = "tanh",
        splits: int | None = 1,
        learning_rate: float = 0.005,
        schedule: Schedule = "linear",
        weight_decay: float = 0.0,
        batch_size: int = 100,
        max_updates: int = UPDATES,
        validation_fraction: float = 0.0,
        patience: int = 10,
        device: str = "auto",
        finish: Finish | None = None,
        granularity: Granularity = "balance",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.softmax = softmax
        self.activation = activation
        self.splits = splits
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_updates = max_updates
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.finish = finish
        self.granularity = granularity
        self.random_state = random_state
        self.verbose = verbose

    @takes_checkpoint
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Learn to predict the words of the documents. y is ignored."""
        begin_fit(self, X=X)
        X = self._checked(X, reset=True)
        self._check_parameters()
        self._forget()
        device = resolve_device(self.device)
        randomness = Randomness.of_training(self.random_state, device)
        held_out, rows = held_out_rows(X.shape[0], self.validation_fraction, randomness.rows)
        tokens = Tokens(X, device)
        held_out, rows = (part[tokens.lengths[part] > 0] for part in (held_out, rows))
        if not len(rows):
            raise ValueError("every document is empty: there is nothing to learn from.")
        self.leaves_ = randomness.rows.permutation(X.shape[1])
        output = self._output(device)
        trainer = NADETrainer(
            self._start(X[rows], output, randomness.draws),
            output,
            self.activation,
            tokens,
            LearningRate(self.learning_rate, self.schedule, self.max_updates),
            self.weight_decay,
            self.splits,
            randomness.draws,
        )

        def judge() -> float:
            orders = torch.Generator(device).manual_seed(JUDGED_BY)
            log_p = log_p_of_documents(trainer.network, output, self.activation, tokens, held_out, orders)
            return float((log_p.cpu().numpy() / tokens.lengths[held_out]).mean())

        def stream(skip: int) -> Iterator[tuple[NDArray[np.intp]]]:
            for part in batches(len(rows), self.batch_size, randomness.rows, skip):
                yield (rows[part],)

        fit_by_updates(self, X, trainer, stream, judge if len(held_out) else None)
        self._learn_distance(X)
        return self

    def _represent(self, rows: Any) -> NDArray[np.float32]:
        """g(c + Σ_i W[:, v_i]) over all words of each document, documents × components."""
        sums = rows.astype(np.float32) @ self.components_.T + self.intercept_hidden_
        found: NDArray[np.float32] = np.tanh(sums) if self.activation == "tanh" else expit(sums)
        return found

    def log_p(self, X: Any, *, orders: int = 1, random_state: Any = 0) -> NDArray[np.float64]:
        """log p of each document's words in a random order, as a mean over `orders` orders."""
        check_is_fitted(self)
        counts = self._checked(X, reset=False)
        if not COUNT(orders):
            raise ValueError(f"orders must be {COUNT.words}; got {orders!r}.")
        device = resolve_device(self.device)
        network, output, tokens = self._network(device), self._output(device), Tokens(counts, device)
        draws = Randomness.of(random_state, device).draws
        rows = np.arange(counts.shape[0])
        found = [log_p_of_documents(network, output, self.activation, tokens, rows, draws) for _ in range(orders)]
        mean: NDArray[np.float64] = torch.stack(found).mean(0).cpu().numpy()
        return mean

    def perplexity(self, X: Any, *, orders: int = 1, random_state: Any = 0) -> float:
        """exp(−mean over documents of log p / length), with log p from `log_p`. Empty documents do not count."""
        found = self.log_p(X, orders=orders, random_state=random_state)
        return perplexity(found, np.asarray(self._checked(X, reset=False).sum(axis=1)).ravel())

    def _start(self, X: sp.csr_array, output: Output, draws: torch.Generator) -> Network:
        """Small random weights, and the biases of a model whose words have their frequencies in the corpus."""
        K, V = self.n_components, X.shape[1]
        reach = (6 / (K + V)) ** 0.5  # Glorot's
        weights = [reach * (2 * torch.rand((V, K), device=draws.device, generator=draws) - 1) for _ in range(2)]
        counts = torch.as_tensor(np.asarray(X.sum(axis=0), dtype=np.float32).ravel() + SMOOTHING).to(draws.device)
        hidden_bias = torch.zeros(K, device=draws.device)
        return Network(weights[0], hidden_bias, weights[1], output.bias_of_frequencies(counts / counts.sum()))

    def _output(self, device: torch.device) -> Output:
        return output_for(self.softmax, len(self.leaves_), torch.as_tensor(self.leaves_).to(device))

    def _network(self, device: torch.device) -> Network:
        parts = (self.components_.T, self.intercept_hidden_, self.output_, self.intercept_visible_)
        return Network(*(torch.as_tensor(part.copy()).to(device) for part in parts))

    def _attributes(self, trainer: NADETrainer) -> dict[str, Any]:
        """The fitted attributes in the trainer's present state."""

        def array(part: Tensor) -> NDArray[np.float32]:
            return part.detach().cpu().numpy().copy()

        W, c, V, b = trainer.network
        learned = {"components_": array(W.T), "intercept_hidden_": array(c)}
        return learned | {"output_": array(V), "intercept_visible_": array(b)} | told_of(trainer)

    def _restore_state(self, state: dict[str, Any]) -> None:
        leaves = np.asarray(state.get("leaves_"))
        if leaves.dtype.kind != "i" or not np.array_equal(
            np.sort(leaves, axis=None), np.arange(state["n_features_in_"])
        ):
            raise ValueError("leaves_ must hold the rank of each word among the leaves of the tree")
        super()._restore_state(state)

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_components", "splits", "batch_size", "max_updates", "patience"),
            not_negative=("weight_decay",),
            above_zero=("learning_rate",),
            shares=("validation_fraction",),
            flags=("verbose",),
            may_be_none=("splits",),
            choices={"softmax": SOFTMAXES, "activation": ACTIVATIONS, "schedule": SCHEDULES},
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # Training and results are in float32, whatever X is.
        return tags
