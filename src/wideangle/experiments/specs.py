"""Specs of tables and figures: what is fitted on what, and what is shown of it. One TOML file each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn, get_args, get_type_hints

from wideangle.catalogue import entry_of
from wideangle.catalogue.entry import did_you_mean
from wideangle.exceptions import DataError
from wideangle.experiments.compared_models import Candidate, candidates
from wideangle.experiments.kinds import KINDS
from wideangle.experiments.published import published
from wideangle.experiments.tasks import TASKS, task_of
from wideangle.experiments.toml_files import TomlFile

__all__ = ["Spec", "check", "check_names", "find_specs", "read_spec"]

MODELS = "models.toml"
MOST = 10_000  # seeds or folds: more are a slip of the keyboard, and a plan of their fits would fill the memory
NOUNS = {str: "strings", int: "whole numbers"}


@dataclass(frozen=True)
class Spec:
    """One table or figure."""

    name: str
    title: str
    kind: str
    """a table with a column per number of components, per data set or per class; curves against the number of
    components or λ; or what needs no model"""
    task: str = ""
    data: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    measure: str = ""
    sizes: tuple[int, ...] = ()
    """numbers of components; empty: folds choose among those of each model"""
    tuned_at: tuple[int, ...] = ()
    """the numbers at which all settings are tried; the others take the best of the nearest; empty: at all"""
    weights: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """the λ of a curve, by model"""
    seeds: int = 3
    folds: tuple[int, ...] = (0,)
    shortlist: int = 0
    """how many settings, the best on the first fold, are tried on the others as well; 0: all"""
    published: str = ""
    """the table of the paper"""
    compared: bool = True
    """whether the paper's numbers are of the same data, so that differences and verdicts are told"""
    remarks: tuple[str, ...] = ()
    origins: Mapping[str, TomlFile] = field(default_factory=dict, repr=False, compare=False)
    """the file that each value came from"""

    @cached_property
    def known_candidates(self) -> Mapping[str, Candidate]:
        """Those of the package, and of a file models.toml beside the spec."""
        beside = self.origins["title"].path.with_name(MODELS)
        return {**candidates(), **(candidates(beside) if beside.exists() else {})}

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        return {name: self.known_candidates[name] for name in self.models}

    @property
    def is_fitted(self) -> bool:
        """Whether there is anything to fit."""
        return bool(self.models)

    def sizes_of(self, candidate: Candidate, data: str) -> tuple[int | None, ...]:
        """The numbers of components of a model here; (None,) where it has no such parameter."""
        if candidate.size is None:
            return (None,)
        return self.sizes or candidate.sizes_on(data) or (None,)

    def tuned_at_of(self, candidate: Candidate, data: str) -> tuple[int | None, ...]:
        """The numbers at which all settings are tried."""
        sizes = self.sizes_of(candidate, data)
        wanted = (self.tuned_at if self.sizes else candidate.tuned_at_on(data)) or sizes
        return tuple(size for size in sizes if size in wanted) or sizes


def find_specs(folder: Path | None = None) -> dict[str, Path]:
    """The files of all specs by name; those of the package, or of a folder."""
    where = folder or Path(str(files("wideangle.experiments") / "specs"))
    return {path.stem: path for path in sorted(where.glob("*.toml")) if path.name != MODELS}


def read_spec(path: Path) -> Spec:
    """Read a spec. With `like` it takes what it does not say from another spec of the same folder."""
    origins: dict[str, TomlFile] = {}
    values: dict[str, Any] = {}
    chain, place = [], path
    while True:
        file = TomlFile.read(place)
        chain.append(place)
        for key, value in file.values.items():
            if key not in values:
                values[key], origins[key] = value, file
        if "like" not in file.values:
            break
        other = str(file.values["like"])
        place = place.parent / f"{other}.toml"
        if place in chain:
            file.fail("like", f"{other!r} is like this one: {', '.join(each.stem for each in chain)}, and so on.")
        if place.parent != path.parent or not _is_there(place):
            file.fail("like", f"there is no spec {other!r} beside this one.")
    values.pop("like", None)
    types = {key: kind for key, kind in get_type_hints(Spec).items() if key not in ("name", "origins")}
    for key in values:
        if key not in types:
            origins[key].fail(key, f"a spec has no key {key!r}.{did_you_mean(key, types)}")
    for key in ("title", "kind"):
        if key not in values:
            TomlFile.read(path).fail(key, f"the spec lacks {key!r}.")
    if type(values.get("folds")) is int:
        if values["folds"] > MOST:
            origins["folds"].fail("folds", f"'folds' must be at most {MOST}; got {values['folds']}.")
        values["folds"] = list(range(values["folds"]))
    made = {key: _as_type(value, types[key], origins[key], key) for key, value in values.items()}
    spec = Spec(path.stem, **made, origins=origins)
    _check_numbers(spec)
    return spec


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # The name is too long, or no name of a file.
        return False


def _check_numbers(spec: Spec) -> None:
    """Without a seed or a fold nothing would ever be fitted."""
    if spec.seeds < 1:
        spec.origins["seeds"].fail("seeds", f"'seeds' must be 1 or more; got {spec.seeds}.")
    if spec.seeds > MOST:
        spec.origins["seeds"].fail("seeds", f"'seeds' must be at most {MOST}; got {spec.seeds}.")
    if not spec.folds or min(spec.folds) < 0:
        spec.origins["folds"].fail("folds", "'folds' must be 1 or more, or a list of numbers from 0 on.")
    if spec.shortlist < 0:
        spec.origins["shortlist"].fail("shortlist", f"'shortlist' must be 0 or more; got {spec.shortlist}.")
    for key, numbers in (("sizes", spec.sizes), ("tuned_at", spec.tuned_at)):
        for number in numbers:
            if number < 1:
                spec.origins[key].fail(str(number), f"{key!r} must be 1 or more; got {number}.", within=key)


def _as_type(value: Any, kind: Any, file: TomlFile, key: str) -> Any:
    wanted = get_args(kind)
    if kind is bool:
        if not isinstance(value, bool):
            file.fail(key, f"{key!r} must be true or false; got {value!r}.")
        return value
    if kind in (str, int):
        if isinstance(value, bool) or not isinstance(value, kind):
            file.fail(key, f"{key!r} must be {'a string' if kind is str else 'a whole number'}; got {value!r}.")
        return value
    if len(wanted) == 2 and wanted[1] is Ellipsis:
        # A boolean is an int to Python, but not to a reader.
        if not isinstance(value, list) or not all(type(each) is wanted[0] for each in value):
            file.fail(key, f"{key!r} must be a list of {NOUNS[wanted[0]]}; got {value!r}.")
        return tuple(value)
    if not isinstance(value, dict) or not all(map(_is_numbers, value.values())):
        file.fail(key, f"{key!r} must be a table of lists of numbers; got {value!r}.")
    return {name: tuple(float(number) for number in each) for name, each in value.items()}


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(each) in (int, float) for each in value)


def check(spec: Spec) -> None:
    """Find what cannot be run before anything is: unknown names, missing data or packages, too many components."""
    check_names(spec)
    if not spec.is_fitted:
        return
    task = task_of(spec.task)
    for data in spec.data:
        try:
            columns = task.columns(data)
        except DataError as error:
            spec.origins["data"].fail(data, str(error), within="data")
        for candidate in spec.candidates.values():
            _check_sizes(spec, candidate, data, columns)
    for candidate in spec.candidates.values():
        missing = _missing_package(candidate.estimator)
        if missing:
            spec.origins["models"].fail(
                candidate.name,
                f"{candidate.name!r} needs {missing}, which is not installed: pip install 'wideangle[all]'.",
                within="models",
            )


def _check_sizes(spec: Spec, candidate: Candidate, data: str, columns: int) -> None:
    """A regulariser that needs independent components, such as the volume, takes no more of them than columns."""
    from wideangle.functional.regularizers import REGULARIZERS  # It imports torch, which the names do not need.

    names = {settings.get("surrogate") for settings in candidate.choices(data)}
    chosen = [each for name, each in REGULARIZERS.items() if name in names]
    free = " or ".join(f'"{name}"' for name, each in REGULARIZERS.items() if not each.independent)
    for size in spec.sizes_of(candidate, data):
        if size is not None and not all(each.allows(size, columns) for each in chosen):
            key, about = ("sizes", str(size)) if spec.sizes else ("models", candidate.name)
            spec.origins[key].fail(
                about,
                f"{candidate.name!r} needs no more components than columns: {size} > {columns} of {data}. "
                f"Take surrogate = {free}, or fewer.",
                within=key,
            )


def check_names(spec: Spec) -> None:
    """Whether every name is known, and whether the kind has what it shows."""

    def known(key: str, value: str, among: Any) -> None:
        if value not in among:
            hint = did_you_mean(value, among) or f" There are {', '.join(map(repr, among))}."
            noun = {"models": "model", "data": "data set for this task", "weights": "model here"}.get(key, key)
            _fail(spec, key, f"there is no {noun} {value!r}.{hint}", value)

    known("kind", spec.kind, tuple(KINDS))
    if spec.kind == "class sizes":
        every = list(dict.fromkeys(data for task in TASKS for data in task_of(task).DATA))
        for data in spec.data:
            known("data", data, every)
        return
    known("task", spec.task, TASKS)
    task = task_of(spec.task)
    for model in spec.models:
        known("models", model, list(spec.known_candidates))
    for data in spec.data:
        known("data", data, task.DATA)
    if spec.kind != "words":
        known("measure", spec.measure, list(task.MEASURES))
    for model in spec.weights:
        known("weights", model, spec.models)
        if not entry_of(spec.candidates[model].estimator).grid:
            _fail(spec, "weights", f"{model!r} has no λ.")
    if not spec.models or not spec.data:
        spec.origins["title"].fail("title", "a spec needs models and data.")
    _check_kind(spec)
    if spec.published:
        try:
            published(spec.published)
        except DataError as error:
            _fail(spec, "published", str(error))


def _check_kind(spec: Spec) -> None:
    """Whether the spec has what its kind shows, and folds that its task has."""
    if spec.kind != "by data" and not spec.sizes:
        _fail(spec, "sizes", f"a spec of kind {spec.kind!r} needs 'sizes'.")
    if KINDS[spec.kind].of_one_data_set and len(spec.data) > 1:
        _fail(spec, "data", f"a spec of kind {spec.kind!r} shows one data set; got {len(spec.data)}.")
    if KINDS[spec.kind].of_one_size and len(spec.sizes) > 1:
        _fail(spec, "sizes", f"a spec of kind {spec.kind!r} shows one number of components; got {len(spec.sizes)}.")
    if spec.kind == "curve by weight":
        for model in spec.models:
            if not spec.weights.get(model):
                _fail(spec, "weights", f"'weights' lacks the λ of {model!r}.")
    most = getattr(task_of(spec.task), "FOLDS", None)
    if most is not None and max(spec.folds) >= most:
        _fail(spec, "folds", f"the task {spec.task!r} has {most} folds, from 0 on; got {max(spec.folds)}.")


def _fail(spec: Spec, key: str, message: str, about: str = "") -> NoReturn:
    """Tell it with the line of a value, or of its key; a key that is not there is told of the spec's own file."""
    file = spec.origins.get(key, spec.origins["title"])
    file.fail(about or key, message, within=key)


def _missing_package(estimator: str) -> str | None:
    from importlib.util import find_spec

    needed = entry_of(estimator).needs
    return needed if needed and find_spec(needed) is None else None
