"""Processes of their own for faults: each is forked from one that has imported everything, and so begins in a moment.

A fault is a function that is called in the child before the work, such as one that mounts a small disk there. Mounts
are made in a namespace of the child alone, and go with it.
"""

import contextlib
import ctypes
import multiprocessing
import os
import resource
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 100  # seconds for one child, on a busy machine
CONTEXT = multiprocessing.get_context("forkserver") if sys.platform.startswith("linux") else None
NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000
READ_ONLY, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 32, 4096, 16384, 1 << 18


@dataclass
class Ended:
    """How a child ended: the exit code of the command, or of the process where it ended otherwise; what it printed."""

    code: int | None
    out: str
    err: str
    found: dict = field(default_factory=dict)
    """what the work gave back"""


def in_child(work, *arguments, folder, patience=PATIENCE):
    """Call a function of a module in a child. It returns (exit code, anything); the folder takes what it prints."""
    _start_server()
    here, there = CONTEXT.Pipe(duplex=False)
    printed = [Path(folder) / f".{name}" for name in ("out", "err")]
    child = CONTEXT.Process(target=_work, args=(there, printed, work, arguments))
    child.start()
    there.close()
    answer = None
    with here, contextlib.suppress(EOFError):
        if here.poll(patience):
            answer = here.recv()
    child.join(5)
    if child.is_alive():
        child.kill()
        child.join()
        raise TimeoutError(f"the child did not end: {printed[1].read_text()}")
    out, err = (path.read_text(errors="replace") if path.exists() else "" for path in printed)
    for path in printed:
        path.unlink(missing_ok=True)
    code, found = (child.exitcode, {}) if answer is None else answer
    return Ended(code, out, err, found)


def _start_server():
    """Start the process that children are forked from, unless it runs. It finds modules only by the environment."""
    from multiprocessing.forkserver import ensure_running

    CONTEXT.set_forkserver_preload(["faults.everything"])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    try:
        ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def _work(answers, printed, work, arguments):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])  # so that no further processes are started
    for number, path in enumerate(printed, 1):
        os.dup2(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o666), number)
    try:
        answers.send(work(*arguments))
    except BaseException:  # An error of the test itself must be seen in its output.
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)  # Threads of libraries that lack memory might not end.


def own_mounts():
    """Give this process a namespace of mounts; as a user who is not root, one of users too. OSError: not allowed."""
    user, group = os.getuid(), os.getgid()
    if user == 0:
        _call("unshare", NEW_MOUNTS)
    else:
        _call("unshare", NEW_MOUNTS | NEW_USERS)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _call("mount", b"none", b"/", None, RECURSIVE | PRIVATE, None)


def mount_small(folder, size):
    """A disk of so many bytes in place of a folder."""
    own_mounts()
    _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", 0, f"size={size},mode=0777".encode())


def mount_read_only(folder):
    """The folder as it is, but nothing in it can be written."""
    own_mounts()
    place = os.fsencode(folder)
    _call("mount", place, place, None, BIND, None)
    _call("mount", None, place, None, BIND | REMOUNT | READ_ONLY, None)


def obey_permissions():
    """Let permissions bind this process though it is root's: it gives up all that root may do besides."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # the version of the call, and this process
    _call("capset", header, (ctypes.c_uint32 * 6)())  # nothing is allowed


def limit_memory(more):
    """Let this process have so many bytes of addresses more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def why_no_mounts():
    """Why a child cannot mount anything here; empty where it can."""
    if CONTEXT is None:
        return "only Linux has namespaces of mounts"
    _start_server()
    process = CONTEXT.Process(target=_try_mounts)
    process.start()
    process.join()
    return "" if process.exitcode == 0 else "this system lets no process mount a disk of its own"


def _try_mounts():
    try:
        mount_small("/mnt", 2**20)
    except OSError:
        os._exit(1)
    os._exit(0)


def _call(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def wait_for(condition, seconds=60.0):
    """Wait until a condition holds; fail where it does not within so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.01)
