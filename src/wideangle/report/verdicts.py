"""Whether two models differ by more than chance, in words that a reader can trust.

The same documents query both models, and each document finds more of its class in the one, in the other, or as many in
both. If the models were equally good, a coin would decide which of them a document favours. The sign test asks how
often a coin would favour one side as clearly. It needs no bell curve, so that it holds for a class of eight documents
too. It tells whether other documents might turn the verdict. Another seed of the fit might turn it too, of which two
models know nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideangle.evaluation import holm
from wideangle.report.longtail import LongTail

BETTER, WORSE, EQUAL, UNCLEAR = "better", "worse", "unchanged", "unclear"
TIE = 1e-9  # Shares of neighbours that differ by rounding alone are equal.
LEVEL = 0.05  # A verdict that chance alone would give more often than this is none.


@dataclass(frozen=True)
class Verdict:
    """Whether the second model is better for some documents, and how sure that is."""

    word: str
    """"better", "worse", "unchanged" (no document finds more or fewer), or "unclear": chance may have done it"""
    p_value: float | None
    """how often chance alone would favour one model as clearly; None where nothing was compared"""
    gained: int
    """the documents that find more of their class in the second model"""
    lost: int


def verdict(differences: NDArray[np.float64], mean: float | None = None) -> Verdict:
    """The sign test of the differences of documents, the second model less the first.

    `mean` is what readers see of the difference, where it is not the plain mean; the verdict never contradicts it.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.report.verdicts import verdict
    >>> verdict(np.array([0.1] * 8)).word, verdict(np.array([0.1, 0.2, 0.1, -0.1])).word
    ('better', 'unclear')
    """
    gained, lost = int((differences > TIE).sum()), int((differences < -TIE).sum())
    if not gained + lost:
        return Verdict(EQUAL, None, 0, 0)
    return _judged(_coin(gained, lost), gained, lost, float(differences.mean()) if mean is None else mean)


def verdicts_of_classes(differences: Sequence[NDArray[np.float64]]) -> list[Verdict]:
    """The verdict of each class. Holm's correction leaves 5 % for the chance of any wrong verdict among them."""
    each = [verdict(of_class) for of_class in differences]
    corrected = holm([np.nan if one.p_value is None else one.p_value for one in each])
    return [
        one if one.p_value is None else _judged(float(p), one.gained, one.lost, float(of_class.mean()))
        for one, p, of_class in zip(each, corrected, differences, strict=True)
    ]


def paired_differences(tails: Sequence[LongTail | None]) -> NDArray[np.float64] | None:
    """What each document gains in the second model; None where not the same documents query both."""
    known = [tail for tail in tails if tail is not None]
    if len(tails) != 2 or len(known) != 2:
        return None
    before, after = known
    if before.k != after.k or not np.array_equal(before.asked, after.asked):
        return None
    gains: NDArray[np.float64] = after.of_each - before.of_each
    return gains


def _judged(p_value: float, gained: int, lost: int, mean: float) -> Verdict:
    """Better or worse only where the documents and their mean agree on it, and chance seldom does as much."""
    word = UNCLEAR
    if p_value <= LEVEL and (gained - lost) * mean > 0:
        word = BETTER if mean > 0 else WORSE
    return Verdict(word, p_value, gained, lost)


def _coin(gained: int, lost: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(gained, gained + lost).pvalue)
