"""Fits and questions of several threads at once give the bits that one thread gives, and leave nothing behind."""

import os
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from _small_fits import answers, data_for, estimator_of, fitted
from small_corpus import documents

import wideangle
from wideangle import _parallel
from wideangle._quiet import silenced
from wideangle.catalogue import SHIPPED
from wideangle.data import count_words
from wideangle.distributed import starting
from wideangle.documents import Reading
from wideangle.models import ReplicatedSoftmax
from wideangle.searching import Searcher
from wideangle.tuning import running
from wideangle.view import ModelView

THREADS = 4
each_entry = pytest.mark.parametrize("entry", SHIPPED, ids=lambda entry: entry.name)


def same_bits(one, other):
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.tobytes() == other[name].tobytes(), name


def at_once(functions):
    """The results of functions that threads begin at the same moment."""
    together = threading.Barrier(len(functions))

    def begin(function):
        together.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(begin, functions))


@pytest.fixture
def one_thread_each():
    """Torch's number of threads is one per thread of ours, so that it cannot be a reason for other bits."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def state_of_process():
    """What all threads share and a fit must leave as it was."""
    # The old global generator is the one that other code shares with us.
    _, keys, position, *_ = np.random.get_state()  # noqa: NPY002
    random = keys.tobytes(), position, torch.get_rng_state().numpy().tobytes()
    return random, np.geterr(), torch.is_grad_enabled(), torch.get_num_threads(), dict(os.environ), os.getcwd()


@pytest.mark.quick_cases(3)
@each_entry
def test_the_same_estimator_in_threads(entry, one_thread_each):
    data = data_for(entry, 60, 40)

    def run():
        return answers(entry, fitted(entry, data), data[0])

    expected, before = run(), state_of_process()
    for found in at_once([run] * THREADS):
        same_bits(found, expected)
    assert state_of_process() == before


def test_different_estimators_in_threads(one_thread_each):
    chosen = [entry for entry in SHIPPED if entry.needs is None]
    data = [data_for(entry, 60, 40) for entry in chosen]
    expected = [answers(entry, fitted(entry, rows), rows[0]) for entry, rows in zip(chosen, data, strict=True)]
    with ThreadPoolExecutor(THREADS) as pool:
        models = pool.map(fitted, chosen, data)
        found = list(pool.map(answers, chosen, models, [rows for rows, _ in data]))
    for one, other in zip(found, expected, strict=True):
        same_bits(one, other)


@pytest.mark.quick_cases(3)
@each_entry
def test_threads_share_a_fitted_model(entry, one_thread_each, tmp_path):
    data = data_for(entry, 60, 40)
    model = fitted(entry, data)
    expected = answers(entry, model, data[0])
    model.save(tmp_path / "model.wideangle")
    loaded = wideangle.load(tmp_path / "model.wideangle")  # has made nothing yet that it keeps for the next question
    for found in at_once([lambda: answers(entry, loaded, data[0])] * THREADS):
        assert found["represented"].tobytes() == expected["represented"].tobytes()
        assert np.array_equal(found["neighbours"], expected["neighbours"])
        if "topics" in expected:
            assert np.array_equal(found["topics"], expected["topics"])


def test_threads_share_a_searcher(one_thread_each):
    corpus = count_words([text for text, _ in documents()])
    model = ReplicatedSoftmax(4, max_updates=30, random_state=0).fit(corpus.counts)
    model.vocabulary_, model.reading_ = corpus.vocabulary.tolist(), Reading("counts")
    view = ModelView.of(model)
    kept = view.documents(corpus.counts, counts=corpus.counts)
    queries = ["wheat harvest", "ship", "loan market", "report year", "corn port"] * 4

    def found(searcher, query):
        return [(hit.number, hit.score) for hit in searcher.search(query, 10).hits]

    expected = [found(Searcher(view, kept), query) for query in queries]
    shared = Searcher(view, kept)
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(lambda query: found(shared, query), queries)) == expected


def test_silence_is_of_one_thread():
    """Blocks that overlap: each thread hears its own warnings, and no filter stays that ignores them."""
    inside, may_leave = threading.Barrier(2), threading.Event()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")

        def silent():
            with silenced(UserWarning):
                inside.wait()
                may_leave.wait()
                warnings.warn("a thread that asked for silence", UserWarning, stacklevel=1)

        thread = threading.Thread(target=silent)
        thread.start()
        inside.wait()
        warnings.warn("meanwhile", UserWarning, stacklevel=1)
        with silenced(UserWarning, "only this"):
            may_leave.set()
            thread.join()
            warnings.warn("only this is silent", UserWarning, stacklevel=1)
            warnings.warn("and not this", UserWarning, stacklevel=1)
        warnings.warn("afterwards", UserWarning, stacklevel=1)
    assert [str(each.message) for each in heard] == ["meanwhile", "and not this", "afterwards"]


def test_filters_do_not_grow():
    with warnings.catch_warnings():
        for message in ("", "one", "", "one"):
            with silenced(UserWarning, message):
                pass
        length = len(warnings.filters)
        for _ in range(50):
            with silenced(UserWarning), silenced(UserWarning, "one"):
                pass
        assert len(warnings.filters) == length
        warnings.simplefilter("error")  # comes before the others
        with silenced(UserWarning):
            warnings.warn("still silent", UserWarning, stacklevel=1)


def test_numbers_of_threads_are_left_as_they_were():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:

        def tune(seconds):
            with running.one_thread():
                assert torch.get_num_threads() == 1
                time.sleep(seconds)

        at_once([lambda: tune(0.05), lambda: tune(0.1), lambda: tune(0.02)])
        assert torch.get_num_threads() == 3
        with ThreadPoolExecutor(1) as pool:  # a new thread takes the number of the process
            assert pool.submit(torch.get_num_threads).result() == 3
    finally:
        torch.set_num_threads(before)


def test_the_environment_is_not_emptied(monkeypatch):
    """Other threads read it while processes are started, and what they set stays."""
    monkeypatch.setenv("WIDEANGLE_TEST", "here")
    monkeypatch.delenv("TORCHELASTIC_TEST", raising=False)
    missing, done = [], threading.Event()

    def watch():
        while not done.is_set():
            if os.environ.get("WIDEANGLE_TEST") != "here":
                missing.append(True)

    thread = threading.Thread(target=watch)
    thread.start()
    for _ in range(200):
        with starting._environment(OMP_NUM_THREADS="7"):
            os.environ["TORCHELASTIC_TEST"] = "set by the agent"
    with starting._environment(OMP_NUM_THREADS="7"):
        monkeypatch.setenv("SET_BY_ANOTHER_THREAD", "stays")
    done.set()
    thread.join()
    assert not missing
    assert os.environ["SET_BY_ANOTHER_THREAD"] == "stays"
    assert "TORCHELASTIC_TEST" not in os.environ


def slowly(number):
    time.sleep(0.02)
    return number, os.getpid()


@pytest.mark.slow
def test_threads_that_start_processes_do_not_end_those_of_others():
    import joblib

    def ours(n):
        return [number for number, _ in _parallel.work_in_order(slowly, range(n), 2)]

    def theirs():
        return joblib.Parallel(2)(joblib.delayed(slowly)(number) for number in range(200))

    short, long, shared = at_once([lambda: ours(4), lambda: ours(150), theirs])
    assert short == list(range(4))
    assert long == list(range(150))
    assert [number for number, _ in shared] == list(range(200))


def test_estimators_are_made_anew():
    """No default value of a parameter is an object that fits could change for others."""
    for entry in SHIPPED:
        for value in estimator_of(entry).get_params(deep=False).values():
            assert not isinstance(value, list | dict | set | np.ndarray | np.random.Generator)
