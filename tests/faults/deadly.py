"""Work during which processes are killed, for tests of lost workers. Processes of their own import it."""

import os
import signal
import time
from functools import partial


def doubled(task):
    """Twice the number of a task. Its process dies of number 7 as often as the folder has files left to take away."""
    number, folder = task
    if number == 7 and folder is not None:
        die_once(folder)
    return 2 * number


def die_once(folder):
    """Kill this process, as the system does where memory is missing, if a file is left; take the file away."""
    left = sorted(folder.iterdir())
    if left:
        left[0].unlink()
        time.sleep(0.1)  # Tasks of the other processes go on meanwhile.
        os.kill(os.getpid(), signal.SIGKILL)


def with_deaths(work, folder, *arguments):
    """Do a piece of work after perhaps dying."""
    die_once(folder)
    return work(*arguments)


def deadly_jobs(folder):
    """What tuning calls in other processes, with deaths."""
    from wideangle.tuning import running

    return partial(with_deaths, running._with_job, folder)
