"""What an encoder is, and one that asks another in batches and checks what it gives."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wideangle._arguments import shown
from wideangle._arguments import texts as several_texts
from wideangle.exceptions import EncoderError

__all__ = ["CheckedEncoder", "Encoder", "FunctionEncoder", "Progress", "is_empty"]

TEXTS, CHARACTERS = 1024, 2**20  # A batch has at most so many of both, or one text that is longer.
PROBE = "a text that tells how many numbers a vector has"

Progress = Callable[[int, int], object]
"""called with how many texts are done, and how many there are"""


@runtime_checkable
class Encoder(Protocol):
    """What turns texts into vectors."""

    @property
    def name(self) -> str:
        """Which package, which model, how many numbers and which version: vectors of two names are not compared."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text."""


class FunctionEncoder:
    """A function from a list of texts to their vectors, under a name that its user gives."""

    def __init__(self, function: Callable[[Sequence[str]], Any], name: str) -> None:
        self._function = function
        self.name = name
        probe = np.asarray(function([PROBE]))
        if probe.ndim != 2 or probe.shape[0] != 1 or probe.shape[1] == 0:
            raise EncoderError(
                f"the encoder {name!r} must give one row per text: of one text it gave an array of shape "
                f"{probe.shape}. Let it return an array of shape (texts, dimension)."
            )
        self.dimension = int(probe.shape[1])

    def encode(self, texts: Sequence[str]) -> Any:
        """What the function gives."""
        return self._function(texts)


class CheckedEncoder:
    """An encoder whose rows are float32 and finite. Texts without a letter or sign give rows of zeros.

    Parameters
    ----------
    encoder : Encoder
        It is asked for some texts at a time, so that it needs memory for one batch besides the result.
    """

    def __init__(self, encoder: Encoder) -> None:
        if not all(hasattr(encoder, part) for part in ("name", "dimension", "encode")):
            raise TypeError(f"an encoder has name, dimension and encode; got {shown(encoder)}.")
        name, dimension = encoder.name, encoder.dimension
        if not isinstance(name, str) or not name.strip():
            raise EncoderError(f"the name of an encoder must be a string that is not empty; got {shown(name)}.")
        if isinstance(dimension, bool) or not isinstance(dimension, int | np.integer) or dimension < 1:
            raise EncoderError(
                f"the dimension of the encoder {name!r} must be a whole number of at least 1; got {shown(dimension)}."
            )
        self._encoder = encoder
        self.name = name
        self.dimension = int(dimension)

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """One row per text."""
        written = several_texts(texts, "texts")
        found = np.zeros((len(written), self.dimension), dtype=np.float32)
        for rows, vectors in self._batches(written):
            found[rows] = vectors
            if progress is not None:
                progress(rows[-1] + 1, len(written))
        return found

    def _batches(self, written: list[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """The rows of some texts at a time, with their numbers. Texts that are empty are left out."""
        batch: list[int] = []
        room = CHARACTERS
        for number, text in enumerate(written):
            if is_empty(text):
                continue
            if batch and (len(batch) == TEXTS or len(text) > room):
                yield batch, self._vectors([written[each] for each in batch])
                batch, room = [], CHARACTERS
            batch.append(number)
            room -= len(text)
        if batch:
            yield batch, self._vectors([written[each] for each in batch])

    def _vectors(self, batch: list[str]) -> NDArray[np.float32]:
        # Half of a pair of surrogates is no character. Packages that are not written in Python refuse it.
        given = self._encoder.encode([text.encode("utf-8", "replace").decode() for text in batch])
        try:
            rows: NDArray[Any] = np.asarray(given)
        except (TypeError, ValueError, RuntimeError) as error:  # rows of different lengths; tensors with a gradient
            raise EncoderError(f"the encoder {self.name!r} gave {shown(given)}, which is no array ({error}).") from None
        if rows.dtype.kind not in "fiu":
            raise EncoderError(
                f"the encoder {self.name!r} gave an array of {rows.dtype}. Let it return a dense array of real numbers."
            )
        if rows.shape != (len(batch), self.dimension):
            raise EncoderError(
                f"the encoder {self.name!r} gave an array of shape {rows.shape} for {len(batch)} texts; it must be "
                f"({len(batch)}, {self.dimension}), one row per text."
            )
        with np.errstate(over="ignore"):  # What float32 cannot hold becomes infinite, and is told below.
            rows = rows.astype(np.float32, copy=False)
        wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(wrong):
            raise EncoderError(
                f"the encoder {self.name!r} gave numbers that are not finite for {len(wrong)} of {len(batch)} texts; "
                f"the first of them is {shown(batch[wrong[0]][:30])}. Leave such texts out, or mend the encoder."
            )
        return rows


def is_empty(text: str) -> bool:
    """Whether a text has nothing but spaces. It has no direction, as documents without words have none."""
    return not text.strip()
