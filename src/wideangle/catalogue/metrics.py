"""The records of `wideangle.baselines.metrics`."""

from typing import Any

from wideangle.catalogue.entry import Entry
from wideangle.catalogue.measure_names import PAIRS_AND_NEIGHBOURS

# A distance of a baseline: -k is the number of principal components that it sees, of which it may leave out some.
_METRIC: dict[str, Any] = {
    "size": "n_principal",
    "at_most_columns": True,
    "measures": (PAIRS_AND_NEIGHBOURS,),
    "metric": "euclidean",
    "linear": True,
    "either_sign": True,
}
_LABELLED_METRIC: dict[str, Any] = _METRIC | {"target": "classes"}

METRICS = (
    Entry(
        "Euclidean",
        "wideangle.baselines.metrics.euclidean",
        command="euclidean",
        summary="plain distances",
        **_METRIC,
    ),
    Entry(
        "XingMetric",
        "wideangle.baselines.metrics.xing",
        command="xing",
        summary="Xing's distance, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "LMNN",
        "wideangle.baselines.metrics.lmnn",
        command="lmnn",
        summary="large margin neighbours, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "ITML",
        "wideangle.baselines.metrics.itml",
        command="itml",
        summary="the distance nearest to a prior, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "DMLEig",
        "wideangle.baselines.metrics.dml_eig",
        command="dml-eig",
        summary="a distance by eigenvalues, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "Seraph",
        "wideangle.baselines.metrics.seraph",
        command="seraph",
        summary="a distance by entropy, from labels",
        **_LABELLED_METRIC,
    ),
    Entry(
        "NCA",
        "wideangle.baselines.metrics.nca",
        command="nca",
        summary="neighbourhood components, from labels",
        squares_rows=True,
        **_LABELLED_METRIC,
    ),
)
