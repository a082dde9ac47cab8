"""The restricted Boltzmann machine for rows of real numbers."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wideangle._arguments import checked, whole
from wideangle._validation import validate_rows
from wideangle.catalogue import COMPONENTS, UPDATES
from wideangle.functional.boltzmann import GaussianMachine, Machine, gibbs_step, sample_bernoulli
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import Randomness, resolve_device
from wideangle.models._boltzmann.contrastive import Algorithm, ContrastiveSettings, ContrastiveTrainer
from wideangle.models._boltzmann.estimator import BoltzmannMachine
from wideangle.models._boltzmann.gaussian import GaussianTrainer
from wideangle.models._boltzmann.likelihood import MOST_TEMPERATURES, Likelihood
from wideangle.models._boltzmann.representation import Representation
from wideangle.models._boltzmann.start import Start, principal_components, random_components
from wideangle.models._boltzmann.visible import BLOCK, some_of
from wideangle.models._boltzmann.visible_numbers import VisibleNumbers
from wideangle.models._parameters import settings_of, term_of
from wideangle.models._training.steps import Optimizer, Schedule
from wideangle.recent_rows import MetricName

LEAST_DEVIATION, LARGEST_DEVIATION = 1e-12, 1e12  # Squares of components in smaller units would leave the float range.


class GaussianRBM(BoltzmannMachine):
    """A restricted Boltzmann machine of real numbers with binary hidden units. The mutual angular regulariser keeps its
    components apart.

    E(v, h) = Σ_j (v_j − b_j)² / 2σ_j² − β·h − hᵀ A v, where v is the row minus `means_`. Given the hidden units, v_j is
    Gaussian with the mean b_j + σ_j² (h A)_j and the deviation σ_j, the noise of its column, which is learned. So the
    machine is a mixture of 2^K Gaussians. Columns may have any units, and their zeros may be anywhere.

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
        Where the regulariser measures angles: as the data sees them; of the weights of columns in units of their
        noise; or of these weights times the columns' deviations.
    init : {"svd", "random"}, default="random"
        Where components start: at random directions, or at the principal directions of the rows.
    algorithm : {"projected", "alternating"}, default="projected"
        As in `BernoulliRBM`, like all parameters without a text.
    learning_rate : float, default=5e-3
    schedule : {"linear", "constant"}, default="linear"
    optimizer : {"adam", "momentum", "sgd"}, default="adam"
    weight_decay : float, default=0.0
    dropout : float or "auto", default=0.0
    batch_size : int, default=100
    max_updates : int, default=2000
    cd_steps : int, default=1
    persistent : bool, default=False
    representation : {"centred logits", "centred probabilities", "probabilities", "logits"}, default="centred logits"
    validation_fraction : float, default=0.0
    monitor : {"reconstruction", "free_energy"}, default="reconstruction"
    patience : int, default=10
    device : str, default="auto"
    random_state : int, RandomState or None, default=None
    verbose : bool, default=False
    warm_start : bool, default=False

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A. It says what one unit of a column does to the logit of a hidden unit.
    intercept_visible_, intercept_hidden_ : arrays
        The biases b and β, of rows minus `means_`.
    noise_ : array of shape (n_features,)
        σ, the deviation of each column's noise.
    means_, deviations_ : arrays of shape (n_features,)
        The mean and standard deviation of each column in `fit` or in the first `partial_fit`; 1 for a constant column.
    mean_row_ : array of shape (n_features,)
        The average row. In a stream it follows the data.
    n_rows_ : int
        The rows in this average.
    history_ : tuple of Record
        As in `BernoulliRBM`; the loss is in nats per column whose unit is its deviation.
    n_updates_ : int
    stopped_ : str

    References
    ----------
    A. Krizhevsky, Learning multiple layers of features from tiny images, 2009. K. Cho, A. Ilin and T. Raiko, Improved
    learning of Gaussian-Bernoulli restricted Boltzmann machines, 2011. P. Xie, Y. Deng and E. Xing, Latent Variable
    Modeling with Diversity-Inducing Mutual Angular Regularization, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.models import GaussianRBM
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6)) + 3 * rng.integers(0, 2, size=(200, 1))
    >>> model = GaussianRBM(2, max_updates=200, random_state=0).fit(X)
    >>> model.transform(X).shape
    (200, 2)
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
        self.representation = representation
        self.validation_fraction = validation_fraction
        self.monitor = monitor
        self.patience = patience
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def log_likelihood(self, X: Any, *, max_temperatures: int = MOST_TEMPERATURES) -> Likelihood:
        """log p(v) of each row, a density in the units of X, with its standard error, effective samples and any doubt.

        log Z is the sum over all hidden states where these are few, up to 20 components or so. Else it is annealed and
        doubted as in `BernoulliRBM`.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        units = np.full(X.shape[0], float(X.shape[1]))
        found = self._likelihood(X, units, False, self._visible().in_transform, max_temperatures)
        # The machine sees x = (v − mean) / σ, so that log p(v) = log p(x) − Σ_j log σ_j.
        return replace(found, log_p=found.log_p - np.log(self.noise_.astype(np.float64)).sum())

    @checked(n_rows=whole(least=1), sweeps=whole(least=1))
    def sample(self, n_rows: int = 1, *, sweeps: int = 100, random_state: Any = None) -> NDArray[Any]:
        """Draw rows by Gibbs chains of `sweeps` sweeps from random hidden units."""
        check_is_fitted(self)
        device = resolve_device(self.device)
        machine, draws = self._machine(device), Randomness.of(random_state, device).draws
        hidden = torch.full((n_rows, len(machine.hidden_bias)), 0.5).to(machine.components)
        for _ in range(sweeps):
            rows, hidden = gibbs_step(machine, sample_bernoulli(hidden, draws), draws)
        return self._visible().as_given(rows.cpu().numpy())

    def gibbs(self, X: Any, *, random_state: Any = None) -> NDArray[Any]:
        """One Gibbs sweep from each row: h | v, then a new v | h."""
        rows = self._sweep(X, random_state)
        return self._visible().as_given(rows)

    def effects(self) -> NDArray[np.float64]:
        """What each component does to each column: its weight times the column's deviation. K×D."""
        check_is_fitted(self)
        return np.asarray(self.components_.astype(np.float64) * self.deviations_)

    def _checked(self, X: Any, reset: bool) -> Any:
        return validate_rows(self, X, reset=reset, dtype=(np.float32, np.float64))

    def _survey(self, X: Any) -> None:
        self.means_ = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
        squares = np.zeros(X.shape[1])
        for first in range(0, X.shape[0], BLOCK):
            block = X[first : first + BLOCK]
            dense = block.toarray() if hasattr(block, "toarray") else block
            squares += np.square(dense - self.means_).sum(axis=0)
        deviations = np.sqrt(squares / X.shape[0])
        # The mean of equal numbers is rounded, so that the deviation of a constant column may be more than 0.
        constant = _of_columns(X.max(axis=0)) == _of_columns(X.min(axis=0))
        self.deviations_ = np.where(constant, 1.0, deviations)
        wrong = np.flatnonzero(~((self.deviations_ >= LEAST_DEVIATION) & (self.deviations_ <= LARGEST_DEVIATION)))
        if len(wrong):
            raise ValueError(
                f"columns must have deviations from {LEAST_DEVIATION:g} to {LARGEST_DEVIATION:g}; that of column "
                f"{wrong[0]} is {self.deviations_[wrong[0]]:.3g}. Scale such columns, or leave them out."
            )
        self.noise_ = self.deviations_.copy()  # It is learned.

    def _visible(self) -> VisibleNumbers:
        return VisibleNumbers(self.means_, self.deviations_, self.noise_)

    def _start(self, X: Any, rows: NDArray[np.intp], generator: torch.Generator, fewer: bool) -> GaussianMachine:
        assert self.n_components is not None
        dtype = torch.float64 if X.dtype == np.float64 else torch.float32
        if self.init == "random":
            components = random_components(self.n_components, X.shape[1], generator, dtype)
        else:
            rows_of_start = self._visible().for_directions(some_of(X, rows))
            components = principal_components(rows_of_start, self.n_components, generator, dtype)
        # With α = −½ Σ_k A_k and β = 0 hidden units are on half of the time, and the machine has the data's means, 0.
        return GaussianMachine(components, components.sum(0) / -2, components.new_zeros(self.n_components))

    def _new_trainer(
        self, start: Machine, randomness: Randomness, n_updates: int | None, sparse: bool
    ) -> ContrastiveTrainer:
        assert isinstance(start, GaussianMachine)
        settings = settings_of(self, ContrastiveSettings, dropout=self._dropout(len(start.components)))
        self.kept_share_ = 1 - settings.dropout
        noise = torch.as_tensor(self.noise_ / self.deviations_).to(start.components)
        return GaussianTrainer(settings, term_of(self), self._rate(n_updates), start, noise, randomness)

    def _attributes(self, trainer: ContrastiveTrainer) -> dict[str, Any]:
        assert isinstance(trainer, GaussianTrainer)
        found = super()._attributes(trainer)
        kind = found["components_"].dtype
        noise = trainer.noise.cpu().numpy().astype(np.float64) * self.deviations_
        # The machine sees v / σ, so that its components per unit of a column are A / σ.
        return found | {
            "components_": (found["components_"] / noise).astype(kind),
            "intercept_visible_": (found["intercept_visible_"] * noise).astype(kind),
            "noise_": noise,
        }

    def _machine(self, device: torch.device) -> GaussianMachine:
        """The machine of rows minus their means in units of the noise."""
        parts = (self.components_ * self.noise_, self.intercept_visible_ / self.noise_, self.intercept_hidden_)
        return GaussianMachine(*(torch.tensor(part.astype(self.components_.dtype), device=device) for part in parts))

    def _logits_of_average(self) -> NDArray[Any]:
        found = self.intercept_hidden_ + self.components_.astype(np.float64) @ (self.mean_row_ - self.means_)
        return np.asarray(found.astype(self.components_.dtype))

    def _judged(self, X: Any, held_out: NDArray[np.intp], rows: NDArray[np.intp], trainer: ContrastiveTrainer) -> float:
        assert isinstance(trainer, GaussianTrainer)
        self.noise_ = trainer.noise.cpu().numpy().astype(np.float64) * self.deviations_
        found = super()._judged(X, held_out, rows, trainer)
        # The gap of free energies is the same in any units. The density of a reconstruction is not.
        return found if self.monitor == "free_energy" else found - float(trainer.noise.log().mean())


def _of_columns(found: Any) -> NDArray[Any]:
    """One number per column, from a dense or sparse matrix."""
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found).ravel()
