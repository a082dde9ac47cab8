"""What the tests of processes do in a program of their own, which may hang or crash without harm to the tests.

Each case is a function without arguments that fails where something is wrong. The program has two threads, because
forked children must not wait for the second one, which stays in the parent.
"""

import multiprocessing
import os
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import joblib
import numpy as np
import torch
from small_corpus import documents
from torch.utils.data import DataLoader, Dataset

from wideangle import BernoulliRBM, MLPClassifier, MutualAngularRegularizer, ReplicatedSoftmax, _parallel
from wideangle.baselines.documents import NMF
from wideangle.data import count_words
from wideangle.distributed import starting
from wideangle.functional import mutual_angular_score
from wideangle.tuning import running

PATIENCE = 60  # seconds for what takes one
TASKS = 4
SIZE = 512  # A product of two such matrices is divided among the threads.


def counts():
    return count_words([text for text, _ in documents()]).counts


def fit(seed=0):
    """The rows that a small model gives, after work that threads share."""
    product = torch.ones(SIZE, SIZE) @ torch.ones(SIZE, SIZE)
    assert float(product[0, 0]) == SIZE
    X = counts()
    return ReplicatedSoftmax(4, max_updates=20, random_state=seed, device="cpu").fit(X).transform(X)


def ask(model):
    return model.transform(counts())


def close(found, expected):
    """Children have one thread and their parent two, so that sums may have another order."""
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)


def ended(child):
    """The child has ended well, before our patience did."""
    child.join(PATIENCE)
    hangs = child.is_alive()
    if hangs:
        child.kill()
        child.join()
    assert not hangs, "a child waits for ever"
    assert child.exitcode == 0, child.exitcode


def forked(work, *arguments):
    child = multiprocessing.get_context("fork").Process(target=work, args=arguments)
    child.start()
    return child


def check_fit(expected):
    assert torch.get_num_threads() == 1
    close(fit(), expected)


def fork_after_a_fit():
    expected = fit()
    assert torch.get_num_threads() == 2  # else this shows nothing
    for child in [forked(check_fit, expected) for _ in range(2)]:
        ended(child)
    assert torch.get_num_threads() == 2
    close(fit(), expected)


def plain_fork_that_ends_as_programs_do():
    """With `os.fork`, and an end by `sys.exit`, which runs what libraries do at the end of a program."""
    expected = fit()
    child = os.fork()
    if child == 0:
        check_fit(expected)
        sys.exit(0)
    end = time.monotonic() + PATIENCE
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > end:
            os.kill(child, 9)
            os.waitpid(child, 0)
            raise AssertionError("a child waits for ever")
        time.sleep(0.02)
    assert status == 0, status


def grandchild(expected):
    check_fit(expected)
    ended(forked(check_fit, expected))


def fork_of_a_fork():
    ended(forked(grandchild, fit()))


def fork_while_threads_fit():
    expected, done = fit(), threading.Event()

    def go_on():
        while not done.is_set():
            fit()

    threads = [threading.Thread(target=go_on) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(6):
            time.sleep(0.03)
            ended(forked(check_fit, expected))
    finally:
        done.set()
        for thread in threads:
            thread.join()


def fork_from_a_thread():
    expected, failures = fit(), []

    def run():
        try:
            close(fit(), expected)
            ended(forked(check_fit, expected))
        except AssertionError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not failures, failures


def tune_once():
    with running.one_thread():
        fit()


def take_turn_to_start():
    assert starting._ONE_AT_A_TIME.acquire(timeout=1)


def fork_while_a_thread_is_in(block, work):
    """Threads take turns with the block. The child has no such thread, and must not wait for its turn."""
    inside, may_end = threading.Event(), threading.Event()

    def hold():
        with block:
            inside.set()
            may_end.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        ended(forked(work))
    finally:
        may_end.set()
        thread.join()


def fork_while_a_thread_tunes():
    fork_while_a_thread_is_in(running.one_thread(), tune_once)


def fork_while_a_thread_starts_processes():
    fork_while_a_thread_is_in(starting._ONE_AT_A_TIME, take_turn_to_start)


def double(number):
    return 2 * number


def work_in_processes():
    assert list(_parallel.work_in_order(double, range(5), 2)) == [0, 2, 4, 6, 8]


def fork_that_starts_processes():
    work_in_processes()
    ended(forked(work_in_processes))


def pool_of(method):
    expected = fit()
    context = multiprocessing.get_context(method)
    model = NMF(3, random_state=0).fit(counts())
    with context.Pool(2) as pool:
        found = pool.map_async(fit, [0] * TASKS).get(PATIENCE)
        asked = pool.map_async(ask, [model] * TASKS).get(PATIENCE)
    for each in found:
        close(each, expected)
    for each in asked:
        close(each, model.transform(counts()))


def pool_that_forks():
    pool_of("fork")


def pool_that_spawns():
    pool_of("spawn")


def pool_of_a_forkserver():
    pool_of("forkserver")


def executor_of_the_standard_library():
    expected = fit()
    with ProcessPoolExecutor(2) as pool:
        for each in pool.map(fit, [0] * TASKS, timeout=PATIENCE):
            close(each, expected)


def joblib_by(backend):
    expected = fit()
    for each in joblib.Parallel(2, backend=backend, timeout=PATIENCE)(joblib.delayed(fit)(0) for _ in range(TASKS)):
        close(each, expected)


def joblib_with_loky():
    joblib_by("loky")


def joblib_with_multiprocessing():
    joblib_by("multiprocessing")


class Represented(Dataset):
    """Rows that a fitted model represents, in the process that is asked."""

    def __init__(self):
        self.rows = (counts().toarray() > 0).astype(np.float32)
        self.model = BernoulliRBM(5, max_updates=20, random_state=0, device="cpu").fit(self.rows)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        return torch.as_tensor(self.model.transform(self.rows[number : number + 1])[0])


class FittedInWorkers(Dataset):
    def __len__(self):
        return TASKS

    def __getitem__(self, number):
        X = (counts().toarray() > 0).astype(np.float32)
        labels = np.arange(len(X)) % 2
        model = MLPClassifier([4], max_updates=10, random_state=number, device="cpu").fit(X, labels)
        return torch.as_tensor(model.predict_proba(X))


def loader_of(dataset, method):
    return DataLoader(dataset, batch_size=8, num_workers=2, multiprocessing_context=method, timeout=PATIENCE)


def loader_whose_workers_use_a_model():
    """The model was fitted before; meanwhile the parent trains a layer with the regulariser."""
    dataset = Represented()
    expected = torch.as_tensor(dataset.model.transform(dataset.rows))
    torch.manual_seed(0)
    layer = torch.nn.Linear(5, 6)
    regularizer = MutualAngularRegularizer()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    before = float(mutual_angular_score(layer.weight.detach()))
    for _ in range(2):
        found = []
        for rows in loader_of(dataset, "fork"):
            found.append(rows)
            optimizer.zero_grad()
            (layer(rows).square().mean() * 1e-3 - regularizer(layer.weight)).backward()
            optimizer.step()
        close(torch.cat(found), expected)
    assert float(mutual_angular_score(layer.weight.detach())) > before


def loader_whose_workers_fit():
    fit()
    (by_fork,) = loader_of(FittedInWorkers(), "fork")
    (by_spawn,) = loader_of(FittedInWorkers(), "spawn")
    close(by_fork, by_spawn)


def main():
    """Run the cases that are named, one after the other."""
    torch.set_num_threads(2)
    for name in sys.argv[1:]:
        globals()[name]()
