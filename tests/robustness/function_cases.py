"""Each public function with good arguments, one of which an odd value replaces."""

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from robustness.good_arguments import GOOD
from robustness.public import public_callables

# How much is asked for: huge numbers are not wrong, and take as long and as much memory as they say.
WORK = {"n_documents", "n_topics", "n_words", "max_iterations", "inner_steps", "restarts", "words_per_topic", "length"}
WORK |= {"n_similar", "n_dissimilar", "bins", "memory", "ngrams", "rows", "sample", "n_features", "n_classes"}
# Functions of the user, whose own errors reach the user as they are.
USERS = frozenset({"objective", "callback", "progress", "layers"})


@dataclass(frozen=True)
class Function:
    """One public function, with good arguments."""

    name: str
    arguments: tuple[tuple[str, Any], ...]
    work: frozenset[str] = frozenset(WORK)
    users: frozenset[str] = USERS

    def __str__(self) -> str:
        return self.name

    def prepare(self) -> None:
        """Functions share nothing."""

    def on(self, replaced: Mapping[str, Any], folder: Path) -> Any:
        """Call it with good arguments but for those that are replaced."""
        function = public_callables()[self.name]
        good = {name: _fresh(each, folder) for name, each in self.arguments}
        result = function(**(good | dict(replaced)))
        return list(result) if inspect.isgenerator(result) else result


def _fresh(value: Any, folder: Path) -> Any:
    if inspect.isfunction(value) and list(inspect.signature(value).parameters) == ["folder"]:
        return value(folder)
    return value if isinstance(value, torch.Generator) or callable(value) else copy.deepcopy(value)


CASES = [Function(name, tuple(arguments.items())) for name, arguments in GOOD.items()]
