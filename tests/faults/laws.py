"""What must hold after a job failed, whatever the fault was."""

import errno

from faults.jobs import BY_NAME, contents, is_whole

FORBIDDEN = ("Traceback", "Exception ignored")


def done(job, inputs, out):
    """Do a job: (exit code, number of the system's error). A call from Python has an error instead of a code."""
    try:
        return job.work(inputs, out), None
    except OSError as error:
        return 1, error.errno if error.filename else "an error without the name of the file"
    except MemoryError:
        return 1, errno.ENOMEM


def only_done(name, inputs, out, fault, *arguments):
    """Do a job after a fault was made, and look at nothing: memory may be missing for that. Called in a child."""
    fault(out, *arguments)
    code, number = done(BY_NAME[name], inputs, out)
    return code, {"errno": number}


def with_fault(name, inputs, out, fault, *arguments):
    """Do a job in this process after a fault was made; called in a child."""
    job = BY_NAME[name]
    job.prepare(inputs, out)
    before = contents(out)
    fault(out, *arguments)
    code, number = done(job, inputs, out)
    return code, {"errno": number, **compared(job, before, out)}


def compared(job, before, out):
    """What became of the files that were there, and what is new."""
    after = contents(out)
    new = [name for name in after if name not in before]
    return {
        "changed": [name for name in before if after.get(name) != before[name]],
        "new": [name for name in new if not name.startswith(job.leaves or ("\0",))],
        "kept": [name for name in new if name.startswith(job.leaves or ("\0",))],
        "whole": all((out / name).exists() and is_whole(out / name) for name in job.writes),
    }


def assert_nothing_lost(ended, code=1):
    """A job that failed: the code is right, all is as it was, and nobody had to read a traceback."""
    assert ended.code == code, ended
    assert ended.found["changed"] == [], ended
    assert ended.found["new"] == [], ended
    assert not any(sign in ended.err for sign in FORBIDDEN), ended.err
