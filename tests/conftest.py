"""What all tests share."""

import os
import signal
import threading
from collections import defaultdict

import pytest
import torch

LIMIT_OF_SLOW_TESTS = 900  # seconds; pyproject.toml has that of the others


def pytest_configure(config: pytest.Config) -> None:
    # Two workers share two cores; more threads each only get in one another's way, also in the processes they start.
    # OMP_NUM_THREADS=2 runs the tests with two threads each all the same.
    torch.set_num_threads(int(os.environ.setdefault("OMP_NUM_THREADS", "1")))
    # torch gives some warnings once per process, so that the order of tests would decide which of them fails.
    torch.set_warn_always(True)
    # A shell starts what runs in the background (`nohup make test &`) with Ctrl-C ignored, and programs inherit that.
    # Tests send this signal to programs that they start, and so do the libraries that stop their own workers by it.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks, and before they are shuffled
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("quick_cases"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for of_test in cases.values():
        (wanted,) = of_test[0].get_closest_marker("quick_cases").args
        quick = {number * len(of_test) // wanted for number in range(wanted)}
        for number, item in enumerate(of_test):
            if number not in quick:
                item.add_marker(pytest.mark.slow)
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT_OF_SLOW_TESTS))


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def device(request: pytest.FixtureRequest) -> str:
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    return str(request.param)
