"""The network that predicts numbers, with the regulariser on every hidden layer."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from torch import Tensor, nn

from wideangle._validation import validate_rows
from wideangle.functional.regularizers import Surrogate
from wideangle.models._network.backprop import Activation, linear_layers
from wideangle.models._network.estimator import Network, Targets, weight_tensor
from wideangle.models._training.steps import Optimizer, Schedule
from wideangle.recent_rows import MetricName


class MLPRegressor(RegressorMixin, Network):
    """Network that predicts numbers, the units of each hidden layer kept apart by the mutual angular regulariser.

    Minimises the mean squared error per sample, in units of each target's variance, − diversity · Σ Ω(A_i) over all
    layers but the output's (the paper's MAR-NN).

    Parameters
    ----------
    hidden_layer_sizes, activation
        As in `MLPClassifier`, and so are all that are not named here; held-out rows are judged by the loss.
    diversity : float, default=0.01
        λ, the weight of the regulariser on every hidden layer; 0 is the plain network. Targets are scaled in training,
        so that one range, 1e-3 to 1, serves every data set.

    Attributes
    ----------
    module_, coefs_, intercepts_, history_, n_updates_, stopped_
        As in `MLPClassifier`.

    Notes
    -----
    y may have several columns. Each is centred and scaled in training, and the output layer is scaled back after it:
    `module_` gives what `predict` does. Scale the features, and see the notes and references of `MLPClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.models import MLPRegressor
    >>> X = np.linspace(-3, 3, 200)[:, None]
    >>> model = MLPRegressor(50, activation="tanh", learning_rate=1e-2, max_updates=1000, random_state=0)
    >>> model = model.fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.99)
    True
    """

    def __init__(
        self,
        hidden_layer_sizes: Any = (100,),
        *,
        activation: Activation = "relu",
        diversity: float = 0.01,
        surrogate: Surrogate = "angle",
        gamma: float = 1.0,
        metric: MetricName = "identity",
        optimizer: Optimizer = "adam",
        learning_rate: float = 1e-3,
        schedule: Schedule = "linear",
        weight_decay: float = 0.0,
        batch_size: int = 100,
        max_updates: int = 3000,
        validation_fraction: float = 0.0,
        patience: int = 10,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.diversity = diversity
        self.surrogate = surrogate
        self.gamma = gamma
        self.metric = metric
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_updates = max_updates
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def predict(self, X: Any) -> NDArray[Any]:
        """The numbers for each row, in the shape of the y of `fit`."""
        outputs = self._outputs(X).numpy()
        return outputs[:, 0] if self._one_dimensional else outputs

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MLPRegressor":
        """One pass over further rows at the full learning rate, from where the last call left off.

        Targets keep the scale that they had in the first call.
        """
        first = not hasattr(self, "module_")
        X, y = self._checked(X, y, reset=first)
        return self._further(X, y, sample_weight)

    def _checked(self, X: Any, y: Any, reset: bool) -> tuple[Any, NDArray[Any]]:
        X, y = validate_rows(self, X, y, reset=reset, multi_output=True, y_numeric=True, dtype=(np.float32, np.float64))
        columns = y.astype(np.float64).reshape(len(y), -1)
        if reset:
            self._one_dimensional = y.ndim == 1
        elif columns.shape[1] != len(self._mean):
            raise ValueError(f"y had {len(self._mean)} columns in the first call; got {columns.shape[1]}.")
        return X, columns

    def _start_targets(self, y: NDArray[Any], weights: NDArray[Any] | None) -> None:
        self._mean = np.average(y, axis=0, weights=weights)
        scale = np.sqrt(np.average((y - self._mean) ** 2, axis=0, weights=weights))
        self._scale = np.where(scale > 0, scale, 1.0)  # a target that does not change has no scale of its own

    def _encoded(
        self,
        y: NDArray[Any],
        weights: NDArray[Any] | None,
        rows: NDArray[np.intp],
        device: torch.device,
        dtype: torch.dtype,
    ) -> Targets:
        values = torch.tensor((y - self._mean) / self._scale, dtype=dtype, device=device)
        return Targets(values, weight_tensor(weights, rows, device, dtype), y.shape[1])

    def _loss(self, outputs: Tensor, values: Tensor) -> Tensor:
        return (outputs - values).square().mean(1)

    def _finished(self, module: nn.Module) -> nn.Module:
        return self._rescaled(module, self._scale, self._mean)

    def _unfinished(self, module: nn.Module) -> nn.Module:
        return self._rescaled(module, 1 / self._scale, -self._mean / self._scale)

    def _rescaled(self, module: nn.Module, scale: NDArray[Any], shift: NDArray[Any]) -> nn.Module:
        """The network whose outputs are scaled and shifted."""
        output = linear_layers(module)[-1]
        factor, offset = (torch.as_tensor(part).to(output.bias) for part in (scale, shift))
        with torch.no_grad():
            output.weight.mul_(factor[:, None])
            output.bias.mul_(factor).add_(offset)
        return module

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = True
        return tags
