"""Distances that ours are compared with. Each is imported on first use, from the module that the catalogue names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wideangle.catalogue import homes_in

if TYPE_CHECKING:  # Type checkers cannot read the catalogue. A test compares the two lists.
    from wideangle.baselines.metrics.dml_eig import DMLEig as DMLEig
    from wideangle.baselines.metrics.euclidean import Euclidean as Euclidean
    from wideangle.baselines.metrics.itml import ITML as ITML
    from wideangle.baselines.metrics.lmnn import LMNN as LMNN
    from wideangle.baselines.metrics.nca import NCA as NCA
    from wideangle.baselines.metrics.seraph import Seraph as Seraph
    from wideangle.baselines.metrics.xing import XingMetric as XingMetric

_HOME = homes_in("wideangle.baselines.metrics")

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(
            f"module 'wideangle.baselines.metrics' has no attribute {name!r}; it has {', '.join(__all__)}"
        )
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
