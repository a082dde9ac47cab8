"""The measures by which a fit can be judged, and what each needs; `wideangle.tuning.measures` computes them."""

from collections.abc import Mapping
from typing import Literal

PRECISION, PAIRS_AND_NEIGHBOURS, ACCURACY, R2 = "P@10", "AP + 3-NN", "accuracy", "R²"
AGREEMENT, HALF_RETRIEVAL = "agreement of halves", "half retrieval"
HELD_OUT_WORDS = "log-likelihood of held-out words"
PER_WORD, PER_ROW = "log-likelihood per word", "log-likelihood per row"

# A new measure joins by one entry here, and by the function that computes it.
MEASURES: Mapping[str, Literal["classes", "targets"] | None] = {
    PRECISION: "classes",
    PAIRS_AND_NEIGHBOURS: "classes",
    ACCURACY: "classes",
    R2: "targets",
    AGREEMENT: None,
    HALF_RETRIEVAL: None,
    HELD_OUT_WORDS: None,
    PER_WORD: None,
    PER_ROW: None,
}
WITH_LABELS = tuple(name for name, needs in MEASURES.items() if needs is not None)
WITHOUT_LABELS = tuple(name for name, needs in MEASURES.items() if needs is None)
OF_CLASSES = tuple(name for name, needs in MEASURES.items() if needs == "classes")
