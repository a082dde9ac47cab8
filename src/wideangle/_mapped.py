"""Arrays that stay in their file: the system reads what is asked for, and takes it back when memory is short."""

import mmap
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_mapped", "let_go", "map_array"]


def map_array(path: str | os.PathLike[str], dtype: Any, shape: tuple[int, ...], *, offset: int = 0) -> NDArray[Any]:
    """A read-only array in a file, from a byte on.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from wideangle._mapped import is_mapped, let_go, map_array
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "numbers"
    >>> _ = file.write_bytes(np.arange(6, dtype=np.int32).tobytes())
    >>> numbers = map_array(file, np.int32, (2, 2), offset=8)
    >>> let_go(numbers)
    >>> numbers.tolist(), is_mapped(numbers), is_mapped(np.array(numbers))
    ([[2, 3], [4, 5]], True, False)
    """
    if 0 in shape:  # An empty file, or its end, cannot be mapped.
        return np.zeros(shape, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=shape))


def is_mapped(array: Any) -> bool:
    """Whether an array, or the array that it is a part of, is in a file."""
    return _map_of(array) is not None


def let_go(*arrays: Any) -> None:
    """Give back the memory of what was read of mapped arrays. It is read again where it is asked for.

    What was read counts as memory of the process until the system needs it for something else. A pass over a large
    file would therefore seem to need as much memory as the file is long. Other arrays are left as they are.
    """
    for array in arrays:
        held = _map_of(array)
        if held is not None and hasattr(held, "madvise"):  # Windows gives it back by itself.
            held.madvise(mmap.MADV_DONTNEED)


def _map_of(array: Any) -> mmap.mmap | None:
    while array is not None and not isinstance(array, mmap.mmap):
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
    return array
