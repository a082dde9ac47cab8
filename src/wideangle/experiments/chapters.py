"""The order of the report: the paper's tables and figures, with what belongs to them, and what its rows are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeVar

from wideangle.experiments.toml_files import TomlFile

__all__ = ["chapters_of", "kinds_of_rows"]

OTHERS = "Others"


class Named(Protocol):
    """A spec, or what was made of it."""

    @property
    def name(self) -> str: ...


Item = TypeVar("Item", bound=Named)


@dataclass(frozen=True)
class Chapter:
    """Some of the report under one heading."""

    title: str
    names: tuple[str, ...]
    """of its specs, in order"""


def chapters_of(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Items under their headings, in the order of the paper; those of users come last, in the order given.

    Examples
    --------
    >>> from wideangle.experiments.specs import find_specs, read_spec
    >>> specs = [read_spec(find_specs()[name]) for name in ("network_mnist", "clustering_tdt", "precision_tdt")]
    >>> [(title, [spec.name for spec in found]) for title, found in chapters_of(specs).items()][:2]
    [('Documents: retrieval', ['precision_tdt']), ('Documents: clustering', ['clustering_tdt'])]
    """
    left = {item.name: item for item in items}
    found = {each.title: [left.pop(name) for name in each.names if name in left] for each in _chapters()}
    found[OTHERS] = list(left.values())
    return {title: some for title, some in found.items() if some}


def kinds_of_rows() -> Mapping[str, str]:
    """What the names of rows mean, part by part."""
    rows: dict[str, str] = _content()["rows"]
    return rows


def _chapters() -> tuple[Chapter, ...]:
    return tuple(Chapter(each["title"], tuple(each["specs"])) for each in _content()["chapters"])


@cache
def _content() -> Mapping[str, Any]:
    return TomlFile.read(Path(str(files("wideangle.experiments") / "chapters.toml"))).values
