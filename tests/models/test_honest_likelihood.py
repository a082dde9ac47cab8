"""Estimates of log Z over families of machines where it is known: within their claimed errors, or doubted."""

import numpy as np
import pytest
import torch
from known_machines import errors, estimated, honest, independent_blocks, independent_units, random_machine

from wideangle.functional.partition import exact_log_partition
from wideangle.models._boltzmann import likelihood as room

LENGTHS = [5.0, 30.0, 150.0]


@pytest.fixture(autouse=True)
def annealed(monkeypatch):
    """No sum over states is short enough to be taken instead."""
    monkeypatch.setattr(room, "MOST_TERMS", 0)


def exact_by_length(machine):
    return exact_log_partition(machine, torch.tensor(LENGTHS, dtype=torch.float64))


@pytest.mark.parametrize(("w", "blocks", "offset"), [(6.0, 4, 0.0), (6.0, 4, 0.05), (4.0, 4, -0.05), (4.0, 10, 0.05)])
def test_blocks_with_two_likely_states_each_are_estimated_rightly(w, blocks, offset):
    known = independent_blocks(w, blocks, offset, seed=blocks)
    found = estimated(known.machine, most=1200)
    assert found.doubt == ""
    assert honest(found, known.log_partition)
    # Half of the states of one block are worth 0.7 nats.
    assert abs(float(errors(found, known.log_partition)[0])) < 0.5


def test_states_that_no_path_leads_to_are_doubted():
    known = independent_blocks(6.0, 3, 0.5, slant=0.8)
    found = estimated(known.machine, most=300)
    assert "missed likely states" in found.doubt
    # What is proven of log Z is returned: nearly all of it.
    assert abs(float(errors(found, known.log_partition)[0])) < 1


def test_independent_units_are_no_matter_of_doubt():
    known = independent_units(30, 40)
    found = estimated(known.machine)
    assert (found.doubt, found.temperatures) == ("", 300)
    assert abs(float(errors(found, known.log_partition)[0])) < 0.1


@pytest.mark.parametrize("scale", [0.3, 0.6])
def test_random_machines_agree_with_enumeration(scale):
    rows = random_machine(12, 30, scale, seed=1)
    found = estimated(rows, most=1200)
    assert found.doubt == ""
    assert honest(found, exact_log_partition(rows))
    words = random_machine(12, 40, scale, seed=2)
    found = estimated(words, LENGTHS, most=1200)
    assert found.doubt == ""
    assert honest(found, exact_by_length(words))


def test_a_run_that_found_less_than_a_shorter_one_is_not_trusted():
    """A shorter run with a small error that lies far above: the longer one has missed what it saw."""
    one = torch.ones(1, dtype=torch.float64)
    lower = room.LogPartition(50 * one, 0.1 * one, 80 * one, 0 * one, exact=False)
    higher = room.LogPartition(60 * one, 0.1 * one, 80 * one, 0 * one, exact=False)
    judge = room.Judge(higher, 40 * one, one / 100, 300)
    assert "made log p 10.0% per token or unit higher" in judge.doubt(lower)
    assert room.Judge(lower, 40 * one, one / 100, 300).doubt(lower) == ""
    assert "missed likely states" in room.Judge(lower, 52 * one, one / 100, 300).doubt(lower)


@pytest.mark.slow
def test_blocks_of_all_kinds_are_honest_and_seldom_doubted():
    doubted, tried = 0, 0
    for w in (2.0, 4.0, 6.0, 8.0):
        for blocks in (1, 4, 10):
            for offset in (-0.1, -0.02, 0.0, 0.05):
                known = independent_blocks(w, blocks, offset, seed=tried)
                found = estimated(known.machine, seed=tried, most=4800)
                assert honest(found, known.log_partition), (w, blocks, offset, found)
                doubted, tried = doubted + bool(found.doubt), tried + 1
    assert doubted <= 0.1 * tried


@pytest.mark.slow
@pytest.mark.parametrize("slant", [0.3, 0.7, 0.9])
def test_uneven_blocks_are_honest(slant):
    for seed, offset in enumerate((-0.2, 0.0, 0.2, 0.4, 0.5)):
        known = independent_blocks(6.0, 3, offset, seed, slant)
        assert honest(estimated(known.machine, seed=seed, most=1200), known.log_partition), offset


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.2, 0.7, 1.5, 3.0])
def test_random_machines_of_all_kinds_are_honest_and_seldom_doubted(scale):
    doubted = 0
    for seed in range(8):
        rows = random_machine(12, 30, scale, seed)
        found = estimated(rows, seed=seed, most=4800)
        assert honest(found, exact_log_partition(rows)), seed
        doubted += bool(found.doubt)
    assert doubted <= 1


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.3, 0.7, 1.0])
def test_documents_err_to_both_sides_and_by_no_more_than_is_claimed(scale):
    scores, doubted = [], 0
    for seed in range(16):
        words = random_machine(13, 60, scale, seed)
        found = estimated(words, LENGTHS, seed=seed, most=4800)
        assert honest(found, exact_by_length(words)), seed
        doubted += bool(found.doubt)
        scores.append(errors(found, exact_by_length(words)) / found.standard_error)
    scores = np.array(scores)[:, -1]  # of the longest documents, which are the hardest
    assert doubted <= 2
    assert 2 <= (scores < 0).sum() <= 14
    assert np.abs(scores).max() < 3
