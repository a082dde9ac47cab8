"""Joins the processes that the environment names, by torch.distributed."""

import atexit
import os
import sys
import time

import torch
import torch.distributed as dist

from wideangle.process_group.environment import JOINED_BY, Place, place_in

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def joined() -> bool:
    """Whether this process is one of several that train together. It joins them where the environment names them."""
    if not dist.is_available():
        return False
    if not dist.is_initialized():
        place = place_in()
        if place is None:
            return False
        _join(place)
    return dist.get_world_size() > 1


def _join(place: Place) -> None:
    n_devices = torch.cuda.device_count()
    backend = "gloo"
    if n_devices:
        torch.cuda.set_device(place.local_rank % n_devices)
        # nccl wants a GPU per process. Where processes share one, gloo carries its tensors by way of the CPU.
        if place.local_size <= n_devices and dist.is_nccl_available():
            backend = "cpu:gloo,cuda:nccl"
    if place.address in LOOPBACK:
        # All processes are on this machine. The name of a machine need not lead to an address that can be reached.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo0" if sys.platform == "darwin" else "lo")
    os.environ |= {"MASTER_ADDR": place.address, "MASTER_PORT": str(place.port)}
    dist.init_process_group(backend, init_method="env://", rank=place.rank, world_size=place.size)
    os.environ[JOINED_BY] = str(os.getpid())
    atexit.register(_leave)


def leave() -> None:
    """Be one process alone from here on. The others need not wait for what this one still does."""
    _leave()
    os.environ[JOINED_BY] = "left"


def _leave() -> None:
    if dist.is_initialized():
        # A thread of gloo lets go of the last tensor a moment after the exchange. If Python ends before, it crashes.
        time.sleep(0.1)
        dist.destroy_process_group()
