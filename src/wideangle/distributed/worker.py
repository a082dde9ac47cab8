"""What each process of `fit_in_processes` does: python -m wideangle.distributed.worker FOLDER"""

import sys
from pathlib import Path

from wideangle.distributed.job import FITTED, LASTING, has_failed, note_failure, read_job
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.process_group.group import Group


def work(folder: Path) -> None:
    """Fit with the other processes. The first one leaves the fitted model in the folder."""
    if has_failed(folder):  # Another process failed for a reason that stays, and the agent has started all anew.
        return
    try:
        job, model, data = read_job(folder)
        with Checkpoints(job.checkpoints, job.every_seconds):
            model.fit(**data)
        if Group.current().rank == 0:
            model.save(folder / FITTED)
    except LASTING as error:
        note_failure(folder, error)


if __name__ == "__main__":
    work(Path(sys.argv[1]))
