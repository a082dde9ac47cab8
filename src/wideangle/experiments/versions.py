"""How many records of each spec are of which code and device."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wideangle.experiments.jobs import Record
from wideangle.experiments.origins import is_of_this_code, origin_of
from wideangle.experiments.plan import Plan
from wideangle.experiments.records import RecordFolder
from wideangle.experiments.specs import Spec, check_names

__all__ = ["Version", "versions"]


@dataclass(frozen=True)
class Version:
    """The records of a spec that have the same origin."""

    spec: str
    code: str
    device: str
    is_this_code: bool
    """whether the code that is here now made them"""
    folds: int
    """records of folds of the training part"""
    tests: int
    """records of the test part"""


def versions(specs: Sequence[Spec], folder: Path) -> list[Version]:
    """What the records that the specs use were made by, the most frequent origin of each spec first."""
    known = RecordFolder(folder)
    records: dict[str, dict[str, Record]] = {}
    found = []
    for spec in specs:
        check_names(spec)
        if not spec.is_fitted:
            continue
        if spec.task not in records:
            records[spec.task] = known.read(spec.task)
        of_task = records[spec.task]
        used = [of_task[job.key] for job in Plan(spec, of_task).jobs() if job.key in of_task]
        counts = Counter((origin_of(each), is_of_this_code(each)) for each in used)
        tests = Counter((origin_of(each), is_of_this_code(each)) for each in used if each["fold"] is None)
        for (origin, is_this), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            tested = tests[origin, is_this]
            found.append(Version(spec.name, origin.code, origin.device, is_this, count - tested, tested))
    return found
