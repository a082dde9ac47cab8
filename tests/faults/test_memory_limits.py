"""Too little memory: a sentence says so, the exit code is 1, and no file is lost or half written."""

import errno
import os
import subprocess
import sys

import pytest
from faults.children import in_child, limit_memory
from faults.jobs import BY_NAME, JOBS, contents
from faults.laws import assert_nothing_lost, compared, only_done

SAID = "there is not enough memory. Take fewer --words or components, or a part of the data; or close other programs"
# So many bytes a job gets besides what its process has when it begins.
MORE = [2**16, 2**20, 2**22, 2**25]


def limited(out, more):
    limit_memory(more)


def limited_later(out, more):
    """Set the limit when linear algebra has its buffers, so that memory is missing in the middle of the work."""

    from wideangle.commands.work.shared import memory

    memory.reserve_for_algebra()
    memory.BUFFERS = 4096
    limit_memory(more)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
@pytest.mark.parametrize(("fault", "more"), [(limited, 0), *((limited_later, more) for more in MORE)])
@pytest.mark.quick_cases(4)
def test_a_limit_of_memory(job, more, fault, inputs, out, tmp_path):
    job.prepare(inputs, out)
    before = contents(out)
    ended = in_child(only_done, job.name, inputs, out, fault, more, folder=tmp_path)
    ended.found |= compared(job, before, out)
    if ended.code == 0:
        assert ended.found["whole"], ended
        return
    assert_nothing_lost(ended)
    if ended.found["errno"] is None:
        assert SAID in ended.err, ended
    else:
        assert ended.found["errno"] == errno.ENOMEM


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [150, 600, 2400])
def test_a_limit_from_the_start(megabytes, inputs, out):
    """As `ulimit -v` sets it: libraries may not even be loaded."""
    BY_NAME["fit"].prepare(inputs, out)
    before = (out / "m.wideangle").read_bytes()
    command = f'ulimit -v {1024 * megabytes}; exec "$@"'
    fit = ["fit", inputs / "corpus.csv", "-k", "3", "--updates", "20", "--quiet", "-o", out / "m.wideangle"]
    done = subprocess.run(
        ["bash", "-c", command, "bash", sys.executable, "-m", "wideangle", *fit],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    if done.returncode != 0:
        assert (out / "m.wideangle").read_bytes() == before
        assert done.returncode == 1, done
        assert "memory" in done.stderr.lower() or "failed to map segment" in done.stderr, done.stderr
    assert [path.name for path in out.iterdir() if not path.name.endswith(".lock")] == ["m.wideangle"]
