"""A clock that jumps changes no result: only clocks that never go back decide anything."""

import ast
import itertools
import time
from pathlib import Path

import pytest
from faults.children import in_child
from faults.jobs import BY_NAME, JOBS, contents
from faults.laws import compared, done

import wideangle

ROOT = Path(wideangle.__file__).parent
# What tells the time of day: where it may be asked for, and why.
TOLD_TO_PEOPLE = {
    ("experiments/runner.py", "datetime.now"),  # a record says when it was made
    ("report/explorer.py", "date.today"),  # a page says when it was made
}
OF_THE_DAY = {"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
OF_THE_DAY |= {"time.localtime", "time.gmtime", "time.ctime", "time.strftime"}
JUMPS = (86_400 * 3650, -86_400 * 3650, 1e-3, 86_400, -86_400 * 20_000)  # the last one leads before 1980


def called(path):
    """The last two names of everything that a file calls."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute):
            before = node.value
            name = before.attr if isinstance(before, ast.Attribute) else getattr(before, "id", "")
            yield f"{name}.{node.attr}"


def test_nothing_asks_for_the_time_of_day_but_to_tell_it():
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in ROOT.rglob("*.py")
        for name in called(path)
        if name in OF_THE_DAY
    }
    assert found == TOLD_TO_PEOPLE


def under_jumping_clock(name, inputs, out):
    """Do a job while the clock of this process jumps forward and back at each look. Called in a child."""
    job = BY_NAME[name]
    job.prepare(inputs, out)
    looks, real = itertools.count(), time.time
    time.time = lambda: real() + JUMPS[next(looks) % len(JUMPS)]
    time.time_ns = lambda: int(1e9 * time.time())
    localtime = time.localtime
    time.localtime = lambda seconds=None: localtime(time.time() if seconds is None else seconds)
    code, number = done(job, inputs, out)
    return code, {"errno": number, **compared(job, {}, out)}


def in_peace(name, inputs, out):
    job = BY_NAME[name]
    job.prepare(inputs, out)
    return job.work(inputs, out), {}


SAME_BYTES = {"fit", "fit --stream", "update", "topics --rename", "topics", "assign", "transform to JSON", "model.save"}


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
@pytest.mark.quick_cases(2)
def test_a_clock_that_jumps(job, inputs, out, tmp_path):
    ended = in_child(under_jumping_clock, job.name, inputs, out, folder=tmp_path)
    assert ended.code == 0, ended
    assert ended.found["whole"], ended
    if job.name in SAME_BYTES:
        other = tmp_path / "other"
        other.mkdir()
        assert in_child(in_peace, job.name, inputs, other, folder=tmp_path).code == 0
        assert told(other) == told(out)


def told(folder):
    """What is in the files of a folder, without the seconds that a model remembers of its training."""
    found = contents(folder)
    for name in found:
        if name.endswith(".wideangle"):
            model = wideangle.load(folder / name)
            found[name] = (model.components_.tobytes(), [topic.name for topic in model.topics_], model.n_updates_)
    return found
