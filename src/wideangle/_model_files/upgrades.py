"""Converts model files of older formats. Each format has one function, which gives the document of the next format.

Before the format changes, write files of the old one for the tests (tests/model_files). Then raise FORMAT in
persistence.py and add a function here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

BOLTZMANN = ("BernoulliRBM", "ReplicatedSoftmax")

Document = dict[str, Any]
Arrays = dict[str, Any]


def from_format_1(document: Document, arrays: Arrays) -> tuple[Document, Arrays]:
    """In format 1 Boltzmann machines had the components of training with dropout, where some units act at a time.

    Since format 2 they have components for all units together, which are shorter by the share of units that dropout
    kept. Also since then "sgd" and "momentum" mean the same steps in every estimator.
    """
    parameters, state = document["parameters"], document["state"]
    if document["estimator"] in BOLTZMANN:
        dropout, K = parameters["dropout"], parameters["n_components"]
        if dropout == "auto":  # the rule of format 1
            dropout = 0.0 if K < 50 else max(0.5, 1 - 40 * (K / 100) ** 0.3 / K)
        state["kept_share_"] = 1 - float(dropout)
        for name in ("components_", "intercept_hidden_"):
            path = state[name]["array"]
            arrays[path] = arrays[path] * arrays[path].dtype.type(state["kept_share_"])
    elif parameters.get("optimizer") == "sgd":  # Networks of format 1 called steps with momentum "sgd".
        parameters["optimizer"] = "momentum"
    return document, arrays


def from_format_2(document: Document, arrays: Arrays) -> tuple[Document, Arrays]:
    """In format 2 Boltzmann machines took counts and angles as they are, and started at random.

    They keep these settings, whatever the defaults are now. Their average row was not kept. That of a machine of values
    is `presence_`. That of a model of counts is made from the shares of documents that have each word, which is a
    guess. `n_rows_` is 0, so that the next `partial_fit` replaces both by what it sees.
    """
    if document["estimator"] not in BOLTZMANN:
        return document, arrays
    parameters, state = document["parameters"], document["state"]
    parameters |= {"metric": "identity", "init": "random"}
    parameters.setdefault("representation", "probabilities")
    presence = arrays[state["presence_"]["array"]].astype(np.float64)
    if document["estimator"] == "ReplicatedSoftmax":
        parameters |= {"purpose": "balance", "weighting": "counts"}
        state["weighting_"] = "counts"
        state["rarity_"], arrays["rarity_"] = _plain("rarity_"), np.ones_like(presence)
        presence = presence / presence.sum()
    state["mean_row_"], arrays["mean_row_"] = _plain("mean_row_"), presence
    state["n_rows_"] = 0
    return document, arrays


def from_format_3(document: Document, arrays: Arrays) -> tuple[Document, Arrays]:
    """Format 3 kept neither the words of documents nor their titles nor topics. They are not there after loading."""
    return document, arrays


def from_format_4(document: Document, arrays: Arrays) -> tuple[Document, Arrays]:
    """In format 4 the purpose of a Replicated Softmax chose how it was trained and represented; nothing finished it.

    It keeps what it was trained with, and its representation. Its documents are as `transform` gave them.
    """
    if document["estimator"] != "ReplicatedSoftmax":
        return document, arrays
    parameters = document["parameters"]
    diversity, weighting, representation = PURPOSES_OF_FORMAT_4[parameters.get("purpose", "balance")]
    for name, usual in (("diversity", diversity), ("weighting", weighting), ("representation", representation)):
        if parameters.get(name) is None:
            parameters[name] = usual
    return document, arrays


def from_format_5(document: Document, arrays: Arrays) -> tuple[Document, Arrays]:
    """Format 5 kept neither how often documents have their words nor dates. They are not there after loading."""
    return document, arrays


def from_format_6(document: Document, arrays: Arrays) -> tuple[Document, Arrays]:
    """In format 6 a Replicated Softmax had a purpose, which was its granularity by name where none was given."""
    if document["estimator"] == "ReplicatedSoftmax":
        parameters = document["parameters"]
        purpose = parameters.pop("purpose", "balance")
        if parameters.get("granularity") is None and purpose != "balance":
            parameters["granularity"] = purpose
    return document, arrays


PURPOSES_OF_FORMAT_4 = {
    "balance": (0.3, "balanced", "centred probabilities"),
    "groups": (0.1, "balanced", "centred probabilities"),
    "details": (1.0, "tf-idf", "centred logits"),
}


def _plain(name: str) -> Document:
    """How a document refers to an array in the usual memory order."""
    return {"array": name, "by_columns": False}


UPGRADES: dict[int, Callable[[Document, Arrays], tuple[Document, Arrays]]] = {
    1: from_format_1,
    2: from_format_2,
    3: from_format_3,
    4: from_format_4,
    5: from_format_5,
    6: from_format_6,
}
