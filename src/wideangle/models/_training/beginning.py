"""What happens before the first update of a fit: processes compare what they were given; a checkpoint is looked for.

A process that fits alone and without checkpoints does nothing here, and its data is not looked at.
"""

import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from wideangle._arguments import flag
from wideangle._blocks import bytes_of
from wideangle.exceptions import CheckpointError, ProcessesError
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.process_group.agreement import require_same
from wideangle.process_group.group import Group

LOOKED_AT = 1000  # The fingerprint of rows on a disk is made of so many of them, at equal spacing.
FREE = ("verbose", "device")  # Processes may differ in these parameters, and a fit may go on with others.


def begin_fit(estimator: Any, **data: Any) -> None:
    """Compare options and data with those of other processes, and with those of a checkpoint where there is one.

    Flags that are asked before an estimator checks its parameters are checked here, for all that have them.
    """
    for name in ("verbose", "warm_start", "allow_fractions"):
        if hasattr(estimator, name):
            flag(getattr(estimator, name), name)
    group, checkpoints = Group.current(), Checkpoints.active()
    if group.alone and checkpoints is None:
        return
    description = described(estimator, data)
    _require_rows(group, data)
    require_same(group, "options and data", description)
    if checkpoints is not None:
        checkpoints.begin(description, group)


def begin_pass(estimator: Any, **data: Any) -> None:
    """The same before one pass of `partial_fit`, which has no checkpoints."""
    group = Group.current()
    if not group.alone:
        _require_rows(group, data)
        require_same(group, "options and data", described(estimator, data))


def agreed_seeds(seeds: Any) -> list[int]:
    """The seeds of a fit: those of its checkpoint, or else those that the first process has drawn."""
    training = Checkpoints.active_training()
    if training is not None and training.seeds is not None:
        kept: Any = training.seeds
        if not isinstance(kept, list) or len(kept) != len(seeds) or not all(type(each) is int for each in kept):
            raise CheckpointError(f"{training.path} holds no seeds of this fit: {kept!r}. Delete it to begin anew.")
        return kept
    agreed = [int(seed) for seed in Group.current().agreed(seeds)]
    if training is not None:
        training.seeds = agreed
    return agreed


def described(estimator: Any, data: dict[str, Any]) -> dict[str, str]:
    """The options of an estimator, and the size and a fingerprint of its data, in words that can be compared."""
    parameters = estimator.get_params(deep=False)
    options = {name: _worded(value) for name, value in parameters.items() if name not in FREE}
    found = {"estimator": type(estimator).__name__} | options
    for name, values in data.items():
        if values is not None:
            found[f"shape of {name}"] = str(tuple(int(size) for size in _shape(values)))
            found[f"content of {name}"] = fingerprint(values)
    if getattr(estimator, "warm_start", False) and hasattr(estimator, "components_"):
        found["components that the fit begins with"] = fingerprint(estimator.components_)
    return found


def fingerprint(values: Any) -> str:
    """A hash of the type and content of an array or a matrix.

    Of rows that stay on a disk some are looked at: other data is found, but not each changed number.
    """
    if hasattr(values, "folder"):  # `CountsOnDisk`
        values = values[np.unique(np.linspace(0, len(values) - 1, LOOKED_AT).astype(np.int64))] if len(values) else []
    if sp.issparse(values):
        values = sp.csr_array(values)
        parts = [values.indptr, values.indices, values.data]
    else:
        parts = [np.asarray(values)]
    found = hashlib.sha256()
    for part in parts:
        found.update(str(part.dtype).encode())
        if part.dtype == object:  # An object has an address, which differs from process to process, and words.
            found.update(str(part.tolist()).encode())
        else:
            for some in bytes_of(part):
                found.update(some.data)
    return found.hexdigest()[:12]


def _worded(value: Any) -> str:
    """A parameter in words. A generator has its state, which is the same where it was seeded in the same way."""
    if isinstance(value, np.random.RandomState):
        return f"RandomState {hashlib.sha256(str(value.get_state(legacy=True)).encode()).hexdigest()[:12]}"
    return repr(value.item() if isinstance(value, np.generic) else value)


def _shape(values: Any) -> tuple[int, ...]:
    return tuple(values.shape if hasattr(values, "shape") else np.shape(values))


def _require_rows(group: Group, data: dict[str, Any]) -> None:
    """Raise an error in all processes where one of them has no rows. Otherwise the others would wait for it."""
    first = next(iter(data.values()))
    size = _shape(first)[0] if first is not None and _shape(first) else 0
    sizes = group.texts(str(size))
    empty = [str(rank) for rank, text in enumerate(sizes) if text == "0"]
    if empty and not group.alone:
        which = f"process{'es' if len(empty) > 1 else ''} {' and '.join(empty)} of {group.size}"
        raise ProcessesError(
            f"{which} got no rows. Give each process the same data, all of it: they divide the rows of each mini-batch "
            "themselves."
        )
