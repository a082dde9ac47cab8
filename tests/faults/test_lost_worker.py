"""A process of a pool that the system ends costs nothing but time; deaths without end are told."""

import sys
from functools import partial

import numpy as np
import pytest
from faults.deadly import deadly_jobs, doubled, with_deaths

from wideangle import ReplicatedSoftmax
from wideangle._engines import LocalProcesses
from wideangle._parallel import MOST_LOSSES, work_in_any_order, work_in_order
from wideangle.exceptions import LostWorkerError
from wideangle.reading import read
from wideangle.reading.to_disk import Counting, count_task, read_to_disk
from wideangle.tuning import cross_validate, running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
SAID = "a process was ended by the system, perhaps for lack of memory"


@pytest.fixture
def deaths(tmp_path):
    """A folder with one file per death that is still to come; call it with a number of them."""
    folder = tmp_path / "deaths"
    folder.mkdir()

    def prepared(number):
        for each in range(number):
            (folder / str(each)).touch()
        return folder

    return prepared


def test_what_a_killed_process_did_is_done_again(deaths):
    folder = deaths(1)
    with pytest.warns(UserWarning, match=SAID):
        found = list(work_in_order(doubled, ((number, folder) for number in range(20)), 2))
    assert found == [2 * number for number in range(20)]  # each once, in order
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_in_any_order_each_is_done_once(deaths):
    folder = deaths(2)
    with pytest.warns(UserWarning, match=SAID):
        found = list(work_in_any_order(doubled, [(number, folder) for number in range(20)], 2))
    assert sorted(found) == [2 * number for number in range(20)]


@pytest.mark.slow
def test_deaths_without_end_are_told_after_the_results_before_them(deaths):
    folder, found = deaths(MOST_LOSSES + 1), []
    with (
        pytest.warns(UserWarning, match=SAID),
        pytest.raises(LostWorkerError, match="Free some memory"),
    ):
        found.extend(work_in_order(doubled, ((number, folder) for number in range(20)), 2))
    assert list(folder.iterdir()) == []


def count_or_die(task, deaths):
    """Count a part of a source after the death of this process, if one is still to come."""
    return with_deaths(count_task, deaths, task)


@pytest.mark.slow
def test_counting_goes_on_without_a_process(deaths, tmp_path, monkeypatch):
    path = tmp_path / "d.jsonl"
    path.write_text("".join(f'{{"text": "wheat corn {number % 7} ship word{number}"}}\n' for number in range(2000)))
    monkeypatch.setattr("wideangle.reading.to_disk.count_task", partial(count_or_die, deaths=deaths(1)))
    with pytest.warns(UserWarning, match=SAID):
        found = read_to_disk(path, tmp_path / "s", counting=Counting(LocalProcesses(2), 5000))
    wanted = read(path)
    assert found.vocabulary == wanted.vocabulary
    assert (found.X[:] != wanted.X).nnz == 0


@pytest.mark.slow
def test_tuning_goes_on_without_a_process_and_finds_the_same(deaths, monkeypatch):
    counts = np.random.default_rng(0).poisson(1.0, (60, 12))
    model = ReplicatedSoftmax(max_updates=10, random_state=0, device="cpu")
    asked = {"diversity": [0, 1], "n_components": [2], "folds": 3, "measure": "agreement of halves", "seed": 0}
    wanted = cross_validate(model, counts, **asked)
    monkeypatch.setattr(running, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(running, "_with_job", deadly_jobs(deaths(1)))
    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    with pytest.warns(UserWarning, match=SAID):
        found = cross_validate(model, counts, **asked)
    assert [trial.scores for trial in found.trials] == [trial.scores for trial in wanted.trials]
