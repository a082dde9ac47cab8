"""What the environment says about the processes that were started together. It imports no torch."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

JOINED_BY = "WIDEANGLE_JOINED_BY"  # The number of the process that has joined. Processes that it starts are not part.
FIRST_PORT, N_PORTS = 20_000, 10_000  # A job of SLURM takes one of these ports, by its number.


@dataclass(frozen=True)
class Place:
    """The place of this process among those that were started together."""

    rank: int
    size: int
    local_rank: int
    """its number on this machine, which is also that of its GPU"""
    local_size: int
    """how many of the processes are on this machine"""
    address: str
    port: int


def place_in(environment: Mapping[str, str] = os.environ) -> Place | None:
    """The place that the environment gives to this process; None where it stands alone.

    `torchrun` and the PyTorchJob of Kubernetes set RANK and WORLD_SIZE; `srun` sets variables of its own.
    """
    if environment.get(JOINED_BY, str(os.getpid())) != str(os.getpid()):
        return None  # A process that has joined started this one for another purpose, such as a parallel search.
    if "RANK" in environment and "WORLD_SIZE" in environment:
        return _by_torchrun(environment)
    # A batch script of SLURM runs once, however many tasks the job may have. Only `srun` starts them all.
    if "SLURM_STEP_ID" in environment and "SLURM_PROCID" in environment:
        return _by_slurm(environment)
    return None


def _by_torchrun(environment: Mapping[str, str]) -> Place | None:
    rank, size = _number(environment, "RANK"), _number(environment, "WORLD_SIZE")
    if size < 2:
        return None
    missing = [name for name in ("MASTER_ADDR", "MASTER_PORT") if not environment.get(name)]
    if missing:
        raise ValueError(
            f"RANK={rank} and WORLD_SIZE={size} say that {size} processes train together, but {' and '.join(missing)} "
            "must say where the first of them listens. Start them by torchrun, or unset RANK and WORLD_SIZE to train "
            "in one process."
        )
    # A PyTorchJob has one process per machine, and does not number those on a machine.
    local = _number(environment, "LOCAL_RANK") if "LOCAL_RANK" in environment else 0
    here = _number(environment, "LOCAL_WORLD_SIZE") if "LOCAL_WORLD_SIZE" in environment else local + 1
    return Place(rank, size, local, here, environment["MASTER_ADDR"], _number(environment, "MASTER_PORT"))


def _by_slurm(environment: Mapping[str, str]) -> Place | None:
    size = _number(environment, "SLURM_STEP_NUM_TASKS") if "SLURM_STEP_NUM_TASKS" in environment else 1
    if size < 2:
        return None
    hosts = environment.get("SLURM_STEP_NODELIST") or environment.get("SLURM_JOB_NODELIST", "")
    address = environment.get("MASTER_ADDR") or first_host(hosts)
    if "MASTER_PORT" in environment:
        port = _number(environment, "MASTER_PORT")
    else:
        # Two steps of one job may run side by side.
        own = _number(environment, "SLURM_JOB_ID") + _number(environment, "SLURM_STEP_ID")
        port = FIRST_PORT + own % N_PORTS
    local = _number(environment, "SLURM_LOCALID") if "SLURM_LOCALID" in environment else 0
    # The tasks of each node are written like 2(x3),1. The largest number is that of no fewer than there are here.
    tasks = re.findall(r"(?:^|,)(\d+)", environment.get("SLURM_STEP_TASKS_PER_NODE", str(size)))
    here = max(map(int, tasks), default=size)
    return Place(_number(environment, "SLURM_PROCID"), size, local, here, address, port)


def first_host(nodes: str) -> str:
    """The first host of a list of nodes as SLURM writes it: gpu[03-05,09],cpu1 begins with gpu03."""
    found = re.match(r"([^\[,]+)(?:\[(\w+)[^\]]*\]([^,\[]*))?", nodes.strip())
    if found is None:
        raise ValueError(
            f"SLURM_JOB_NODELIST must list the nodes of the job; got {nodes!r}. Set MASTER_ADDR to the host of the "
            "first process."
        )
    return "".join(part or "" for part in found.groups())


def _number(environment: Mapping[str, str], name: str) -> int:
    text = environment[name]
    if not text.strip().isdecimal():
        raise ValueError(f"{name} must be a whole number of at least 0; got {text!r}.")
    return int(text)
