"""`wideangle fit` that was interrupted goes on from its last checkpoint, and ends with the same bits."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import safetensors
import safetensors.numpy

from wideangle.cli import main
from wideangle.models._training import checkpoint

UPDATES, DOCUMENTS = 1500, 2000  # A fit takes some seconds, so that it can be killed in the middle.
ONE_THREAD = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A file of so many documents that a fit takes all its updates."""
    rng = random.Random(0)
    words = [["".join(rng.choices("bcdfghjklm", k=7)) for _ in range(30)] for _ in range(12)]
    path = tmp_path_factory.mktemp("texts") / "texts.txt"
    path.write_text("".join(" ".join(rng.choices(rng.choice(words), k=20)) + "\n" for _ in range(DOCUMENTS)))
    return path


def command(texts, to):
    options = ["-k", "6", "--updates", str(UPDATES), "--checkpoint-every", "0", "-o", str(to)]
    return [sys.executable, "-m", "wideangle", "fit", str(texts), *options]


def run(texts, to):
    done = subprocess.run(command(texts, to), env=ONE_THREAD, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


def content(path):
    """All arrays of a model file, and its document without the seconds that records took and its checksum."""
    with safetensors.safe_open(path, "np") as file:
        document = json.loads(file.metadata()["wideangle"])
    document.pop("sha256")

    def timeless(node):
        if isinstance(node, dict):
            return {key: timeless(part) for key, part in node.items() if key != "seconds"}
        return [timeless(part) for part in node] if isinstance(node, list) else node

    return safetensors.numpy.load_file(path), timeless(document)


def assert_same_model(path, other):
    (one, said), (two, said_too) = content(path), content(other)
    assert set(one) == set(two)
    for name, array in one.items():
        np.testing.assert_array_equal(array, two[name], err_msg=name)
    assert said == said_too


@pytest.fixture(scope="module")
def undisturbed(texts, tmp_path_factory):
    to = tmp_path_factory.mktemp("undisturbed") / "m.wideangle"
    run(texts, to)
    assert [path.name for path in to.parent.iterdir()] == [to.name]  # The checkpoints are deleted.
    return to


def kill_when(process, is_time):
    """Kill a process without warning when it is time, or when it has ended; whether it was killed."""
    while process.poll() is None and not is_time():
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


@pytest.mark.timeout(600)  # It runs four programs, each of which a busy machine may need a minute for.
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_killed_before_and_within_the_training_it_ends_with_the_same_bits(texts, tmp_path, undisturbed):
    to = tmp_path / "m.wideangle"
    folder = tmp_path / "m.wideangle.checkpoints"

    def written():
        return {path.stat().st_mtime_ns for path in folder.glob("*.checkpoint")} if folder.is_dir() else set()

    for moment in ("before", "within"):
        process = subprocess.Popen(command(texts, to), env=ONE_THREAD, stderr=subprocess.DEVNULL)
        began, seen = time.monotonic(), written()

        def is_time(began=began, seen=seen, moment=moment):
            seen |= written()
            return time.monotonic() - began > 1 if moment == "before" else len(seen) >= 3

        assert kill_when(process, is_time)
        assert not to.exists()
        assert written() or moment == "before"  # A quick machine may have written one within that second.
    done = run(texts, to)
    assert "this fit was interrupted, and goes on from" in done.stderr
    assert_same_model(to, undisturbed)
    assert [path.name for path in tmp_path.iterdir()] == [to.name]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_killed_fifty_times_at_random_moments_it_ends_with_the_same_bits(texts, tmp_path, undisturbed):
    began = time.monotonic()
    run(texts, tmp_path / "timed.wideangle")
    whole = time.monotonic() - began
    to, rng, kills, finished = tmp_path / "m.wideangle", random.Random(0), 0, 0
    while kills < 50:
        process = subprocess.Popen(command(texts, to), env=ONE_THREAD, stderr=subprocess.DEVNULL)
        until = time.monotonic() + rng.uniform(0, whole)
        if kill_when(process, lambda until=until: time.monotonic() > until):
            kills += 1
        if to.exists():  # Some runs end before they are killed, and the next one begins anew.
            assert_same_model(to, undisturbed)
            finished += 1
            to.unlink()
    run(texts, to)
    assert_same_model(to, undisturbed)
    assert finished


def interrupt_after(monkeypatch, n_checkpoints):
    """Let Ctrl-C come after so many checkpoints."""
    offer, left = checkpoint.Training.offer, n_checkpoints

    def then_interrupt(self, make, records, final=False):
        nonlocal left
        offer(self, make, records, final)
        left -= 1
        if not left:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint.Training, "offer", then_interrupt)


def fit(corpus, to, *more):
    updates = [] if "lda" in more else ["--updates", "60"]
    return main(["fit", str(corpus / "corpus.csv"), "-k", "3", *updates, "-o", str(to), *more])


def interrupted(corpus, to, monkeypatch, *more, after=2):
    with monkeypatch.context() as patch:
        interrupt_after(patch, after)
        assert fit(corpus, to, "--checkpoint-every", "0", *more) == 130


def test_after_ctrl_c_the_command_says_how_to_go_on(corpus, tmp_path, monkeypatch, capsys):
    to, whole = tmp_path / "m.wideangle", tmp_path / "whole.wideangle"
    interrupted(corpus, to, monkeypatch)
    assert "The same command goes on from" in " ".join(capsys.readouterr().err.split())
    assert fit(corpus, to) == 0
    assert "goes on from" in " ".join(capsys.readouterr().err.split())
    assert fit(corpus, whole) == 0
    assert "goes on from" not in " ".join(capsys.readouterr().err.split())
    assert_same_model(to, whole)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-k", "4"], "n_components was 3, and is 4"),
        (["--words", "20"], "--words was not given, and is 20"),
        (["--hold-out", "0.5"], "--hold-out was not given, and is 0.5"),
        (["--seed", "1"], "random_state was 0, and is 1"),
    ],
)
def test_other_options_are_refused_with_what_differs_and_may_begin_anew(
    corpus, tmp_path, monkeypatch, capsys, more, said
):
    to = tmp_path / "m.wideangle"
    interrupted(corpus, to, monkeypatch)
    capsys.readouterr()
    assert fit(corpus, to, *more) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert said in told
    assert "begin anew with --fresh" in told
    assert (tmp_path / "m.wideangle.checkpoints").is_dir()  # The first fit can still go on.
    assert fit(corpus, to, *more, "--fresh") == 0
    assert [path.name for path in tmp_path.iterdir()] == [to.name]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("more", [["--diversity", "auto"], ["--stream"], ["--model", "lda"], ["--model", "distance"]])
def test_other_ways_to_fit_go_on_as_well(corpus, tmp_path, monkeypatch, more):
    to, whole = tmp_path / "m.wideangle", tmp_path / "whole.wideangle"
    interrupted(corpus, to, monkeypatch, *more, after=1 if "lda" in more else 3)
    assert fit(corpus, to, *more) == 0
    assert fit(corpus, whole, *more) == 0
    assert_same_model(to, whole)


def test_what_was_learned_is_kept_where_the_model_cannot_be_written(corpus, tmp_path, monkeypatch, capsys):
    from wideangle.models import ReplicatedSoftmax

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    to, whole = tmp_path / "m.wideangle", tmp_path / "whole.wideangle"
    with monkeypatch.context() as patch:
        patch.setattr(ReplicatedSoftmax, "save", full)
        assert fit(corpus, to) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert "the disk is full" in told
    assert "The same command goes on from there" in told
    assert fit(corpus, to) == 0
    assert fit(corpus, whole) == 0
    assert_same_model(to, whole)


def test_an_error_before_the_first_checkpoint_leaves_nothing(corpus, tmp_path):
    assert (
        main(["fit", str(corpus / "corpus.csv"), "--model", "nmf", "--for", "auto", "-o", "x", "--text-column", "?"])
        > 0
    )
    assert main(["fit", str(corpus / "arrays.npz"), "-o", str(tmp_path / "m.wideangle")]) == 1
    assert not list(tmp_path.iterdir())
