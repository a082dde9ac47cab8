"""The errors and warnings of wideangle."""


class ComponentsError(ValueError):
    """The matrix of components cannot be used: its shape or its values are wrong."""


class TooManyComponentsError(ComponentsError):
    """More components than dimensions, where the quantity needs linearly independent components."""


class MetricError(ValueError):
    """A metric for angles cannot be used: its shape or its values are wrong, or there is no data to make it of."""


class LayerSelectionError(ValueError):
    """The chosen layers of a model are not there, or have no weight matrix."""


class VanishedGradientWarning(UserWarning):
    """The bound Γ has become too flat to be optimised."""


class ZeroComponentWarning(UserWarning):
    """A component is all zeros and has no direction."""


class LikelihoodWarning(UserWarning):
    """A likelihood was estimated, but the estimate cannot be trusted."""


class UntrustedLikelihoodError(ValueError):
    """A likelihood is needed that could not be estimated well enough."""


class DataError(ValueError):
    """A data set is missing, damaged or not what it should be."""


class NoWordsError(DataError):
    """No document has a word that counts."""


class EncoderError(ValueError):
    """An encoder of texts is unknown, has no model on this computer, or gave what are no vectors of the texts."""


class ModelFileError(ValueError):
    """A model file is damaged, foreign or of a newer version; or a model holds what a file cannot store."""


class SpecError(ValueError):
    """The spec of an experiment cannot be run. The message names the file and the line."""


class DivergenceError(RuntimeError):
    """Training reached values that are not finite. The last finite state is kept.

    An estimator has it in its fitted attributes, with `history_` and `stopped_`; for `fit_components`, which has no
    estimator, it is `result`.
    """

    def __init__(self, message: str, update: int | None = None, kept: int | None = None, result: object = None) -> None:
        super().__init__(message)
        self.update = update
        """the update, or the iteration of `fit_components`, by which values were found that are not finite"""
        self.kept = kept
        """the update or iteration after which the state was kept; 0 is the start"""
        self.result = result
        """the `FitResult` of `fit_components` with the last finite components; None where an estimator has them"""


class ProcessesError(RuntimeError):
    """Processes that train together do not fit together, or one of them failed."""


class CheckpointError(ValueError):
    """A checkpoint belongs to other options, other data or other code, or cannot be used otherwise."""

    def __init__(self, message: str, different: str = "") -> None:
        super().__init__(message)
        self.different = different
        """what differs from the fit that the checkpoint is of, in words"""


class CheckpointWarning(UserWarning):
    """A checkpoint could not be read or written; the message says what happens instead."""

    """A checkpoint is damaged, or belongs to other options or other data."""


class FileInUseError(RuntimeError):
    """Another process is making the same file. The message says which, and what to do."""


class LostWorkerError(RuntimeError):
    """Processes that did a part of the work were ended by the system again and again, perhaps for lack of memory."""
