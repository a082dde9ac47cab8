"""A forked child computes with one thread of torch, and waits for no lock of a thread that stayed in its parent."""

import os
import sys
from collections.abc import Callable

__all__ = ["expect_forks", "in_each_child"]


def expect_forks() -> None:
    """Let each child that this process forks from here on use torch with one thread.

    The threads of OpenMP stay in the parent. A child that hands them work waits for them without end, which is what
    `multiprocessing` and joblib's "multiprocessing" do on Linux where the parent has fitted a model before. A child
    may call `torch.set_num_threads` again if its parent has not computed anything.
    """
    in_each_child(_use_one_thread)


def in_each_child(function: Callable[[], None]) -> None:
    """Call a function first of all in each child that this process forks from here on.

    A module that keeps a lock makes a new one so: the old one may be held by a thread that the child does not have.
    """
    if hasattr(os, "register_at_fork"):  # Windows has no forks.
        os.register_at_fork(after_in_child=function)


def _use_one_thread() -> None:
    torch = sys.modules.get("torch")
    # Where torch is not imported yet, or is being imported by another thread, it has no threads either.
    if torch is not None and hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)
