"""Is one method better than another, or was it luck? Repeated runs on the same queries, compared by a t-test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle._arguments import checked, flag
from wideangle._arrays import array_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """How far two methods are apart, and how far chance alone would put them."""

    difference: float
    """the mean of ours less the mean of theirs"""
    error: float
    """its standard error"""
    degrees: float
    """the degrees of freedom of the error"""
    p_value: float
    """two-sided; NaN where nothing tells how far chance goes: one run, or runs that are all alike"""


@checked(paired=flag)
def compare_runs(
    ours: ArrayLike, theirs: ArrayLike, *, weights: ArrayLike | None = None, paired: bool = False
) -> Comparison:
    """A t-test of the difference of two methods that were run several times each.

    With one number per run this is Welch's test, or with `paired` Student's test of the differences. Its error is that
    of the runs alone: it tells whether another seed would turn the difference, not whether other test rows would.

    With one number per run and query, the queries are a second sample, which both methods answer. Let r_s be the mean
    of run s, d_q the difference of the two methods' mean answers to query q, and e_sq what is left of an answer when
    the means of its run and of its query are taken off. Then, with S runs and Q queries,

        error² = Σ var(r)/S + var(d)/Q − Σ var(e)/(S·Q),

    the sums over both methods: what runs and queries share is in the first two terms and must not count twice. That is
    Clark's test for subjects and words (1973), with Satterthwaite's degrees of freedom (1946). The error is at least
    that of the runs and that of the queries.

    Parameters
    ----------
    ours, theirs : array of shape (runs,) or (runs, queries)
        The two may have different numbers of runs; queries must be the same ones in the same order.
    weights : array of shape (queries,) or None, default=None
        How much each query counts, for means over classes rather than over queries. None: all alike.
    paired : bool, default=False
        Whether run s of both shares what makes runs differ, such as the split of the data. The same seed alone does
        not: another setting makes another course of it.

    References
    ----------
    Clark (1973), The language-as-fixed-effect fallacy, Journal of Verbal Learning and Verbal Behavior 12.
    Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics Bulletin 2.
    Welch (1947), The generalization of Student's problem when several different population variances are involved,
    Biometrika 34.

    Examples
    --------
    >>> from wideangle.evaluation import compare_runs
    >>> found = compare_runs([0.751, 0.748, 0.754], [0.741, 0.745, 0.743])
    >>> round(found.difference, 3), round(found.p_value, 3)
    (0.008, 0.024)
    """
    from scipy.stats import t

    mine, other = _checked(ours, "ours"), _checked(theirs, "theirs")
    if mine.shape[1] != other.shape[1]:
        raise ValueError(f"both must have the same queries; got {mine.shape[1]} and {other.shape[1]}.")
    shares = _shares(weights, mine.shape[1])
    if paired and len(mine) != len(other):
        raise ValueError(f"paired runs must be as many on both sides; got {len(mine)} and {len(other)}.")
    difference = float((mine.mean(axis=0) - other.mean(axis=0)) @ shares)
    groups = [mine - other] if paired else [mine, other]
    if min(map(len, groups)) < 2:
        return Comparison(difference, np.nan, np.nan, np.nan)
    parts = [_part_of_runs(group, shares) for group in groups]
    of_runs = sum(part for part, _ in parts)
    total, spread = of_runs, sum(part**2 / degrees for part, degrees in parts)
    if mine.shape[1] > 1:
        of_queries, degrees = _part_of_queries(mine.mean(axis=0) - other.mean(axis=0), shares)
        both = [_part_of_both(group, shares) for group in groups]
        total = max(of_runs + of_queries - sum(both), of_runs, of_queries)
        spread += of_queries**2 / degrees
        spread += sum(part**2 / ((len(group) - 1) * degrees) for part, group in zip(both, groups, strict=True))
    if total == 0:
        return Comparison(difference, 0.0, np.nan, np.nan)
    error, freedom = float(np.sqrt(total)), float(total**2 / spread)
    return Comparison(difference, error, freedom, float(2 * t.sf(abs(difference) / error, freedom)))


def holm(p_values: ArrayLike) -> Array:
    """The p-values of a whole table, corrected so that 5 % is the chance of any false verdict in it (Holm 1979).

    The smallest of n is multiplied by n, the next by n − 1 and so on; none becomes smaller than one before it. NaN is
    no test and stays NaN.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> from wideangle.evaluation import holm
    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.array(array_of(p_values, "p_values"), dtype=np.float64, ndmin=1)
    if values.ndim > 1 or not ((values >= 0) & (values <= 1) | np.isnan(values)).all():
        raise ValueError(f"p_values must be from 0 to 1 in one dimension, or NaN; their shape is {values.shape}.")
    tested = np.flatnonzero(~np.isnan(values))
    order = tested[np.argsort(values[tested], kind="stable")]
    times = np.arange(len(order), 0, -1)
    values[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * times))
    return values


def _part_of_runs(answers: Array, shares: Array) -> tuple[float, int]:
    """var(r)/S and its degrees of freedom."""
    runs = len(answers)
    return float((answers @ shares).var(ddof=1) / runs), runs - 1


def _part_of_queries(differences: Array, shares: Array) -> tuple[float, float]:
    """var(d)/Q and its degrees of freedom; with weights, as many as queries of equal weight would have."""
    far = differences - differences @ shares
    return float(_unbiased(shares) * (shares**2 @ far**2)), float((shares @ shares) ** 2 / (shares**4).sum() - 1)


def _part_of_both(answers: Array, shares: Array) -> float:
    """var(e)/(S·Q)."""
    runs, of_queries = answers @ shares, answers.mean(axis=0)
    left = answers - runs[:, None] - of_queries + of_queries @ shares
    return float(_unbiased(shares) * (left**2 @ shares**2).sum() / ((len(runs) - 1) * len(runs)))


def _unbiased(shares: Array) -> float:
    """The squares of what is left when a weighted mean is taken off are too small; for equal weights by (Q − 1)/Q."""
    squares = shares @ shares
    return float(squares / (squares - 2 * (shares**3).sum() + squares**2))


def _checked(values: ArrayLike, name: str) -> Array:
    found = array_of(values, name).astype(np.float64)
    if found.ndim not in (1, 2) or not found.size:
        raise ValueError(f"{name} must hold a number per run, or per run and query; its shape is {found.shape}.")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds values that are not finite: leave out the runs that failed.")
    return found.reshape(len(found), -1)


def _shares(weights: ArrayLike | None, queries: int) -> Array:
    shares = np.ones(queries) if weights is None else array_of(weights, "weights").astype(np.float64)
    if shares.shape != (queries,) or not (np.isfinite(shares).all() and (shares >= 0).all() and shares.any()):
        raise ValueError(f"weights must be one per query ({queries}), none below 0 and some above it.")
    if queries > 1 and np.count_nonzero(shares) < 2:
        raise ValueError("weights leave one query, which tells nothing about others.")
    found: Array = shares / shares.sum()
    return found
