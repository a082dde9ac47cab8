"""Two ranks of a distributed job see the same regulariser, and train to the same weights."""

import os
import socket

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

from wideangle import MutualAngularRegularizer


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def train(rank, port, out):
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
    dist.init_process_group("gloo", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(12, 30), nn.ReLU(), nn.Linear(30, 2)))
    regularizer = MutualAngularRegularizer(rows=8, every=2, seed=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(100 + rank)  # ranks have different data and different global randomness
    penalties = []
    for _ in range(6):
        optimizer.zero_grad()
        penalty = regularizer.penalty(model, 0.5)
        (model(torch.randn(16, 12)).square().mean() + penalty).backward()
        optimizer.step()
        penalties.append(float(penalty))
    torch.save((penalties, [p.detach() for p in model.parameters()]), f"{out}/{rank}.pt")
    dist.destroy_process_group()


@pytest.mark.slow
def test_identical_on_every_rank(tmp_path):
    mp.spawn(train, (free_port(), str(tmp_path)), nprocs=2)
    (one, weights), (other, other_weights) = (torch.load(tmp_path / f"{rank}.pt") for rank in range(2))
    assert one == other
    assert any(one)
    assert all(torch.equal(*pair) for pair in zip(weights, other_weights, strict=True))
