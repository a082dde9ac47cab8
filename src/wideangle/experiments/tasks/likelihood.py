"""Documents: the perplexity of whole test documents, by annealed importance sampling."""

import math
from collections.abc import Mapping

import numpy as np

from wideangle._quiet import silenced
from wideangle.exceptions import LikelihoodWarning
from wideangle.experiments.jobs import Job
from wideangle.experiments.tasks import Measure, Outcome
from wideangle.experiments.tasks._fitting import angles_of, device_of, fitted
from wideangle.experiments.tasks.documents import DATA, FOLDS, columns, split

__all__ = ["DATA", "FOLDS", "MEASURES", "SCORE", "columns", "measured", "score_of"]

SCORE = "log-likelihood"
MEASURES = {
    "perplexity": Measure("perplexity of test documents", 1, 0, True, doubted_by="doubted"),
    "log-likelihood": Measure("log-likelihood per word", 1, 3, doubted_by="doubted"),
    "error": Measure("standard error of the perplexity, from log Z", 1, 1, True),
    "unigram": Measure("perplexity of word frequencies", 1, 0, True),
    "doubted": Measure("share of runs whose estimate is doubted", 1, 2, True),
    "mean angle": Measure("mean angle of components (°)", 1, 1, has_best=False),
    "smallest angle": Measure("smallest angle of components (°)", 1, 1, has_best=False),
    "seconds": Measure("seconds of fit", 1, 1, True, has_best=False),
}
ASKED, LONGEST = 300, 200  # Each length has a partition function of its own, so some documents are asked about.


def score_of(measures: Mapping[str, float]) -> float:
    """What folds judge by. An estimate in doubt may be far too good, so that anything else is better."""
    return -math.inf if measures["doubted"] else measures["log-likelihood"]


def measured(job: Job) -> Outcome:
    """Fit on counts; the perplexity of 300 random documents of at most 200 words."""
    parts = split(job.data, job.fold)
    lengths = np.asarray(parts.test.counts.sum(axis=1)).ravel()
    short = np.flatnonzero((lengths > 0) & (lengths <= LONGEST))
    rows = np.sort(np.random.default_rng(1).permutation(short)[:ASKED])
    asked, lengths = parts.test.counts[rows], lengths[rows]
    model, seconds = fitted(job.estimator, job.settings, job.seed, parts.train.counts)
    with silenced(LikelihoodWarning):  # The doubt is recorded.
        found = model.log_likelihood(asked)
    counts = np.asarray(parts.train.counts.sum(axis=0)).ravel() + 1.0
    unigram = float(np.mean((asked @ np.log(counts / counts.sum())) / lengths))
    measures = {
        "perplexity": found.perplexity,
        "error": found.perplexity_error,
        "log-likelihood": -float(np.log(found.perplexity)),
        "unigram": float(np.exp(-unigram)),
        "doubted": float(bool(found.doubt)),
        "seconds": seconds,
    } | angles_of(model.components_)
    details = {"documents": len(rows), "temperatures": found.temperatures, "doubt": found.doubt}
    return Outcome(measures, seconds, parts.checksum, details, device_of(model))
