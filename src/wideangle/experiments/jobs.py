"""One fit and its measures, as asked for and as recorded."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

__all__ = ["Job", "Record"]

Record = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """One fit: on the training part, measured on the test part; or, with a fold, on the training part alone."""

    task: str
    """what is measured and how; a module of `wideangle.experiments.tasks`"""
    data: str
    estimator: str
    """a name of the catalogue"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    fold: int | None = None
    """which fold of the training part is held out; None: none, the test part is asked"""

    @cached_property
    def key(self) -> str:
        """The same for the same fit, whatever the order of its settings, and whether one says 1 or 1.0."""
        # `asdict` copies deeply, and plans ask for many thousands of keys.
        parts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        parts["settings"] = {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in self.settings.items()
        }
        return json.dumps(parts, sort_keys=True)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Job":
        """The job of a record."""
        return cls(**{name: record[name] for name in cls.__dataclass_fields__})
