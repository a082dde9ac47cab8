"""Checkpoints, read by the fits that go on from them.

Little here knows the format: files are written and read in a block of `Checkpoints`, as users do it, and changed as
safetensors files with one JSON document are.
"""

import os
from contextlib import contextmanager
from functools import partial
from unittest import mock

import numpy as np
from fuzzing.folders import folder_packed, mutate_folder, unpack_to
from fuzzing.of_archives import packed, unpacked
from fuzzing.of_bytes import mutate_bytes
from fuzzing.of_tensors import mutate_tensors
from fuzzing.target import BrokenLawError, Subject, Target, only
from training_cases import CASES, learned

from wideangle.exceptions import CheckpointError, CheckpointWarning, DivergenceError, ZeroComponentWarning
from wideangle.models._training.checkpoint import Checkpoints

FITS = ("sparse counts", "bits, persistent chains", "pairs, validated", "classes, two layers", "DocNADE, splits")
UPDATES = 22  # One checkpoint falls before the end. Longer fits would show the same in more time.
# Whoever signs a file anew can put numbers into it with which the fit overflows, or components without a direction.
BY_NUMBERS = (RuntimeWarning, ZeroComponentWarning)
NAME = "which fit"  # a file of the content that says to which fit the others belong


def targets():
    """Files that were damaged, and files that somebody changed and signed anew; both of all trainers."""
    damaged = partial(_subject, mutate_file=mutate_bytes)
    forged = partial(_subject, mutate_file=mutate_tensors, warned=BY_NUMBERS)
    return [Target("checkpoint", damaged), Target("forged checkpoint", forged)]


def _subject(folder, mutate_file, warned=()):
    assert set(FITS) <= set(CASES)
    seeds = [
        packed([(NAME, fit.encode()), *unpacked(content)]) for fit in FITS for content in _contents(fit, folder / fit)
    ]
    case = folder / "case"

    def read(content):
        unpack_to(case, content)
        fit = (case / NAME).read_text()
        (case / NAME).unlink()
        with Checkpoints(case, 1000):
            model = _fitted(fit)
        for name, values in learned(model).items():
            # Angles of rows that do not vary, and scores without validation, are NaN in records.
            if not name.startswith("history") and values.dtype.kind == "f" and not np.isfinite(values).all():
                raise BrokenLawError(f"{name} of a fit that went on holds NaN or infinities")

    def mutate(rng, content):
        (_, fit), *files = unpacked(content)
        changed = mutate_folder(rng, packed(files), lambda rng, name, held: mutate_file(rng, held))
        return packed([(NAME, fit), *unpacked(changed)])

    return Subject(seeds, mutate, read, only(CheckpointError, DivergenceError), (CheckpointWarning, *warned))


def _fitted(fit):
    model, X, y = CASES[fit]()
    return model.set_params(max_updates=UPDATES).fit(X, *([] if y is None else [y]))


def _contents(fit, folder):
    """What is in the folder after the first checkpoint of a fit, after one in the middle, and in the end."""
    seen = []

    @contextmanager
    def watched():
        replace = os.replace

        def then_look(*arguments, **keywords):
            replace(*arguments, **keywords)
            seen.append(folder_packed(folder))

        with mock.patch("os.replace", then_look):
            yield

    with watched(), Checkpoints(folder, 0):
        _fitted(fit)
    return list(dict.fromkeys([seen[0], seen[len(seen) // 2], seen[-1]]))
