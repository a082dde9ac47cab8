"""Extreme rows for each kind of estimator: huge and tiny numbers, few columns, equal rows, one class, float16."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from robustness.estimator_cases import COUNTS, PAIRS, POINTS, SHARES, SIMILAR, WORDS, parameters_of
from small_models import small

from wideangle.catalogue import Entry, entries
from wideangle.tuning.grid import set_known

Rows = NDArray[Any]
CLASSES = np.repeat([0, 1], 12)
SINGLE, DOUBLE, HALF = np.float32, np.float64, np.float16
TYPES = {"float32": SINGLE, "float64": DOUBLE}


def _scaled(factor: float) -> Callable[[Rows], Rows]:
    return lambda rows: rows * factor


def _one_huge_row(rows: Rows) -> Rows:
    changed = rows.copy()
    changed[3] *= 1e30
    return changed


def _columns_of_all_sizes(rows: Rows) -> Rows:
    return rows * np.logspace(-30, 30, rows.shape[1])


def _equal(rows: Rows) -> Rows:
    return np.repeat(rows[:1] + (rows[:1] == 0), len(rows), axis=0)


def _long_documents(rows: Rows) -> Rows:
    """Some documents have about 10⁵ tokens."""
    changed = rows.copy()
    long = rows[::8] + 1
    changed[::8] = np.floor(long * 1e5 / long.sum(1, keepdims=True))
    return changed


def _millions(rows: Rows) -> Rows:
    """One word of a document stands there a million times. Some methods take a step per token."""
    changed = rows.copy()
    changed[13, 1] = 1e6
    return changed


def _one_word(rows: Rows) -> Rows:
    """Each document has one word, and all have the same."""
    changed = np.zeros_like(rows)
    changed[:, 2] = 1
    return changed


def _one_column(rows: Rows) -> Rows:
    return rows[:, :1] + (rows[:, :1].max() == 0)


def _one_full_document(rows: Rows) -> Rows:
    """All documents but one are without words."""
    changed = np.zeros_like(rows)
    changed[5] = rows[5] + 1
    return changed


def _offset(rows: Rows) -> Rows:
    """Small differences far from 0."""
    return rows + 1e6


@dataclass(frozen=True)
class Extreme:
    """One way in which rows are extreme."""

    name: str
    change: Callable[[Rows], Rows] = lambda rows: rows
    K: int = 4
    one_class: bool = False
    half: bool = False
    """given as float16, whatever the type otherwise is"""
    fractions: bool = False
    """counts that are no whole numbers: estimators that can are told to take them"""
    takes_long: tuple[str, ...] = ()
    """what is not asked, because some methods take a step per token"""


_ANY = (
    Extreme("equal rows", _equal),
    Extreme("D = 1", _one_column),
    Extreme("K = 1", K=1),
    Extreme("K = 1 and D = 1", _one_column, K=1),
    Extreme("one class", one_class=True),
    Extreme("float16", half=True),
)
OF_COUNTS = (
    *_ANY,
    Extreme("counts of 10⁶", _millions, takes_long=("topics",)),
    Extreme("documents of 10⁵ tokens", _long_documents),
    Extreme("one word", _one_word),
    Extreme("one document with words", _one_full_document),
    Extreme("1e30", _scaled(1e30)),
    Extreme("1e-30", _scaled(1e-30)),
    Extreme("fractions of 1e-30", _scaled(1e-30), fractions=True),
    Extreme("subnormal", lambda rows: np.where(rows > 0, 1e-41, 0.0), fractions=True),
)
OF_SHARES = (
    *_ANY,
    Extreme("1e-30", _scaled(1e-30)),
    Extreme("subnormal", lambda rows: np.where(rows > 0, 1e-41, 0.0)),
    Extreme("all ones", lambda rows: np.ones_like(rows)),
    Extreme("all zeros", lambda rows: np.zeros_like(rows)),
)
OF_NUMBERS = (
    *_ANY,
    Extreme("1e30", _scaled(1e30)),
    Extreme("1e-30", _scaled(1e-30)),
    Extreme("subnormal", _scaled(1e-41)),
    Extreme("one row of 1e30", _one_huge_row),
    Extreme("columns from 1e-30 to 1e30", _columns_of_all_sizes),
    Extreme("all zeros", lambda rows: np.zeros_like(rows)),
    Extreme("differences far from 0", _offset),
)
EXTREMES = {"counts": (OF_COUNTS, COUNTS), "shares": (OF_SHARES, SHARES), "numbers": (OF_NUMBERS, POINTS)}


@dataclass(frozen=True)
class Case:
    """An estimator and its extreme rows, in one precision."""

    entry: Entry
    extreme: Extreme
    precision: str

    def __str__(self) -> str:
        return f"{self.entry.name}, {self.extreme.name}, {self.precision}"

    def rows(self) -> Rows:
        """The extreme rows."""
        _, usual = EXTREMES[self.entry.takes]
        return self.extreme.change(usual).astype(HALF if self.extreme.half else TYPES[self.precision])

    def usual_rows(self) -> Rows:
        """Rows of the same shape without anything extreme."""
        usual = EXTREMES[self.entry.takes][1]
        return usual[:, : self.rows().shape[1]].astype(TYPES[self.precision])

    def target(self) -> Any:
        """y of `fit`; None where the estimator learns without."""
        if self.entry.target is None:
            return None
        if self.entry.target == "numbers":
            return self.extreme.change(POINTS)[:, 0] * 2.0
        return np.zeros_like(CLASSES) if self.extreme.one_class else CLASSES

    def estimator(self) -> Any:
        """A small one, finished where it can be: there is more that can go wrong."""
        options = {"allow_fractions": True} if self.extreme.fractions else {}
        return set_known(small(self.entry, self.extreme.K), finish="halves", **options)

    def fitted(self, X: Rows) -> Any:
        """The estimator after a fit to X."""
        y = self.target()
        return self.estimator().fit(*((X,) if y is None else (X, y)))


# What an estimator is asked after its fit. Other methods take no rows, or are fits.
ASKED = (
    *("transform", "predict", "predict_proba", "decision_function", "score", "score_samples", "hidden_logits"),
    *("log_likelihood", "perplexity", "log_p", "topics", "pair_distance", "pair_score", "predict_pairs", "kneighbors"),
    *("log_partition", "effects", "get_mahalanobis_matrix", "partial_fit"),
)


def questions(model: Any, case: Case, X: Rows) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What a fitted estimator can be asked about rows, by name."""
    y = case.target()
    given = {
        "X": X,
        "y": y if y is not None else CLASSES,
        "pairs": PAIRS,
        "n_topics": 2,
        "vocabulary": WORDS[: X.shape[1]],
        "random_state": 0,
        "max_temperatures": 1000,
        "orders": 1,
    }
    for name in ASKED:
        method = getattr(model, name, None)
        if method is None or name in case.extreme.takes_long:
            continue
        known = {each: given[each] for each in parameters_of(method) if each in given}
        if name in ("score", "predict_pairs", "pair_score", "pair_distance") and "pairs" in known:
            known["y"] = SIMILAR
            known = {each: known[each] for each in parameters_of(method) if each in known}
        if name == "partial_fit":
            known.pop("pairs", None)
        yield name, partial(method, **known)


def cases() -> list[Case]:
    """Each estimator of the catalogue with each extreme that its rows can have."""
    made = []
    for entry in entries():
        for extreme in EXTREMES[entry.takes][0]:
            if extreme.one_class and entry.target != "classes":
                continue
            made += [Case(entry, extreme, precision) for precision in TYPES]
    return made
