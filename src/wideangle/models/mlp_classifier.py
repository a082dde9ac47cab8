"""The network that classifies, with the regulariser on every hidden layer."""

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from wideangle._arguments import one_of
from wideangle._arrays import array_of
from wideangle._validation import labels_of, validate_rows, weights_of_classes
from wideangle.functional.regularizers import Surrogate
from wideangle.models._network.backprop import Activation
from wideangle.models._network.estimator import Network, Targets, weight_tensor
from wideangle.models._network.losses import LOSSES, ClassifierLoss, n_outputs, probabilities
from wideangle.models._training.steps import Optimizer, Schedule
from wideangle.recent_rows import MetricName


class MLPClassifier(ClassifierMixin, Network):
    """A network that classifies. The mutual angular regulariser keeps the units of each hidden layer apart.

    It minimises the mean loss per sample − diversity · Σ Ω(A_i) over all layers but the last (the paper's MAR-NN).

    Parameters
    ----------
    hidden_layer_sizes : tuple of int or int, default=(100,)
        Units of each hidden layer.
    activation : {"relu", "tanh", "sigmoid"}, default="relu"
    loss : {"cross_entropy", "logistic", "hinge", "squared"}, default="cross_entropy"
        "cross_entropy" is that of a softmax; "logistic" is Σ log(1 + exp(−y f)), each class against the rest; "hinge"
        is Crammer and Singer's, max(0, 1 + largest other output − the right one); "squared" is the squared distance to
        the class's code. Two classes share one output, with log(1 + exp(−y f)), max(0, 1 − y f) or ¼ (y − f)², y = ±1.
    diversity : float, default=0.01
        λ, the weight of the regulariser on every hidden layer; 0 is the plain network. The data term is a mean per
        sample, so that one range, 1e-3 to 1, serves every data set.
    surrogate : str, default="angle"
        The regulariser; see `MutualAngularRegularizer`. "bound" and "volume" need no more units than inputs.
    gamma : float, default=1.0
        Weight of the angles' variance.
    metric : {"identity", "scales", "covariance"}, default="identity"
        Where angles are measured: at the weights themselves, as in the paper; with each input in units of its standard
        deviation, "scales"; or as the rows of the last updates see them, "covariance": cosines are then the
        correlations of what the units receive. A deeper layer's inputs are the activations of the layer before it.
    optimizer : {"adam", "momentum", "sgd"}, default="adam"
        Adam with decoupled weight decay, or gradient steps with momentum 0.9 or without.
    learning_rate : float, default=1e-3
    schedule : {"linear", "constant"}, default="linear"
        Whether the learning rate falls to 0 over the updates.
    weight_decay : float, default=0.0
        Decay of the weights; the biases do not decay. With Adam, 0.1 to 3 is the range to search.
    batch_size : int, default=100
        Rows per update.
    max_updates : int, default=3000
        Updates per fit at most, whatever the number of rows.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class in the loss, scaled so that the training rows' mean weight is 1.
    validation_fraction : float, default=0.0
        Share of the rows to hold out. Training stops when their validation score no longer improves, and the best state
        is kept.
    monitor : {"loss", "score"}, default="loss"
        The validation score: the loss, or the accuracy.
    patience : int, default=10
        Training stops after so many records without improvement. A fit makes about a hundred records.
    device : str, default="auto"
        "auto", "cpu" or "cuda".
    random_state : int, RandomState or None, default=None
        Seed of the start, the held-out rows and the order of rows.
    verbose : bool, default=False
        Show a progress bar in a terminal. scikit-learn's callbacks (`set_callbacks`, from 1.9) work too.

    Attributes
    ----------
    module_ : torch.nn.Sequential
        The network, on the CPU.
    coefs_, intercepts_ : lists of arrays
        Weights (inputs × units) and biases of each layer, as scikit-learn's networks have them.
    classes_ : array
    history_ : tuple of Record
        Loss, Ω and angles in degrees of the first hidden layer, validation score and seconds.
    n_updates_ : int
    stopped_ : str
        Why the fit ended.

    Notes
    -----
    Scale the features (StandardScaler in a pipeline). `transform` gives the activations of the last hidden layer.
    Sparse X is made dense one batch at a time. There is no `predict_proba` with the hinge loss, whose outputs say
    nothing about probabilities.

    skorch is not used. It would provide the training loop, but its estimators take no sparse X, no labels other than
    numbers and no double precision, and do not pass scikit-learn's checks. Most of the code here would still be needed.

    References
    ----------
    P. Xie, Y. Deng and E. Xing, Latent Variable Modeling with Diversity-Inducing Mutual Angular Regularization, 2015,
    Section 4.3. K. Crammer and Y. Singer, On the algorithmic implementation of multiclass kernel-based vector
    machines, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wideangle.models import MLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> network = MLPClassifier(20, learning_rate=1e-2, max_updates=300, random_state=0)
    >>> model = make_pipeline(StandardScaler(), network).fit(X, y)
    >>> bool(model.score(X, y) > 0.9), model.predict_proba(X).shape
    (True, (150, 3))
    """

    def __init__(
        self,
        hidden_layer_sizes: Any = (100,),
        *,
        activation: Activation = "relu",
        loss: ClassifierLoss = "cross_entropy",
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
        class_weight: Any = None,
        validation_fraction: float = 0.0,
        monitor: Literal["loss", "score"] = "loss",
        patience: int = 10,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.loss = loss
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
        self.class_weight = class_weight
        self.validation_fraction = validation_fraction
        self.monitor = monitor
        self.patience = patience
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The output of each class; with two classes, that of the second class alone."""
        outputs = self._outputs(X).numpy()
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the largest output."""
        return self._named(self._outputs(X))

    def predict_transformed(self, activations: Any) -> NDArray[Any]:
        """The classes that `predict` would give, computed from the result of `transform` instead of the rows."""
        check_is_fitted(self)
        output = self.module_[-1]
        rows = array_of(activations, "activations")
        if rows.ndim != 2 or rows.shape[1] != output.in_features or not np.isfinite(rows).all():
            raise ValueError(
                f"activations must be finite numbers of shape (n, {output.in_features}), as `transform` gives them; "
                f"got shape {rows.shape}."
            )
        with torch.no_grad():
            return self._named(output(torch.tensor(rows.astype(np.float64), dtype=output.weight.dtype)))

    def _named(self, outputs: Tensor) -> NDArray[Any]:
        found = (outputs[:, 0] > 0).long() if outputs.shape[1] == 1 else outputs.argmax(1)
        return self.classes_[found.numpy()]

    @available_if(lambda self: not isinstance(self.loss, str) or self.loss != "hinge")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probability of each class, in the order of `classes_`."""
        return probabilities(self._outputs(X), self.loss).numpy()

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "MLPClassifier":
        """One pass over further rows at the full learning rate, from where the last call left off.

        Parameters
        ----------
        X, y
            Rows and their classes.
        classes : array, optional
            All classes that there will be, for the first call. Without it they are those of its y.
        sample_weight : array of shape (n_samples,), optional
        """
        first = not hasattr(self, "module_")
        X, numbers = self._checked(X, y, reset=first, classes=classes)
        return self._further(X, numbers, sample_weight)

    def _checked(self, X: Any, y: Any, reset: bool, classes: Any = None) -> tuple[Any, NDArray[Any]]:
        one_of(*LOSSES)(self.loss, "loss")
        one_of("loss", "score")(self.monitor, "monitor")
        X, y = validate_rows(self, X, y, reset=reset, dtype=(np.float32, np.float64))
        check_classification_targets(y)
        if reset:
            self.classes_ = np.unique(y if classes is None else labels_of(classes, "classes"))
            if len(self.classes_) < 2:
                raise ValueError(f"y holds one class only, {self.classes_.tolist()}; a classifier needs at least two.")
        elif classes is not None and not np.array_equal(np.unique(labels_of(classes, "classes")), self.classes_):
            raise ValueError(
                f"classes were {self.classes_.tolist()} in the first call; got {np.unique(classes).tolist()}."
            )
        strange = np.setdiff1d(y, self.classes_)
        if len(strange):
            raise ValueError(
                f"y has classes that are not among {self.classes_.tolist()}: {strange.tolist()}. Pass all classes to "
                "the first partial_fit."
            )
        return X, np.searchsorted(self.classes_, y)

    def _encoded(
        self,
        y: NDArray[Any],
        weights: NDArray[Any] | None,
        rows: NDArray[np.intp],
        device: torch.device,
        dtype: torch.dtype,
    ) -> Targets:
        if weights is not None and len(np.unique(y[weights > 0])) < 2 and not hasattr(self, "module_"):
            raise ValueError("rows of weight above 0 are of one class only; a classifier needs at least two classes.")
        if self.class_weight is not None:
            present = np.unique(y)  # One part of a stream may lack some classes.
            each = np.ones(len(self.classes_))
            each[present] = weights_of_classes(self.class_weight, self.classes_[present], self.classes_[y], weights)
            weights = each[y] if weights is None else each[y] * weights
        scaled = weight_tensor(weights, rows, device, dtype)
        return Targets(torch.tensor(y, device=device), scaled, n_outputs(len(self.classes_)))

    def _loss(self, outputs: Tensor, values: Tensor) -> Tensor:
        return LOSSES[self.loss](outputs, values)

    def _judged(self, outputs: Tensor, values: Tensor, weights: Tensor | None) -> float:
        if self.monitor == "loss":
            return super()._judged(outputs, values, weights)
        predicted = (outputs[:, 0] > 0).long() if outputs.shape[1] == 1 else outputs.argmax(1)
        return float((predicted == values).double().mean())
