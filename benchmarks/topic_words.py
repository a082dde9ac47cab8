"""By which words are topics best told: those of largest weight, or of largest effect?

    python benchmarks/topic_words.py [--quick]

Coherence (document NPMI) and diversity of the ten first words of each topic, on the docstrings, with the regulariser
and without. Effects are weights times √p(1−p); p is the share of training documents that have the word, as in
`effects()`, or, for comparison, its share of all tokens, or what the model's own biases say.
"""

import argparse

import numpy as np
from scipy.special import softmax

from wideangle.catalogue import UPDATES
from wideangle.data import python_docs
from wideangle.evaluation import document_npmi, topic_diversity
from wideangle.models import ReplicatedSoftmax


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    counts = python_docs().train.counts
    tokens = np.asarray(counts.sum(axis=0)).ravel() / counts.sum()
    for K in (5,) if quick else (25, 50):
        for diversity in (0.0, 0.3):
            model = ReplicatedSoftmax(K, diversity=diversity, max_updates=20 if quick else UPDATES, random_state=0)
            A = model.fit(counts).components_.astype(np.float64)
            biases = softmax(model.intercept_visible_.astype(np.float64))
            orders = {"weight": A, "effect": model.effects()}
            orders |= {f"effect by {name}": A * np.sqrt(p) for name, p in (("tokens", tokens), ("biases", biases))}
            for name, ranked in orders.items():
                top = np.argsort(-ranked, axis=1, kind="stable")[:, :10]
                npmi, unique = float(np.mean(document_npmi(top, counts))), topic_diversity(top)
                setting = f"K = {K}, λ = {diversity:g}, by {name}:"
                print(f"{setting:<36} NPMI {npmi:6.3f}, diversity {unique:.3f}", flush=True)


if __name__ == "__main__":
    main()
