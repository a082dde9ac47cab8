"""A disk that fills up: the error names the file, what was there stays, and the same works once there is room."""

import errno
import os
import resource

import pytest
from faults.children import in_child, mount_small
from faults.jobs import BY_NAME, JOBS, contents
from faults.laws import assert_nothing_lost, compared, done, with_fault

SIZE = 2**25
FILLER = ".filler"
# So many bytes are left on the disk. Some outputs are smaller than most of these, and are then written.
LEFT = [0, 4096, 8 * 4096, 14 * 4096]


def on_full_disk(name, inputs, out, left):
    """Do a job on a disk with so many bytes left, and again when there is room. Called in a child."""
    job = BY_NAME[name]
    mount_small(out, SIZE)
    job.prepare(inputs, out)
    before = contents(out)
    filler = out / FILLER
    about = os.statvfs(out)
    with filler.open("wb") as file:
        file.write(bytes(about.f_bavail * about.f_frsize - left))
    code, number = done(job, inputs, out)
    filler_found = filler.stat().st_size
    filler.unlink()
    found = {"errno": number, "filler": filler_found, **compared(job, before, out)}
    again = code if code == 0 else done(job, inputs, out)[0]
    return code, {**found, "again": again, "then": compared(job, {}, out)}


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
@pytest.mark.parametrize("left", LEFT)
@pytest.mark.quick_cases(3)
def test_a_disk_that_fills_up(job, left, inputs, out, mounts, tmp_path):
    ended = in_child(on_full_disk, job.name, inputs, out, left, folder=tmp_path)
    if job.goes_on and not ended.found["whole"]:
        assert ended.code == 0, ended
        assert "no checkpoint could be written" in ended.err
        assert ended.found["changed"] == ended.found["new"] == []
        return
    if ended.code == 0:  # There was room enough.
        assert left > 0
        assert ended.found["whole"], ended
    else:
        assert_nothing_lost(ended)
        if ended.found["errno"] is None:  # a command, and no call from Python
            assert "the disk is full" in ended.err, ended
            assert str(out) in ended.err
        else:
            assert ended.found["errno"] == errno.ENOSPC
    assert ended.found["again"] == 0, ended
    assert ended.found["then"]["whole"], ended
    assert not [name for name in ended.found["then"]["new"] if name.startswith(".")], ended


def limit_size(out, most):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
@pytest.mark.quick_cases(2)
def test_a_limit_on_the_size_of_files(job, inputs, out, tmp_path):
    ended = in_child(with_fault, job.name, inputs, out, limit_size, 300, folder=tmp_path)
    if job.goes_on:
        assert (ended.code, ended.found["new"]) == (0, []), ended
        assert "File too large. The fit goes on." in ended.err
    elif ended.err or ended.found.get("errno") is not None:
        assert_nothing_lost(ended)
        assert "larger than" in ended.err or ended.found["errno"] == errno.EFBIG, ended
    else:  # Its output is smaller.
        assert job.name == "write_counts"
