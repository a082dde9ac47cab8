"""Both perplexities against explicit loops, and what sets them apart."""

import math

import numpy as np
import pytest

from wideangle.evaluation import per_word_perplexity, perplexity

BOTH = pytest.mark.parametrize("measure", [perplexity, per_word_perplexity], ids=lambda f: f.__name__)


@pytest.mark.parametrize("seed", range(3))
def test_equal_naive_loops(seed):
    rng = np.random.default_rng(seed)
    D = rng.integers(1, 200, size=30)
    log_p = -D * rng.uniform(4, 9, size=30)
    per_document = [lp / d for lp, d in zip(log_p.tolist(), D.tolist(), strict=True)]
    assert perplexity(log_p, D) == pytest.approx(math.exp(-sum(per_document) / 30))
    assert per_word_perplexity(log_p, D) == pytest.approx(math.exp(-sum(log_p.tolist()) / sum(D.tolist())))


@BOTH
def test_uniform_words_have_the_vocabulary_as_perplexity(measure):
    D = np.array([3, 50, 7])
    assert measure(-D * math.log(5000), D) == pytest.approx(5000)


def test_long_documents_weigh_more_per_word():
    log_p = np.log([0.1]) * [1, 99]
    easy_and_long = log_p * [1, 0.5]
    assert per_word_perplexity(easy_and_long, [1, 99]) < perplexity(easy_and_long, [1, 99])


@BOTH
def test_empty_documents_are_left_out(measure):
    assert measure([-5.0, 0.0, -3.0, -1.0], [2, 0, 1, 0]) == measure([-5.0, -3.0], [2, 1])


@BOTH
def test_impossible_documents(measure):
    assert measure([-math.inf, -1.0], [2, 2]) == math.inf
    assert measure([-1e6, -1e6], [1, 1]) == math.inf  # beyond floats, without a warning


@BOTH
@pytest.mark.parametrize(
    ("log_p", "D", "message"),
    [
        ([-1.0, np.nan], [1, 1], "log_likelihood must not be NaN; 1 of 2"),
        ([-1.0], [1, 1], "lengths must have 1 entries.*got 2"),
        ([-1.0], [-1], "at least 0; got -1"),
        ([-1.0], [np.inf], "must be finite"),
        ([-1.0, -1.0], [0, 0], "all 2 documents are empty"),
        ([5.0, 3.0], [2, 1], "Negate it"),
        ([], [], "at least one entry"),
        ([[-1.0]], [1], "one dimension"),
    ],
)
def test_bad_input(measure, log_p, D, message):
    with pytest.raises(ValueError, match=message):
        measure(log_p, D)
