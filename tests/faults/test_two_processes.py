"""Two processes at one output: one complete file is there in the end, and nobody's work is lost without a word."""

import os
import signal
import threading
import time

import pytest
from faults.children import CONTEXT, in_child, wait_for
from faults.jobs import BY_NAME, command, contents, is_whole

import wideangle
from wideangle._locks import exclusively, hidden_name, sole_writer
from wideangle.exceptions import FileInUseError

STREAM = BY_NAME["fit --stream"]


def slow_fit(name, inputs, out, seconds):
    """Fit with a pause before the words are counted. Called in a child."""
    from wideangle.reading import reader, to_disk

    for module in (reader, to_disk):
        opened = module.open_path

        def late(*arguments, opened=opened):
            time.sleep(seconds)
            return opened(*arguments)

        module.open_path = late
    return BY_NAME[name].work(inputs, out), {}


def in_background(work):
    """Call a function in a thread: (the thread, the list that gets its result)."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    return thread, results


@pytest.mark.parametrize("name", ["fit", "fit --stream"])
@pytest.mark.quick_cases(1)
def test_two_fits_of_one_model(name, inputs, out, tmp_path):
    (first_folder := tmp_path / "first").mkdir()
    first, results = in_background(lambda: in_child(slow_fit, name, inputs, out, 1.0, folder=first_folder))
    lock = out / hidden_name("m.wideangle", "lock")
    wait_for(lambda: lock.exists() and lock.read_text())
    second = in_child(slow_fit, name, inputs, out, 0.0, folder=tmp_path)
    assert second.code == 1
    assert f"is making {out / 'm.wideangle'} at this moment. Wait until it has ended, or name another" in second.err
    assert "another process (process " in second.err
    first.join()
    assert results[0].code == 0, results
    assert list(contents(out)) == ["m.wideangle"]
    assert is_whole(out / "m.wideangle")


def test_a_killed_process_blocks_nobody_and_what_it_left_goes(inputs, out, tmp_path):
    """A fit is killed while it holds its lock and writes its model; the next one goes through and tidies up."""
    child = CONTEXT.Process(target=_write_for_ever, args=(out,))
    child.start()
    wait_for(lambda: len(list(out.iterdir())) == 3)  # the lock, a temporary file and a temporary folder
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    assert len(list(out.iterdir())) == 3
    ended = in_child(_all_three, inputs, out, folder=tmp_path)
    assert ended.code == 0, ended
    assert sorted(path.name for path in out.iterdir()) == ["counts", "m.wideangle"]


def _all_three(inputs, out):
    return BY_NAME["fit"].work(inputs, out) + BY_NAME["write_counts"].work(inputs, out), {}


def _write_for_ever(out):
    from wideangle._files import making_folder, replacing

    with (
        sole_writer(out / "m.wideangle"),
        replacing(out / "m.wideangle") as temporary,
        making_folder(out / "counts") as folder,
    ):
        temporary.write_text("half")
        (folder / "columns").write_text("half")
        time.sleep(600)


def test_a_temporary_file_that_is_being_written_stays(tmp_path):
    from wideangle._files import replacing

    path = tmp_path / "file"
    with replacing(path) as first:
        first.write_text("first")
        with replacing(path) as second:
            second.write_text("second")
        assert first.exists()
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_is_told_and_given_back(tmp_path):
    with (
        sole_writer(tmp_path / "m"),
        pytest.raises(FileInUseError, match=rf"process {os.getpid()}\) is making .*m at this moment. Wait until"),
        sole_writer(tmp_path / "m"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []
    with sole_writer(tmp_path / "m"):  # It can be had again.
        pass


def update_with(new, inputs, out):
    run = command("update", "{out}/m.wideangle", f"{{inputs}}/{new}", "--no-training")
    return run(inputs, out), {}


def test_two_updates_at_once_are_both_kept(inputs, out, tmp_path):
    """While one process has the model, two updates wait for it and each other; the documents of both are there."""
    BY_NAME["update"].prepare(inputs, out)
    mine = tmp_path / "in"
    mine.mkdir()
    for name in ("a", "b"):
        rows = "".join(f"{name}{number},wheat corn {name} harvest {number},farm\n" for number in range(3))
        (mine / f"{name}.csv").write_text(f"id,text,label\n{rows}")
    folders = [tmp_path / name for name in ("a", "b")]
    with exclusively(out / "m.wideangle"):
        for folder in folders:
            folder.mkdir()
        started = [
            in_background(lambda folder=folder: in_child(update_with, f"{folder.name}.csv", mine, out, folder=folder))
            for folder in folders
        ]
        wait_for(
            lambda: all(
                (folder / ".err").exists() and "waits until" in (folder / ".err").read_text() for folder in folders
            )
        )
    for thread, _ in started:
        thread.join()
    assert [results[0].code for _, results in started] == [0, 0]
    names = set(wideangle.load(out / "m.wideangle").documents_.names)
    assert {"a0", "a1", "a2", "b0", "b1", "b2"} <= names
    assert len(names) == 66


def replaced_meanwhile(inputs, out):
    """Update a model that another program replaces meanwhile. Called in a child."""
    from wideangle.commands.work.update import updating

    joined = updating.joined

    def then_replaced(*arguments):
        wideangle.load(inputs / "m.wideangle").save(out / "m.wideangle")
        return joined(*arguments)

    updating.joined = then_replaced
    return BY_NAME["update"].work(inputs, out), {}


def test_an_update_does_not_undo_what_another_program_wrote(inputs, out, tmp_path):
    BY_NAME["update"].prepare(inputs, out)
    ended = in_child(replaced_meanwhile, inputs, out, folder=tmp_path)
    assert ended.code == 1
    assert "was replaced by another program meanwhile, and is left as it is. Run this again." in ended.err
    assert len(wideangle.load(out / "m.wideangle").documents_) == 60


def test_two_countings_into_one_folder(inputs, tmp_path):
    from wideangle._engines import LocalProcesses
    from wideangle.reading.to_disk import Counting, read_to_disk

    here = Counting(LocalProcesses(1))

    with sole_writer(tmp_path / "s"), pytest.raises(FileInUseError, match="choose another folder"):
        read_to_disk(inputs / "corpus.csv", tmp_path / "s")
    first = read_to_disk(inputs / "corpus.csv", tmp_path / "s", counting=here)
    before = first.X[:].toarray()
    read_to_disk(inputs / "corpus.csv", tmp_path / "s", counting=here)  # It writes the same files anew.
    assert (first.X[:].toarray() == before).all()  # What the first maps is still there.


@pytest.mark.parametrize("name", ["assign", "explore", "transform", "Corpus.save"])
@pytest.mark.quick_cases(1)
def test_two_writers_of_one_table(name, inputs, out, tmp_path):
    """Each writes a whole file, and one of them is there in the end."""
    (folder := tmp_path / "first").mkdir()
    first, results = in_background(lambda: in_child(just, name, inputs, out, folder=folder))
    assert in_child(just, name, inputs, out, folder=tmp_path).code == 0
    first.join()
    assert results[0].code == 0
    assert list(contents(out)) == list(BY_NAME[name].writes)
    assert is_whole(out / BY_NAME[name].writes[0])


def just(name, inputs, out):
    return BY_NAME[name].work(inputs, out), {}
