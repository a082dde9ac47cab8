"""Processes with GPUs: by nccl where each has its own, by gloo where they share one."""

import json

import pytest
import torch
from real_processes import run_together
from training_cases import COUNTS

from wideangle.models import ReplicatedSoftmax


@pytest.mark.cuda
@pytest.mark.slow
def test_two_processes_learn_as_well_as_one(tmp_path):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    run_together(2, "distributed_training.in_processes", "train_on_gpu", tmp_path, timeout=300)
    one, other = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2))
    assert one["components"] == other["components"]
    assert ("nccl" in one["backend"]) == (torch.cuda.device_count() > 1)
    # Each process draws its own random numbers on a GPU, so that losses are compared, not parameters.
    alone = ReplicatedSoftmax(5, max_updates=200, random_state=0, device="cuda").fit(COUNTS)
    assert one["loss"] == pytest.approx(alone.history_[-1].loss, rel=0.02)
