"""From a spec and the records that are there to the fits that are needed, and to what folds chose."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from wideangle.exceptions import DataError
from wideangle.experiments.compared_models import Candidate, Settings
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.specs import Spec
from wideangle.experiments.tasks import task_of

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """What a spec needs, given what is known. Fits on the test part are planned once the folds before them are run."""

    spec: Spec
    records: Mapping[str, Record]
    """by the key of their job"""

    @cached_property
    def score(self) -> Callable[[Record], float]:
        """What folds choose by: the more, the better."""
        task = task_of(self.spec.task)
        judge = getattr(task, "score_of", lambda measures: measures[task.SCORE])

        def score(record: Record) -> float:
            try:
                return float(judge(record["measures"]))
            except (KeyError, TypeError) as error:
                raise DataError(
                    f"a record of {record['estimator']} on {record['data']!r} lacks what folds choose by ({error}). "
                    "Take it out, so that its fit is run again."
                ) from error

        return score

    def jobs(self) -> list[Job]:
        """All fits known to be needed, run or not."""
        found: dict[str, Job] = {}
        for data in self.spec.data if self.spec.is_fitted else ():
            for candidate in self.spec.candidates.values():
                for job in (*self._fold_jobs(data, candidate), *self._test_jobs(data, candidate)):
                    found[job.key] = job
        return list(found.values())

    def missing(self) -> list[Job]:
        """Those of them that have no record."""
        return [job for job in self.jobs() if job.key not in self.records]

    def settings(self, data: str, candidate: Candidate, size: int | None) -> Settings | None:
        """What folds chose at a number of components, or at the nearest at which all was tried; None: not run yet."""
        choices = self._choices(data, candidate)
        if len(choices) == 1:
            return candidate.sized(choices[0], size)
        anchors = self.spec.tuned_at_of(candidate, data)
        nearest = size if size in anchors else min(anchors, key=lambda anchor: _apart(anchor, size))
        left = self._finalists(data, candidate, nearest)
        found = [self._fold_score(data, candidate, candidate.sized(choice, nearest)) for choice in left]
        scores = [score for score in found if score is not None]
        if not scores or len(scores) < len(found):
            return None
        best = max(range(len(left)), key=scores.__getitem__)
        return candidate.sized(left[best], size)

    def size(self, data: str, candidate: Candidate) -> tuple[int | None, bool]:
        """The number of components that folds chose, and whether they have been run."""
        sizes = self.spec.sizes_of(candidate, data)
        if len(sizes) == 1:
            return sizes[0], True
        scores = {}
        for size in sizes:
            settings = self.settings(data, candidate, size)
            score = None if settings is None else self._fold_score(data, candidate, settings)
            if score is None:
                return None, False
            scores[size] = score
        return max(scores, key=scores.__getitem__), True

    def tests(self, data: str, candidate: Candidate, size: int | None, **changed: Any) -> list[Record]:
        """The records on the test part, one per seed that was run."""
        settings = self.settings(data, candidate, size)
        if settings is None:
            return []
        jobs = self._seeds(data, candidate, settings | changed)
        found = [self.records[job.key] for job in jobs if job.key in self.records]
        _check_data(candidate, found)
        return found

    @property
    def chooses_size(self) -> bool:
        """Whether folds choose the number of components too."""
        return self.spec.kind == "by data" or not self.spec.sizes

    def _fold_jobs(self, data: str, candidate: Candidate) -> Iterator[Job]:
        sizes, anchors = self.spec.sizes_of(candidate, data), self.spec.tuned_at_of(candidate, data)
        choices = self._choices(data, candidate)
        for size in anchors if len(choices) > 1 else ():
            for choice in choices:
                yield self._folds(data, candidate, candidate.sized(choice, size))[0]
            for choice in self._finalists(data, candidate, size):
                yield from self._folds(data, candidate, candidate.sized(choice, size))
        if self.chooses_size and len(sizes) > 1:
            for size in sizes:
                settings = self.settings(data, candidate, size)
                if settings is not None:
                    yield from self._folds(data, candidate, settings)

    def _finalists(self, data: str, candidate: Candidate, size: int | None) -> list[Settings]:
        """The choices that all folds are to judge: those that are best on the first; none before that is run.

        The best with λ = 0 have places besides: else many alike with λ > 0 would push them out, and a model with more
        choices could be worse for them.
        """
        choices, most = self._choices(data, candidate), self.spec.shortlist
        if not most or len(choices) <= most:
            return choices
        found = [
            self.records.get(self._folds(data, candidate, candidate.sized(choice, size))[0].key) for choice in choices
        ]
        scores = [self.score(record) for record in found if record is not None]
        if len(scores) < len(choices):
            return []
        order = sorted(range(len(choices)), key=lambda number: -scores[number])  # Of equal ones the first named stay.
        plain = [number for number in order if choices[number].get("diversity") == 0]
        return [choices[number] for number in sorted({*order[:most], *plain[:most]})]

    def _choices(self, data: str, candidate: Candidate) -> list[Settings]:
        """What folds choose from. Where λ is all that they would choose and the spec gives it, nothing is left."""
        choices = candidate.choices(data)
        if candidate.name in self.spec.weights:
            others = [{name: value for name, value in each.items() if name != "diversity"} for each in choices]
            if all(each == others[0] for each in others):
                return others[:1]
        return choices

    def _test_jobs(self, data: str, candidate: Candidate) -> Iterator[Job]:
        sizes = self.spec.sizes_of(candidate, data)
        if self.chooses_size:
            chosen, known = self.size(data, candidate)
            sizes = (chosen,) if known else ()
        for size in sizes:
            settings = self.settings(data, candidate, size)
            if settings is None:
                continue
            changes = [{"diversity": weight} for weight in self.spec.weights.get(candidate.name, ())] or [{}]
            for change in changes:
                yield from self._seeds(data, candidate, settings | change)

    def _fold_score(self, data: str, candidate: Candidate, settings: Settings) -> float | None:
        found = [self.records.get(job.key) for job in self._folds(data, candidate, settings)]
        known = [record for record in found if record is not None]
        _check_data(candidate, known)
        return fmean(map(self.score, known)) if known and len(known) == len(found) else None

    def _folds(self, data: str, candidate: Candidate, settings: Settings) -> list[Job]:
        return [
            Job(self.spec.task, data, candidate.estimator, settings, seed=fold, fold=fold) for fold in self.spec.folds
        ]

    def _seeds(self, data: str, candidate: Candidate, settings: Settings) -> list[Job]:
        return [Job(self.spec.task, data, candidate.estimator, settings, seed=seed) for seed in range(self.spec.seeds)]


def _check_data(candidate: Candidate, records: list[Record]) -> None:
    """Refuse to take records together that were made of different data."""
    if len({record.get("checksum") for record in records}) > 1:
        raise DataError(
            f"the records of {candidate.name!r} on {records[0]['data']!r} are of several versions of the data: "
            "take some out."
        )


def _apart(one: int | None, other: int | None) -> float:
    """How far apart two numbers of components are, as ratios."""
    return abs(math.log((one or 1) / (other or 1)))
