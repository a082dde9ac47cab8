"""Starts real processes that train together, as torchrun would, for tests."""

import os
import socket
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run_together(n, module, function, *arguments, timeout=110, fine=True):
    """Call a function of a module of the tests in n processes of one group; the exit codes and what they printed."""
    shared = {
        "WORLD_SIZE": str(n),
        "LOCAL_WORLD_SIZE": str(n),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]),
    }
    code = f"import sys, {module}; {module}.{function}(*sys.argv[1:])"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            env=os.environ | shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(n)
    ]
    try:
        printed = [process.communicate(timeout=timeout)[0] for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    codes = [process.returncode for process in started]
    assert not fine or codes == [0] * n, "\n".join(printed)
    return codes, printed
