"""Model files of older formats brought to the next one: a function per format, of the document and its arrays.

Before the format changes, write files of the old one for the tests (tests/model_files); then raise FORMAT in
persistence.py and enter a function here.
"""

from collections.abc import Callable
from typing import Any

Document = dict[str, Any]
Arrays = dict[str, Any]


def from_format_1(document: Document, arrays: Arrays) -> tuple[Document, Arrays]:
    """Boltzmann machines held the components of some units at a time, as training with dropout had left them.

    Since format 2 they hold those of all units together, which are shorter by the share of units that was kept; and
    "sgd" and "momentum" mean the same steps in every estimator.
    """
    parameters, state = document["parameters"], document["state"]
    if document["estimator"] in ("BernoulliRBM", "ReplicatedSoftmax"):
        dropout, K = parameters["dropout"], parameters["n_components"]
        if dropout == "auto":  # the rule of format 1
            dropout = 0.0 if K < 50 else max(0.5, 1 - 40 * (K / 100) ** 0.3 / K)
        state["kept_share_"] = 1 - float(dropout)
        for name in ("components_", "intercept_hidden_"):
            path = state[name]["array"]
            arrays[path] = arrays[path] * arrays[path].dtype.type(state["kept_share_"])
    elif parameters.get("optimizer") == "sgd":  # of networks, which called steps with momentum so
        parameters["optimizer"] = "momentum"
    return document, arrays


UPGRADES: dict[int, Callable[[Document, Arrays], tuple[Document, Arrays]]] = {1: from_format_1}
