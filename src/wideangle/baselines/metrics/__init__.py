"""Distances that ours are compared with."""

from wideangle.baselines.metrics.dml_eig import DMLEig
from wideangle.baselines.metrics.euclidean import Euclidean
from wideangle.baselines.metrics.itml import ITML
from wideangle.baselines.metrics.lmnn import LMNN
from wideangle.baselines.metrics.nca import NCA
from wideangle.baselines.metrics.seraph import Seraph
from wideangle.baselines.metrics.xing import XingMetric

__all__ = ["ITML", "LMNN", "NCA", "DMLEig", "Euclidean", "Seraph", "XingMetric"]
