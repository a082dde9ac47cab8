"""Model files of every estimator in the catalogue."""

from functools import partial

import numpy as np
import scipy.sparse as sp
from fuzzing.of_tensors import mutate_tensors
from fuzzing.target import BrokenLawError, Subject, Target, is_ours
from saved_models import MODELS, answers, save_with_all, use_attached

import wideangle
from wideangle.catalogue import entries
from wideangle.exceptions import ModelFileError


def targets():
    """One per estimator, with all the small models of it as seeds."""
    return [Target(f"model {entry.name}", partial(_subject, estimator=entry.name)) for entry in entries()]


def _subject(folder, estimator):
    seeds, rows = [], []
    for name, (model, _, _) in MODELS.items():
        if type(model).__name__ == estimator:
            path = folder / f"{name}.wideangle"
            rows.append(save_with_all(name, path)[0])
            seeds.append(path.read_bytes())
    if not seeds:
        raise LookupError(f"saved_models.MODELS has no {estimator}: add a small one.")
    path = folder / "case.wideangle"

    def read(content):
        path.write_bytes(content)
        use(wideangle.load(path), rows[0])

    def documented(error):
        if not isinstance(error, ModelFileError):
            return is_ours(error)  # It comes from the use of a model.
        return str(error).startswith(f"{path} ") and "cannot rebuild" not in str(error)

    return Subject(seeds, mutate_tensors, read, documented)


def use(model, X):
    """Ask a model all that it can say, which must be finite, and what it can do with its documents."""
    for name, answer in answers(model, X, None).items():
        values = answer.data if sp.issparse(answer) else np.asarray(answer)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise BrokenLawError(f"{name} gives NaN or infinities")
    use_attached(model)
