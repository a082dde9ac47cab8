"""What topic models that are fitted by Gibbs sampling share: the loop, averages over samples, document completion."""

import zlib
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wideangle._arguments import flag
from wideangle.baselines.documents._base import DocumentBaseline
from wideangle.models._base import progress_bar
from wideangle.models._parameters import COUNT, Rule
from wideangle.models._training.beginning import agreed_seeds
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.models._training.resuming import keeps_result

WHOLE = Rule("a whole number of at least 0", Integral, lambda value: value >= 0)
DISCOUNT = Rule("a number of at least 0 and below 1", Real, lambda value: 0 <= value < 1)

Estimates = Mapping[str, NDArray[np.float64] | float]


class Chain(Protocol):
    """A Markov chain of all hidden variables of a corpus."""

    def sweep(self, rng: np.random.Generator, progress: float) -> None:
        """Update every hidden variable once; `progress` is the share of the burn-in that is done."""

    def update_hyperparameters(self, rng: np.random.Generator) -> None:
        """Draw the hyperparameters, given all hidden variables."""

    def estimates(self) -> Estimates:
        """What is averaged over samples: the attributes of the fitted estimator, without the final underscore."""


class GibbsTopicModel(DocumentBaseline):
    """A topic model whose `fit` averages samples of one Markov chain, and whose `transform` folds documents in.

    A document's result depends on its words alone: its random numbers come from the words and from the seed of the fit.
    """

    n_components: int
    n_iterations: int
    burn_in: int
    sample_every: int
    fold_in_iterations: int
    sample_hyperparameters: bool
    allow_fractions: bool
    random_state: Any
    verbose: bool

    @keeps_result
    def fit(self, X: Any, y: Any = None) -> "GibbsTopicModel":
        """Fit to word counts, documents × words; y is not used."""
        self._check_parameters()
        counts = self._checked(X, reset=True)
        if counts.nnz == 0:
            raise ValueError("every document is empty: there is nothing to learn from.")
        self._forget()
        seeds = agreed_seeds(check_random_state(self.random_state).randint(0, 2**31 - 1, size=2))
        rng = np.random.default_rng(seeds[0])
        chain = self._chain(counts, rng)
        mean: dict[str, Any] = {}
        kept = done = 0
        training = Checkpoints.active_training()
        found = None if training is None else training.found(())
        if found is not None:
            done, kept, mean = found["done"], found["kept"], found["mean"]
            _restore_chain(chain, found["chain"])
            rng.bit_generator.state = found["rng"]
        with progress_bar(type(self).__name__, self.n_iterations, self.verbose) as tell:
            for number in range(done, self.n_iterations):
                chain.sweep(rng, number / max(self.burn_in, 1))
                if self.sample_hyperparameters:
                    chain.update_hyperparameters(rng)
                if number >= self.burn_in and (number - self.burn_in) % self.sample_every == 0:
                    kept += 1
                    for name, value in chain.estimates().items():
                        mean[name] = mean.get(name, 0.0) + (value - mean.get(name, 0.0)) / kept
                tell(number + 1, "")
                if training is not None:
                    state = {"done": number + 1, "kept": kept, "mean": mean, "rng": rng.bit_generator.state}
                    training.offer(partial(_with_chain, state, chain), ())
        for name, value in mean.items():
            setattr(self, f"{name}_", value if isinstance(value, np.ndarray) else float(value))
        self.n_samples_ = kept
        self.seed_ = int(seeds[1])
        self._learn_distance(counts)
        return self

    def _represent(self, rows: Any) -> NDArray[np.float64]:
        """The posterior mean of each document's topic proportions, by Gibbs sampling with the topics `components_`.

        A document without words gets the prior mean.
        """
        proportions = np.empty((rows.shape[0], self.components_.shape[0]))
        fold_in = self._folder()
        for row in range(len(proportions)):
            words, numbers = self._document(rows, row)
            proportions[row] = fold_in(words, numbers, self._generator_of(words, numbers)).proportions
        return proportions

    def completion_log_likelihood(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """log p of half of each document's tokens, given the other half; and the number of tokens that were scored.

        Each document's tokens are split at random, and an odd one is scored. The first half is folded in. Each token
        of the second half is scored by its probability after the first half, as a mean over samples. `perplexity` in
        `wideangle.evaluation` takes both arrays, and so does `per_word_perplexity`.
        """
        check_is_fitted(self, "components_")
        counts = self._checked(X, reset=False)
        log_p = np.zeros(counts.shape[0])
        scored = np.zeros(counts.shape[0], dtype=np.int64)
        fold_in = self._folder()
        for row in range(len(log_p)):
            words, numbers = self._document(counts, row)
            rng = self._generator_of(words, numbers)
            known = rng.multivariate_hypergeometric(numbers, int(numbers.sum()) // 2) if len(words) else numbers
            here = known > 0
            folded = fold_in(words[here], known[here], rng)
            hidden = numbers - known
            p = folded.probabilities(words, known, self.components_)
            log_p[row] = hidden @ np.log(p)
            scored[row] = hidden.sum()
        return log_p, scored

    def perplexity(self, X: Any) -> float:
        """exp(−mean over documents of log p / length) of half of each document's tokens, given the other half.

        This is document completion, see `completion_log_likelihood`. Documents without words do not count.
        """
        log_p, scored = self.completion_log_likelihood(X)
        if not scored.any():
            raise ValueError(f"all {len(scored)} documents are empty: there are no words to measure the perplexity of.")
        return float(np.exp(-np.mean(log_p[scored > 0] / scored[scored > 0])))

    @abstractmethod
    def _chain(self, counts: sp.csr_array, rng: np.random.Generator) -> Chain:
        """The chain of a fit, in its first state."""

    @abstractmethod
    def _folder(self) -> "FoldIn":
        """A function that folds one document in."""

    @staticmethod
    def _document(counts: sp.csr_array, row: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        cells = slice(counts.indptr[row], counts.indptr[row + 1])
        return counts.indices[cells].astype(np.int64), counts.data[cells].astype(np.int64)

    def _generator_of(self, words: NDArray[np.int64], numbers: NDArray[np.int64]) -> np.random.Generator:
        return np.random.default_rng([self.seed_, zlib.crc32(words.tobytes()), zlib.crc32(numbers.tobytes())])

    def _check_parameters(self) -> None:
        self._check_finish()
        self._check_numbers(COUNT, "n_components", "n_iterations", "sample_every", "fold_in_iterations")
        self._check_numbers(WHOLE, "burn_in")
        for name in ("sample_hyperparameters", "allow_fractions", "verbose"):
            flag(getattr(self, name), name)
        if not self.burn_in < self.n_iterations:
            raise ValueError(
                f"burn_in must be below n_iterations, so that samples are left; got {self.burn_in} and "
                f"{self.n_iterations}."
            )

    def _check_numbers(self, rule: Rule, *names: str) -> None:
        for name in names:
            if not rule(getattr(self, name)):
                raise ValueError(f"{name} must be {rule.words}; got {getattr(self, name)!r}.")


def _with_chain(state: dict[str, Any], chain: Chain) -> dict[str, Any]:
    """The state of a fit with all that its chain holds besides the documents, for a checkpoint."""
    held = {
        name: dict(vars(value)) if is_dataclass(value) else value
        for name, value in vars(chain).items()
        if name != "counts"
    }
    return state | {"chain": held}


def _restore_chain(chain: Chain, state: dict[str, Any]) -> None:
    """Put a chain into the state of a checkpoint. Its arrays are copied, because the sampler writes into them."""
    for name, value in state.items():
        if isinstance(value, dict):
            vars(getattr(chain, name)).update(value)
        else:
            setattr(chain, name, np.array(value) if isinstance(value, np.ndarray) else value)


class Folded(Protocol):
    """What is known of one document after its words were folded in."""

    proportions: NDArray[np.float64]

    def probabilities(
        self, words: NDArray[np.int64], known: NDArray[np.int64], topics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The probability that the next token is each of these words; `known` counts them in what was folded in."""


class FoldIn(Protocol):
    """Folds in one document, given as its words and how often it has each."""

    def __call__(self, words: NDArray[np.int64], numbers: NDArray[np.int64], rng: np.random.Generator) -> Folded: ...
