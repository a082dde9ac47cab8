"""What the processes of one fit are told, in a folder that they share: the model, its data, and what became of it."""

import importlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import safetensors.numpy

import wideangle
from wideangle import exceptions
from wideangle._encoding import Decoder, Encoder
from wideangle._files import replacing
from wideangle.catalogue import Entry, entries, register
from wideangle.distributed import travelling
from wideangle.exceptions import ProcessesError

FITTED, FAILED, JOB, ARRAYS, EARLIER = (
    "fitted.wideangle",
    "failed.json",
    "job.json",
    "job.safetensors",
    "earlier.wideangle",
)
# These errors come again each time. Others may come from a process that was killed, after which a new start helps.
LASTING = (ValueError, TypeError, ImportError, exceptions.DivergenceError, ProcessesError)


@dataclass(frozen=True)
class Job:
    """A fit for several processes. Parameters are as an `Encoder` writes them, data by its kinds."""

    module: str
    name: str
    parameters: dict[str, Any]
    data: dict[str, str]
    """the kind of each argument of `fit`, by its name"""
    goes_on: bool
    """whether the model was fitted before, and the fit begins where it ended"""
    checkpoints: str
    every_seconds: float


def write_job(folder: Path, model: Any, data: dict[str, Any], checkpoints: Path, every_seconds: float) -> None:
    """Write all that the processes need."""
    kind = type(model)
    arrays: dict[str, Any] = {}
    encoder = Encoder(kind.__name__, arrays, ())
    parameters = {key: encoder.encode(value, key) for key, value in model.get_params(deep=False).items()}
    kinds = {name: travelling.write(values, folder, name) for name, values in data.items() if values is not None}
    goes_on = bool(getattr(model, "warm_start", False)) and hasattr(model, model._essential)
    if goes_on:
        wideangle.save(model, folder / EARLIER)
    safetensors.numpy.save_file(arrays, folder / ARRAYS)
    job = Job(kind.__module__, kind.__qualname__, parameters, kinds, goes_on, str(checkpoints), every_seconds)
    (folder / JOB).write_text(json.dumps(asdict(job)), encoding="utf-8")


def read_job(folder: Path) -> tuple[Job, Any, dict[str, Any]]:
    """The job, its model and the arguments of `fit`."""
    job = Job(**json.loads((folder / JOB).read_text(encoding="utf-8")))
    kind = _class_of(job)
    if job.goes_on:
        model = wideangle.load(folder / EARLIER)
    else:
        decoder = Decoder(safetensors.numpy.load_file(folder / ARRAYS), ())
        model = kind(**{key: decoder.decode(node, key) for key, node in job.parameters.items()})
    return job, model, {name: travelling.read(folder, name, kind) for name, kind in job.data.items()}


def _class_of(job: Job) -> Any:
    """The class of the model. One that was registered in the first process is registered here as well."""
    kind: Any = importlib.import_module(job.module)
    for part in job.name.split("."):
        kind = getattr(kind, part)
    if kind.__name__ not in {entry.name for entry in entries()}:
        register(Entry.of(kind))
    return kind


def note_failure(folder: Path, error: BaseException) -> None:
    """Leave an error for the process that started the others. The first error is kept."""
    if not (folder / FAILED).exists():
        with replacing(folder / FAILED) as temporary:
            temporary.write_text(json.dumps({"type": type(error).__name__, "message": str(error)}), encoding="utf-8")


def has_failed(folder: Path) -> bool:
    """Whether a process has found an error that would come again."""
    return (folder / FAILED).exists()


def raise_failure(folder: Path) -> None:
    """Raise the error that a process left, as the error that it was where this is known."""
    if not has_failed(folder):
        return
    failure = json.loads((folder / FAILED).read_text(encoding="utf-8"))
    known: dict[str, type[Exception]] = {kind.__name__: kind for kind in LASTING}
    kind = getattr(exceptions, failure["type"], known.get(failure["type"], RuntimeError))
    raise kind(failure["message"])
