"""Two and three real processes train to what one process learns from the same mini-batches."""

import json

import numpy as np
import pytest
from real_processes import run_together
from training_cases import CASES, fitted, learned

HERE = "distributed_training.in_processes"
# Sums of float32 in another order differ by some roundings, which hundreds of updates may enlarge.
CLOSE = {"rtol": 2e-3, "atol": 2e-4}


QUICK = ["sparse counts", "pairs, sparse, few violations", "classes, two layers", "DocNADE, splits"]


@pytest.mark.parametrize(
    ("n", "names"),
    [
        pytest.param(2, QUICK, id="two, some"),
        pytest.param(2, list(CASES), id="two, all", marks=pytest.mark.slow),
        pytest.param(3, list(CASES), id="three, all", marks=pytest.mark.slow),
    ],
)
def test_every_trainer_learns_what_one_process_learns(tmp_path, n, names):
    run_together(n, HERE, "fit_some", tmp_path, *names)
    for name in names:
        ranks = [np.load(tmp_path / f"{name}-{rank}.npz") for rank in range(n)]
        alone = learned(fitted(name))
        assert set(ranks[0]) == set(alone), name
        for key, values in alone.items():
            np.testing.assert_allclose(ranks[0][key], values, **CLOSE, err_msg=f"{name}: {key}")
            for other in ranks[1:]:  # The parameters of all processes are the same, to the last bit.
                np.testing.assert_array_equal(other[key], ranks[0][key], err_msg=f"{name}: {key}")


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3])
def test_products_that_are_divided_by_rows_are_the_same(tmp_path, n):
    run_together(n, HERE, "divide_products", tmp_path)
    for rank in range(n):
        found = json.loads((tmp_path / f"{rank}.json").read_text())
        assert found.pop("all parts")
        assert len(found) == 6
        for name, differences in found.items():
            assert np.abs(differences).max() < 1e-12, name


def test_errors_say_what_differs_and_in_which_process(tmp_path):
    run_together(2, HERE, "meet_errors", tmp_path)
    one, other = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2))
    assert one == other  # Each process raises the error, so that none waits for another.
    assert "learning_rate is 0.1 in process 0, 0.2 in process 1" in one["options"]
    assert "process 1 of 2 got no rows" in one["empty"]
    assert "shape of X is (160, 80) in process 0, (159, 80) in process 1" in one["shape"]
    assert "content of X" in one["content"]
    assert "1 rows, fewer than the 2 processes" in one["small batch"]
    assert "already one of several" in one["nested"]
    assert "drifted apart by update 10" in one["apart"]
    assert one["fine"] == "no error"
