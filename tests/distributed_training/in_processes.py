"""What processes do in the tests of training together. Each function is called in all of them."""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from training_cases import BITS, COUNTS, fitted, learned

from wideangle.distributed import fit_in_processes
from wideangle.exceptions import ProcessesError
from wideangle.functional import value_and_gradient
from wideangle.functional.metrics import Covariance
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.models._training.trainer import Trainer
from wideangle.process_group import group as groups
from wideangle.process_group.group import Group


def fit_some(folder, *names):
    """Fit some cases, and leave what was learned."""
    group = Group.current()
    for name in names:
        np.savez(Path(folder) / f"{name}-{group.rank}.npz", **learned(fitted(name)))


def divide_products(folder):
    """The regulariser with rows divided among the processes, and by each of them alone."""
    groups.DIVIDED_FROM = 1
    group = Group.current()
    calls = []

    def by_rows(n, compute):
        def counted(some):
            found = compute(some)
            calls.append((len(found), n))
            return found

        return group.by_rows(n, counted)

    generator = torch.Generator().manual_seed(0)
    A = torch.randn((17, 40), generator=generator, dtype=torch.float64)
    rows = Covariance(torch.randn((60, 40), generator=generator, dtype=torch.float64))
    found = {}
    for surrogate in ("angle", "bound", "volume"):
        for name, metric in (("identity", None), ("covariance", rows)):
            value, alone = value_and_gradient(A, surrogate, metric=metric)
            same, divided = value_and_gradient(A, surrogate, metric=metric, by_rows=by_rows)
            found[f"{surrogate} {name}"] = [float((alone - divided).abs().max()), float(value - same)]
    found["all parts"] = all(part < n for part, n in calls)
    (Path(folder) / f"{group.rank}.json").write_text(json.dumps(found))


def meet_errors(folder):
    """The messages of what goes wrong, in the order of the tests."""
    group = Group.current()
    first = group.rank == 0
    said = {}

    def note(name, call):
        try:
            call()
            said[name] = "no error"
        except ProcessesError as error:
            said[name] = str(error)

    def drifting():
        """One process moves its parameters alone."""
        update = Trainer.update

        def apart(self, *batch):
            if group.rank == 1 and self.updates == 10:
                with torch.no_grad():
                    self.parameters()[0].add_(1.0)
            return update(self, *batch)

        Trainer.update = apart
        try:
            BernoulliRBM(3, max_updates=40, random_state=0).fit(BITS)
        finally:
            Trainer.update = update

    short = {"max_updates": 5, "random_state": 0}
    note("options", lambda: BernoulliRBM(3, learning_rate=0.1 if first else 0.2, **short).fit(BITS))
    note("empty", lambda: ReplicatedSoftmax(3, **short).fit(COUNTS if first else COUNTS[:0]))
    note("shape", lambda: ReplicatedSoftmax(3, **short).fit(COUNTS if first else COUNTS[:-1]))
    note("content", lambda: BernoulliRBM(3, **short).fit(BITS if first else 1 - BITS))
    note("small batch", lambda: BernoulliRBM(3, batch_size=1, **short).fit(BITS))
    note("nested", lambda: fit_in_processes(BernoulliRBM(3, **short), BITS, processes=2))
    note("apart", drifting)
    note("fine", lambda: BernoulliRBM(3, verbose=first, **short).fit(BITS))  # This option may differ.
    one = BernoulliRBM(3, max_updates=5).fit(BITS)  # No seed was given: the first process draws it for all.
    said["unseeded"] = str(one.components_.tobytes().hex())
    (Path(folder) / f"{group.rank}.json").write_text(json.dumps(said))


def command(*arguments):
    """The command line, whose packages a machine with GPUs may lack."""
    from wideangle.cli import main

    sys.exit(main(list(arguments)))


def train_on_gpu(folder):
    """A fit on the GPUs that there are."""
    group = Group.current()
    model = ReplicatedSoftmax(5, max_updates=200, random_state=0, device="cuda").fit(COUNTS)
    backend = str(torch.distributed.get_backend_config())
    (Path(folder) / f"{group.rank}.json").write_text(
        json.dumps({"components": model.components_.tolist(), "loss": model.history_[-1].loss, "backend": backend})
    )
