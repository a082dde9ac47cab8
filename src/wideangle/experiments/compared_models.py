"""The models of the tables: an estimator, what is fixed, and what folds choose."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

from wideangle.catalogue import entries, entry_of
from wideangle.catalogue.entry import did_you_mean
from wideangle.experiments.toml_files import TomlFile

__all__ = ["Candidate", "Settings", "candidates"]

Settings = dict[str, Any]
SETTINGS = " Settings are strings, finite numbers, truths, or lists of them."
KEYS = {"like", "estimator", "published", "settings", "tried", "tried_on", "sizes", "tuned_at"}


@dataclass(frozen=True)
class Candidate:
    """One row of the tables."""

    name: str
    estimator: str
    """a name of the catalogue"""
    published: str | None = None
    """the row of the paper that it stands beside"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    tried: tuple[Settings, ...] = ({},)
    """the settings that folds choose from"""
    tried_on: Mapping[str, tuple[Settings, ...]] = field(default_factory=dict)
    """further ones for single data sets"""
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """the numbers of components that folds choose from, where the spec does not say, by data set or for "all" """
    tuned_at: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """the numbers of components at which all settings are tried; others take the best of the nearest; empty: at all"""

    @property
    def size(self) -> str | None:
        """The parameter that says how many components there are."""
        return entry_of(self.estimator).size

    @property
    def is_plain(self) -> bool:
        """Whether λ is 0, whatever folds choose."""
        return self.settings.get("diversity") == 0 and not any("diversity" in each for each in self.all_tried)

    @property
    def all_tried(self) -> tuple[Settings, ...]:
        """What folds choose from, on whatever data set."""
        return (*self.tried, *sum(self.tried_on.values(), ()))

    def sizes_on(self, data: str) -> tuple[int, ...]:
        return self.sizes.get(data, self.sizes.get("all", ()))

    def tuned_at_on(self, data: str) -> tuple[int, ...]:
        return self.tuned_at.get(data, self.tuned_at.get("all", ()))

    def choices(self, data: str) -> list[Settings]:
        """The settings to choose from, without the number of components."""
        return [dict(self.settings) | tried for tried in (*self.tried, *self.tried_on.get(data, ()))]

    def sized(self, settings: Mapping[str, Any], size: int | None) -> Settings:
        """The settings with a number of components."""
        return dict(settings) if size is None or self.size is None else {**settings, self.size: size}


@lru_cache
def candidates(path: Path | None = None) -> Mapping[str, Candidate]:
    """By name; those of the package, or of another file."""
    file = TomlFile.read(path or Path(str(files("wideangle.experiments") / "models.toml")))
    return dict(_read(file))


def _read(file: TomlFile) -> Iterator[tuple[str, Candidate]]:
    known = [entry.name for entry in entries()]
    earlier: dict[str, dict[str, Any]] = {}
    for name, own in file.values.items():
        if not isinstance(own, dict):
            file.fail(name, f"{name!r} must be a table, [{name!r}].")
        for key in own:
            if key not in KEYS:
                file.fail(key, f"{name!r} has no key {key!r}; there are {', '.join(sorted(KEYS))}.", within=name)
        _check_types(file, name, own)
        earlier[name] = values = _with_what_it_is_like(file, name, own, earlier)
        estimator = values.get("estimator")
        if estimator not in known:
            hint = did_you_mean(str(estimator), known)
            told = f"{name!r} needs an estimator of the catalogue; got {estimator!r}.{hint}"
            file.fail(str(estimator), told, within=name)
        made = {key: value for key, value in values.items() if key in ("estimator", "published")}
        others = {
            data: _combinations(tried)
            for names, tried in values.get("tried_on", {}).items()
            for data in names.split(", ")
        }
        candidate = Candidate(
            name,
            **made,
            settings={key: _none_from_text(value) for key, value in values.get("settings", {}).items()},
            tried=_combinations(values.get("tried", [] if others else [{}])),
            tried_on=others,
            sizes=_by_data(values.get("sizes", [])),
            tuned_at=_by_data(values.get("tuned_at", [])),
        )
        parameters = signature(entry_of(candidate.estimator).load()).parameters
        for setting in dict.fromkeys(
            key for settings in (candidate.settings, *candidate.all_tried) for key in settings
        ):
            if setting not in parameters:
                file.fail(setting, f"{candidate.estimator} has no parameter {setting!r} ({name!r}).", within=name)
        yield name, candidate


def _with_what_it_is_like(
    file: TomlFile, name: str, own: dict[str, Any], earlier: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    """Its own values and, with `like`, those of a model above it; of the settings each by itself."""
    other = own.get("like")
    if other is None:
        return own
    if not isinstance(other, str) or other not in earlier:
        hint = did_you_mean(str(other), earlier)
        file.fail("like", f"{name!r} is like {other!r}, but no model above it is called so.{hint}", within=name)
    settings = {**earlier[other].get("settings", {}), **own.get("settings", {})}
    return {**earlier[other], **own, "settings": settings}


def _check_types(file: TomlFile, name: str, values: Mapping[str, Any]) -> None:
    """Whether each key has a value that can be read."""
    checks: dict[str, tuple[Callable[[Any], bool], str]] = {
        "published": (lambda value: isinstance(value, str), "a string"),
        "settings": (_is_table, "a table"),
        "tried": (_is_tables, "a table or a list of tables"),
        "tried_on": (lambda value: _is_table_of(value, _is_tables), "a table, by data set, of what is tried"),
        "sizes": (_is_numbers_by_data, "a list of whole numbers from 1 on, or a table of such lists by data set"),
        "tuned_at": (_is_numbers_by_data, "a list of whole numbers from 1 on, or a table of such lists by data set"),
    }
    for key, (is_good, wanted) in checks.items():
        if key in values and not is_good(values[key]):
            file.fail(key, f"{key!r} of {name!r} must be {wanted}; got {values[key]!r}.{SETTINGS}", within=name)


def _is_table_of(value: Any, is_good: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(map(is_good, value.values()))


def _is_tables(value: Any) -> bool:
    return _is_table(value) or (isinstance(value, list) and all(map(_is_table, value)))


def _is_table(value: Any) -> bool:
    """Whether it is a table of settings, which records can hold: TOML has dates besides."""
    return _is_table_of(value, _is_setting)


def _is_setting(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_setting, value))
    return isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(each) is int and each > 0 for each in value)


def _is_numbers_by_data(value: Any) -> bool:
    return _is_numbers(value) or _is_table_of(value, _is_numbers)


def _combinations(tried: Any) -> tuple[Settings, ...]:
    """Of a table of settings, or of each table in a list: all combinations of the values that are lists."""
    found = []
    for table in tried if isinstance(tried, list) else [tried]:
        values = [
            _none_from_text(value) if isinstance(value, list) else [_none_from_text(value)] for value in table.values()
        ]
        found += [dict(zip(table, each, strict=True)) for each in product(*values)]
    return tuple(found)


def _by_data(numbers: Any) -> dict[str, tuple[int, ...]]:
    by_data = numbers if isinstance(numbers, dict) else {"all": numbers}
    return {data: tuple(each) for data, each in by_data.items()}


def _none_from_text(value: Any) -> Any:
    """TOML has no word for None."""
    if isinstance(value, list):
        return [_none_from_text(each) for each in value]
    return None if value == "None" else value
