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


class ModelFileError(ValueError):
    """A model file is damaged, foreign or of a newer version; or a model holds what a file cannot store."""


class SpecError(ValueError):
    """The spec of an experiment cannot be run. The message names the file and the line."""


class DivergenceError(RuntimeError):
    """Training reached values that are not finite; the last finite state was kept."""


class ProcessesError(RuntimeError):
    """Processes that train together do not fit together, or one of them failed."""


class CheckpointError(ValueError):
    """A checkpoint is damaged, or belongs to other options or other data."""
