"""Work on parts by processes and by a Dask cluster: the same results, whatever happens to workers."""

import json
import logging
import os
import shutil
import signal
import time
from functools import partial

import pytest
from small_corpus import documents

from wideangle import _engines
from wideangle._engines import DaskCluster, LocalProcesses
from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read
from wideangle.reading.to_disk import Counting, read_to_disk

ROWS = [{"text": text, "label": label} for text, label in documents()]
KINDS = ("jsonl", "jsonl.gz", "many")


def cluster_of(workers, *, processes=True):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'wideangle[dask]'")
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=processes,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes that the slow tests share."""
    with cluster_of(2) as made:
        yield made


@pytest.fixture
def data(tmp_path):
    """The rows as a file, as a compressed file, which one process reads, and as many files."""
    import gzip

    lines = [json.dumps(row) + "\n" for row in ROWS]
    (tmp_path / "d.jsonl").write_text("".join(lines))
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode()))
    (tmp_path / "many").mkdir()
    for number in range(6):
        (tmp_path / "many" / f"{number}.jsonl").write_text("".join(lines[10 * number : 10 * number + 10]))
    return {"jsonl": tmp_path / "d.jsonl", "jsonl.gz": tmp_path / "d.jsonl.gz", "many": tmp_path / "many"}


def assert_counted(rows, path):
    expected = read(path)
    assert (rows.X[:] != expected.X).nnz == 0
    assert list(rows.names) == list(expected.names)
    assert list(rows.snippets) == list(expected.snippets)
    assert rows.classes.tolist() == expected.classes.tolist()
    assert list(rows.vocabulary) == list(expected.vocabulary)


def double(number):
    return 2 * number


def with_length(file, number):
    return number, len(file.read_bytes()), os.getpid()


def wait_and_note(number, *, pids):
    (pids / str(os.getpid())).touch()
    time.sleep(0.2)
    return number


def die(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_results_come_in_the_order_of_the_tasks():
    assert list(LocalProcesses(1).work(double, range(5))) == [0, 2, 4, 6, 8]


def test_counting_on_a_cluster_of_threads(data, tmp_path):
    """The quick one: its worker is a thread of this process."""
    with cluster_of(1, processes=False) as made:
        engine = DaskCluster(made.scheduler_address)
        assert list(engine.work(double, range(9))) == [double(number) for number in range(9)]
        rows = read_to_disk(data["jsonl"], tmp_path / "s", counting=Counting(engine, 900))
    assert_counted(rows, data["jsonl"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_counting_on_a_cluster_is_counting_here(kind, data, cluster, tmp_path):
    counting = Counting(DaskCluster(cluster.scheduler_address), 900)
    rows = read_to_disk(data[kind], tmp_path / "s", counting=counting)
    assert_counted(rows, data[kind])
    assert len(list((tmp_path / "s" / "parts").iterdir())) > 2


@pytest.mark.slow
def test_what_was_counted_here_is_used_by_a_cluster(data, cluster, tmp_path):
    said = []
    read_to_disk(data["many"], tmp_path / "s", counting=Counting(LocalProcesses(1), 900))
    (tmp_path / "s" / "parts" / "part-000002.npz").unlink()
    counting = Counting(DaskCluster(cluster.scheduler_address), 900)
    rows = read_to_disk(data["many"], tmp_path / "s", counting=counting, say=said.append)
    assert_counted(rows, data["many"])
    assert len(said) == 1


@pytest.mark.slow
def test_a_file_is_sent_to_the_workers_once(cluster, tmp_path):
    (tmp_path / "file").write_bytes(b"x" * 1000)
    engine = DaskCluster(cluster.scheduler_address)
    found = list(engine.work_with_file(with_length, tmp_path / "file", range(20)))
    assert [(number, length) for number, length, _ in found] == [(number, 1000) for number in range(20)]
    assert os.getpid() not in {pid for *_, pid in found}


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(data, tmp_path):
    killed = []
    with cluster_of(2) as made:

        def kill_one(done, total, note):
            if done == 2:
                killed.append(next(iter(made.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        counting = Counting(DaskCluster(made.scheduler_address), 300)
        rows = read_to_disk(data["jsonl"], tmp_path / "s", counting=counting, told=kill_one)
    assert killed
    assert_counted(rows, data["jsonl"])


@pytest.mark.slow
def test_the_only_worker_that_had_a_file_is_killed(tmp_path):
    """What was sent to it is sent again to the one that takes its place."""
    (tmp_path / "file").write_bytes(b"x" * 1000)
    with cluster_of(1) as made:
        pid = next(iter(made.workers.values())).pid
        found = []
        engine = DaskCluster(made.scheduler_address)
        for result in engine.work_with_file(with_length, tmp_path / "file", range(12)):
            found.append(result)
            if len(found) == 3:
                os.kill(pid, signal.SIGKILL)
    assert [number for number, *_ in found] == list(range(12))
    assert len({pid for *_, pid in found}) == 2


@pytest.mark.slow
def test_a_task_that_kills_workers_again_and_again(tmp_path):
    found = []
    with cluster_of(1) as made, pytest.raises(RuntimeError, match="again and again"):
        found.extend(DaskCluster(made.scheduler_address).work(die, range(6)))
    del found


@pytest.mark.slow
def test_both_workers_work(cluster, tmp_path):
    work = partial(wait_and_note, pids=tmp_path)
    assert list(DaskCluster(cluster.scheduler_address).work(work, range(8))) == list(range(8))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_a_worker_without_the_data(data, cluster, tmp_path):
    """The files are moved away after they were listed, as if the workers were computers with other disks."""
    counting = Counting(DaskCluster(cluster.scheduler_address), 900)
    hidden = tmp_path / "elsewhere"

    def hide(done, total, note):
        if not hidden.exists():
            shutil.move(data["many"], hidden)

    with pytest.raises(DataError, match="Dask cluster.*disk that all share"):
        read_to_disk(data["many"], tmp_path / "s", counting=counting, told=hide)
    shutil.move(hidden, data["many"])
    said = []
    rows = read_to_disk(data["many"], tmp_path / "s", counting=counting, say=said.append)
    assert_counted(rows, data["many"])
    assert "used again" in said[0]  # The part that was finished before was kept.


def test_a_full_disk_keeps_what_was_written(data, tmp_path, monkeypatch):
    import errno

    from wideangle.reading import to_disk

    plain, number = to_disk.replacing, []

    def full(path):
        if path.name == "part-000002.npz":
            number.append(path)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return plain(path)

    with cluster_of(1, processes=False) as made:
        counting = Counting(DaskCluster(made.scheduler_address), 900)
        monkeypatch.setattr(to_disk, "replacing", full)
        with pytest.raises(OSError, match="No space left"):
            read_to_disk(data["jsonl"], tmp_path / "s", counting=counting)
        monkeypatch.setattr(to_disk, "replacing", plain)
        said = []
        rows = read_to_disk(data["jsonl"], tmp_path / "s", counting=counting, say=said.append)
    assert [line.partition(" of ")[0] for line in said] == ["2 parts"]
    assert_counted(rows, data["jsonl"])


def test_a_cluster_without_workers(monkeypatch):
    monkeypatch.setattr(_engines, "PATIENCE", 0.2)
    with cluster_of(0) as made, pytest.raises(RuntimeError, match="dask worker"):
        list(DaskCluster(made.scheduler_address).work(double, [1]))


def test_an_address_where_nobody_answers():
    import dask

    pytest.importorskip("distributed")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "0.3s"}),
        pytest.raises(RuntimeError, match=r"tcp://127\.0\.0\.1:9 "),
    ):
        list(DaskCluster("tcp://127.0.0.1:9").work(double, [1]))


def test_a_worker_of_another_version(monkeypatch):
    answers = iter(["0.0.1", "0.1.0"])
    with cluster_of(1, processes=False) as made:
        monkeypatch.setattr(_engines, "_version", lambda: next(answers))
        with pytest.raises(RuntimeError, match=r"0\.1\.0.* 0\.0\.1"):
            list(DaskCluster(made.scheduler_address).work(double, [1]))


def test_options_are_part_of_what_is_used_again(data, tmp_path):
    """Parts that were counted by other rules are counted anew."""
    said = []
    counting = Counting(LocalProcesses(1), 900)
    read_to_disk(data["jsonl"], tmp_path / "s", counting=counting)
    read_to_disk(data["jsonl"], tmp_path / "s", ReadingOptions(ngrams=2), counting=counting, say=said.append)
    assert said == []
