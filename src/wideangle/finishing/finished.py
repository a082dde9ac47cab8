"""`transform` of every document model: what the model says of a row, and what finishes it."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wideangle.finishing.distances import Finish, checked_finish, distance_of
from wideangle.finishing.granularity import granularity_number, hardness
from wideangle.finishing.halves import KNOTS, Halves, learn_halves

Self = TypeVar("Self", bound="Finished")

BLOCK = 2**16  # So many rows are finished at a time.
RECENT = 2000  # So many documents of a stream are kept.
NOTHING = 1e-6  # A row that is closer than this to the middle of all documents has no direction.

Floats = NDArray[Any]


@dataclass(eq=False)
class Recent:
    """The last documents of a stream, which are learned from as soon as the distance is asked for."""

    rows: Any
    before: Halves | None
    """what was learned before the stream began"""
    is_learned: bool = False


class Finished(TransformerMixin):
    """A transformer of word counts whose result is finished: centred, and compared by a distance that documents teach.

    A subclass has `_checked(X, reset)` and `_represent(rows)`, calls `_learn_distance(rows)` at the end of `fit`, and
    has the parameters `finish` and `granularity`. Without them, or with finish=None, what it says is its `transform`.
    A subclass that is `Saveable` too names `Finished` first among its parents.
    """

    _essential: ClassVar[str] = "components_"
    _records: ClassVar[tuple[type, ...]] = (Halves,)

    def transform(self, X: Any) -> Any:
        """The representation of each document, documents × components. Compare documents by Euclidean distance.

        `granularity` and `finish` may be changed after the fit (`set_params`). A finished document has unit length; one
        without words is zeros.
        """
        check_is_fitted(self, self._essential)
        return self._finished(self._said(self._checked(X, reset=False)))

    def learn_distance(self: Self, X: Any, y: Any = None) -> Self:
        """Learn the distance from documents X, for a model that was fitted with finish=None. y is ignored."""
        check_is_fitted(self, self._essential)
        if self._wanted_finish() is None:
            has_finish = hasattr(self, "finish")
            advice = " Set finish='halves', and leave the representation open." if has_finish else ""
            raise ValueError(
                f"there is no distance to learn: what this {type(self).__name__} says is not finished.{advice}"
            )
        self._learn_distance(self._checked(X, reset=False))
        return self

    def _checked(self, X: Any, reset: bool) -> Any:
        """The rows as the model takes them; an error where they are no word counts."""
        raise NotImplementedError

    def _represent(self, rows: Any) -> Any:
        """What the model says of rows that were checked: logits where `_centre_of_logits` is given, else vectors."""
        raise NotImplementedError

    def _centre_of_logits(self) -> Floats | None:
        """The logits of the average document; None where `_represent` gives no logits."""
        return None

    def _check_finish(self) -> None:
        """Raise an error where `finish` or `granularity` is wrong."""
        checked_finish(getattr(self, "finish", None))
        self._used_granularity()

    def _wanted_finish(self) -> Finish | None:
        """How documents should be compared; None: as the model says them."""
        return checked_finish(getattr(self, "finish", None))

    def _used_finish(self) -> Finish | None:
        """How documents are compared. Where documents cannot be halved, the spectrum takes the place of halves."""
        finish = self._wanted_finish()
        return "spectrum" if finish == "halves" and self._known_halves().documents == 0 else finish

    def _used_granularity(self) -> float:
        return granularity_number(getattr(self, "granularity", "balance"))

    def _said(self, rows: Any) -> Any:
        """What the model says of rows, before it is finished. A row without words is zeros if it will be finished."""
        said = self._represent(rows)
        centre = self._centre_of_logits()
        if self._wanted_finish() is None or centre is not None:
            return said
        written = np.asarray(rows.sum(axis=1)).ravel() > 0
        return np.where(written[:, None], said, 0.0).astype(said.dtype, copy=False)

    def _finished(self, said: Any, granularity: Any = None) -> Any:
        """Finish what the model said of rows, at the model's granularity or at another."""
        finish = self._used_finish()
        if finish is None:
            return said
        number = self._used_granularity() if granularity is None else granularity_number(granularity)
        middle, root = distance_of(self._known_halves(), finish, number)
        out = np.empty(said.shape, dtype=said.dtype)
        for first in range(0, len(said), BLOCK):
            block = slice(first, first + BLOCK)
            rows = shaped(said[block], self._centre_of_logits(), number)
            moved = np.where(np.any(rows, axis=1, keepdims=True), rows - middle, 0.0)
            moved[np.linalg.norm(moved, axis=1) < NOTHING] = 0.0
            out[block] = unit_rows(moved @ root)
        return out

    def _learn_distance(self, rows: Any) -> None:
        """Learn what the finish needs from documents that were checked."""
        self._check_finish()
        self.__dict__.pop("_recent", None)
        self.__dict__.pop("halves_", None)
        found = self._learned(rows)
        if found is not None:
            self.halves_ = found

    def _learned(self, rows: Any) -> Halves | None:
        if self._wanted_finish() is None:
            return None
        centre = self._centre_of_logits()
        knots = KNOTS if centre is not None else KNOTS[:1]
        shapes = [partial(shaped, centre=centre, granularity=knot) for knot in knots]
        return learn_halves(rows, self._represent, shapes, int(self._n_features_out))

    def _note_recent(self, rows: Any) -> None:
        """Keep the last documents of a stream. The distance is learned from them as soon as it is asked for."""
        recent: Recent | None = self.__dict__.pop("_recent", None)
        if self._wanted_finish() is None:
            self.__dict__.pop("halves_", None)  # The model has moved on, and what it once learned no longer fits.
            return
        before = self.__dict__.get("halves_") if recent is None else recent.before
        last = rows[-RECENT:].copy()  # The caller may put the next documents into the same array.
        if recent is not None and last.shape[0] < RECENT:
            kept = recent.rows[max(0, recent.rows.shape[0] + last.shape[0] - RECENT) :]
            if sp.issparse(last):
                last = sp.vstack([sp.csr_array(kept), last], format="csr")
            else:
                last = np.concatenate([_dense(kept), last])
        self._recent = Recent(last, before)

    def _forget(self) -> None:
        """Delete what belongs to an earlier fit. A fit that is interrupted has no distance."""
        super()._forget()
        self.__dict__.pop("halves_", None)

    def _saved_state(self) -> dict[str, Any]:
        self._learn_recent()  # The last documents of a stream are not saved, but what they taught is.
        state: dict[str, Any] = super()._saved_state()
        recent: Recent | None = self.__dict__.get("_recent")
        if recent is not None and not recent.is_learned:
            state.pop("halves_", None)
        return state

    def _learn_recent(self) -> None:
        """Learn from the last documents of a stream, if there are any and the finish was not taken away."""
        recent: Recent | None = self.__dict__.get("_recent")
        if recent is None or recent.is_learned or self._wanted_finish() is None:
            return
        new = self._learned(recent.rows)
        if new is not None:
            self.halves_ = new if recent.before is None else new.after(recent.before)
        recent.is_learned = True

    def _known_halves(self) -> Halves:
        self._learn_recent()
        found: Halves | None = getattr(self, "halves_", None)
        if found is None:
            raise ValueError(
                "no distance was learned: the model was fitted with finish=None, on documents without words, or not to "
                "the end. Call learn_distance(X) with documents, or fit again."
            )
        return found


def shaped(said: Floats, centre: Floats | None, granularity: float) -> NDArray[np.float64]:
    """Rows of unit length: vectors as they are, or softened probabilities (σ(t z) − σ(t c)) / t of logits z.

    t is the hardness of the granularity and c are the logits of the average document.
    """
    rows = np.asarray(said, dtype=np.float64)
    if centre is not None:
        t = hardness(granularity)
        rows = (expit(t * rows) - expit(t * np.asarray(centre, dtype=np.float64))) / t
        rows[np.linalg.norm(rows, axis=1) < nothing_near(centre)] = 0.0
    return unit_rows(rows)


def nothing_near(centre: Floats) -> float:
    """How near to the average document logits are no more than rounded: documents are kept in single precision."""
    return NOTHING * (1 + float(np.linalg.norm(centre)))


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows at unit length; rows of zeros stay zeros."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))  # as scikit-learn's `normalize`, which checks one row for long
    if not np.isfinite(lengths).all():
        from sklearn.preprocessing import normalize

        return np.asarray(normalize(rows))  # It says what is wrong.
    return rows / np.where(lengths == 0, 1.0, lengths)[:, None]


def _dense(rows: Any) -> Any:
    return rows.toarray() if sp.issparse(rows) else rows
