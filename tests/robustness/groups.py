"""The callables of a campaign in groups: each estimator is one, and the functions of each package or module."""

from collections import defaultdict

from robustness.estimator_cases import calls_of
from robustness.function_cases import CASES
from robustness.parameter_cases import parameters_of
from robustness.trying import Case

from wideangle.catalogue import entries


def groups() -> list[str]:
    """The names of all groups."""
    return [*_functions(), *(entry.name for entry in entries())]


def cases_of(group: str) -> list[Case]:
    """The callables of a group."""
    return list(_functions().get(group) or [parameters_of(group), *calls_of(group)])


def _functions() -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = defaultdict(list)
    for case in CASES:
        found[".".join(case.name.split(".")[:2]) if case.name.count(".") > 1 else "wideangle"].append(case)
    return dict(found)
