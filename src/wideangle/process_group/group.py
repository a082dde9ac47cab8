"""One process among those that train a model together, and what it exchanges with them. Alone, all of it is free."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor

from wideangle.exceptions import ProcessesError
from wideangle.functional.gram import ByRows, all_rows
from wideangle.process_group.joining import joined

# From so many components on, processes divide the rows of products among themselves. A row of K products with D numbers
# each then takes longer to compute than to send, about K multiplications for each number that is sent.
DIVIDED_FROM = 512


class Part(NamedTuple):
    """The rows of a batch that one process takes: those from `first` to before `last`, of `of` rows in all."""

    first: int
    last: int
    of: int

    @property
    def rows(self) -> slice:
        """For arrays and tensors."""
        return slice(self.first, self.last)

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows."""
        return self.last - self.first == self.of

    @property
    def share(self) -> float:
        """The share of all rows."""
        return (self.last - self.first) / self.of

    def weighed(self, mean: Tensor) -> Tensor:
        """What a mean over this part adds to the mean over all rows."""
        return mean if self.is_whole else mean * self.share


@dataclass(frozen=True)
class Group:
    """The processes that train together, as one of them sees them. `rank` is its number, from 0."""

    rank: int = 0
    size: int = 1

    @classmethod
    def current(cls) -> "Group":
        """The group of this process; one process alone where neither torch nor the environment names others."""
        return cls(dist.get_rank(), dist.get_world_size()) if joined() else cls()

    def __reduce__(self) -> tuple[Any, ...]:
        # A trainer may be kept by a pickle, which other processes may read.
        return Group.current, ()

    @property
    def alone(self) -> bool:
        """Whether there are no other processes."""
        return self.size == 1

    def part(self, n: int) -> Part:
        """The rows of this process in a mini-batch of n rows. Parts differ by at most one row."""
        if n < self.size:
            raise ProcessesError(
                f"a mini-batch has {n} rows, fewer than the {self.size} processes, so that some would have none. Start "
                "fewer processes, or raise batch_size."
            )
        return self._part(n, self.rank)

    def average(self, tensors: Sequence[Tensor], share: float) -> None:
        """Replace means over the part of each process by those over the whole batch, in place. All have one dtype."""
        if self.alone:
            return
        flat = torch.cat([_in_memory_order(tensor) for tensor in tensors]).mul_(share)
        self._carried(flat, dist.all_reduce)
        _spread(flat, tensors)

    def sums(self, numbers: Tensor) -> Tensor:
        """The sums over all processes."""
        if self.alone:
            return numbers
        total = numbers.clone()
        self._carried(total, dist.all_reduce)
        return total

    def gathered(self, rows: Tensor, n: int) -> Tensor:
        """All n rows of a matrix of which each process has its part, in their order."""
        if self.alone:
            return rows
        most = -(-n // self.size)  # Parts are sent at one size, because not every backend takes different ones.
        sent = rows.new_zeros((most, *rows.shape[1:]))
        sent[: len(rows)] = rows
        home = sent.device
        sent = sent.to(_carrier(home))
        received = [torch.empty_like(sent) for _ in range(self.size)]
        dist.all_gather(received, sent)
        parts = (self._part(n, rank) for rank in range(self.size))
        kept = [got[: part.last - part.first] for got, part in zip(received, parts, strict=True)]
        return torch.cat(kept).to(home)

    @property
    def by_rows(self) -> ByRows:
        """How the rows of a matrix are made: of many rows each process makes a part."""
        return all_rows if self.alone else self._by_rows

    def _by_rows(self, n: int, compute: Callable[[slice], Tensor]) -> Tensor:
        """A matrix of n rows, `compute(slice)` for each slice of them."""
        if n < max(DIVIDED_FROM, self.size):
            return compute(slice(None))
        return self.gathered(compute(self._part(n, self.rank).rows), n)

    def take_from_first(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors of one dtype by those of the first process, in place."""
        if self.alone:
            return
        flat = torch.cat([_in_memory_order(tensor) for tensor in tensors])
        self._carried(flat, lambda sent: dist.broadcast(sent, src=0))
        _spread(flat, tensors)

    def agreed(self, numbers: Any) -> NDArray[np.float64]:
        """The numbers that the first process found. Others may have found them a rounding apart."""
        found = np.asarray(numbers, dtype=np.float64)
        if self.alone:
            return found
        tensor = torch.as_tensor(found.copy())
        self._carried(tensor, lambda sent: dist.broadcast(sent, src=0))
        return tensor.numpy()

    def any(self, flag: bool) -> bool:
        """Whether the flag is set in any process."""
        return flag if self.alone else bool(self.sums(torch.tensor(float(flag))) > 0)

    def texts(self, text: str) -> list[str]:
        """The texts of all processes, by rank."""
        if self.alone:
            return [text]
        content = torch.frombuffer(bytearray(text.encode() or b"\0"), dtype=torch.uint8)
        sizes = self.gathered(torch.tensor([len(text.encode())]), self.size).tolist()
        padded = torch.zeros(max(1, *sizes), dtype=torch.uint8)
        padded[: len(content)] = content
        rows = self.gathered(padded[None], self.size)
        return [bytes(row[:size].tolist()).decode() for row, size in zip(rows, sizes, strict=True)]

    def bytes_of_first(self, content: bytes | None) -> bytes | None:
        """The bytes that the first process has, or None where it has none."""
        if self.alone:
            return content
        size = int(self.agreed(-1 if content is None else len(content)))
        if size <= 0:
            return None if size < 0 else b""
        own = self.rank == 0 and content is not None
        sent = torch.frombuffer(bytearray(content if own and content else bytes(size)), dtype=torch.uint8)
        self._carried(sent, lambda tensor: dist.broadcast(tensor, src=0))
        return sent.numpy().tobytes()

    def _part(self, n: int, rank: int) -> Part:
        base, extra = divmod(n, self.size)
        first = rank * base + min(rank, extra)
        return Part(first, first + base + (rank < extra), n)

    @staticmethod
    def _carried(tensor: Tensor, exchange: Callable[[Tensor], Any]) -> None:
        """Exchange a tensor in place, by way of another device where the backend needs that."""
        sent = tensor.to(_carrier(tensor.device))
        exchange(sent)
        if sent is not tensor:
            tensor.copy_(sent)


def _carrier(device: torch.device) -> torch.device:
    """The device from which tensors of this device are sent. gloo sends from the CPU, nccl from a GPU."""
    backends = dict(part.split(":") for part in str(dist.get_backend_config()).split(","))
    if backends.get(device.type) not in (None, "gloo"):
        return device
    return torch.device("cpu") if "cpu" in backends else torch.device("cuda", torch.cuda.current_device())


def _in_memory_order(tensor: Tensor) -> Tensor:
    """A vector of the numbers as they lie in memory: that of a matrix stored by columns needs no copy."""
    by_columns = tensor.ndim == 2 and tensor.mT.is_contiguous()
    return (tensor.mT if by_columns else tensor).detach().reshape(-1)


def _spread(flat: Tensor, tensors: Sequence[Tensor]) -> None:
    """Write a vector of `_in_memory_order` back into the tensors."""
    with torch.no_grad():
        for part, tensor in zip(flat.split([tensor.numel() for tensor in tensors]), tensors, strict=True):
            by_columns = tensor.ndim == 2 and tensor.mT.is_contiguous()
            target = tensor.mT if by_columns else tensor
            target.copy_(part.view(target.shape))
