"""Training in several processes. `fit_in_processes` starts them on this machine, `torchrun` and `srun` on any.

Under `torchrun`, or `srun` of SLURM, no function of this room is needed: `fit` of the models joins the other processes.
"""

from wideangle.distributed.starting import fit_in_processes
from wideangle.models._training.checkpoint import Checkpoints

__all__ = ["Checkpoints", "fit_in_processes"]
