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

from wideangle._progress import ProgressLines

AHEAD, AHEAD_BYTES = 64, 2**28  # mini-batches a GPU gets at a time, and the most memory they may take

Prepare = Callable[[Tensor], tuple[Tensor, Tensor | None]]


def resolve_device(device: str) -> torch.device:
    """ "auto" takes the GPU if there is one; an error where the device asked for is not there."""
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
        """Seeded by one draw from the state, so that nothing global is touched."""
        seeds = check_random_state(random_state).randint(0, 2**31 - 1, size=2)
        return cls(np.random.default_rng(int(seeds[0])), torch.Generator(device).manual_seed(int(seeds[1])))


def batches(n_rows: int, size: int, generator: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Row numbers of mini-batches without end: each pass in a new order, the last batch of a pass may be smaller."""
    while True:
        order = generator.permutation(n_rows)
        yield from np.array_split(order, -(-n_rows // size))


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
    # Added, not put: a matrix may hold an entry in parts.
    batch.index_add_(0, torch.as_tensor(where).to(like.device), torch.as_tensor(chosen.data).to(like))
    return batch.view(len(rows), width)


def dense_batches(
    X: Any, rows: NDArray[np.intp], size: int, generator: np.random.Generator, like: Tensor, prepare: Prepare
) -> Iterator[tuple[Tensor, Tensor | None]]:
    """The rows named, in mini-batches without end, dense as `like` and prepared for the model.

    A GPU gets several at a time, a sparse matrix in its few entries: it would wait for every copy and every launch.
    """
    ahead = 1
    if like.device.type == "cuda":
        a_batch = size * X.shape[1] * like.element_size()
        ahead = max(1, min(AHEAD, AHEAD_BYTES // a_batch, -(-len(rows) // size)))
    stream = batches(len(rows), size, generator)
    while True:
        numbers = [rows[next(stream)] for _ in range(ahead)]
        visible, extra = prepare(dense_batch(X, np.concatenate(numbers), like))
        sizes = [len(part) for part in numbers]
        yield from zip(visible.split(sizes), extra.split(sizes) if extra is not None else [None] * ahead, strict=True)


@contextmanager
def progress_bar(title: str, total: int, show: bool) -> Iterator[Callable[[int, str], None]]:
    """A function to call with (done, note): a bar in a terminal, else a line now and then; silent if not wanted."""
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
