"""The records of `wideangle.models`. The first is the default of the commands."""

from typing import Any

from wideangle.catalogue.entry import (
    ACCURACY,
    AGREEMENT,
    COMPONENTS,
    HALF_RETRIEVAL,
    HELD_OUT_WORDS,
    MOST_COMPONENTS,
    PAIRS_AND_NEIGHBOURS,
    PER_ROW,
    PER_WORD,
    R2,
    Entry,
)

_BOLTZMANN: dict[str, Any] = {
    "searched_by": "logits",
    "metric": "cosine",
    "learned": {
        "components_": "KD",
        "intercept_hidden_": "K",
        "intercept_visible_": "D",
        "presence_": "D",
        "mean_row_": "D",
    },
    "shares": ("presence_", "mean_row_"),
    "settled": ("kept_share_", "n_rows_"),
}
_WEIGHTED: dict[str, Any] = _BOLTZMANN | {
    "learned": _BOLTZMANN["learned"] | {"rarity_": "D"},
    "weights": ("rarity_",),
    "settled": (*_BOLTZMANN["settled"], "weighting_"),
}
_NETWORK: dict[str, Any] = {"size": "hidden_layer_sizes", "layered": True, "metric": "cosine", "learned": {}}

# The grids hold the λ that the benchmarks found good or harmless; see docs/models.md, distance.md and networks.md.
MODELS = (
    Entry(
        "ReplicatedSoftmax",
        "wideangle.models.replicated_softmax",
        command="replicated-softmax",
        summary="topics of word counts",
        takes="counts",
        weighting="counts",
        from_disk=True,
        most_components=COMPONENTS,
        finds_components=True,
        grid=(0.0, 0.1, 0.3, 1.0),
        measures_without_labels=(AGREEMENT, HALF_RETRIEVAL, HELD_OUT_WORDS, PER_WORD),
        tried_with_labels={"weighting": ("counts", "balanced", "tf-idf")},
        tried_on_one_fit={"granularity": (0.0, 0.25, 0.5, 0.75, 1.0)},
        likelihood="words",
        query_from="mean",
        noun="topic",
        **_WEIGHTED,
    ),
    Entry(
        "BernoulliRBM",
        "wideangle.models.rbm",
        command="bernoulli-rbm",
        summary="a machine of values from 0 to 1",
        takes="shares",
        weighting="presence",
        grid=(0.0, 0.1, 0.3, 1.0),
        measures_without_labels=(PER_ROW,),
        likelihood="rows",
        query_from="empty",
        **_BOLTZMANN,
    ),
    Entry(
        "DistanceLearner",
        "wideangle.models.distance",
        command="distance",
        summary="a distance, from labels",
        target="classes",
        most_components=MOST_COMPONENTS,
        at_most_columns=True,
        grid=(0.0, 0.1, 0.5, 2.0),
        measures=(PAIRS_AND_NEIGHBOURS,),
        metric="euclidean",
        linear=True,
        either_sign=True,
    ),
    Entry(
        "MLPClassifier",
        "wideangle.models.mlp_classifier",
        command="mlp",
        summary="a network, from labels",
        target="classes",
        grid=(0.0, 0.01, 0.1, 1.0),
        measures=(ACCURACY,),
        **_NETWORK,
    ),
    Entry(
        "MLPRegressor",
        "wideangle.models.mlp_regressor",
        target="numbers",
        grid=(0.0, 0.01, 0.1, 1.0),
        measures=(R2,),
        **_NETWORK,
    ),
)
