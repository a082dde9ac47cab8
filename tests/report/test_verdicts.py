"""Whether two models differ by more than chance, and how that is said."""

import math

import numpy as np
import pytest

from wideangle.report.sentences import change_said, near_duplicates_said
from wideangle.report.verdicts import Verdict, verdict, verdicts_of_classes


def coin(gained, lost):
    """How often a coin favours one side at least as clearly, by counting."""
    n = gained + lost
    return min(1.0, 2 * sum(math.comb(n, x) for x in range(max(gained, lost), n + 1)) / 2**n)


@pytest.mark.parametrize(
    ("gained", "lost", "word"),
    [(8, 0, "better"), (0, 8, "worse"), (5, 0, "unclear"), (7, 1, "unclear"), (60, 30, "better"), (45, 45, "unclear")],
)
def test_a_coin_decides_whether_a_difference_is_chance(gained, lost, word):
    differences = np.array([0.1] * gained + [-0.1] * lost + [0.0] * 20)
    found = verdict(differences)
    assert (found.word, found.gained, found.lost) == (word, gained, lost)
    assert found.p_value == pytest.approx(coin(gained, lost))


def test_nothing_changed_is_unchanged():
    assert verdict(np.array([0.0, 1e-12, -1e-12])) == Verdict("unchanged", None, 0, 0)


def test_a_verdict_never_contradicts_the_mean_that_is_shown():
    """Many small gains and a few large losses: more documents gained, but the mean fell."""
    differences = np.array([0.1] * 20 + [-1.0] * 4)
    assert verdict(differences).word == "unclear"
    assert verdict(np.full(20, 0.1), mean=-0.01).word == "unclear"


def test_of_many_classes_few_are_better_by_chance():
    """A hundred classes of eight documents without any difference: of uncorrected verdicts some would be wrong."""
    generator = np.random.default_rng(0)
    classes = [generator.choice([-0.1, 0.1], 8) for _ in range(400)]
    assert any(verdict(of_class).word != "unclear" for of_class in classes)
    assert all(found.word == "unclear" for found in verdicts_of_classes(classes))
    assert verdicts_of_classes([*classes[:5], np.full(40, 0.1)])[-1].word == "better"
    assert verdicts_of_classes([]) == []


def found(word, p=0.01):
    return Verdict(word, None if word == "unchanged" else p, 0, 0)


@pytest.mark.parametrize(
    ("words", "rarer", "rare", "said"),
    [
        (
            ["better"] * 3 + ["worse"],
            [0.5, 0.57],
            2,
            "Of 4 classes, 3 are better and 1 is worse. The rarer half of the "
            "classes: 0.50 → 0.57, no clear difference (p = 0.3).",
        ),
        (
            ["unchanged", "unclear", "worse"],
            [None, None],
            0,
            "Of 3 classes, 1 is worse, 1 is unchanged and 1 shows no clear difference.",
        ),
        (
            ["unclear"] * 2,
            [0.125, 0.375],
            1,
            "Of 2 classes, 2 show no clear difference. The rarest class: 0.13 → 0.38, no clear difference (p = 0.3).",
        ),
        (["better"], [None, None], 0, "Of 1 class, 1 is better."),
        (["better", None], [None, None], 0, "Of 1 class, 1 is better."),
    ],
)
def test_the_headline(words, rarer, rare, said):
    classes = [None if word is None else found(word) for word in words]
    headline = change_said(10, [0.501, 0.504], found("better", 0.0004), classes, rarer, found("unclear", 0.3), rare)
    assert headline == f"Precision at 10: 0.501 → 0.504, better (p < 0.001). {said}"


@pytest.mark.parametrize(
    ("before", "after", "pairs", "word"),
    [
        (0, 0, (45, 45), "no difference"),
        (0, 1, (1225, 1225), "no difference"),
        (5, 0, (1225, 1225), "no difference"),
        (6, 0, (1225, 1225), "fewer"),
        (0, 6, (1225, 1225), "more"),
        (10, 40, (100, 400), "no difference"),  # as many of its pairs
        (1, 0, (1, 0), "no difference"),  # a single component has no pair
    ],
)
def test_near_duplicates_differ_only_by_more_than_chance(before, after, pairs, word):
    said = near_duplicates_said(before, after, pairs)
    assert said == f"Near-duplicate pairs of components: {before} → {after}, {word}."
