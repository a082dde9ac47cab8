"""Memory that libraries of linear algebra need, taken while an error about it can still be told."""

import mmap

__all__ = ["reserve_for_algebra"]

# OpenBLAS takes a buffer of 32 MB when it is first used, and another one when its number of threads is set first, as
# scikit-learn does. NumPy and SciPy have an OpenBLAS each.
BUFFERS = 5 * 2**25
SIZE = 256  # Products of smaller matrices need no buffer.


def reserve_for_algebra() -> None:
    """Let NumPy and SciPy take their buffers now, or raise MemoryError where there is no room for them.

    Where OpenBLAS gets no buffer, it ends the program by itself, in the middle of the work and without an error that
    could be told.
    """
    try:
        mmap.mmap(-1, BUFFERS).close()  # Nothing is written to it, so that it costs no time.
    except OSError as error:
        raise MemoryError from error
    import numpy as np
    from scipy.linalg import blas
    from threadpoolctl import threadpool_limits

    square = np.ones((SIZE, SIZE))
    for limit in (None, 1):
        with threadpool_limits(limit):
            np.matmul(square, square)
            blas.dgemm(1.0, square, square)
