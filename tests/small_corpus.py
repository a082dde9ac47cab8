"""Sixty documents of three classes, each with words of its own."""

import numpy as np

WORDS = {
    "farm": ["wheat", "corn", "barley", "harvest", "field", "tractor", "grain", "soil", "farmer", "crop"],
    "bank": ["rate", "credit", "loan", "mortgage", "market", "dollar", "deposit", "fund", "yield", "bond"],
    "sea": ["ship", "harbour", "tanker", "cargo", "port", "vessel", "captain", "wave", "anchor", "sailor"],
}
SHARED = ["year", "report", "week", "people", "today"]
PER_CLASS = 20


def documents():
    """(text, label) of each document, classes by turns."""
    rng = np.random.default_rng(0)
    for _ in range(PER_CLASS):
        for label, words in WORDS.items():
            chosen = [*rng.choice(words, 14), *rng.choice(SHARED, 4)]
            yield " ".join(rng.permutation(chosen)), label
