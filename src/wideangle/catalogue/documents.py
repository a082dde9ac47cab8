"""The records of `wideangle.baselines.documents`."""

from typing import Any

from wideangle.catalogue.entry import Entry
from wideangle.catalogue.measure_names import AGREEMENT, HALF_RETRIEVAL

_BASELINE: dict[str, Any] = {
    "takes": "counts",
    "weighting": "counts",
    "measures_without_labels": (AGREEMENT, HALF_RETRIEVAL),
    "metric": "cosine",
    "by_direction": True,
}
_TOPIC_MODEL: dict[str, Any] = _BASELINE | {"noun": "topic", "shares": ("components_",)}
_OF_LIDA = tuple(f"{of}_{what}_" for of in ("topic", "word") for what in ("mass", "concentration", "discount"))

DOCUMENTS = (
    Entry(
        "BagOfWords",
        "wideangle.baselines.documents.bag_of_words",
        command="bag-of-words",
        summary="counts of words as they are",
        size=None,
        noun="word",
        learned={"presence_": "D"},
        shares=("presence_",),
        **_BASELINE,
    ),
    Entry(
        "TfIdf",
        "wideangle.baselines.documents.tf_idf",
        command="tf-idf",
        summary="counts of words, rare ones weigh more",
        size=None,
        noun="word",
        learned={"rarity_": "D"},
        weights=("rarity_",),
        **_BASELINE,
    ),
    Entry(
        "LSI",
        "wideangle.baselines.documents.lsi",
        command="lsi",
        summary="latent semantic indexing",
        either_sign=True,
        learned={"components_": "KD", "rarity_": "D"},
        weights=("rarity_",),
        **_BASELINE,
    ),
    Entry(
        "NMF",
        "wideangle.baselines.documents.nmf",
        command="nmf",
        summary="non-negative factors of tf-idf",
        noun="topic",
        learned={"components_": "KD", "rarity_": "D"},
        weights=("rarity_",),
        settled=("n_iter_",),
        **_BASELINE,
    ),
    Entry(
        "LDA",
        "wideangle.baselines.documents.lda",
        command="lda",
        summary="latent Dirichlet allocation",
        settled=("document_prior_", "n_iter_"),
        **_TOPIC_MODEL,
    ),
    Entry(
        "DPPLDA",
        "wideangle.baselines.documents.dpp_lda",
        command="dpp-lda",
        summary="LDA with diverse topics",
        grid=(0.0, 0.0003, 0.001, 0.003, 0.01),
        settled=("document_prior_", "n_iter_"),
        **_TOPIC_MODEL,
    ),
    Entry(
        "PitmanYorTopicModel",
        "wideangle.baselines.documents.pitman_yor",
        command="pitman-yor",
        summary="topics; words repeat by a power law",
        needs="numba",
        settled=("alpha_", "beta_", "discount_", "concentration_", "n_samples_", "seed_"),
        **_TOPIC_MODEL,
    ),
    Entry(
        "LIDA",
        "wideangle.baselines.documents.lida",
        command="lida",
        summary="topics with sparse words and documents",
        needs="numba",
        learned={"components_": "KD", "inclusion_": "K"},
        settled=("alpha_", "beta_", *_OF_LIDA, "n_samples_", "seed_"),
        **_TOPIC_MODEL | {"shares": ("components_", "inclusion_")},
    ),
    Entry(
        "DocNADE",
        "wideangle.baselines.documents.docnade",
        command="docnade",
        summary="a network that predicts the next word",
        learned={"components_": "KD", "intercept_hidden_": "K", "output_": "DK", "intercept_visible_": "D"},
        settled=("n_updates_", "stopped_"),
        **_BASELINE,
    ),
    Entry(
        "ParagraphVector",
        "wideangle.baselines.documents.paragraph_vector",
        command="paragraph-vector",
        summary="vectors that predict words (gensim)",
        needs="gensim",
        learned={"components_": "KD", "frequencies_": "D"},
        shares=("frequencies_",),
        settled=("n_tokens_", "seed_"),
        **_BASELINE,
    ),
)
