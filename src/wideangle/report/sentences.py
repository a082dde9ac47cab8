"""What the page says of precision and near-duplicates, in sentences that claim no more than is known."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from wideangle.report.longtail import LongTail
from wideangle.report.verdicts import LEVEL, Verdict

COUNTED = (
    ("better", "is better", "are better"),
    ("worse", "is worse", "are worse"),
    ("unchanged", "is unchanged", "are unchanged"),
    ("unclear", "shows no clear difference", "show no clear difference"),
)


def change_said(
    k: int,
    overall: Sequence[float | None],
    over_all: Verdict | None,
    of_classes: Sequence[Verdict | None],
    rarer: Sequence[float | None],
    of_rarer: Verdict | None,
    rare: int,
) -> str:
    """The change in words: over all queries, class by class, and of the rarer half, each no surer than it is.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.report.change import change_said
    >>> from wideangle.report.verdicts import verdict
    >>> gained, mixed = np.full(20, 0.1), np.array([0.1, -0.1, 0.1])
    >>> change_said(10, [0.5, 0.6], verdict(gained), [verdict(gained), verdict(mixed)], [None, None], None, 0)
    'Precision at 10: 0.50 → 0.60, better (p < 0.001). Of 2 classes, 1 is better and 1 shows no clear difference.'
    """
    before, after = overall
    assert before is not None
    assert after is not None
    said = f"Precision at {k}: {_step(before, after)}"
    judged = [one.word for one in of_classes if one is not None]
    if over_all is None or not judged:
        return f"{said}. Not the same documents query both models, so that this may be chance."
    parts = [
        f"{number:,} {verb if number == 1 else verbs}"
        for word, verb, verbs in COUNTED
        if (number := judged.count(word))
    ]
    said += f", {_surely(over_all)}. Of {len(judged):,} class{'es' if len(judged) > 1 else ''}, {_listed(parts)}."
    before, after = rarer
    if before is None or after is None or of_rarer is None:
        return said
    which = "rarest class" if rare == 1 else "rarer half of the classes"
    return f"{said} The {which}: {_step(before, after)}, {_surely(of_rarer)}."


def _surely(found: Verdict) -> str:
    """A verdict, and how often chance would do as much."""
    if found.p_value is None:
        return "unchanged"
    word = "no clear difference" if found.word == "unclear" else found.word
    return f"{word} (p {'< 0.001' if found.p_value < 0.001 else f'= {found.p_value:.2g}'})"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def precision_said(tail: LongTail, rarer: float | None, larger: float | None) -> str:
    """The precision of one model in words."""
    said = f"Precision at {tail.k}: {_digits(tail.precision)} over all queries"
    if rarer is None or larger is None:
        return said
    return f"{said}; larger half of the classes {_digits(larger)}, rarer half {_digits(rarer)}"


def _step(before: float, after: float) -> str:
    """Two digits, or as many as it takes to see that they differ; what is equal stays at two."""
    digits = next((n for n in (2, 3, 4) if _digits(before, n) != _digits(after, n)), 2)
    return f"{_digits(before, digits)} → {_digits(after, digits)}"


def _digits(value: float, digits: int = 2) -> str:
    """Half is rounded up, as the page's script does: 0.125 is 0.13 in both."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def near_duplicates_said(before: int, after: int, pairs: tuple[int, int]) -> str:
    """Whether a model has fewer near-duplicates than another, or as many as chance makes.

    Parameters
    ----------
    before, after : int
        The near-duplicate pairs of components in either model.
    pairs : (int, int)
        All pairs of components in either model.

    Examples
    --------
    >>> from wideangle.report.sentences import near_duplicates_said
    >>> near_duplicates_said(0, 1, (1225, 1225))
    'Near-duplicate pairs of components: 0 → 1, no difference.'
    >>> near_duplicates_said(14, 1, (1225, 1225))
    'Near-duplicate pairs of components: 14 → 1, fewer.'
    """
    from scipy.stats import binomtest

    step = f"Near-duplicate pairs of components: {before:,} → {after:,}"
    if not before + after or not all(pairs):
        return f"{step}, no difference."
    share = pairs[1] / sum(pairs)  # of the pairs of both models: what the second would have of the near-duplicates
    if binomtest(after, before + after, share).pvalue > LEVEL:
        return f"{step}, no difference."
    return f"{step}, {'fewer' if after < share * (before + after) else 'more'}."
