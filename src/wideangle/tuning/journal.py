"""The scores of finished fits in a file, so that a cross-validation that was stopped goes on with the others."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wideangle._json_lines import adding_lines, read_lines
from wideangle.exceptions import CheckpointError
from wideangle.models._training.beginning import described
from wideangle.models._training.checkpoint import differences
from wideangle.models._training.code import code_of_fits
from wideangle.tuning.running import FitOnFold

__all__ = ["Journal", "journal_of"]

Key = tuple[int | None, float, int]
FIELDS = {"n_components", "diversity", "fold", "scores"}


class Journal:
    """The scores that are known, by number of components, λ and fold, and a function that adds others."""

    def __init__(self, known: dict[Key, tuple[float, ...]], add: Callable[[dict[str, Any]], None]) -> None:
        self.known, self._add = known, add

    @staticmethod
    def key(job: FitOnFold) -> Key:
        """What a job is known by."""
        K: Any = job.n_components  # None where a model has no components
        return None if K is None else int(K), float(job.diversity), job.number

    def note(self, job: FitOnFold, scores: tuple[float, ...]) -> None:
        """Write the scores of a fit to the file."""
        numbers = [float(score) for score in scores]
        n_components, diversity, fold = self.key(job)
        self._add({"n_components": n_components, "diversity": diversity, "fold": fold, "scores": numbers})


@contextmanager
def journal_of(
    path: Path | None, estimator: Any, data: dict[str, Any], asked: Mapping[str, object]
) -> Iterator[Journal]:
    """The journal at a path; with None one that forgets. A journal of other options, data or code is refused."""
    if path is None:
        yield Journal({}, lambda line: None)
        return
    about = described(estimator, data) | {name: repr(value) for name, value in asked.items()} | code_of_fits()
    lines = read_lines(path, _check)
    if lines:
        _require_same(path, lines[0]["about"], about)
    known = {
        (line["n_components"], line["diversity"], line["fold"]): tuple(line["scores"])
        for line in lines
        if "about" not in line
    }
    with adding_lines(path, _check, "name another journal") as add:
        if not lines:
            add({"about": about})
        yield Journal(known, add)


def _check(line: dict[str, Any]) -> None:
    if "about" in line:
        if not isinstance(line["about"], dict):
            raise ValueError("what it is about is no mapping")
    elif set(line) != FIELDS or not all(isinstance(score, float) for score in line["scores"]):
        raise ValueError(f"it has {', '.join(map(repr, line))}, and must have {', '.join(map(repr, sorted(FIELDS)))}")


def _require_same(path: Path, before: Mapping[str, str], now: Mapping[str, str]) -> None:
    different = differences(before, now)
    if different:
        raise CheckpointError(
            f"{path} is of another cross-validation: {different}. Give the same options and data to go on with it, or "
            "delete it to begin anew.",
            different,
        )
