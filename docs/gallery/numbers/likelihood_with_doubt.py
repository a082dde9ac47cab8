"""
How far a likelihood can be trusted
===================================

The likelihood of a Boltzmann machine needs log Z, a sum over all hidden states. How good are estimates of it?
"""

# %%
# Machines of ten hidden units are small enough for the exact sum of 1,024 terms. The
# estimate anneals chains from a simple machine to the fitted one, and a second set of
# chains back. In expectation one errs below log Z and the other above. Here are both
# estimates together with more and more temperatures, at three lengths of documents.

import copy

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import comb, logsumexp

from wideangle.data import synthetic_corpus
from wideangle.models import ReplicatedSoftmax

corpus = synthetic_corpus(500, n_topics=8, n_words=300, seed=0).corpus
model = ReplicatedSoftmax(10, weighting="counts", max_updates=1000, random_state=0).fit(
    corpus.counts
)
lengths = [20, 100, 500]
exact = model.log_partition(lengths, exact=True).value
temperatures = [10, 30, 100, 300, 1000]
found = [
    model.log_partition(lengths, temperatures=n, exact=False) for n in temperatures
]
print("exact log Z:", *(f"{float(value):.2f}" for value in exact))
for n, estimate in zip(temperatures, found, strict=True):
    misses = [
        float(value - right) for value, right in zip(estimate.value, exact, strict=True)
    ]
    print(f"{n:5} temperatures: off by", *(f"{miss:+8.3f} ± {float(error):.3f}" for miss, error in
          zip(misses, estimate.standard_error, strict=True)))  # fmt: skip

figure, axes = plt.subplots(figsize=(6.8, 3.6))
for i, (length, colour) in enumerate(zip(lengths, ("C0", "C1", "C3"), strict=True)):
    misses = [float(estimate.value[i] - exact[i]) for estimate in found]
    errors = [float(estimate.standard_error[i]) for estimate in found]
    x = np.array(temperatures) * 1.07 ** (i - 1)  # beside each other
    axes.errorbar(
        x, misses, errors, fmt="o", color=colour, capsize=3, label=f"{length} tokens"
    )
axes.axhline(0, color="C2", linewidth=0.8)
axes.set(
    xscale="log", xlabel="temperatures", ylabel="estimate of log Z − exact log Z (nats)"
)
axes.set_title("estimates with their standard errors")
axes.legend()
plt.show()

# %%
# ``log_likelihood`` chooses the number of temperatures by itself, and says in ``doubt``
# why its result should not be trusted, where it has a reason. Here is a machine with
# too many units for the exact sum, as it was fitted, and one that is made to deceive:
# all its 25 units hear only the first word, and are off unless most words of a document
# are that word. Nearly all probability is in that narrow state, which chains from a
# broad start hardly ever reach. As all units are the same, its log Z is a sum over the
# number of units that are on.

fitted = ReplicatedSoftmax(
    25, weighting="counts", max_updates=1000, random_state=0
).fit(corpus.counts)
deceiving = copy.deepcopy(fitted)
deceiving.components_ = np.zeros_like(fitted.components_)
deceiving.components_[:, 0] = 1.0
deceiving.intercept_hidden_ = np.full_like(fitted.intercept_hidden_, -0.7)
deceiving.intercept_visible_ = np.zeros_like(fitted.intercept_visible_)

documents = corpus.counts[:100]
for name, machine in (("as fitted", fitted), ("made to deceive", deceiving)):
    likelihood = machine.log_likelihood(documents)
    print(f"{name}: perplexity {likelihood.perplexity:.1f} ± {likelihood.perplexity_error:.1f}, "
          f"{likelihood.temperatures} temperatures, doubt: {likelihood.doubt or 'none'}")  # fmt: skip

first, N = (
    documents[:, [0]].toarray().ravel(),
    np.asarray(documents.sum(axis=1)).ravel(),
)
on = np.arange(26)[:, None]
log_z = logsumexp(
    np.log(comb(25, on)) - 0.7 * on * N + N * np.log(np.exp(on) + 299), axis=0
)
log_p = 25 * np.logaddexp(0, first - 0.7 * N) - log_z
print(
    f"made to deceive, exactly: {np.exp(-(log_p / N).mean()):.1f}; with all units off: 300"
)

# %%
# It was not deceived: besides its chains it looks for likely states, which bound log Z
# from below. Where chains miss such states, longer runs follow, and what is still
# missing then is what ``doubt`` tells. ``score`` and ``perplexity`` warn of it.
