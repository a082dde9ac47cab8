"""The restricted Boltzmann machine for rows of values between 0 and 1."""

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wideangle._arguments import optional, real
from wideangle._validation import validate_rows
from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.functional.boltzmann import Machine
from wideangle.functional.regularizers import Surrogate
from wideangle.models._boltzmann.contrastive import Algorithm
from wideangle.models._boltzmann.estimator import BoltzmannMachine
from wideangle.models._boltzmann.likelihood import MOST_TEMPERATURES, Likelihood
from wideangle.models._boltzmann.representation import Representation
from wideangle.models._boltzmann.start import Start, random_components, svd_components
from wideangle.models._boltzmann.visible import some_of
from wideangle.models._training.steps import Optimizer, Schedule
from wideangle.recent_rows import MetricName


class BernoulliRBM(BoltzmannMachine):
    """A restricted Boltzmann machine with binary units. The mutual angular regulariser keeps its components apart.

    E(v, h) = −α·v − β·h − hᵀ A v. Contrastive divergence maximises the mean log-likelihood per visible unit plus
    diversity · Ω(A).

    Parameters
    ----------
    n_components : int, default=50
        K, the number of hidden units.
    diversity : float, default=0.1
        λ, the weight of the regulariser; 0 is the plain machine.
    surrogate : str, default="angle"
        The regulariser; see `MutualAngularRegularizer`. "bound" and "volume" need n_components ≤ features.
    gamma : float, default=1.0
        Weight of the angles' variance.
    metric : {"covariance", "identity", "scales"}, default="covariance"
        Where the regulariser measures angles: as the data sees them, so that cosines are correlations of the hidden
        logits over recent rows; of the weights, as in the paper; or of weights times the columns' deviations.
    init : {"random", "svd"}, default="random"
        Where components start: at random directions, or at the leading singular vectors of the rows, except the first.
    algorithm : {"projected", "alternating"}, default="projected"
        Gradient steps in A, or Algorithm 1 of the paper: steps for the components' lengths and directions by turns.
    learning_rate : float, default=5e-3
    schedule : {"linear", "constant"}, default="linear"
        Whether the learning rate falls to 0 over the updates.
    optimizer : {"adam", "momentum", "sgd"}, default="adam"
        Adam with decoupled weight decay, or gradient steps with momentum 0.9 or without. For persistent chains "sgd" is
        best, because with the others the parameters move faster than the chains can follow.
    weight_decay : float, default=0.0
        Decay of the components.
    dropout : float or "auto", default=0.0
        The share of hidden units that each update leaves out. "auto" is 0 for up to 10 components, 0.19 for 25, a half
        for 50, 0.6 for 100, 0.75 for 200 and 0.87 for 500.
    batch_size : int, default=100
        Rows per update.
    max_updates : int, default=2000
        Updates per fit at most, whatever the number of rows.
    cd_steps : int, default=1
        Gibbs sweeps per update.
    persistent : bool, default=False
        Whether chains continue from update to update (persistent contrastive divergence) or start at the data.
    binarize : float or None, default=None
        Values above this threshold become 1, others 0. None keeps values as they are; they must be between 0 and 1.
    representation : {"centred logits", "centred probabilities", "probabilities", "logits"}, default="centred logits"
        What `transform` gives: the logits or probabilities of hidden units, minus those of the average row and at unit
        length, so that Euclidean distance ranks as the cosine does; or p(h = 1 | v) or its logits as they are.
    validation_fraction : float, default=0.0
        Share of the rows to hold out. Training stops when their validation score no longer improves.
    monitor : {"reconstruction", "free_energy"}, default="reconstruction"
        The validation score: the loss of one pass through the hidden units, or the gap in free energy between held-out
        rows and training rows.
    patience : int, default=10
        Training stops after so many records without improvement.
    device : str, default="auto"
        "auto", "cpu" or "cuda".
    random_state : int, RandomState or None, default=None
        Seed of the start, the order of rows and the Gibbs draws. The same seed on the same machine gives the same bits;
        on a CPU the number of threads must be the same too.
    verbose : bool, default=False
        Show a progress bar in a terminal. scikit-learn's callbacks (`set_callbacks`, from 1.9) work too.
    warm_start : bool, default=False
        Whether a further `fit` goes on from the components and biases of the last one, as long as their number and
        that of the columns stay the same. The optimiser, the learning rate and the random streams begin anew, as do
        the averages of the rows. A model that was loaded goes on in the same way.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
    intercept_visible_, intercept_hidden_ : arrays
        The biases α and β.
    presence_ : array of shape (n_features,)
        The mean of each column in `fit` or in the first `partial_fit`.
    mean_row_ : array of shape (n_features,)
        The average row. In a stream it follows the data.
    n_rows_ : int
        The rows in this average.
    history_ : tuple of Record
        Loss, Ω and angles in the metric of the fit, in degrees, and seconds. A fit makes up to a hundred records, and
        fewer where these would take more than a tenth of its time.
    n_updates_ : int
    stopped_ : str
        Why the fit ended.

    References
    ----------
    G. Hinton, Training products of experts by minimizing contrastive divergence, 2002. P. Xie, Y. Deng and E. Xing,
    Latent Variable Modeling with Diversity-Inducing Mutual Angular Regularization, 2015, Section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.models import BernoulliRBM
    >>> X = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0)
    >>> model = BernoulliRBM(2, max_updates=200, random_state=0).fit(X)
    >>> model.transform(X).shape
    (100, 2)
    """

    def __init__(
        self,
        n_components: int = COMPONENTS,
        *,
        diversity: float = 0.1,
        surrogate: Surrogate = "angle",
        gamma: float = 1.0,
        metric: MetricName = "covariance",
        init: Start = "random",
        algorithm: Algorithm = "projected",
        learning_rate: float = 5e-3,
        schedule: Schedule = "linear",
        optimizer: Optimizer = "adam",
        weight_decay: float = 0.0,
        dropout: float | Literal["auto"] = 0.0,
        batch_size: int = 100,
        max_updates: int = UPDATES,
        cd_steps: int = 1,
        persistent: bool = False,
        binarize: float | None = None,
        representation: Representation = "centred logits",
        validation_fraction: float = 0.0,
        monitor: Literal["reconstruction", "free_energy"] = "reconstruction",
        patience: int = 10,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.n_components = n_components
        self.diversity = diversity
        self.surrogate = surrogate
        self.gamma = gamma
        self.metric = metric
        self.init = init
        self.algorithm = algorithm
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.batch_size = batch_size
        self.max_updates = max_updates
        self.cd_steps = cd_steps
        self.persistent = persistent
        self.binarize = binarize
        self.representation = representation
        self.validation_fraction = validation_fraction
        self.monitor = monitor
        self.patience = patience
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def log_likelihood(self, X: Any, *, max_temperatures: int = MOST_TEMPERATURES) -> Likelihood:
        """log p(v) of each row with its standard error, effective samples and any doubt about the estimate.

        log Z is exact where the sum over all states is short. Else it is annealed over 300 temperatures, forward and
        backward. It is trusted if a shorter run agrees, the error is small, and no likely states are known that it
        missed. While it cannot be trusted, further runs have four times as many temperatures each, up to
        `max_temperatures`; what is left is said in `doubt`.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        units = np.full(X.shape[0], float(X.shape[1]))
        return self._likelihood(X, units, False, self._visible().in_training, max_temperatures)

    def gibbs(self, X: Any, *, random_state: Any = None) -> NDArray[Any]:
        """One Gibbs sweep from each row: h | v, then a new v | h."""
        return self._sweep(X, random_state)

    def _checked(self, X: Any, reset: bool) -> Any:
        X = validate_rows(self, X, reset=reset, dtype=(np.float32, np.float64))
        optional(real())(self.binarize, "binarize")
        if self.binarize is not None:
            if hasattr(X, "toarray"):
                if self.binarize < 0:
                    raise ValueError(f"binarize={self.binarize} would turn the zeros of a sparse matrix into ones.")
                X = X.copy()
                X.data = (X.data > self.binarize).astype(X.dtype)
                return X
            return (self.binarize < X).astype(X.dtype)
        low, high = X.min(), X.max()
        if low < 0 or high > 1:
            raise ValueError(
                f"values must lie between 0 and 1; got {low:g} to {high:g}. Scale them, or pass binarize=THRESHOLD."
            )
        return X

    def _survey(self, X: Any) -> None:
        self.presence_ = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()

    def _start(self, X: Any, rows: NDArray[np.intp], generator: torch.Generator, fewer: bool) -> Machine:
        dtype = torch.float64 if X.dtype == np.float64 else torch.float32
        # With these biases alone the machine has the data's means. An added row of halves keeps the biases finite.
        mean = torch.as_tensor((self.mean_row_ * len(rows) + 0.5) / (len(rows) + 1)).to(generator.device, dtype)
        assert self.n_components is not None
        if self.init == "random":
            components = random_components(self.n_components, X.shape[1], generator, dtype)
        else:
            components = svd_components(some_of(X, rows), self.n_components, generator, dtype)
        return Machine(components, torch.logit(mean), torch.zeros(self.n_components).to(components))
