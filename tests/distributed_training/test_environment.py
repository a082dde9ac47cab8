"""Which variables of the environment make a process one of several."""

import os

import pytest

from wideangle.process_group.environment import JOINED_BY, first_host, place_in

TORCHRUN = {"RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "host0", "MASTER_PORT": "29500"}
SRUN = {
    "SLURM_JOB_ID": "77",
    "SLURM_STEP_ID": "0",
    "SLURM_PROCID": "2",
    "SLURM_STEP_NUM_TASKS": "4",
    "SLURM_LOCALID": "0",
    "SLURM_STEP_TASKS_PER_NODE": "2(x2)",
    "SLURM_STEP_NODELIST": "gpu[07-08]",
}


def test_torchrun_and_kubernetes_say_rank_size_and_address():
    place = place_in(TORCHRUN | {"LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"})
    assert (place.rank, place.size, place.local_rank, place.local_size) == (1, 4, 1, 2)
    assert (place.address, place.port) == ("host0", 29500)
    assert place_in(TORCHRUN).local_size == 1  # A PyTorchJob has one process per machine.


def test_srun_says_them_in_its_own_words():
    place = place_in(SRUN)
    assert (place.rank, place.size, place.local_rank, place.local_size) == (2, 4, 0, 2)
    assert place.address == "gpu07"
    assert place.port == place_in(SRUN | {"SLURM_PROCID": "3"}).port
    assert place.port != place_in(SRUN | {"SLURM_STEP_ID": "1"}).port
    given = place_in(SRUN | {"MASTER_ADDR": "other", "MASTER_PORT": "4000"})
    assert (given.address, given.port) == ("other", 4000)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        TORCHRUN | {"RANK": "0", "WORLD_SIZE": "1"},
        # A batch script runs once, even where the job has several tasks.
        {"SLURM_JOB_ID": "77", "SLURM_NTASKS": "4", "SLURM_PROCID": "0", "SLURM_JOB_NODELIST": "gpu[07-08]"},
        SRUN | {"SLURM_STEP_NUM_TASKS": "1"},
        TORCHRUN | {JOINED_BY: "1"},  # Another process has joined, and started this one for something else.
    ],
)
def test_a_process_that_stands_alone(environment):
    assert place_in(environment) is None


def test_the_process_that_joined_stays_one_of_them():
    assert place_in(TORCHRUN | {JOINED_BY: str(os.getpid())}).rank == 1


@pytest.mark.parametrize(
    ("nodes", "first"),
    [("gpu[03-05,09],cpu1", "gpu03"), ("node7", "node7"), ("a1,b2", "a1"), ("rack[1-2]n", "rack1n"), ("n[5]", "n5")],
)
def test_the_first_host_of_a_list_of_nodes(nodes, first):
    assert first_host(nodes) == first


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        (TORCHRUN | {"MASTER_PORT": ""}, "MASTER_PORT must say where the first of them listens"),
        (TORCHRUN | {"RANK": "one"}, "RANK .*got 'one'"),
        (SRUN | {"SLURM_STEP_NODELIST": ""}, "SLURM_JOB_NODELIST must list the nodes"),
    ],
)
def test_what_is_missing_is_said(environment, said):
    with pytest.raises(ValueError, match=said):
        place_in(environment)
