"""Specs of tables and figures: what is fitted on what, and what is shown of it. One TOML file each."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args, get_type_hints

from wideangle.exceptions import DataError, SpecError
from wideangle.experiments.candidates import Candidate, candidates
from wideangle.experiments.published import published
from wideangle.experiments.tasks import TASKS, task_of
from wideangle.experiments.toml_files import TomlFile

__all__ = ["Spec", "check", "check_names", "find_specs", "read_spec"]

MODELS = "models.toml"
KINDS = (
    "by size",
    "by data",
    "by class",
    "curve by class",
    "curve by size",
    "curve by weight",
    "class sizes",
    "words",
    "compactness",
)


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
    published: str = ""
    """the table of the paper; several data sets may each have their own, with {data} in its name"""
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

    def published_name(self, data: str) -> str:
        return self.published.format(data=data)


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
        place = place.with_name(f"{file.values['like']}.toml")
        if place in chain or not place.exists():
            file.fail("like", f"there is no other spec {place.stem!r} beside this one.")
    values.pop("like", None)
    types = {key: kind for key, kind in get_type_hints(Spec).items() if key not in ("name", "origins")}
    for key in values:
        if key not in types:
            near = difflib.get_close_matches(key, types, 1)
            origins[key].fail(key, f"a spec has no key {key!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
    for key in ("title", "kind"):
        if key not in values:
            TomlFile.read(path).fail(key, f"the spec lacks {key!r}.")
    if isinstance(values.get("folds"), int):
        values["folds"] = list(range(values["folds"]))
    made = {key: _as_type(value, types[key], origins[key], key) for key, value in values.items()}
    return Spec(path.stem, **made, origins=origins)


def _as_type(value: Any, kind: Any, file: TomlFile, key: str) -> Any:
    wanted = get_args(kind)
    if kind in (str, int):
        if isinstance(value, bool) or not isinstance(value, kind):
            file.fail(key, f"{key!r} must be {'a string' if kind is str else 'a whole number'}; got {value!r}.")
        return value
    if len(wanted) == 2 and wanted[1] is Ellipsis:
        if not isinstance(value, list) or not all(isinstance(each, wanted[0]) for each in value):
            file.fail(key, f"{key!r} must be a list of {wanted[0].__name__}; got {value!r}.")
        return tuple(value)
    if not isinstance(value, dict) or not all(isinstance(each, list) for each in value.values()):
        file.fail(key, f"{key!r} must be a table of lists; got {value!r}.")
    return {name: tuple(float(number) for number in each) for name, each in value.items()}


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
            spec.origins["data"].fail(data, str(error))
        for candidate in spec.candidates.values():
            for size, settings in (
                (size, s) for size in spec.sizes_of(candidate, data) for s in candidate.choices(data)
            ):
                needs_volume = settings.get("surrogate") in ("volume", "bound")
                if needs_volume and size is not None and size > columns:
                    origin = spec.origins.get("sizes", spec.origins["models"])
                    origin.fail(
                        str(size),
                        f"{candidate.name!r} needs no more components than columns: {size} > {columns} of {data}. "
                        'Take surrogate = "angle", or fewer.',
                    )
    for candidate in spec.candidates.values():
        missing = _missing_package(candidate.estimator)
        if missing:
            spec.origins["models"].fail(
                candidate.name,
                f"{candidate.name!r} needs {missing}, which is not installed: pip install 'wideangle[all]'.",
            )


def check_names(spec: Spec) -> None:
    """Whether every name is known."""

    def known(key: str, value: str, among: Any) -> None:
        if value not in among:
            near = difflib.get_close_matches(value, among, 1)
            hint = f" Did you mean {near[0]!r}?" if near else f" There are {', '.join(map(repr, among))}."
            file = spec.origins.get(key, spec.origins["title"])
            noun = {"models": "model", "data": "data set for this task", "weights": "model here"}.get(key, key)
            file.fail(value or key, f"there is no {noun} {value!r}.{hint}")

    known("kind", spec.kind, KINDS)
    if spec.kind == "class sizes":
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
    if not spec.models or not spec.data:
        spec.origins["title"].fail("title", "a spec needs models and data.")
    if spec.published:
        for data in spec.data:
            try:
                published(spec.published_name(data))
            except (DataError, SpecError, ValueError) as error:
                spec.origins["published"].fail("published", str(error))


def _missing_package(estimator: str) -> str | None:
    from importlib.util import find_spec

    needed = {"ParagraphVector": "gensim", "PitmanYorTopicModel": "numba", "LIDA": "numba"}.get(estimator)
    return needed if needed and find_spec(needed) is None else None
