"""What every fit shares: device, randomness, mini-batches, the progress bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress, TextColumn
from sklearn.utils import check_random_state
from torch import Tensor

from wideangle._arguments import shown
from wideangle._progress import ProgressLines
from wideangle.models._training.beginning import agreed_seeds

AHEAD, AHEAD_BYTES = 64, 2**28  # A GPU gets at most this many mini-batches at a time, and at most this much memory.

Prepare = Callable[[Tensor], tuple[Tensor, Tensor | None]]


def resolve_device(device: str) -> torch.device:
    """The torch device; "auto" takes the GPU if there is one. A device that is not there raises an error."""
    if not isinstance(device, str | torch.device):
        raise TypeError(f"device must be 'auto', 'cpu' or 'cuda'; got {shown(device)}.")
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except RuntimeError as error:
        raise ValueError(f"device must be 'auto', 'cpu' or 'cuda'; got {device!r}.") from error
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"device={device!r}, but torch sees no CUDA device; pass device='auto' or 'cpu'.")
    return chosen


@dataclass
class Randomness:
    """Two streams from one `random_state`: the order of rows, and what is drawn on the device."""

    rows: np.random.Generator
    draws: torch.Generator

    @classmethod
    def of(cls, random_state: Any, device: torch.device) -> "Randomness":
        """Both streams are seeded from `random_state`, so that no global generator is used."""
        return cls._seeded(_two_seeds(random_state), device)

    @classmethod
    def of_training(cls, random_state: Any, device: torch.device) -> "Randomness":
        """The same for training: processes that train together, and a fit that goes on, have the same seeds."""
        return cls._seeded(agreed_seeds(_two_seeds(random_state)), device)

    @classmethod
    def _seeded(cls, seeds: Any, device: torch.device) -> "Randomness":
        return cls(np.random.default_rng(int(seeds[0])), torch.Generator(device).manual_seed(int(seeds[1])))


def _two_seeds(random_state: Any) -> NDArray[np.int64]:
    try:
        generator = check_random_state(random_state)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"random_state must be None, a whole number from 0 to 2**32 - 1, or a numpy.random.RandomState; got "
            f"{shown(random_state)}."
        ) from error
    seeds: NDArray[np.int64] = generator.randint(0, 2**31 - 1, size=2)
    return seeds


def passes(n_rows: int, size: int, generator: np.random.Generator, skip: int = 0) -> Iterator[list[NDArray[np.intp]]]:
    """Yield the row numbers of all mini-batches of a pass, without end. Batch sizes differ by at most one.

    The first `skip` mini-batches are left out: a fit that goes on has seen them.
    """
    n_batches = -(-n_rows // size)
    while True:
        order = generator.permutation(n_rows)
        if skip < n_batches:
            yield np.array_split(order, n_batches)[skip:]
        skip = max(0, skip - n_batches)


def batches(n_rows: int, size: int, generator: np.random.Generator, skip: int = 0) -> Iterator[NDArray[np.intp]]:
    """Yield row numbers of mini-batches without end, but for the first `skip`. Each pass has a new order."""
    for of_a_pass in passes(n_rows, size, generator, skip):
        yield from of_a_pass


def dense_batch(X: Any, rows: NDArray[np.intp], like: Tensor) -> Tensor:
    """Some rows of a dense or sparse matrix as a tensor; the matrix itself is never made dense."""
    chosen = X[rows]
    if not sp.issparse(chosen):
        return torch.as_tensor(chosen).to(like)
    if like.device.type == "cpu":
        return torch.as_tensor(chosen.toarray()).to(like)
    width = X.shape[1]
    where = np.repeat(np.arange(len(rows)) * width, np.diff(chosen.indptr)) + chosen.indices
    batch = torch.zeros(len(rows) * width, dtype=like.dtype, device=like.device)
    # The values are added, because a sparse matrix may store one entry as several parts.
    batch.index_add_(0, torch.as_tensor(where).to(like.device), torch.as_tensor(chosen.data).to(like))
    return batch.view(len(rows), width)


def dense_batches(
    X: Any,
    rows: NDArray[np.intp],
    size: int,
    generator: np.random.Generator,
    like: Tensor,
    prepare: Prepare,
    skip: int = 0,
) -> Iterator[tuple[Tensor, Tensor | None]]:
    """Yield mini-batches of the given rows without end, as dense as `like` and prepared for the model.

    A GPU gets several mini-batches per copy, because it would wait for every single one. Of a sparse matrix only the
    stored entries are copied.
    """
    ahead = 1
    if like.device.type == "cuda":
        bytes_per_batch = size * X.shape[1] * like.element_size()
        ahead = max(1, min(AHEAD, AHEAD_BYTES // bytes_per_batch, -(-len(rows) // size)))
    stream = batches(len(rows), size, generator, skip)
    while True:
        numbers = [rows[next(stream)] for _ in range(ahead)]
        visible, extra = prepare(dense_batch(X, np.concatenate(numbers), like))
        sizes = [len(part) for part in numbers]
        yield from zip(visible.split(sizes), extra.split(sizes) if extra is not None else [None] * ahead, strict=True)


@contextmanager
def progress_bar(title: str, total: int, show: bool) -> Iterator[Callable[[int, str], None]]:
    """Give a function to call with (done, note). It draws a bar in a terminal, else prints a line now and then.

    Where `show` is False it does nothing.
    """
    console = Console(stderr=True)
    if not show:
        yield lambda done, note: None
        return
    if not console.is_terminal:
        lines = ProgressLines(title, "update")
        yield lambda done, note: lines(done, total, note)
        return
    with Progress(*Progress.get_default_columns(), TextColumn("{task.fields[note]}"), console=console) as bar:
        task = bar.add_task(title, total=total, note="")
        yield lambda done, note: bar.update(task, completed=done, note=note)
