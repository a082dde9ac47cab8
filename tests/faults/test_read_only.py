"""A folder that cannot be written to: every job says so, and early. Protected files are not replaced."""

import errno
import os

import pytest
from faults.children import in_child, mount_read_only, obey_permissions
from faults.jobs import JOBS
from faults.laws import assert_nothing_lost, with_fault


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
@pytest.mark.quick_cases(4)
def test_a_disk_that_is_read_only(job, inputs, out, mounts, tmp_path):
    ended = in_child(with_fault, job.name, inputs, out, mount_read_only, folder=tmp_path)
    assert_nothing_lost(ended)
    if ended.found["errno"] is None:
        assert "may not be written to" in ended.err or "read-only" in ended.err, ended
        assert str(out) in ended.err
    else:
        assert ended.found["errno"] == errno.EROFS


def forbid_folder(out):
    obey_permissions()
    os.chmod(out, 0o555)


def protect_files(out):
    obey_permissions()
    for path in out.iterdir():
        os.chmod(path, 0o444)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
@pytest.mark.quick_cases(2)
def test_a_folder_without_permission(job, inputs, out, tmp_path):
    ended = in_child(with_fault, job.name, inputs, out, forbid_folder, folder=tmp_path)
    os.chmod(out, 0o755)
    assert_nothing_lost(ended)
    if ended.found["errno"] is None:
        assert "may not be" in ended.err, ended
        assert str(out) in ended.err
    else:
        assert ended.found["errno"] == errno.EACCES


@pytest.mark.parametrize("job", [job for job in JOBS if job.before], ids=lambda job: job.name)
@pytest.mark.quick_cases(2)
def test_a_write_protected_file_is_not_replaced(job, inputs, out, tmp_path):
    ended = in_child(with_fault, job.name, inputs, out, protect_files, folder=tmp_path)
    assert_nothing_lost(ended)
    assert "write-protected" in ended.err or "may not be read or written" in ended.err or ended.found["errno"], ended
